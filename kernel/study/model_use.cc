#include "kernel/study/model_use.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace kernel {

namespace {

constexpr std::size_t most_answers = 64;

bool numeral(char c) {
  return c >= '0' && c <= '9';
}

std::string without_end(std::string name, std::string_view end) {
  if (name.ends_with(end)) name.resize(name.size() - end.size());
  return name;
}

/// Without the vendor, capitals and `latest`.
std::string plain_name(std::string_view name) {
  if (const std::size_t slash = name.rfind('/'); slash != name.npos) name.remove_prefix(slash + 1);
  std::string plain(name);
  for (char& c : plain) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return without_end(without_end(std::move(plain), ":latest"), "-latest");
}

/// "-2026-01-01", "@20260101", "-0613", "-001". A single digit names another model: "-4", "-1-20250805".
bool is_date(std::string_view text) {
  if (text.empty() || (text.front() != '-' && text.front() != '@')) return false;
  std::size_t digits = 0, group = 0;
  for (const char c : text.substr(1)) {
    if (!numeral(c) && (c != '-' || group < 2)) return false;
    group = numeral(c) ? group + 1 : 0;
    digits += numeral(c) ? 1 : 0;
  }
  return digits >= 3 && group >= 2;
}

void add(UnderstatedCalls& sum, const UnderstatedCalls& more) {
  sum.calls += more.calls;
  sum.stated += more.stated;
  sum.least += more.least;
  sum.charged += more.charged;
}

}  // namespace

ModelUse& model_use(Ledger& ledger, const std::string& role, const std::string& model) {
  const auto known =
      std::ranges::find_if(ledger.models, [&](const ModelUse& one) { return one.role == role && one.model == model; });
  if (known != ledger.models.end()) return *known;
  ModelUse& added = ledger.models.emplace_back();
  added.role = role;
  added.model = model;
  return added;
}

void settle(ModelUse& use, const ModelCall& call, const CallEnd& end) {
  ++use.calls;
  use.prompt_tokens += end.tokens.total() - end.tokens.output;
  use.cached_tokens += end.tokens.cache_read;
  use.output_tokens += end.tokens.output;
  use.usd += end.usd;
  use.unpriced += call.as.unpriced ? 1 : 0;
  if (end.understated) add(use.understated, {1, end.understated->stated, end.understated->least, end.tokens.total()});
  if (!end.origin) return;
  ReplyOrigin origin = *end.origin;
  const auto same = [&](const AnsweredAs& one) { return one.as == call.as && one.origin == origin; };
  auto known = std::ranges::find_if(use.answers, same);
  if (known == use.answers.end() && use.answers.size() >= most_answers) {
    origin.fingerprint.clear();
    known = std::ranges::find_if(use.answers, same);
  }
  if (known == use.answers.end()) known = use.answers.insert(known, {call.as, std::move(origin), 0});
  ++known->calls;
}

std::vector<Reason> understated_uses(const Ledger& ledger) {
  struct OfModel {
    std::int64_t calls = 0;
    UnderstatedCalls understated{};
  };
  std::vector<std::string> models;  // In the order of first use.
  std::map<std::string, OfModel> sums;
  for (const ModelUse& use : ledger.models) {
    if (!sums.contains(use.model)) models.push_back(use.model);
    sums[use.model].calls += use.calls;
    add(sums[use.model].understated, use.understated);
  }
  std::vector<Reason> found;
  for (const std::string& model : models)
    if (const auto& [calls, understated] = sums.at(model); understated.calls > 0)
      found.push_back({ReasonCode::use_understated,
                       {{"model", model},
                        {"understated", understated.calls},
                        {"calls", calls},
                        {"stated", understated.stated},
                        {"least", understated.least},
                        {"charged", understated.charged}}});
  return found;
}

bool states_origins(const Ledger& ledger) {
  return std::ranges::any_of(ledger.models, [](const ModelUse& one) { return !one.answers.empty(); });
}

bool is_same_model(std::string_view asked, std::string_view answered) {
  const std::string one = plain_name(asked), other = plain_name(answered);
  const auto& [shorter, longer] =
      std::minmax(one, other, [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return longer.starts_with(shorter) && (longer.size() == shorter.size() || is_date(longer.substr(shorter.size())));
}

std::vector<OtherModel> other_models(const Ledger& ledger) {
  std::vector<OtherModel> others;
  for (const ModelUse& use : ledger.models)
    for (const AnsweredAs& one : use.answers) {
      const std::string &asked = one.as.model, &answered = one.origin.model;
      if (asked.empty() || answered.empty() || is_same_model(asked, answered)) continue;
      const auto known = std::ranges::find_if(
          others, [&](const OtherModel& other) { return other.asked == asked && other.answered == answered; });
      if (known == others.end())
        others.push_back({asked, answered, one.calls, 0});
      else
        known->calls += one.calls;
    }
  for (OtherModel& other : others)
    for (const ModelUse& use : ledger.models)
      for (const AnsweredAs& one : use.answers) other.of += one.as.model == other.asked ? one.calls : 0;
  return others;
}

}  // namespace kernel
