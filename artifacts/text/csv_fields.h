#pragma once
// Reads a row of comma-separated values (RFC 4180), as `in_csv` writes it. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace artifacts {

/// The fields of one row, given without its line break. A row of etude never contains one.
std::vector<std::string> csv_fields(std::string_view row);

}  // namespace artifacts
