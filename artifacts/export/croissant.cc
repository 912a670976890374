#include "artifacts/export/croissant.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "artifacts/text/csv_fields.h"
#include "artifacts/text/latex.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/words/study_words.h"
#include "base/digest.h"

namespace artifacts {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::uint64_t largest_table = 512u << 20;

/// A name as a part of an identifier: RFC 3986's unreserved characters and '/'.
std::string identifier_of(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = is_alnum(c) || std::string_view("-._~/").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

/// What the values of a column can be; every type that a value contradicts is left.
class ColumnType {
 public:
  void see(std::string_view value) {
    if (value.empty()) return;
    seen_ = true;
    boolean_ = boolean_ && (value == "true" || value == "false");
    integer_ = integer_ && is_integer(value);
    number_ = number_ && is_number(value);
    time_ = time_ && is_time(value);
  }
  const char* name() const {
    if (!seen_) return "sc:Text";
    if (boolean_) return "sc:Boolean";
    if (integer_) return "sc:Integer";
    if (number_) return "sc:Float";
    return time_ ? "sc:DateTime" : "sc:Text";
  }

 private:
  static bool is_integer(std::string_view value) {
    // Of a written number only: "007" is a name.
    const std::string_view digits = value.front() == '-' ? value.substr(1) : value;
    return !digits.empty() && std::ranges::all_of(digits, is_digit) && (digits.size() == 1 || digits.front() != '0');
  }
  static bool is_number(std::string_view value) {
    if (value == "NaN" || value == "Infinity" || value == "-Infinity") return true;
    const std::string_view digits = value.front() == '-' ? value.substr(1) : value;
    double number = 0;
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool named = digits.size() > 1 && digits.front() == '0' && is_digit(digits[1]);
    return !named && !digits.empty() && is_digit(digits.front()) && parsed.ec == std::errc() &&
           parsed.ptr == value.data() + value.size();
  }
  /// "2026-11-27T01:24:18.615Z", as the kernel writes times.
  static bool is_time(std::string_view value) {
    constexpr std::string_view shape = "0000-00-00T00:00:00.000Z";
    return value.size() == shape.size() &&
           std::ranges::equal(value, shape, [](char c, char s) { return s == '0' ? is_digit(c) : c == s; });
  }

  bool seen_ = false, boolean_ = true, integer_ = true, number_ = true, time_ = true;
};

struct TableColumn {
  std::string name;
  ColumnType type;
};

/// The columns of a table; those with a name that an earlier one has cannot be addressed, and are left out.
std::vector<TableColumn> columns_of(std::string_view table) {
  std::vector<TableColumn> columns;
  const std::vector<std::string_view> rows = lines_of(table);
  if (rows.empty()) return columns;
  for (std::string& name : csv_fields(rows.front())) columns.push_back({std::move(name), {}});
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::vector<std::string> fields = csv_fields(rows[i]);
    for (std::size_t c = 0; c < std::min(fields.size(), columns.size()); ++c) columns[c].type.see(fields[c]);
  }
  std::set<std::string> known;
  std::erase_if(columns, [&](const TableColumn& one) { return one.name.empty() || !known.insert(one.name).second; });
  return columns;
}

/// Columns that the tables of every study have (docs/artifact.md).
const std::map<std::string, const char*>& common_columns() {
  static const std::map<std::string, const char*> columns = {
      {"run", "Identifier of the run"},
      {"purpose", "Why it ran; only registered runs are evidence"},
      {"flipped", "Of smoke runs: the factor that was changed"},
      {"stage", "Name of the stage"},
      {"seed", "Random seed of the run"},
      {"replicate", "Number of the replicate within its cell"},
      {"attempt", "Number of the attempt"},
      {"retry_of", "The run that it replaces"},
      {"state", "How it ended"},
      {"evidence", "Whether it counts for or against a hypothesis"},
      {"points", "Number of values that it reported"},
      {"malformed", "Number of metric lines that could not be read"},
      {"started", "Start of the job, UTC"},
      {"ended", "End of the job, UTC"},
      {"exit", "Exit status"},
      {"signal", "Signal that ended it"},
      {"cpu_s", "Processor time in seconds"},
      {"wall_s", "Wall time in seconds"},
      {"rss_peak_bytes", "Peak of the resident memory in bytes"},
      {"others_cpus", "Processors that other work of the machine used meanwhile"},
      {"energy_j", "Energy in joules, by the machine's counters"},
      {"metrics_sha256", "SHA-256 of the values that it reported"},
      {"reason", "Why it did not succeed"},
      {"metric", "Name of the metric"},
      {"step", "Step at which the value was reported"},
      {"item", "Item that the value belongs to"},
      {"value", "The value, with every digit"},
      {"censored", "Whether the true value is at least this"}};
  return columns;
}

std::string column_words(const kernel::StudySpec& spec, const std::string& column) {
  if (spec.factor(column)) return "Level of the factor " + column;
  if (const kernel::Metric* metric = spec.metric(column))
    return fmt::format("Value of the metric {}{}: {}", metric->name, in_brackets(metric->unit), origin_text(*metric));
  if (column.ends_with("_flag"))
    if (const std::string of = column.substr(0, column.size() - 5); spec.metric(of))
      return fmt::format("Whether the value of {} is censored, or ranks as the worst", of);
  const auto known = common_columns().find(column);
  return known == common_columns().end() ? "The column " + column : known->second;
}

ordered_json fields_of(const std::string& table, const std::vector<TableColumn>& columns,
                       const kernel::StudySpec& spec) {
  ordered_json fields = ordered_json::array();
  for (const TableColumn& column : columns)
    fields.push_back(
        {{"@type", "cr:Field"},
         {"@id", identifier_of(table) + "/" + identifier_of(column.name)},
         {"name", column.name},
         {"description", column_words(spec, column.name)},
         {"dataType", column.type.name()},
         {"source",
          {{"fileObject", {{"@id", identifier_of(table + ".csv")}}}, {"extract", {{"column", column.name}}}}}});
  return fields;
}

/// The context of the specification, version 1.0, appendix.
ordered_json context() {
  ordered_json terms = {{"@language", "en"}, {"@vocab", "https://schema.org/"}};
  for (const char* term : {"citeAs",       "column",
                           "extract",      "field",
                           "fileProperty", "fileObject",
                           "fileSet",      "format",
                           "includes",     "isLiveDataset",
                           "jsonPath",     "key",
                           "md5",          "parentField",
                           "path",         "recordSet",
                           "references",   "regex",
                           "repeated",     "replace",
                           "samplingRate", "separator",
                           "source",       "subField",
                           "transform",    "equivalentProperty"})
    terms[term] = std::string("cr:") + term;
  terms["conformsTo"] = "dct:conformsTo";
  terms["cr"] = "http://mlcommons.org/croissant/";
  terms["rai"] = "http://mlcommons.org/croissant/RAI/";
  terms["data"] = {{"@id", "cr:data"}, {"@type", "@json"}};
  terms["dataType"] = {{"@id", "cr:dataType"}, {"@type", "@vocab"}};
  terms["dct"] = "http://purl.org/dc/terms/";
  terms["examples"] = {{"@id", "cr:examples"}, {"@type", "@json"}};
  terms["sc"] = "https://schema.org/";
  return terms;
}

ordered_json creators(const std::vector<std::string>& authors) {
  ordered_json list = ordered_json::array();
  for (const std::string& author : authors)
    list.push_back({{"@type", author.starts_with("etude ") ? "sc:Organization" : "sc:Person"}, {"name", author}});
  return list;
}

/// An entry for BibTeX.
std::string citation(const PaperPage& paper, const std::string& head) {
  std::string authors;
  for (const std::string& author : paper.authors) authors += (authors.empty() ? "" : " and ") + in_bibtex(author);
  return fmt::format("@misc{{etude-{}, author = {{{}}}, title = {{{}}}, year = {{{}}}, note = {{event log {}}}}}",
                     head.substr(0, 12), authors, in_bibtex(paper.title), in_bibtex(paper.year), head);
}

ordered_json dataset_head(const Artifact& artifact, const SealedRecord& record, const std::string& published) {
  const PaperPage& paper = artifact.paper;
  const kernel::StudySpec& spec = record.log.study.spec;
  ordered_json head = {{"@context", context()},
                       {"@type", "sc:Dataset"},
                       {"conformsTo", "http://mlcommons.org/croissant/1.0"},
                       {"name", spec.title},
                       {"description", "Every run of the study, with its settings and metrics. " + spec.question},
                       {"identifier", record.log.head},
                       {"version", "1.0.0"},
                       {"datePublished", published},
                       {"citeAs", citation(paper, record.log.head)},
                       {"isLiveDataset", false}};
  if (!paper.authors.empty()) head["creator"] = creators(paper.authors);
  const std::string& license = spec.publication.license;
  head["license"] = license.empty() ? "not stated in the artifact" : license;
  if (paper.doi.starts_with("10.")) head["url"] = "https://doi.org/" + identifier_of(paper.doi);
  if (!paper.keywords.empty()) head["keywords"] = paper.keywords;
  return head;
}

/// "evidence/results/E01" of "evidence/results/E01.csv"; none if it is no table of the evidence.
std::optional<std::string> table_name(const Entry& entry) {
  const bool table = entry.kind == FileKind::regular && !entry.link && entry.path.starts_with("evidence/") &&
                     entry.path.ends_with(".csv");
  return table ? std::optional(entry.path.substr(0, entry.path.size() - 4)) : std::nullopt;
}

std::string description_of(const Artifact& artifact, const std::string& path) {
  const auto row = std::ranges::find(artifact.layer_index, path, &IndexRow::target);
  return row == artifact.layer_index.end() || row->rest.empty() ? "A table of the evidence" : row->rest;
}

kernel::Problem changed(const std::string& path) {
  return {path, 0, "", "is not the file that etude.json names",
          "restore the artifact; `etude check` says what was changed"};
}

}  // namespace

