#include "apps/cli/draft/script_metrics.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <regex>

#include "apps/cli/draft/python_text.h"

namespace cli {

namespace {

constexpr std::size_t most_metrics = 4;
constexpr const char* number_pattern = "([-+0-9.einfa]+)";

constexpr std::array maximized = {"acc",   "accuracy", "auc",        "auroc", "f1",     "score",     "reward", "bleu",
                                  "rouge", "iou",      "throughput", "r2",    "recall", "precision", "elbo"};
constexpr std::array minimized = {"loss",       "err",     "error", "mse",        "rmse",    "mae",   "ppl",
                                  "perplexity", "nll",     "fid",   "wer",        "latency", "time",  "ms",
                                  "seconds",    "elapsed", "bpb",   "divergence", "runtime", "regret"};

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts(1);
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else
      parts.emplace_back();
  }
  return parts;
}

template <typename Words>
bool holds(const std::vector<std::string>& parts, const Words& words) {
  return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
    return std::any_of(words.begin(), words.end(), [&](const char* word) { return part == word; });
  });
}

bool is_metric(const std::string& name) {
  const std::vector<std::string> parts = parts_of(name);
  return name.size() <= 64 && (holds(parts, maximized) || holds(parts, minimized));
}

/// Held-out results rank first, training results last.
int rank(const std::string& name) {
  const std::vector<std::string> parts = parts_of(name);
  if (holds(parts, std::array{"test"})) return 0;
  if (holds(parts, std::array{"val", "valid", "validation", "eval", "dev"})) return 1;
  return holds(parts, std::array{"train", "training"}) ? 3 : 2;
}

std::string name_for(const std::string& spelled) {
  std::string name;
  for (const char c : spelled) name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) ? "m_" + name : name;
}

