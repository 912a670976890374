#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/draft/study_draft.h"
#include "apps/cli/terminal/terminal_text.h"
#include "studyfile/yaml/scalars.h"

namespace cli {

namespace {

namespace fs = std::filesystem;

bool is_plain_yaml(const std::string& text, std::string_view marks) {
  static constexpr std::array words = {"true", "false", "yes", "no", "on", "off", "null", "y", "n", ".inf", ".nan"};
  if (text.empty() || text.back() == ' ' || studyfile::looks_numeric(text)) return false;
  std::string lower = text;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (std::ranges::find(words, lower) != words.end()) return false;
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '.' || c == '/'; };
  return letter(lower.front()) && std::ranges::all_of(lower, [&](char c) {
           return letter(c) || (c >= '0' && c <= '9') || marks.find(c) != std::string_view::npos;
         });
}

std::string yaml_scalar(const std::string& text, std::string_view marks) {
  if (is_plain_yaml(text, marks)) return text;
  if (text.find_first_of("\n\t\r") != std::string::npos) return nlohmann::json(text).dump();
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

/// A YAML scalar that reads back as this text, also inside `[…]` and `{…}`.
std::string yaml_text(const std::string& text) {
  return yaml_scalar(text, "_-");
}

/// A YAML scalar that reads back as this text, alone after its key.
std::string yaml_line(const std::string& text) {
  return yaml_scalar(text, "_-={}()?+@%^, ");
}

std::string yaml_level(const std::string& text) {
  return studyfile::as_number(text) || studyfile::as_boolean(text) ? text : yaml_text(text);
}

std::string comment(const std::string& text) {
  std::string out = "# ";
  for (const char c : wrapped(one_line(text), 116, 0)) out += c == '\n' ? "\n# " : std::string(1, c);
  return out + "\n";
}

template <typename List, typename Format>
std::string joined(const List& list, Format format) {
  std::string out;
  for (const auto& item : list) out += (out.empty() ? "" : ", ") + format(item);
  return out;
}

std::string factor_line(const DraftFactor& factor) {
  return fmt::format("{}: {{levels: [{}], baseline: {}}}", factor.name, joined(factor.levels, yaml_level),
                     yaml_level(factor.value));
}

std::string factor_names(const StudyDraft& draft) {
  std::string names;
  for (std::size_t i = 0; i < draft.factors.size(); ++i)
    names += (i == 0 ? "" : i + 1 == draft.factors.size() ? " and " : ", ") + draft.factors[i].name;
  return names;
}

/// The path relative to the study file if it is below the workspace; otherwise unchanged.
std::string from_study(const StudyDraft& draft, const fs::path& path) {
  if (path.lexically_relative(draft.place.folder).string().rfind("..", 0) == 0) return path.string();
  return path.lexically_relative(draft.place.study_folder).string();
}

std::string workspace_text(const StudyDraft& draft) {
  const std::string path = yaml_text(from_study(draft, draft.place.folder));
  std::vector<std::string> exclude;
  for (const std::string& folder : {draft.place.study_folder, draft.venv}) {
    if (folder.empty()) continue;
    const std::string inside = fs::path(folder).lexically_relative(draft.place.folder).string();
    if (inside.rfind("..", 0) != 0) exclude.push_back("/" + inside + "/");
  }
  std::string named;
  for (const kernel::IgnoredEntry& entry : draft.needed) {
    exclude.push_back("!/" + entry.path);
    named += (named.empty() ? "" : ", ") + entry.path;
  }
  std::string said =
      comment("The code: every run gets a copy. .gitignore is honoured; large inputs belong under `data`.");
  if (!named.empty())
    said += comment("Ignored there, but " + draft.program + " names it, so runs get it (`!` brings it in): " + named);
  if (exclude.empty()) return said + "workspace: " + path + "\n";
  return said + fmt::format("workspace: {{path: {}, exclude: [{}]}}\n", path, joined(exclude, yaml_text));
}

std::string environment_text(const StudyDraft& draft) {
  if (!draft.venv.empty()) return "environment: {use: " + yaml_text("venv:" + from_study(draft, draft.venv)) + "}\n";
  if (draft.packages.empty()) return "";
  if (draft.packages == "uv.lock")
    return comment(
               "DECIDE: uv.lock names packages, but runs use the system's Python. Make the environment with `uv sync`, "
               "then use it:") +
           "# environment: {use: uv}\n";
  return comment("DECIDE: " + draft.packages +
                 " names packages, but runs use the system's Python. Install them into a virtual "
                 "environment (python3 -m venv .venv) and name it:") +
         "# environment: {use: " + yaml_text("venv:" + from_study(draft, fs::path(draft.place.folder) / ".venv")) +
         "}\n";
}

std::string data_text(const StudyDraft& draft) {
  if (draft.data.empty()) return "";
  std::string text = comment("Read-only, hashed once; a run sees nothing else outside its workspace.") + "data:\n";
  for (const DraftData& data : draft.data)
    text += fmt::format("  {}: {{path: {}{}}}\n", data.name, yaml_text(data.path),
                        data.folder ? ", identity: manifest" : "");
  return text;
}

/// Whether the lines of a folded block scalar read back as these lines, joined by spaces.
bool can_be_folded(const std::vector<std::string>& lines) {
  return std::ranges::all_of(lines, [](const std::string& line) {
    const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; };
    return !line.empty() && line.front() != ' ' && line.back() != ' ' && std::ranges::none_of(line, control);
  });
}

/// The command after its key. With edits of files it is a folded block, whose lines YAML joins by spaces: quotes stay
/// as the shell reads them.
std::string run_value(const StudyDraft& draft) {
  if (draft.edited.empty() || !can_be_folded(draft.run_lines)) return yaml_line(draft.run);
  std::string block = ">-";
  for (const std::string& line : draft.run_lines) block += "\n  " + line;
  return block;
}

std::string run_text(const StudyDraft& draft) {
  std::string text = "run: " + run_value(draft) + "\n";
  if (!draft.edited.empty())
    text =
        comment("`sed` puts the levels" + std::string(draft.seeded ? " and the seed" : "") +
                " into each run's own copy of " + joined(draft.edited, [](const std::string& file) { return file; }) +
                "; your files stay as they are.") +
        text;
  if (draft.redirected)
    text =
        comment("The program logs its results, to stderr as a rule; `2>&1` sends them where metrics are read.") + text;
  if (draft.seeded) return text;
  return text + comment(
                    "DECIDE: the program takes no seed that was found, so its runs cannot be repeated exactly. Give it "
                    "an option "
                    "and write it above as {seed}, or let it read $ETUDE_SEED.");
}

std::string factors_text(const StudyDraft& draft) {
  std::string text =
      comment(fmt::format(
          "DECIDE: the levels to compare. The baseline is {}; the other levels are guesses. {} cells, all crossed; "
          "`etude plan` counts the runs.",
          draft.from_defaults ? "the program's default" : "the value in the command", draft.cells)) +
      "factors:\n";
  for (const DraftFactor& factor : draft.factors) text += "  " + factor_line(factor) + "\n";
  if (draft.constants.empty()) return text;
  text += comment("Held constant. To compare levels of one, move it to `factors`.") + "constants:\n";
  for (const DraftFactor& constant : draft.constants) {
    text += fmt::format("  {}: {}", constant.name, yaml_level(constant.value));
    text += constant.levels.size() > 1 ? "   # " + factor_line(constant) + "\n" : "\n";
  }
  return text;
}

struct SourceText {
  std::string operator()(const kernel::FromMetricsFile&) const { return ""; }
  std::string operator()(const kernel::FromStdout& from) const { return "stdout: " + yaml_text(from.pattern); }
  std::string operator()(const kernel::FromJsonFile& from) const {
    return "file: " + yaml_text(from.file) + ", path: " + yaml_text(from.pointer);
  }
  std::string operator()(const kernel::FromJsonLines& from) const {
    return "jsonl: " + yaml_text(from.file) + ", key: " + yaml_text(from.key);
  }
  std::string operator()(const kernel::FromCsv& from) const {
    return "csv: " + yaml_text(from.file) + ", key: " + yaml_text(from.key);
  }
  // A script cannot know that another one scores it.
  std::string operator()(const kernel::FromEvaluator&) const { return ""; }
};

std::string metric_line(const StudyDraft& draft, const ScriptMetric& metric) {
  std::string fields = metric.goal == kernel::Goal::minimize ? "goal: minimize" : "goal: maximize";
  if (!metric.unit.empty()) fields += ", unit: " + metric.unit;
  if (&metric == &draft.metrics.front()) fields += ", primary: true";
  const std::string source = std::visit(SourceText{}, metric.source);
  if (!source.empty()) fields += ", from: {" + source + "}";
  return fmt::format("  {}: {{{}}}   # {}:{}\n", metric.name, fields, one_line(draft.program), metric.line);
}

std::string metrics_text(const StudyDraft& draft) {
  if (draft.metrics.empty())
    return comment("DECIDE: no line was found in which the program reports its result" +
                   (draft.unread.empty() ? "" : " (" + draft.unread + ")") +
                   ". Let it append lines to the file that $ETUDE_METRICS names, such as") +
           "#   {\"name\": \"loss\", \"value\": 0.31, \"step\": 10}\n" +
           comment(
               "Or read what it prints, with `from: {stdout: 'loss=([-+0-9.einfa]+)'}` (`etude try` proposes "
               "patterns), or "
               "JSON that it writes, with `from: {file: result.json, path: /loss}`.") +
           "metrics:\n  loss: {goal: minimize}\n";
  std::string text =
      comment(
          "DECIDE: which one decides, what its unit is, and whether less is better. Of several values in a run the "
          "last counts; `summary` changes that. `etude try` shows what is found.") +
      "metrics:\n";
  for (const ScriptMetric& metric : draft.metrics) text += metric_line(draft, metric);
  return text;
}

std::string hypotheses_text(const StudyDraft& draft, const std::string& metric) {
  const DraftFactor& factor = draft.factors.front();
  const std::string& other = factor.levels.back() == factor.value ? factor.levels.front() : factor.levels.back();
  const bool less = draft.metrics.empty() || draft.metrics.front().goal == kernel::Goal::minimize;
  const std::string arms = fmt::format("treatment: {{{0}: {1}}}, control: {{{0}: {2}}}", factor.name, yaml_level(other),
                                       yaml_level(factor.value));
  return comment(
             "DECIDE: with none listed, every level is tested against its baseline for any difference. One with a "
             "direction and a "
             "margin says more:") +
         fmt::format(
             "# hypotheses:\n#   - id: H1\n#     statement: With {0} {1} the {3} is at least a tenth {4} than with "
             "{2}.\n"
             "#     test: {{metric: {3}, {5}, direction: {6}, margin: {{relative: 0.1}}}}\n",
             factor.name, one_line(other), one_line(factor.value), metric, less ? "smaller" : "larger", one_line(arms),
             less ? "less" : "greater");
}

std::string license_text(const StudyDraft& draft) {
  if (draft.license.empty()) return "";
  return comment("Of the code, by " + draft.license_file +
                 ". To publish results, add `study:` and the data's `data:`.") +
         "license: {code: " + draft.license + "}\n";
}

}  // namespace

