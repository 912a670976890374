#include "agents/thinking/tools/column_summary.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace agents {

using nlohmann::json;

namespace {

constexpr std::size_t most_columns = 500, columns_shown = 100, most_different = 500, longest_value = 60,
                      most_samples = 5, longest_sample = 600;

std::string_view without_space(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool says_missing(std::string_view text) {
  static constexpr std::array words = {"", "NA", "N/A", "na", "n/a", "NaN", "nan", "null", "NULL", "None", "?"};
  return std::ranges::find(words, text) != words.end();
}

/// The value as text; nested values are shortened.
std::string brief(const json& value) {
  if (value.is_object()) return fmt::format("{{{} keys}}", value.size());
  if (value.is_array()) return fmt::format("[{} values]", value.size());
  if (value.is_string()) return value.get_ref<const std::string&>().substr(0, longest_value);
  return value.dump();
}

}  // namespace

void ColumnSummary::number(double value, bool whole) {
  const std::int64_t before = integers_ + reals_;
  ++(whole ? integers_ : reals_);
  least_ = before == 0 ? value : std::min(least_, value);
  most_ = before == 0 ? value : std::max(most_, value);
  mean_ += (value - mean_) / static_cast<double>(before + 1);
}

void ColumnSummary::word(std::string_view text) {
  const std::string_view kept = text.substr(0, longest_value);
  if (const auto found = counts_.find(kept); found != counts_.end())
    ++found->second;
  else if (counts_.size() < most_different)
    counts_.emplace(kept, 1);
  else
    many_ = true;
}

void ColumnSummary::length(std::size_t bytes) {
  shortest_ = texts_ == 0 ? bytes : std::min(shortest_, bytes);
  longest_ = std::max(longest_, bytes);
  ++texts_;
}

void ColumnSummary::text(std::string_view field) {
  field = without_space(field);
  if (says_missing(field)) return missing();
  ++seen_;
  word(field);
  std::string_view digits = field;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double real = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), real);
  if (error == std::errc() && end == digits.data() + digits.size() && std::isfinite(real))
    return number(real, digits.find_first_of(".eE") == digits.npos);
  if (field == "true" || field == "false" || field == "True" || field == "False") {
    ++truths_;
    return;
  }
  length(field.size());
}

void ColumnSummary::value(const json& value) {
  if (value.is_null()) return missing();
  ++seen_;
  word(brief(value));
  if (value.is_number()) return number(value.get<double>(), value.is_number_integer());
  if (value.is_boolean()) {
    ++truths_;
  } else if (value.is_string()) {
    length(value.get_ref<const std::string&>().size());
  } else {
    ++nested_;
  }
}

std::string ColumnSummary::most_frequent() const {
  constexpr std::size_t shown = 8;
  std::vector<std::pair<std::string_view, std::int64_t>> list(counts_.begin(), counts_.end());
  std::ranges::stable_sort(list, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out = fmt::format("{}{} different", many_ ? "more than " : "", counts_.size());
  // If every value occurs about once, frequencies say nothing.
  if (list.empty() || (list.front().second == 1 && list.size() > shown) || (many_ && texts_ == 0)) return out;
  for (std::size_t i = 0; i < std::min(shown, list.size()); ++i)
    out += fmt::format("{} {} ({})", i == 0 ? ":" : ",", list[i].first, list[i].second);
  if (list.size() > shown) out += ", …";
  return out + (many_ ? " (of those that came first)" : "");
}

std::string ColumnSummary::line() const {
  std::string types;
  const auto add = [&](std::int64_t count, const char* what) {
    if (count == 0) return;
    types += types.empty() ? "" : " + ";
    types += count == seen_ ? what : fmt::format("{} {}", count, what);
  };
  add(integers_, "integers");
  add(reals_, "reals");
  add(truths_, "truth values");
  add(texts_, "texts");
  add(nested_, "nested values");
  std::string out = types.empty() ? "empty" : types;
  out += missing_ > 0 ? fmt::format("; {} missing", missing_) : "";
  if (integers_ + reals_ > 0) out += fmt::format("; from {} to {}, mean {:.6g}", least_, most_, mean_);
  if (texts_ > 0) out += fmt::format("; {} to {} bytes long", shortest_, longest_);
  return seen_ > 0 ? out + "; " + most_frequent() : out;
}

TableSummary::TableSummary(std::vector<std::string> header) {
  for (const std::string& name : header) column(name);
  if (names_.size() < header.size()) left_out_ = static_cast<std::int64_t>(header.size() - names_.size());
}

/// Null if there are too many columns. A repeated name gets a suffix.
ColumnSummary* TableSummary::column(const std::string& name) {
  if (names_.size() >= most_columns) return nullptr;
  std::string own = name.substr(0, 100);
  for (int n = 2; places_.contains(own); ++n) own = fmt::format("{} ({})", name.substr(0, 100), n);
  places_.emplace(own, names_.size());
  names_.push_back(std::move(own));
  columns_.emplace_back();
  return &columns_.back();
}

void TableSummary::sample(const std::string& row) {
  if (samples_.size() < most_samples) samples_.push_back(row.substr(0, longest_sample));
}

void TableSummary::row(const std::vector<std::string_view>& fields) {
  ++rows_;
  short_ += fields.size() < columns_.size() ? 1 : 0;
  long_ += left_out_ == 0 && fields.size() > columns_.size() ? 1 : 0;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (i < fields.size())
      columns_[i].text(fields[i]);
    else
      columns_[i].missing();
  if (samples_.size() >= most_samples) return;
  std::string shown;
  for (const std::string_view field : fields) {
    if (shown.size() > longest_sample) break;
    shown += fmt::format("{}{}", shown.empty() ? "" : " | ", field.substr(0, longest_value));
  }
  sample(shown);
}

void TableSummary::row(const json& row) {
  ++rows_;
  if (samples_.size() < most_samples) sample(row.dump(-1, ' ', false, json::error_handler_t::replace));
  const auto put = [&](const std::string& name, const json& value) {
    const auto known = places_.find(name);
    ColumnSummary* own = known != places_.end() ? &columns_[known->second] : column(name);
    if (!own) {
      ++left_out_;
      return;
    }
    own->value(value);
  };
  if (row.is_object())
    for (const auto& [name, value] : row.items()) put(name.substr(0, 100), value);
  else if (row.is_array())
    for (std::size_t i = 0; i < std::min(row.size(), most_columns + 1); ++i) put(std::to_string(i + 1), row[i]);
  else
    put("value", row);
}

std::string TableSummary::text() const {
  std::string out = fmt::format("{} rows, {} columns\n", rows_, columns_.size());
  if (short_ > 0) out += fmt::format("{} rows are shorter than the header\n", short_);
  if (long_ > 0) out += fmt::format("{} rows are longer than the header\n", long_);
  if (left_out_ > 0) out += fmt::format("more than {} columns: the others are left out\n", most_columns);
  for (std::size_t i = 0; i < std::min(columns_.size(), columns_shown); ++i) {
    const std::int64_t absent = rows_ - columns_[i].rows();
    out += fmt::format("- {}: {}{}\n", names_[i], columns_[i].line(),
                       absent > 0 ? fmt::format("; not there in {} rows", absent) : "");
  }
  if (columns_.size() > columns_shown) out += fmt::format("… and {} columns more\n", columns_.size() - columns_shown);
  out += "The first rows:\n";
  for (const std::string& sample : samples_) out += sample + "\n";
  return out;
}

}  // namespace agents
