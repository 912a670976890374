#include "kernel/domain/recall.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernel/domain/literature.h"
#include "prose/nearest.h"

namespace kernel {

namespace {

/// From `artifact` on: kinds that only imported artifacts have.
const std::vector<std::string> recalled_kinds = {"study",   "hypothesis", "decision",  "dead_end", "pivot",
                                                 "insight", "claim",      "word",      "paper",    "artifact",
                                                 "concept", "evidence",   "experiment"};
const std::vector<std::string> recalled_verdicts = {"supported",    "refuted",    "no_relevant_effect",
                                                    "inconclusive", "hypothesis", "untested",
                                                    "testing",      "weakened",   "withdrawn"};
const std::vector<std::string> recalled_by = {"study", "kind", "verdict"};

std::string one_of(const std::string& given, const std::vector<std::string>& known) {
  const std::string near = prose::nearest(given, known);
  return near.empty() ? fmt::format("use one of {}", fmt::join(known, ", ")) : "did you mean `" + near + "`?";
}

}  // namespace

std::optional<Problem> narrow(RecallQuery& query, const std::string& where) {
  const std::size_t sign = where.find('=');
  if (sign == where.npos || sign + 1 == where.size())
    return Problem{"", 0, "where: " + where, "is no KEY=VALUE", "write for instance kind=dead_end"};
  const std::string key = where.substr(0, sign) == "outcome" ? "verdict" : where.substr(0, sign);
  const std::string value = where.substr(sign + 1);
  const auto known = [&](const std::vector<std::string>& list) -> std::optional<Problem> {
    if (std::ranges::find(list, value) != list.end()) return std::nullopt;
    return Problem{"", 0, "where: " + where, "there is no such " + key, one_of(value, list)};
  };
  if (key == "study") return query.study = value, std::nullopt;
  if (key == "kind") return query.kind = value, known(recalled_kinds);
  if (key == "verdict") return query.verdict = value, known(recalled_verdicts);
  return Problem{"", 0, "where: " + where, "nothing is found by `" + key + "`", one_of(key, recalled_by)};
}

nlohmann::json recollections_shape(const std::vector<Recollection>& found, const std::string& words) {
  constexpr std::size_t most = 400;
  nlohmann::json list = nlohmann::json::array();
  for (const Recollection& one : found)
    list.push_back({{"address", one.address},
                    {"study", one.address.substr(0, one.address.find('/'))},
                    {"kind", one.kind},
                    {"verdict", one.verdict.empty() ? nlohmann::json() : nlohmann::json(one.verdict)},
                    {"title", one.title},
                    {"excerpt", excerpt(one.text, words, most)},
                    {"from", one.from.empty() ? nlohmann::json() : nlohmann::json(one.from)}});
  return list;
}

}  // namespace kernel