std::string unit_for(const std::string& spelled) {
  const std::vector<std::string> parts = parts_of(spelled);
  if (holds(parts, std::array{"ms"})) return "ms";
  return holds(parts, std::array{"seconds", "elapsed"}) ? "s" : "";
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

class Search {
 public:
  explicit Search(std::string_view source) : source_(source), strings_(python_strings(source)) {}

  std::vector<ScriptMetric> run() {
    if (source_.find("ETUDE_METRICS") != std::string_view::npos) from_metrics_file();
    if (found_.empty()) from_json_file();
    if (found_.empty()) from_prints();
    std::stable_sort(found_.begin(), found_.end(),
                     [](const ScriptMetric& a, const ScriptMetric& b) { return rank(a.name) < rank(b.name); });
    if (found_.size() > most_metrics) found_.resize(most_metrics);
    return std::move(found_);
  }

 private:
  void add(const std::string& spelled, kernel::MetricSource source, std::size_t offset) {
    const std::string name = name_for(spelled);
    for (const ScriptMetric& metric : found_)
      if (metric.name == name) return;
    const auto lines = std::count(source_.begin(), source_.begin() + static_cast<long>(offset), '\n');
    const kernel::Goal goal = holds(parts_of(spelled), maximized) ? kernel::Goal::maximize : kernel::Goal::minimize;
    found_.push_back({name, std::move(source), goal, unit_for(spelled), static_cast<int>(lines) + 1});
  }

  void from_metrics_file() {
    for (const auto& [offset, text] : strings_)
      if (is_metric(text) && name_for(text) == text) add(text, kernel::FromMetricsFile{}, offset);
  }

  /// Dict keys and subscripts that are metrics: `"loss": …`, `result["loss"] = …`.
  std::vector<std::pair<std::size_t, std::string>> keys() const {
    std::vector<std::pair<std::size_t, std::string>> keys;
    for (const auto& [offset, text] : strings_) {
      if (!is_metric(text)) continue;
      const std::size_t quote = source_.find_first_of("'\"", offset);
      const std::size_t after = source_.find_first_not_of(" \t", quote + text.size() + 2);
      if (after == std::string_view::npos) continue;
      const bool subscript = source_[after] == ']' && source_.find_first_not_of(" \t", after + 1) != source_.npos &&
                             source_[source_.find_first_not_of(" \t", after + 1)] == '=';
      if (source_[after] == ':' || subscript) keys.emplace_back(offset, text);
    }
    return keys;
  }

  void from_json_file() {
    const bool dumps = !python_calls(source_, "dumps").empty();
    if (!dumps && python_calls(source_, "dump").empty()) return;
    for (const auto& [offset, file] : strings_) {
      const bool lines = file.size() > 6 && file.compare(file.size() - 6, 6, ".jsonl") == 0;
      const bool whole = file.size() > 5 && file.compare(file.size() - 5, 5, ".json") == 0;
      const bool inside = file.find("..") == std::string::npos && file.front() != '/' && file.find('{') == file.npos;
      if ((!lines && !whole) || !inside || !is_written(offset)) continue;
      for (const auto& [at, key] : keys()) {
        if (lines)
          add(key, kernel::FromJsonLines{file, key, ""}, at);
        else if (key.find('/') == std::string::npos && key.find('~') == std::string::npos)
          add(key, kernel::FromJsonFile{file, "/" + key}, at);
      }
      return;
    }
  }

  /// Whether the file name on this line is opened for writing.
  bool is_written(std::size_t offset) const {
    const std::size_t begin = source_.rfind('\n', offset) + 1;
    const std::string_view line = source_.substr(begin, source_.find('\n', offset) - begin);
    return std::regex_search(line.begin(), line.end(), std::regex(R"(['"][wa]t?['"]|write)"));
  }

  void from_prints() {
    for (const PythonCall& call : python_calls(source_, "print")) {
      const std::string_view file = call.find("file");
      if (!file.empty() && file.find("stdout") == std::string_view::npos) continue;
      for (std::size_t i = 0; i < call.positional.size(); ++i) {
        const std::string& argument = call.positional[i];
        if (argument.find("dumps") != std::string::npos) {
          for (const auto& [at, key] : keys())
            add(key, kernel::FromStdout{"\"" + escaped(key) + "\": *" + number_pattern}, at);
        } else if (const auto text = python_string(argument.substr(0, literal_length(argument)))) {
          from_printed(*text, i + 1 < call.positional.size(), call.offset);
        }
      }
    }
  }

  /// `"loss=%f" % loss` and `"…".format(…)` begin with a literal.
  static std::size_t literal_length(const std::string& argument) {
    const auto strings = python_strings(argument);
    if (strings.empty() || strings.front().first > 2) return argument.size();
    for (std::size_t end = argument.size(); end > 0; --end)
      if ((argument[end - 1] == '"' || argument[end - 1] == '\'') && python_string(argument.substr(0, end))) return end;
    return argument.size();
  }

  /// `loss={…}`, `loss: %.3f`, `loss {}`; at the end of the text also a name that the next argument follows.
  void from_printed(const std::string& text, bool more_follows, std::size_t offset) {
    static const std::regex shape(R"(([A-Za-z][A-Za-z0-9_/.-]*)( *[=:] *| +)(\{|%[-0-9.]*[a-z]|$))");
    for (std::sregex_iterator it(text.begin(), text.end(), shape), end; it != end; ++it) {
      const std::string word = (*it)[1], between = (*it)[2];
      if (is_metric(word) && ((*it)[3].length() > 0 || more_follows)) add_printed(word, between, offset);
    }
    static const std::regex last(R"(([A-Za-z][A-Za-z0-9_/.-]*)$)");
    std::smatch match;
    if (more_follows && std::regex_search(text, match, last) && is_metric(match[1])) add_printed(match[1], " ", offset);
  }

  void add_printed(const std::string& word, const std::string& between, std::size_t offset) {
    const std::size_t sign = between.find_first_of("=:");
    const std::string gap = sign == std::string::npos ? " +" : std::string(1, between[sign]) + " *";
    const std::string space = sign != std::string::npos && sign > 0 ? " *" : "";
    add(word, kernel::FromStdout{"\\b" + escaped(word) + space + gap + number_pattern}, offset);
  }

  std::string_view source_;
  std::vector<std::pair<std::size_t, std::string>> strings_;
  std::vector<ScriptMetric> found_;
};

}  // namespace

std::vector<ScriptMetric> script_metrics(std::string_view source) {
  return Search(source).run();
}

}  // namespace cli
