#pragma once
// Metric values out of a table: RFC 4180, with a header row. Knows nothing of summaries or verdicts.

#include <string_view>
#include <vector>

#include "kernel/measure/metric_sources.h"

namespace kernel {

/// A key is a column's name; of columns with one name the last counts. Lines end in LF or CRLF. An empty field holds no
/// value; a field that is no number, and a row that is broken or not as long as the header, is malformed. Returns the
/// keys that name no column.
std::vector<std::string> read_csv(std::string_view text, const std::vector<LineKey>&, Found&);

}  // namespace kernel
