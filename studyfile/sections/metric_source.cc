// The source of a metric's values: `from` in the study file.
#include <regex>

#include "kernel/domain/stdout_pattern.h"
#include "studyfile/sections/sections.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

std::optional<std::string> read_pattern(const Value& value) {
  std::optional<std::string> pattern = value.spelling();
  if (!pattern) return std::nullopt;
  // The standard library compiles a pattern recursively, once per group.
  if (pattern->size() > 1000) return value.refuse("a pattern of more than 1000 bytes"), std::nullopt;
  try {
    const kernel::StdoutPattern groups = kernel::stdout_pattern(*pattern);
    const std::regex compiled(groups.regex);
    if (compiled.mark_count() == groups.groups()) return pattern;
    value.refuse("the pattern has " + std::to_string(compiled.mark_count()) +
                     (compiled.mark_count() == 1 ? " group" : " groups"),
                 groups.step > 0 ? "beside the step's, put one pair of parentheses around the number"
                                 : "put one pair of parentheses around the number; `(?:…)` groups without capturing");
  } catch (const std::regex_error& error) {
    if (error.code() == std::regex_constants::error_complexity || error.code() == std::regex_constants::error_space)
      return value.refuse("the pattern `" + shown(*pattern) + "` is too complex", "leave out large repetitions"),
             std::nullopt;
    value.refuse("the pattern `" + shown(*pattern) + "` is no regular expression",
                 "check its brackets, and quote it with '…'");
  }
  return std::nullopt;
}

std::optional<std::string> read_inner_path(const Value& value) {
  std::optional<std::string> path = value.text();
  if (!path || stays_inside(*path)) return path;
  return value.refuse("`" + shown(*path) + "` lies outside the run's folder",
                      "name a file that the run itself writes there"),
         std::nullopt;
}

std::optional<std::string> read_pointer(const Value& value) {
  std::optional<std::string> pointer = value.text();
  if (!pointer) return std::nullopt;
  bool sound = pointer->front() == '/';
  for (std::size_t i = 0; i < pointer->size(); ++i)
    if ((*pointer)[i] == '~')
      sound = sound && i + 1 < pointer->size() && ((*pointer)[i + 1] == '0' || (*pointer)[i + 1] == '1');
  if (sound) return pointer;
  return value.refuse("`" + shown(*pointer) + "` is no JSON pointer",
                      "write the keys from the top, such as `/eval/accuracy`"),
         std::nullopt;
}

std::optional<kernel::MetricSource> from_stdout(const Value& value) {
  const auto pattern = read_pattern(value);
  if (!pattern) return std::nullopt;
  return kernel::FromStdout{*pattern};
}

std::optional<kernel::MetricSource> from_file(const Value& file, const Fields& fields) {
  const auto path = fields.need("path", "say where in the file: `path: /accuracy`");
  const auto name = read_inner_path(file);
  const auto pointer = path ? read_pointer(*path) : std::nullopt;
  if (!name || !pointer) return std::nullopt;
  return kernel::FromJsonFile{*name, *pointer};
}

/// Reads JSON lines and tables: in both, one key is the value, and another one may be the step.
template <typename Source>
std::optional<kernel::MetricSource> from_rows(const Value& lines, const Fields& fields, const char* todo) {
  const auto key = fields.need("key", todo);
  const auto step = fields.find("step");
  const auto name = read_inner_path(lines);
  const auto key_text = key ? key->text() : std::nullopt;
  const auto step_text = step ? step->text() : std::optional<std::string>("");
  if (!name || !key_text || !step_text) return std::nullopt;
  return Source{*name, *key_text, *step_text};
}

/// `path` goes with `file`; `key` and `step` go with `jsonl` and `csv`.
bool check_companions(const Fields& fields) {
  for (const char* key : {"path", "key", "step"}) {
    const bool of_file = std::string_view(key) == "path";
    const auto extra = fields.find(key);
    if (!extra || (of_file ? fields.has("file") : fields.has("jsonl") || fields.has("csv"))) continue;
    extra->refuse_key(of_file ? "it belongs to `file`" : "it belongs to `jsonl` and `csv`", "leave it out");
    return false;
  }
  return true;
}

}  // namespace

std::optional<kernel::MetricSource> read_source(const Value& value) {
  if (value.is_scalar() && value.node().text == "evaluator") return kernel::FromEvaluator{};
  const auto fields = value.fields({"stdout", "file", "path", "jsonl", "csv", "key", "step"});
  if (!fields || !fields->complete()) return std::nullopt;
  const auto out = fields->find("stdout"), file = fields->find("file"), lines = fields->find("jsonl"),
             table = fields->find("csv");
  const int sources = (out ? 1 : 0) + (file ? 1 : 0) + (lines ? 1 : 0) + (table ? 1 : 0);
  if (sources != 1)
    return value.refuse(sources == 0 ? "it names no source" : "it names more than one source",
                        "give one of `stdout`, `file`, `jsonl` and `csv`"),
           std::nullopt;
  if (!check_companions(*fields)) return std::nullopt;
  if (out) return from_stdout(*out);
  if (file) return from_file(*file, *fields);
  if (lines) return from_rows<kernel::FromJsonLines>(*lines, *fields, "say which key of each line: `key: loss`");
  return from_rows<kernel::FromCsv>(*table, *fields, "say which column: `key: loss`");
}

}  // namespace studyfile
