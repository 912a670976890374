#include "memory/workspace/paid_answers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "base/digest.h"

namespace memory {

namespace fs = std::filesystem;

namespace {

using nlohmann::json;

constexpr std::uintmax_t most_read = std::uintmax_t{256} << 20;
constexpr std::size_t longest_header = 1 << 16;
/// More than any file of answers cost: other numbers are not believed.
constexpr std::int64_t most_tokens = 1'000'000'000'000;
constexpr double most_usd = 1e9;

std::string text_member(const json& line, const char* name) {
  const auto member = line.find(name);
  return member != line.end() && member->is_string() ? member->get<std::string>() : "";
}

AnswerCharge stated(const json& line) {
  AnswerCharge charge;
  const auto tokens = line.find("tokens"), usd = line.find("usd");
  if (tokens != line.end() && tokens->is_number_integer())
    charge.tokens = std::clamp<std::int64_t>(tokens->get<std::int64_t>(), 0, most_tokens);
  if (usd != line.end() && usd->is_number()) charge.usd = std::clamp(usd->get<double>(), 0.0, most_usd);
  return charge;
}

std::optional<kernel::PaidAnswers> read_answers(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > most_read) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in.is_open() || in.peek() != '{') return std::nullopt;
  // Other files may be one long line.
  std::string text(longest_header, '\0');
  in.getline(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.fail()) return std::nullopt;
  text.resize(std::strlen(text.c_str()));
  if (text.find("\"etude_answers\"") == text.npos) return std::nullopt;
  const json header = json::parse(text, nullptr, false);
  if (!header.is_object() || header.value("etude_answers", json()) != 1) return std::nullopt;
  kernel::Sha256 hash;
  const auto add = [&] { hash.update(in.eof() ? text : text + "\n"); };
  add();
  AnswerSums sums;
  kernel::PaidAnswers paid;
  paid.model = text_member(header, "model");
  bool priced = false, cut_off = false;
  while (std::getline(in, text)) {
    add();
    const json line = json::parse(text, nullptr, false);
    cut_off = cut_off || !line.is_object();
    if (cut_off) continue;
    sums.take(line);
    priced = priced || line.contains("usd");
  }
  paid.hash = hash.hex();
  paid.answers = static_cast<std::int64_t>(sums.answered());
  paid.tokens = sums.spent().tokens;
  if (priced) paid.usd = sums.spent().usd;
  return paid;
}

}  // namespace

void AnswerSums::take(const json& line) {
  if (const std::string id = text_member(line, "asks"); !id.empty()) {
    lose(id);  // A request before this one has no end.
    under_way_[id] = stated(line);
    return;
  }
  if (const std::string id = text_member(line, "not_served"); !id.empty()) {
    under_way_.erase(id);
    return;
  }
  const std::string id = text_member(line, "id");
  if (id.empty()) return;
  under_way_.erase(id);
  const AnswerCharge charge = stated(line);
  paid_.tokens += charge.tokens;
  paid_.usd += charge.usd;
  answered_.insert(id);
  without_ += line.contains("unanswered");
}

AnswerCharge AnswerSums::spent() const {
  AnswerCharge all = paid_;
  for (const auto& [id, charge] : under_way_) {
    all.tokens += charge.tokens;
    all.usd += charge.usd;
  }
  return all;
}

void AnswerSums::lose(const std::string& id) {
  const auto before = under_way_.find(id);
  if (before == under_way_.end()) return;
  paid_.tokens += before->second.tokens;
  paid_.usd += before->second.usd;
  under_way_.erase(before);
}

std::vector<kernel::PaidAnswers> paid_answers(const kernel::StudySpec& spec, const std::string& root,
                                              const std::vector<std::string>& files) {
  std::map<std::string, fs::path> places;
  for (const std::string& file : files)
    if (file.ends_with(".jsonl")) places.emplace(file, fs::path(root) / file);
  for (const kernel::DataSpec& data : spec.data) places.emplace(fs::path(data.path).filename(), data.path);
  for (const kernel::Tier tier : {kernel::Tier::validation, kernel::Tier::test})
    if (const kernel::TierSpec* scoring = spec.evaluator.tier(tier))
      for (const kernel::SealedPath& data : scoring->data) places.emplace(data.place, data.path);
  std::vector<kernel::PaidAnswers> all;
  for (const auto& [name, path] : places)
    if (auto paid = read_answers(path);
        paid && std::ranges::find(all, paid->hash, &kernel::PaidAnswers::hash) == all.end()) {
      paid->file = name;
      all.push_back(std::move(*paid));
    }
  return all;
}

}  // namespace memory
