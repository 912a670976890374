#pragma once
// How people write single values: numbers, with and without a unit, booleans and names; and how messages show them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace studyfile {

/// A decimal number that a double holds: `3`, `-0.5`, `1e-4`. No hexadecimal, no `_`, no infinities.
std::optional<double> as_number(std::string_view text);
/// Whether it looks like a number, even if no double can hold it.
bool looks_numeric(std::string_view text);
/// Spelled as an integer: digits with an optional sign.
bool is_integer(std::string_view text);
/// `true` and `false`, also `True` and `TRUE`.
std::optional<bool> as_boolean(std::string_view text);

/// Seconds: `500ms`, `60s`, `1.5m`, `2h`; at most ten years.
std::optional<double> duration_s(std::string_view text);
/// Bytes: `512M`, `1.5G`; K, M, G and T are powers of 1024; at most 2^60.
std::optional<std::int64_t> size_bytes(std::string_view text);

/// Letters, digits, `_` and `-`, starting with a letter or `_`, at most 64: safe as a placeholder, a path and an id.
bool is_name(std::string_view text);
/// Whether it is a relative path that never leaves the folder it starts in.
bool stays_inside(std::string_view path);

/// The text, shortened, on one line.
std::string shown(std::string_view text);
/// `a, b or c`, each in backquotes.
std::string listed(const std::vector<std::string>& names);

/// The nearest of `known`, if it is near enough.
std::optional<std::string> nearest(std::string_view text, const std::vector<std::string>& known);
/// `did you mean X?`, or the list of known names.
std::string suggestion(std::string_view text, const std::vector<std::string>& known, std::string_view kind_of);

}  // namespace studyfile
