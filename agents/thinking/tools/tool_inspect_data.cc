// Describes a data file of the workspace: columns with types, ranges and missing values, or the outline of a document.
// Files are untrusted: what is read, kept and shown is bounded.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "agents/thinking/briefing/prompts.h"
#include "agents/thinking/tools/column_summary.h"
#include "agents/thinking/tools/file_formats.h"
#include "agents/thinking/tools/tool_use.h"
#include "base/csv_records.h"
#include "base/utf8.h"
#include "models/protocols/dialect.h"

namespace agents {

using nlohmann::json;

namespace {

constexpr std::size_t most_of_file = 256u << 20, most_looked_at = 64u << 20, most_of_document = 4u << 20,
                      most_of_line = 1u << 20;
constexpr std::string_view numpy_mark = "\x93NUMPY";

struct Inspected {
  std::string about;  ///< The format, in our words.
  std::string shown;
  std::string wrong{};
};

Inspected not_so(std::string why) {
  return {"", "", std::move(why)};
}

char separator_of(std::string_view text) {
  const std::string_view first = text.substr(0, std::min(text.find('\n'), std::size_t{10000}));
  char best = ',';
  for (const char c : {',', ';', '\t', '|'})
    if (std::ranges::count(first, c) > std::ranges::count(first, best)) best = c;
  return best;
}

/// Whether the fields are names and no numbers. The first is often empty, because an index column has no name.
bool is_header(const std::vector<std::string>& fields) {
  const auto is_number = [](const std::string& field) {
    double number = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    return error == std::errc() && end == field.data() + field.size();
  };
  return std::ranges::none_of(fields, is_number) &&
         std::ranges::any_of(fields, [](const std::string& field) { return !field.empty(); });
}

Inspected table_of_text(std::string_view text, char separator) {
  kernel::CsvRecords records(text, separator);
  if (!records.next()) return not_so("it is empty");
  const bool headed = records.sound() && is_header(records.fields());
  std::vector<std::string> header = records.fields();
  for (std::size_t i = 0; i < header.size(); ++i)
    if (!headed || header[i].empty()) header[i] = fmt::format("(column {})", i + 1);
  TableSummary table(header);
  std::int64_t broken = 0;
  std::vector<std::string_view> fields;
  const auto take = [&] {
    if (!records.sound()) {
      ++broken;
      return;
    }
    fields.assign(records.fields().begin(), records.fields().end());
    table.row(fields);
  };
  if (!headed) take();
  while (records.next()) take();
  std::string about =
      fmt::format("a table, its fields apart by {}{}", separator == '\t' ? "tabs" : fmt::format("`{}`", separator),
                  headed ? "" : ", without a header that names its columns");
  if (broken > 0) about += fmt::format("; {} records are broken and left out", broken);
  return {std::move(about), table.text()};
}

Inspected table_of_lines(std::string_view text) {
  TableSummary table;
  std::int64_t broken = 0, number = 0, first_broken = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    const bool fit = line.size() <= most_of_line && !models::is_deep(line);
    const json row = fit ? json::parse(line, nullptr, false) : json(json::value_t::discarded);
    if (row.is_discarded()) {
      first_broken = broken++ == 0 ? number : first_broken;
      continue;
    }
    table.row(row);
  }
  if (table.rows() == 0) return not_so("no line of it is JSON");
  std::string about = "JSON, one value to a line";
  if (broken > 0)
    about += fmt::format("; {} lines are no JSON, nested too deeply or too long, the first is line {}", broken,
                         first_broken);
  return {std::move(about), table.text()};
}

std::string kind_of(const json& value) {
  if (value.is_object()) return fmt::format("an object of {} keys", value.size());
  if (value.is_array()) return fmt::format("a list of {} values", value.size());
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    return fmt::format("\"{}\"{}", kernel::utf8_prefix(text, 80),
                       text.size() > 80 ? fmt::format("… ({} bytes)", text.size()) : "");
  }
  return value.dump();
}

/// Keys and their children, a few levels deep.
void outline(const json& value, const std::string& indent, std::string& out) {
  constexpr std::size_t most_keys = 40, deepest = 6;
  std::size_t shown = 0;
  for (const auto& [key, below] : value.items()) {
    if (++shown > most_keys || out.size() > most_shown) {
      out += fmt::format("{}…\n", indent);
      return;
    }
    out += fmt::format("{}{}: {}\n", indent, key.substr(0, 100), kind_of(below));
    // The first element of a list stands for all.
    if (indent.size() >= deepest) continue;
    if (below.is_object()) outline(below, indent + "  ", out);
    if (below.is_array() && !below.empty() && below[0].is_structured())
      outline(json::array({below[0]}), indent + "  ", out);
  }
}

