#include <algorithm>

#include "studyfile/sections/sections.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

namespace fs = std::filesystem;

void read_protect(const Value& protect, Draft& draft) {
  const auto patterns = protect.list("patterns");
  if (!patterns) return;
  if (patterns->empty()) protect.refuse("an empty list", "leave it out, or name files of the workspace");
  for (const Value& item : *patterns) {
    const std::optional<std::string> pattern = item.spelling();
    if (!pattern) continue;
    if (!stays_inside(*pattern))
      item.refuse("`" + shown(*pattern) + "` lies outside the workspace", "name files of the workspace");
    draft.spec.evaluator.protect.push_back({*pattern, item.place().line});
  }
}

/// The path as the evaluator sees it: relative to the workspace if it is inside, else as written.
std::string evaluator_place(const std::string& given, const std::string& path, const std::string& workspace) {
  if (path != workspace && lies_below(path, workspace)) return fs::path(path).lexically_relative(workspace).string();
  const std::string spelled = fs::path(given).lexically_normal().string();
  return stays_inside(given) ? spelled : fs::path(path).filename().string();
}

/// Refuses evaluator data that a job would see for another reason.
bool check_hidden(const Value& item, const std::string& path, const Draft& draft) {
  if (lies_below(draft.spec.workspace.path, path))
    return item.refuse("`" + shown(item.node().text) + "` holds the whole workspace",
                       "name files, or a folder with nothing else"),
           false;
  for (const kernel::DataSpec& data : draft.spec.data)
    if (lies_below(path, data.path) || lies_below(data.path, path))
      return item.refuse("`data." + data.name + "` shows it to every job", "take it out of that folder"), false;
  const std::string& use = draft.spec.environment.use;
  if (use.starts_with("venv:") && lies_below(path, use.substr(5)))
    return item.refuse("it lies in the virtual environment, which every job sees", "put it elsewhere"), false;
  return true;
}

void read_sealed(const Value& value, kernel::TierSpec& tier, const Draft& draft) {
  const auto items = value.list("files");
  if (!items) return;
  for (const Value& item : *items) {
    const auto given = item.text();
    if (!given) continue;
    kernel::SealedPath sealed;
    sealed.path = absolute_path(*given, draft);
    sealed.place = evaluator_place(*given, sealed.path, draft.spec.workspace.path);
    sealed.line = item.place().line;
    if (!check_present(item, sealed.path) || !check_hidden(item, sealed.path, draft)) continue;
    const auto same = [&](const kernel::SealedPath& other) {
      return lies_below(other.place, sealed.place) || lies_below(sealed.place, other.place);
    };
    if (std::ranges::any_of(tier.data, same))
      item.refuse("`" + shown(sealed.place) + "` is what the evaluator finds in place of another one, too",
                  "name each once, and differently");
    tier.data.push_back(std::move(sealed));
  }
}

std::optional<kernel::TierSpec> read_tier(const Value& value, bool is_test, Draft& draft) {
  if (!value.is_mapping())
    return value.refuse_kind("a mapping", "write `{command: python3 evaluate.py, data: [labels.csv]}`"), std::nullopt;
  const auto fields = value.fields({"command", "data", is_test ? Key("looks") : elsewhere("looks", "test")});
  const auto command = fields ? fields->need("command", "say what scores a run's outputs") : std::nullopt;
  if (!command) return std::nullopt;
  kernel::TierSpec tier;
  if (const auto read = read_command(*command)) {
    tier.command = *read;
    check_command(*command, tier.command, draft, std::nullopt, false);
  }
  if (const auto data = fields->find("data")) read_sealed(*data, tier, draft);
  fields->count("looks", 1, 1000, tier.looks);
  return tier;
}

/// Checks metrics that only the evaluator writes, and when it writes them.
void check_scored(const Value& value, const Draft& draft) {
  const kernel::StudySpec& spec = draft.spec;
  const bool scored = std::ranges::any_of(spec.metrics, [&](const auto& m) { return spec.from_evaluator(m.name); });
  const bool scores = spec.evaluator.validation || spec.evaluator.test;
  if (scores && draft.all_metrics && !scored)
    value.refuse_key("no metric is `from: evaluator`", "add that to what the evaluator writes");
  if (!scored || spec.evaluator.validation || !spec.evaluator.test) return;
  if (spec.kind != kernel::StudyKind::test)
    value.refuse_key("a search selects by what scores its runs, and test data are for confirmation",
                     "add `validation`");
  else if (!spec.design.sized_beforehand())
    value.refuse_key("the pilot sizes the study, and only `test` would score it: test data are for confirmation",
                     "add `validation`, or fix the size with `design: {replicates: {min: 12, max: 12}}`");
}

}  // namespace

void read_evaluator(const Value& value, Draft& draft) {
  if (!value.is_mapping()) return value.refuse_kind("a mapping", "write `{protect: [evaluate.py]}`");
  const auto fields = value.fields({"protect", "validation", "test"});
  if (!fields) return;
  const auto validation = fields->find("validation"), test = fields->find("test");
  draft.has_tiers = validation || test || !fields->complete();
  const auto protect =
      validation || test ? fields->find("protect") : fields->need("protect", "name the files that no run may change");
  if (protect) read_protect(*protect, draft);
  if (validation) draft.spec.evaluator.validation = read_tier(*validation, false, draft);
  if (test) draft.spec.evaluator.test = read_tier(*test, true, draft);
  if (fields->complete()) check_scored(value, draft);
}

void check_evaluated(Draft& draft) {
  if (draft.has_tiers) return;
  for (const auto& [name, from] : draft.from_evaluator)
    from.refuse("no evaluator is there to write it",
                "say what scores a run: `evaluator: {validation: {command: python3 evaluate.py, data: [labels.csv]}}`");
}

}  // namespace studyfile
