#include "studyfile/load.h"

#include <fmt/format.h>

#include "kernel/wording/statement.h"
#include "kernel/wording/wording.h"
#include "studyfile/hypotheses/hypotheses.h"
#include "studyfile/literature/bibtex.h"
#include "studyfile/sections/sections.h"
#include "studyfile/yaml/document.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t max_seed = 9007199254740991;  // The largest integer that every JSON reader keeps exact.

void read_version(const Value& value) {
  if (value.is_scalar() && !value.node().quoted && value.node().text == "1") return;
  if (value.is_scalar() && value.node().quoted && value.node().text == "1")
    return value.refuse_kind("the number 1", "remove the quotes");
  value.refuse_kind("the format's version", "this program reads `etude: 1`");
}

void read_header(const Fields& study, Draft& draft) {
  if (const auto version = study.need("etude", "start the file with `etude: 1`")) read_version(*version);
  if (const auto title = study.need("title", "give the study a title")) {
    draft.spec.title = title->text().value_or("");
    if (draft.spec.title.find('\n') != std::string::npos) title->refuse("a title of several lines", "write it on one");
    if (draft.spec.title.size() > 300) title->refuse("a title of more than 300 bytes", "say the rest in `question`");
  }
  if (const auto question = study.need("question", "say what the study is to find out"))
    draft.spec.question = question->sentence().value_or("");
  if (const auto kind = study.find("kind")) keep(choice_of<kernel::StudyKind>(*kind), draft.spec.kind);
  if (draft.spec.kind != kernel::StudyKind::test) draft.spec.design.confirm.emplace();
}

/// Reads the profile of the configuration; whether the profile exists is checked when the study runs.
void read_agents(const Fields& study, const std::string& instead, Draft& draft) {
  const auto agents = study.find("agents");
  if (agents) keep(agents->text(), draft.spec.agents);
  if (agents && !is_name(draft.spec.agents))
    return agents->refuse("`" + shown(draft.spec.agents) + "` is no profile's name",
                          "use letters, digits, `_` and `-`");
  if (!instead.empty()) draft.spec.agents = instead;
  if (agents && draft.spec.agents == kernel::person_at_work)
    return agents->refuse("nobody plays the roles of a study that a person does by hand",
                          "leave it out; `etude exec` and `etude note` capture such work");
  if (draft.spec.agents == "builtin") return;
  const auto kind = study.find("kind");
  if (draft.spec.kind == kernel::StudyKind::optimize && study.has("code")) return;
  if (kind && draft.spec.kind != kernel::StudyKind::test)
    (agents ? *agents : *kind)
        .refuse_for_now(fmt::format("agents: {}` with `kind: {}", draft.spec.agents, name(draft.spec.kind)),
                        "use `builtin`, or `kind: test`");
  else if (agents && study.has("hypotheses"))
    agents->warn("the hypotheses are listed: there is nothing left to propose", "leave one of the two out");
}

void read_footer(const Fields& study, Draft& draft) {
  if (const auto cache = study.find("cache")) keep(cache->boolean(), draft.spec.cache);
  if (const auto retries = study.find("retries"))
    keep(retries->choice<bool>({{"allowed", true}, {"refused", false}}), draft.spec.retries);
  if (const auto seed = study.find("seed"))
    if (const auto number = seed->integer(0, max_seed)) draft.spec.seed = static_cast<std::uint64_t>(*number);
  draft.spec.seeds = kernel::SeedRule::drawn;
  draft.spec.design.rule = kernel::VerdictRule::one_interval;
  draft.spec.design.reading = true;
  if (const auto seeds = study.find("seeds"))
    keep(seeds->choice<kernel::SeedRule>({{"drawn", kernel::SeedRule::drawn}, {"fixed", kernel::SeedRule::fixed}}),
         draft.spec.seeds);
}

/// Reads the sections in the order of their dependencies; problems are still reported in file order.
void read_sections(const Fields& study, Use use, const LookAtParent& look, Draft& draft) {
  const auto section = [&](const char* key, void (*reader)(const Value&, Draft&)) {
    if (const auto value = study.find(key)) reader(*value, draft);
  };
  draft.spec.workspace.path = absolute_path(".", draft);
  if (const auto extend = study.find("extend")) read_extend(*extend, study.has("workspace"), look, draft);
  section("workspace", read_workspace);
  section("environment", read_environment);
  section("data", read_data);
  // In a search over code, no other factor is needed.
  const auto factors = study.has("code")
                           ? study.find("factors")
                           : study.need("factors", "say what varies: `factors: {name: {levels: [a, b]}}`");
  if (!factors && study.has("code")) draft.all_factors = true;
  if (factors) read_factors(*factors, draft);
  section("constants", read_constants);
  section("constraints", read_constraints);
  section("resources", read_resources);
  section("environment", read_setup);
  if (const auto stages = study.find("stages")) {
    if (study.has("run")) stages->refuse_key("there is a `run` as well", "keep one of the two");
    read_stages(*stages, draft);
  } else if (const auto run = study.need("run", "give the command of one run")) {
    read_run(*run, draft);
  }
  if (const auto metrics =
          study.need("metrics", "say what a run measures: `metrics: {name: {unit: ms, goal: minimize}}`"))
    read_metrics(*metrics, draft);
  section("guards", read_guards);
  const bool searches = draft.spec.kind != kernel::StudyKind::test;
  section("hypotheses", searches ? refuse_hypotheses : read_hypotheses);
  check_derived(draft);
  // An artifact that cannot be extended has a problem of its own and gives no baseline.
  const bool extends = !study.has("extend") || !draft.spec.extends.id.empty();
  const bool derives =
      extends && draft.spec.agents == "builtin" && draft.spec.hypotheses.empty() && draft.sound_hypotheses;
  if (!searches && factors && use == Use::study && derives) check_derivable(*factors, draft);
  // Which rule searches by default depends on what is searched.
  draft.searches_code = study.has("code");
  if (draft.spec.kind == kernel::StudyKind::optimize && !study.has("fidelity") && !draft.searches_code)
    draft.spec.design.search = kernel::SearchRule::model;
  section("objectives", read_objectives);
  section("design", read_design);
  if (!study.has("design")) section("hypotheses", check_units);
  section("fidelity", read_fidelity);
  section("evaluator", read_evaluator);
  check_evaluated(draft);
  section("outputs", read_outputs);
  section("budget", read_budget);
  section("code", read_code);
  if (const auto design = study.find("design");
      design && draft.spec.design.search == kernel::SearchRule::keep_or_discard && !study.has("code"))
    design->entry("search")->refuse("it keeps or discards versions of the code, and there is no `code`",
                                    "add `code: {}`, or leave it out");
  if (searches && use == Use::study) check_search(factors, study.find("metrics"), draft);
  section("gates", read_gates);
  section("references", read_references);
  section("corpus", read_corpus);
  section("authors", read_authors);
  section("license", read_license);
}

