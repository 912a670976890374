#include <charconv>
#include <optional>

#include "base/csv_records.h"
#include "base/utf8.h"
#include "kernel/measure/metric_sources.h"

namespace kernel {

namespace {

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

template <typename Number>
std::optional<Number> number_of_text(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

struct Columns {
  std::optional<std::size_t> value, step;
  std::int64_t count = 0;
};

std::optional<std::size_t> column_of(const std::vector<std::string>& header, const std::string& name) {
  for (std::size_t i = header.size(); i-- > 0;)
    if (header[i] == name) return i;
  return std::nullopt;
}

}  // namespace

std::vector<std::string> read_csv(std::string_view text, const std::vector<LineKey>& keys, Found& found) {
  std::vector<std::string> missing;
  CsvRecords records(valid_utf8(text) ? text : std::string_view());
  if (!text.empty() && !valid_utf8(text)) ++found.malformed;
  const bool headed = records.next() && records.sound();
  const std::vector<std::string> header = headed ? records.fields() : std::vector<std::string>();
  std::vector<Columns> columns;
  for (const LineKey& key : keys) {
    columns.push_back({column_of(header, key.key), column_of(header, key.step), 0});
    if (!columns.back().value) missing.push_back(key.key);
    if (!key.step.empty() && !columns.back().step) missing.push_back(key.step);
  }
  if (!headed) return missing;
  while (records.next()) {
    bool sound = records.sound() && records.fields().size() == header.size();
    for (std::size_t i = 0; i < keys.size() && sound; ++i) {
      Columns& own = columns[i];
      if (!own.value || (!keys[i].step.empty() && !own.step)) continue;
      const std::string_view spelled = without_blanks(records.fields()[*own.value]);
      if (spelled.empty()) continue;
      const auto value = number_of_text<double>(spelled);
      const auto step = own.step ? number_of_text<std::int64_t>(without_blanks(records.fields()[*own.step]))
                                 : std::optional(own.count);
      if (value && step) {
        ++own.count;
        found.add({keys[i].metric, *value, *step, "", false});
      } else {
        sound = false;
        if (!value) found.refuse(keys[i].metric, spelled);
      }
    }
    if (!sound) ++found.malformed;
  }
  return missing;
}

}  // namespace kernel
