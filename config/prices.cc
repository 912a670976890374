#include "config/prices.h"

#include <algorithm>

#include "studyfile/yaml/scalars.h"
#include "studyfile/yaml/value.h"

namespace config {

using studyfile::Fields;
using studyfile::keep;
using studyfile::Value;

namespace {

void read_rates_of(const Fields& fields, models::Rates& rates) {
  constexpr double most = 1e6;
  if (const auto input = fields.need("input", "US dollars per million tokens"))
    keep(input->number(0, most), rates.input);
  if (const auto output = fields.need("output", "US dollars per million tokens"))
    keep(output->number(0, most), rates.output);
  if (const auto read = fields.find("cache_read")) rates.cache_read = read->number(0, most);
  if (const auto written = fields.find("cache_written")) rates.cache_written = written->number(0, most);
  if (const auto written = fields.find("cache_written_1h")) rates.cache_written_long = written->number(0, most);
}

/// Prices of longer prompts: `above: [{tokens: 200000, input: 6, output: 22.5}]`.
void read_tiers(const Value& value, models::Price& price) {
  const auto list = value.list("tiers");
  if (!list) return;
  for (const Value& entry : *list) {
    const auto fields =
        entry.fields({{"tokens"}, {"input"}, {"output"}, {"cache_read"}, {"cache_written"}, {"cache_written_1h"}});
    if (!fields) continue;
    std::int64_t from = 0;
    if (const auto tokens = fields->need("tokens", "from how many tokens of a prompt on"))
      keep(tokens->integer(1, std::int64_t{1} << 40), from);
    if (!price.above.empty() && from <= price.above.back().first)
      entry.refuse("the tiers do not rise", "list them by `tokens`, the smallest first");
    models::Rates rates;
    read_rates_of(*fields, rates);
    price.above.emplace_back(from, rates);
  }
}

}  // namespace

std::optional<models::Price> read_prices(const Value& value) {
  const auto fields = value.fields(
      {{"input"}, {"output"}, {"cache_read"}, {"cache_written"}, {"cache_written_1h"}, {"above"}, {"batch"}});
  if (!fields) return std::nullopt;
  models::Price price;
  read_rates_of(*fields, price);
  if (const auto tiers = fields->find("above")) read_tiers(*tiers, price);
  if (const auto share = fields->find("batch")) keep(share->number(0, 1), price.batch);
  return price;
}

std::optional<double> gpu_price(const std::map<std::string, double>& prices, std::string_view model) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const auto same = [&](char a, char b) { return lower(a) == lower(b); };
  std::optional<double> price;
  std::size_t longest = 0;
  for (const auto& [type, usd] : prices) {
    if (type.size() <= longest || std::ranges::search(model, type, same).empty()) continue;
    longest = type.size();
    price = usd;
  }
  return price;
}

}  // namespace config
