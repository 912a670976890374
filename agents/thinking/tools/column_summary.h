#pragma once
// Summarises a column of a table value by value in bounded memory: count, types, spread, most frequent values. Pure;
// one thread.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace agents {

class ColumnSummary {
 public:
  /// Adds a text field: a number if it reads as one, missing if it is empty or says so (NA, NaN, null, None …).
  void text(std::string_view);
  void value(const nlohmann::json&);
  /// Adds a row without this column.
  void missing() { ++missing_; }

  /// Number of rows, with and without the column.
  std::int64_t rows() const { return seen_ + missing_; }
  /// One line: types, missing values, range and mean or the most frequent values.
  std::string line() const;

 private:
  void number(double, bool whole);
  void word(std::string_view);
  void length(std::size_t bytes);
  std::string most_frequent() const;

  std::int64_t seen_ = 0;  ///< Not missing.
  std::int64_t missing_ = 0, integers_ = 0, reals_ = 0, truths_ = 0, texts_ = 0, nested_ = 0;
  double least_ = 0, most_ = 0, mean_ = 0;
  std::size_t shortest_ = 0, longest_ = 0;
  std::map<std::string, std::int64_t, std::less<>> counts_;  ///< Frequency of each value, while there are few.
  bool many_ = false;                                        ///< There are more different values than are counted.
};

/// Columns in order of appearance, with a few unchanged rows.
class TableSummary {
 public:
  explicit TableSummary(std::vector<std::string> header = {});

  void row(const std::vector<std::string_view>& fields);
  /// Columns by name if the row is an object, by position if it is a list; else one column "value".
  void row(const nlohmann::json&);

  std::int64_t rows() const { return rows_; }
  std::string text() const;

 private:
  ColumnSummary* column(const std::string& name);
  void sample(const std::string& row);

  std::vector<std::string> names_;
  std::vector<ColumnSummary> columns_;
  std::map<std::string, std::size_t> places_;
  std::int64_t rows_ = 0, short_ = 0, long_ = 0, left_out_ = 0;
  std::vector<std::string> samples_;
};

}  // namespace agents
