#pragma once
// Metric values from a table: RFC 4180 with a header row. Independent of summaries and verdicts.

#include <string_view>
#include <vector>

#include "kernel/measure/metric_sources.h"

namespace kernel {

/// A key is a column's name; of several columns with one name the last counts. Lines end in LF or CRLF. An empty field
/// holds no value. A field that is not a number is malformed, and so is a row with a syntax error or a wrong length.
/// Returns the keys without a column.
std::vector<std::string> read_csv(std::string_view text, const std::vector<LineKey>&, Found&);

}  // namespace kernel