Inspected document(std::string_view text, const std::string& at) {
  if (text.size() > most_of_document) return not_so("a JSON document of more than 4 MB is not read; JSON Lines are");
  if (models::is_deep(text)) return not_so("it is nested too deeply");
  const json whole = json::parse(text, nullptr, false);
  if (whole.is_discarded()) return not_so("it is no JSON");
  const json* part = &whole;
  if (!at.empty()) try {
      part = &whole.at(json::json_pointer(at));
    } catch (const json::exception&) {
      return not_so("there is nothing at that place: it is a JSON pointer, such as /data/rows");
    }
  if (part->is_array() && !part->empty()) {
    TableSummary table;
    for (const json& row : *part) table.row(row);
    return {fmt::format("a list of {} values in JSON", part->size()), table.text()};
  }
  if (!part->is_structured()) return {"a value in JSON", kind_of(*part)};
  std::string out;
  outline(*part, "", out);
  return {kind_of(*part) + " in JSON", std::move(out)};
}

Inspected numpy_header(std::string_view bytes) {
  if (!bytes.starts_with(numpy_mark) || bytes.size() < 12) return not_so("it is no .npy file");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const bool wide = byte(6) >= 2;
  const std::size_t length = byte(8) | byte(9) << 8 | (wide ? byte(10) << 16 | byte(11) << 24 : 0);
  const std::size_t from = wide ? 12 : 10;
  if (length > bytes.size() - from) return not_so("the .npy file ends within its header");
  return {fmt::format("an array of NumPy, {} bytes of values; its header", bytes.size() - from - length),
          std::string(bytes.substr(from, std::min(length, std::size_t{2000})))};
}

std::string format_of(std::string_view path, std::string_view bytes) {
  if (bytes.starts_with(numpy_mark)) return "npy";
  if (bytes.starts_with("SQLite format 3") || bytes.starts_with("PAR1")) return "";
  for (const auto& [ending, format] : std::initializer_list<std::pair<const char*, const char*>>{
           {".csv", "csv"}, {".tsv", "tsv"}, {".json", "json"}, {".jsonl", "jsonl"}, {".ndjson", "jsonl"}})
    if (path.ends_with(ending)) return format;
  if (bytes.find('\0') != bytes.npos) return "";
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == bytes.npos) return "csv";
  if (bytes[first] != '{' && bytes[first] != '[') return "csv";
  return bytes.size() <= most_of_document && !models::is_deep(bytes) && json::accept(bytes) ? "json" : "jsonl";
}

Inspected inspect_as(const std::string& format, std::string_view bytes, const std::string& at) {
  if (format == "npy") return numpy_header(bytes);
  if (format.empty()) return not_so("it is not a CSV, TSV, JSON, JSON Lines or .npy file");
  if (bytes.find('\0') != bytes.npos) return not_so("it is not text: it contains NUL bytes");
  if (format == "json") return document(bytes, at);
  if (format == "jsonl") return table_of_lines(bytes);
  return table_of_text(bytes, format == "tsv" ? '\t' : separator_of(bytes));
}

}  // namespace

ToolResult inspect_data(const ToolInput& use) {
  std::string path = use.text("path");
  const auto entries = use.branch.entries();
  const auto entry = std::ranges::find(entries, path, &Files::Entry::path);
  if (entry == entries.end()) return refuse(no_such_file(use.branch, use.text("path")));
  if (entry->bytes > static_cast<std::int64_t>(most_of_file)) return refuse("it is larger than 256 MB");
  std::string bytes = use.branch.read(path).value_or("");
  std::string name = path;
  bool whole = true;
  if (bytes.starts_with("\x1f\x8b")) {
    auto unpacked = unpack_gzip(bytes, most_looked_at);
    if (!unpacked) return refuse("it begins like a gzip file, but cannot be unpacked");
    bytes = std::move(unpacked->bytes);
    whole = unpacked->whole;
    if (name.ends_with(".gz")) name.resize(name.size() - 3);
  } else if (bytes.size() > most_looked_at) {
    bytes.resize(most_looked_at);
    whole = false;
  }
  const std::string format = use.text("format").empty() ? format_of(name, bytes) : use.text("format");
  // A line that was cut is left out.
  if (!whole && format != "npy") bytes.resize(bytes.rfind('\n') == bytes.npos ? 0 : bytes.rfind('\n') + 1);
  const Inspected found = inspect_as(format, bytes, use.text("at"));
  if (!found.wrong.empty()) return refuse(found.wrong);
  const std::string cut =
      whole ? "" : fmt::format("\nOnly its first {} bytes were looked at; it may be broken there.", bytes.size());
  return say(fmt::format("It is {}.{}\n", found.about, cut) + quoted(path, found.shown, most_shown));
}

}  // namespace agents
