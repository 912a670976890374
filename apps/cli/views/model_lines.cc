#include "apps/cli/views/model_lines.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "prose/numbers.h"

namespace cli {

using nlohmann::json;

namespace {

std::string calls_text(const json& entry) {
  return prose::counted(entry.at("calls").get<long long>(), "call");
}

}  // namespace

std::string model_line(const json& use) {
  const auto in = use.at("tokens_in").get<std::int64_t>(), cached = use.at("tokens_cached").get<std::int64_t>();
  std::string line =
      fmt::format("{}, {}: {}, {} tokens in", text_at(use, "role"), text_at(use, "model"), calls_text(use), in);
  if (cached > 0)
    line += fmt::format(" ({:.0f} % from the cache)", 100 * static_cast<double>(cached) / static_cast<double>(in));
  line += fmt::format(", {} out, ", use.at("tokens_out").get<std::int64_t>());
  return line + (use.at("usd").is_null() ? "price not known" : fmt::format("${:.4g}", use.at("usd").get<double>()));
}

std::vector<std::string> answer_lines(const json& use) {
  std::vector<std::string> lines;
  for (const json& one : use.value("answers", json::array())) {
    const std::string by = text_at(one, "answered_by");
    std::string line = by.empty() ? "a model that is not named" : by;
    for (const char* what : {"tier", "fingerprint", "effort"})
      if (const std::string text = text_at(one, what); !text.empty()) line += fmt::format(", {} {}", what, text);
    lines.push_back(line + ": " + calls_text(one));
  }
  return lines;
}

json summed_models(const std::vector<json>& ledgers) {
  json sums = json::array();
  for (const json& ledger : ledgers)
    for (const json& use : ledger) {
      const auto known = std::ranges::find_if(sums, [&](const json& sum) {
        return sum.at("role") == use.at("role") && sum.at("model") == use.at("model");
      });
      if (known == sums.end()) {
        sums.push_back(use);
        sums.back().erase("answers");
        sums.back()["studies"] = 1;
        continue;
      }
      for (const char* count : {"calls", "tokens_in", "tokens_cached", "tokens_out"})
        (*known)[count] = known->at(count).get<std::int64_t>() + use.at(count).get<std::int64_t>();
      const bool unknown_sum = known->at("usd").is_null() || use.at("usd").is_null();
      (*known)["usd"] = unknown_sum ? json() : json(known->at("usd").get<double>() + use.at("usd").get<double>());
      (*known)["studies"] = known->at("studies").get<int>() + 1;
    }
  return sums;
}

}  // namespace cli