std::vector<Key> known_keys() {
  std::vector<Key> keys = {"etude",   "title",   "question",   "kind",       "workspace", "environment",
                           "data",    "run",     "stages",     "factors",    "constants", "constraints",
                           "metrics", "guards",  "hypotheses", "design",     "evaluator", "resources",
                           "outputs", "budget",  "cache",      "fidelity",   "code",      "objectives",
                           "extend",  "agents",  "gates",      "references", "corpus",    "seed",
                           "seeds",   "retries", "authors",    "license"};
  for (const char* name :
       {"alpha", "power", "replicates", "pairing", "family", "pilot", "max_failed", "smoke", "order"})
    keys.push_back(elsewhere(name, "design"));
  for (const char* name : {"cpus", "gpus", "gpu_memory", "memory", "disk", "timeout", "network", "sandbox"})
    keys.push_back(elsewhere(name, "resources"));
  for (const char* name : {"wall", "runs", "usd", "tokens", "gpu_hours"}) keys.push_back(elsewhere(name, "budget"));
  return keys;
}

/// The first hypothesis from `from` on whose statement contradicts its test.
std::optional<kernel::Problem> contradiction(const Draft& draft, const std::string& file, std::size_t from) {
  for (std::size_t i = from; i < draft.spec.hypotheses.size(); ++i) {
    const kernel::Hypothesis& h = draft.spec.hypotheses[i];
    const kernel::Reason why = kernel::statement_against_test(draft.spec, h, draft.with_goal.contains(h.metric));
    if (!why.empty())
      return kernel::Problem{file, h.line, "hypotheses[" + std::to_string(i + 1) + "].statement",
                             kernel::newest_words(why), "let statement and test say the same"};
  }
  return std::nullopt;
}

}  // namespace

kernel::Result<Parsed> read_text(const std::string& text, const std::string& file_name, const std::string& base_dir,
                                 Use use, const std::string& agents, const LookAtParent& look) {
  const kernel::Result<YamlNode> root = read_yaml_text(text, file_name, "study file");
  if (!root) return root.problem();
  Problems problems(file_name);
  Draft draft;
  draft.folder = fs::absolute(base_dir).lexically_normal();
  draft.spec.file = fs::absolute(file_name).lexically_normal().string();
  const Value study(*root, root->place, "", "", problems);
  if (const auto fields = study.fields(known_keys())) {
    read_header(*fields, draft);
    read_agents(*fields, agents, draft);
    read_sections(*fields, use, look, draft);
    read_footer(*fields, draft);
  }
  if (!problems.empty()) return problems.first();
  if (use == Use::study)
    if (auto problem = contradiction(draft, file_name, 0)) return std::move(*problem);
  return Parsed{std::move(draft.spec), problems.warnings(), text};
}

kernel::Result<Parsed> read(const std::string& path, Use use, const std::string& agents, const LookAtParent& look) {
  const kernel::Result<std::string> text = read_yaml_file(
      path, "study file", "study.yaml", "name the study file; `etude init DIR` writes one to start from");
  if (!text) return text.problem();
  const fs::path folder = fs::path(path).parent_path();
  return read_text(*text, path, folder.empty() ? "." : folder.string(), use, agents, look);
}

kernel::Result<kernel::Hypothesis> read_proposal(const std::string& text, const kernel::StudySpec& spec,
                                                 const std::vector<kernel::Hypothesis>& known) {
  const kernel::Result<YamlNode> root = read_yaml_text(text, "", "hypothesis");
  if (!root) return root.problem();
  Problems problems("");
  Draft draft;
  draft.spec = spec;
  draft.spec.hypotheses = known;
  draft.all_factors = draft.all_metrics = true;
  for (const kernel::Metric& metric : spec.metrics) draft.with_goal.insert(metric.name);
  read_hypothesis(Value(*root, root->place, "", "", problems), draft);
  if (!problems.empty()) {
    kernel::Problem problem = problems.first();
    problem.line = 0;  // The text was one line of JSON.
    return problem;
  }
  if (auto problem = contradiction(draft, "", known.size())) return std::move(*problem);
  kernel::Hypothesis hypothesis = std::move(draft.spec.hypotheses.back());
  hypothesis.line = 0;
  return hypothesis;
}

}  // namespace studyfile