std::string draft_yaml(const StudyDraft& draft) {
  const std::string metric = draft.metrics.empty() ? "loss" : draft.metrics.front().name;
  const std::string names = factor_names(draft);
  return comment("A draft from: " + draft.command) +
         comment("Edit the lines marked DECIDE; then run `etude plan`, `etude try` and `etude run` with this file.") +
         "etude: 1\ntitle: " + yaml_line(fmt::format("Other settings of {} in {}", names, draft.program)) + "\n" +
         comment("DECIDE: the question in your own words; it heads the report.") +
         "question: " + yaml_line(fmt::format("How does the choice of {} affect {}?", names, metric)) + "\n\n" +
         workspace_text(draft) + environment_text(draft) + data_text(draft) + run_text(draft) + "\n" +
         factors_text(draft) + "\n" + metrics_text(draft) + "\n" + hypotheses_text(draft, metric) + "\n" +
         comment("DECIDE: a run that takes longer has failed; `etude try` measures one. Runs have no network.") +
         (draft.gpus > 0 ? comment(fmt::format("{} names CUDA. Where its runs need a GPU, add `gpus: {}`.",
                                               draft.program, draft.gpus))
                         : "") +
         "resources: {cpus: 1, timeout: 10m}\n" + comment("The study pauses when this is used up.") +
         "budget: {wall: 2h}\n" + license_text(draft);
}

}  // namespace cli
