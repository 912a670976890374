#include "benchmarks/night_study.h"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/utf8.h"
#include "benchmarks/fill_mark.h"
#include "embedded/bench_texts.h"

namespace benchmarks {

namespace {

constexpr std::size_t least_text = 200, most_text = std::size_t{4} << 20;

std::string night_text(const NightTerms& terms, const std::string& profile, int night) {
  std::string text(embedded::bench_texts("night/study.yaml"));
  fill_mark(text, "{{title}}", fmt::format("Night {} of ideas for a tiny language model", night));
  fill_mark(text, "{{ideas}}", std::to_string(terms.ideas));
  fill_mark(text, "{{floor}}", std::to_string(terms.floor));
  fill_mark(text, "{{retest}}", std::to_string(terms.retest));
  fill_mark(text, "{{confirm}}", std::to_string(terms.confirm));
  // Processor time takes longer on a busy machine, and only a training that hangs is to be ended.
  fill_mark(text, "{{timeout}}", std::to_string(120 + std::llround(std::ceil(5 * terms.seconds))));
  fill_mark(text, "{{budget}}",
            terms.usd ? fmt::format("{{wall: {}, usd: {}}}", terms.wall, *terms.usd)
                      : fmt::format("{{wall: {}}}", terms.wall));
  fill_mark(text, "{{profile}}", profile);
  fill_mark(text, "{{night}}", std::to_string(night));
  return text;
}

/// Empty if the text is no UTF-8.
std::set<char32_t> characters_of(std::string_view text) {
  std::set<char32_t> characters;
  for (std::size_t at = 0; at < text.size();) {
    const kernel::Utf8Character one = kernel::utf8_at(text, at);
    if (one.length == 0) return {};
    characters.insert(one.code);
    at += one.length;
  }
  return characters;
}

}  // namespace

std::optional<kernel::Problem> refuse_night_text(const NightFiles& text, const std::string& folder) {
  const auto bad = [&](const char* name, const std::string& why, const std::string& todo) {
    return kernel::Problem{folder + "/" + name, 0, "", why, todo};
  };
  std::set<char32_t> known;
  for (const char* name : {"train.txt", "val.txt", "test.txt"}) {
    const std::string& bytes = text.at(name);
    if (bytes.size() < least_text || bytes.size() > most_text)
      return bad(name, fmt::format("it has {} bytes", bytes.size()), "give a text of 200 bytes to 4 MiB");
    const std::set<char32_t> characters = characters_of(bytes);
    if (characters.empty()) return bad(name, "it is not UTF-8", "convert it");
    if (known.empty()) known = characters;
    for (const char32_t one : characters)
      if (!known.contains(one)) {
        std::string shown;
        kernel::append_utf8(shown, one);
        return bad(name, "`" + shown + "` does not occur in train.txt, so no model can predict it",
                   "remove it, or divide the text otherwise");
      }
  }
  return std::nullopt;
}

NightFiles night_study(const NightTerms& terms, const std::string& profile, int night, const NightFiles& shared) {
  NightFiles files = {{"study.yaml", night_text(terms, profile, night)},
                      {"train.py", std::string(embedded::bench_texts("night/train.py"))},
                      {"prepare.py", std::string(embedded::bench_texts("night/prepare.py"))}};
  fill_mark(files["prepare.py"], "{{seconds}}", fmt::format("{}", terms.seconds));
  for (const char* name : {"evaluate.py", "walls.py", "train.txt", "val.txt", "test.txt"})
    files[name] = shared.at(name);
  return files;
}

}  // namespace benchmarks
