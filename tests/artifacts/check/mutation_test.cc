// Random edits to an artifact of ours: numbers, ids, bytes of sealed files, and members of etude.json. None passes
// check and audit unnoticed. ETUDE_MUTATIONS: how many (`make soak` asks for 500), ETUDE_SEED: which.
#include <cstdlib>
#include <random>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/audit/audit.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/write/etude_json.h"
#include "tests/artifacts/samples/sample_study.h"
#include "tests/artifacts/samples/scratch.h"

namespace fs = std::filesystem;
using artifacts::etude_json_file;
using artifacts::Severity;

namespace {

/// One edit of a file: the bytes after it, and what it was; empty where the file has nothing of the kind.
struct Mutant {
  std::string bytes, what;
};

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::size_t pick(std::size_t n) { return random_() % n; }

  Mutant mutate(const std::string& bytes, bool sealed, bool json) {
    switch (pick(json ? 5 : sealed ? 4 : 2)) {
      case 0:
        return number(bytes);
      case 1:
        return id(bytes);
      case 2:
        return byte(bytes);
      case 3:
        return cut(bytes);
      default:
        return without_member(bytes);
    }
  }

 private:
  /// Another digit in the place of one; of a number with a hundred digits the last ones say nothing.
  Mutant number(const std::string& bytes) {
    std::vector<std::size_t> digits;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (artifacts::is_digit(bytes[i])) digits.push_back(i);
    if (digits.empty()) return {};
    const std::size_t at = digits[pick(digits.size())];
    Mutant mutant{bytes, ""};
    mutant.bytes[at] = static_cast<char>('0' + (bytes[at] - '0' + 1 + static_cast<int>(pick(9))) % 10);
    mutant.what = around(bytes, at, 1) + " → " + mutant.bytes[at];
    return mutant;
  }

  /// Another id of the same kind: C01 for C02, E01 for E02, N04 for N09.
  Mutant id(const std::string& bytes) {
    std::vector<std::size_t> ids;
    for (std::size_t i = 0; i + 2 < bytes.size(); ++i)
      if (std::string_view("CENHS").find(bytes[i]) != std::string_view::npos && artifacts::is_digit(bytes[i + 1]) &&
          (i == 0 || !artifacts::is_alnum(bytes[i - 1])) && (bytes[i] == 'H' || artifacts::is_digit(bytes[i + 2])))
        ids.push_back(i);
    if (ids.empty()) return {};
    const std::size_t at = ids[pick(ids.size())];
    const std::size_t digit = bytes[at] == 'H' ? at + 1 : at + 2;
    Mutant mutant{bytes, ""};
    mutant.bytes[digit] = static_cast<char>('0' + (bytes[digit] - '0' + 1 + static_cast<int>(pick(9))) % 10);
    mutant.what = around(bytes, at, digit - at + 1) + " → " + mutant.bytes.substr(at, digit - at + 1);
    return mutant;
  }

  Mutant byte(const std::string& bytes) {
    if (bytes.empty()) return {};
    const std::size_t at = pick(bytes.size());
    Mutant mutant{bytes, fmt::format("byte {} changed", at)};
    mutant.bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1 + pick(255)));
    return mutant;
  }

  Mutant cut(const std::string& bytes) {
    if (bytes.size() < 2) return {};
    const std::size_t at = pick(bytes.size());
    const std::size_t length = 1 + pick(std::min<std::size_t>(bytes.size() - at, 300));
    Mutant mutant{bytes, fmt::format("{} bytes cut out at {}", length, at)};
    mutant.bytes.erase(at, length);
    return mutant;
  }

  /// One value less, with all that is in it.
  Mutant without_member(const std::string& bytes) {
    nlohmann::json document = nlohmann::json::parse(bytes);
    const nlohmann::json leaves = document.flatten();
    nlohmann::json::json_pointer place(
        std::next(leaves.begin(), static_cast<std::ptrdiff_t>(pick(leaves.size()))).key());
    while (!place.parent_pointer().empty() && pick(3) == 0) place.pop_back();
    nlohmann::json& holder = document[place.parent_pointer()];
    if (holder.is_array())
      holder.erase(std::stoul(place.back()));
    else
      holder.erase(place.back());
    return {document.dump(1), "without " + place.to_string()};
  }

  static std::string around(const std::string& bytes, std::size_t at, std::size_t length) {
    const std::size_t start = at < 40 ? 0 : at - 40;
    return artifacts::printable("…" + bytes.substr(start, at - start) + "[" + bytes.substr(at, length) + "]" +
                                bytes.substr(at + length, 20) + "…");
  }

  std::mt19937 random_;
};

unsigned from_environment(const char* name, unsigned otherwise) {
  const char* value = std::getenv(name);
  return value ? static_cast<unsigned>(std::strtoul(value, nullptr, 10)) : otherwise;
}

/// Blanks between the members of etude.json say nothing; nor does a digit that no double holds.
bool same_json(const std::string& file, const std::string& a, const std::string& b) {
  return file == etude_json_file && nlohmann::json::parse(a, nullptr, false) == nlohmann::json::parse(b);
}

/// What is said beyond information; in what people complete, the paper and its citation, information too. The sample
/// was not run, so that something is said of it as it is.
std::multiset<std::string> complaints(const fs::path& folder) {
  const auto report = artifacts::audit(folder.string());
  REQUIRE(report);
  std::multiset<std::string> said;
  for (const artifacts::Finding& f : report->findings)
    if (f.severity != Severity::info || f.file == "PAPER.md" || f.file == "CITATION.cff")
      said.insert(f.rule + " " + f.file + " " + f.message);
  return said;
}

}  // namespace

TEST_CASE("no random edit to numbers, ids or sealed files of our artifact passes unnoticed") {
  const SampleStudy sample;
  const Scratch folder(sample_artifact(sample));
  const std::multiset<std::string> before = complaints(folder.path());
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
    if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(folder.path()).string());
  std::sort(files.begin(), files.end());
  Mutator mutator(from_environment("ETUDE_SEED", 5));
  const unsigned wanted = from_environment("ETUDE_MUTATIONS", 60);
  std::string unnoticed;
  for (unsigned made = 0; made < wanted;) {
    const std::string& file = files[mutator.pick(files.size())];
    const bool sealed = file.starts_with("evidence/") || file.starts_with("src/") || file.starts_with("report") ||
                        file == "trace/events.jsonl" || file == etude_json_file;
    const std::string bytes = folder.text(file);
    const Mutant mutant = mutator.mutate(bytes, sealed, file == etude_json_file);
    if (mutant.what.empty() || mutant.bytes == bytes || same_json(file, mutant.bytes, bytes)) continue;
    ++made;
    folder.write(file, mutant.bytes);
    const std::multiset<std::string> after = complaints(folder.path());
    if (std::includes(before.begin(), before.end(), after.begin(), after.end())) {
      unnoticed += file + ": " + mutant.what + "\n";
    }
    folder.write(file, bytes);
  }
  CHECK(unnoticed == "");
}