kernel::Result<ExportFiles> croissant_dataset(const SafeRoot& root, const Artifact& artifact,
                                              const SealedRecord& record, const ExportFiles& files,
                                              const std::string& published) {
  const json hashes = record.seal.value("files", json::object());
  ordered_json distribution = ordered_json::array(), record_sets = ordered_json::array();
  ExportFiles dataset;
  std::set<std::string> folders;
  for (const Entry& entry : files.entries) {
    const auto name = table_name(entry);
    if (!name) continue;
    const FileBytes read = root.read(entry.path, largest_table);
    if (read.too_large) {
      dataset.left_out.push_back(entry.path);
      continue;
    }
    const std::string sha256 = kernel::sha256_hex(read.bytes);
    if (!read.whole() || !hashes.is_object() || hashes.value(entry.path, json()) != json(sha256))
      return changed(entry.path);
    const std::vector<TableColumn> columns = columns_of(read.bytes);
    if (columns.empty()) continue;
    const std::string description = description_of(artifact, entry.path);
    distribution.push_back({{"@type", "cr:FileObject"},
                            {"@id", identifier_of(entry.path)},
                            {"name", entry.path},
                            {"description", description},
                            {"contentUrl", identifier_of(entry.path)},
                            {"contentSize", fmt::format("{} B", read.bytes.size())},
                            {"encodingFormat", "text/csv"},
                            {"sha256", sha256}});
    ordered_json set = {{"@type", "cr:RecordSet"},
                        {"@id", identifier_of(*name)},
                        {"name", *name},
                        {"description", description},
                        {"field", fields_of(*name, columns, record.log.study.spec)}};
    const bool one_a_run = columns.front().name == "run" && !name->ends_with("_points");
    if (one_a_run) set["key"] = {{"@id", identifier_of(*name) + "/run"}};
    record_sets.push_back(std::move(set));
    for (std::size_t at = entry.path.find('/'); at != entry.path.npos; at = entry.path.find('/', at + 1))
      folders.insert(entry.path.substr(0, at));
    dataset.entries.push_back(entry);
  }
  if (record_sets.empty())
    return kernel::Problem{"evidence", 0, "", "has no table of runs", "export an artifact with runs"};
  for (const Entry& entry : files.entries)
    if (entry.kind == FileKind::directory && folders.contains(entry.path)) dataset.entries.push_back(entry);
  std::ranges::sort(dataset.entries, {}, &Entry::path);
  ordered_json document = dataset_head(artifact, record, published);
  document["distribution"] = std::move(distribution);
  document["recordSet"] = std::move(record_sets);
  dataset.added[croissant_file] = document.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  return dataset;
}

}  // namespace artifacts
