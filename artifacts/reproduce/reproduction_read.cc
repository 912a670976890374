#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/read/record.h"
#include "artifacts/read/safe_root.h"
#include "artifacts/reproduce/imported_modules.h"
#include "artifacts/reproduce/reproduction.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/write/etude_json.h"
#include "kernel/domain/enum_names.h"
#include "kernel/study/gates.h"
#include "kernel/verdicts/analyse_experiment.h"

namespace artifacts {

using kernel::Problem;
using kernel::Study;
using nlohmann::json;

namespace {

constexpr const char* study_file = "src/study.yaml";
constexpr std::uint64_t largest_study_file = 16u << 20;
constexpr std::uint64_t largest_source = std::uint64_t{4} << 30;
const char* const restore = "restore the artifact from where it was made";

struct Refused {
  Problem problem;
};
[[noreturn]] void refuse(const std::string& file, const std::string& why, const std::string& todo = restore) {
  throw Refused{{file, 0, "reproduce", why, todo}};
}

json read_seal(const SafeRoot& root) {
  const FileBytes read = root.read("etude.json", largest_etude_json);
  if (read.kind == FileKind::none)
    refuse("", "there is no etude.json: nothing here says how to run it again", "name an artifact that etude made");
  json seal = read.whole() ? json::parse(read.bytes, nullptr, false) : json();
  if (!seal.is_object() || !seal.value("etude", json()).is_number_integer()) refuse("etude.json", "cannot be read");
  if (seal["etude"] != etude_json_version)
    refuse("etude.json",
           fmt::format("is of version {}; this program knows version {}", seal["etude"].dump(), etude_json_version),
           "use a newer etude");
  return seal;
}

/// Whether a recorded value differs from the computed one; another version may compute other last digits.
bool is_off(const std::optional<double>& recorded, const std::optional<double>& computed, double slack) {
  constexpr double digits = 1e-6;
  return recorded &&
         (!computed || !(std::abs(*recorded - *computed) <= slack + digits * std::max(1.0, std::abs(*computed))));
}

/// Recomputes every result from the recorded runs, because a wrong one would decide what counts as agreement.
void judge_again(const Study& study, const kernel::ExperimentAnalysed& event, int line,
                 std::vector<kernel::Untrue>& untrue) {
  const kernel::Experiment* experiment = study.experiment(event.experiment);
  if (!experiment || !can_be_computed(study)) return;
  const kernel::ExperimentAnalysed again = kernel::analyse(study, *experiment);
  const auto note = [&](const std::string& what) {
    untrue.push_back({event.experiment, fmt::format("{}:{}: {}", log_file, line, what)});
  };
  if (event.results.size() != again.results.size()) return note("the experiment has other hypotheses than results");
  for (std::size_t i = 0; i < again.results.size(); ++i) {
    const kernel::HypothesisResult &a = event.results[i], &b = again.results[i];
    const auto shown = [](const std::optional<double>& value) { return value ? fmt::format("{}", *value) : "none"; };
    if (a.id != b.id || a.verdict != b.verdict)
      note(fmt::format("{} is said to be {}, and the recorded runs give {} as {}", printable(a.id.text()),
                       kernel::words_of(a.verdict), b.id, kernel::words_of(b.verdict)));
    // A new version may refine how a ratio's interval is computed, within limits.
    const double wide = b.relative_low && b.relative_high ? (*b.relative_high - *b.relative_low) / 4 : 0;
    for (const auto& [name, recorded, computed, slack] :
         {std::tuple{"effect", a.effect, b.effect, 0.0},
          {"se", a.se, b.se, 0.0},
          {"df", a.df, b.df, 0.0},
          {"effect_relative", a.effect_relative, b.effect_relative, 0.0},
          {"relative_low", a.relative_low, b.relative_low, wide},
          {"relative_high", a.relative_high, b.relative_high, wide}})
      if (is_off(recorded, computed, slack))
        note(fmt::format("{} of {} is {}, and the recorded runs give {}", name, printable(a.id.text()), shown(recorded),
                         shown(computed)));
  }
}

/// Folds the log, whose last event must be the head. `untrue`: decisions that do not follow from the runs.
Study recorded_study(const SafeRoot& root, const std::string& head, std::string& bytes,
                     std::vector<kernel::Untrue>& untrue) {
  FileBytes file = root.read(log_file, largest_log);
  if (!file.whole()) refuse(log_file, "is missing, or larger than 1 GB");
  bytes = std::move(file.bytes);
  auto log = read_log_text(bytes, [&](const Study* before, const kernel::Event& event, int line) {
    const auto* analysed = std::get_if<kernel::ExperimentAnalysed>(&event.body);
    if (before && analysed) judge_again(*before, *analysed, line, untrue);
  });
  if (!log) refuse(log.problem().file, log.problem().why);
  if (log->head != head) refuse(log_file, "does not end at the chain head that etude.json gives");
  if (log->study.experiments.empty())
    refuse(log_file, "no experiment was registered, so there is nothing to run again", "");
  return std::move(log->study);
}

/// Checks that the recorded files of src/ are unchanged, and that the workspaces have no other files but those that
/// were withheld, which a reader may have put back.
void verify_sources(const SafeRoot& root, const Listing& listing, const json& seal, const kernel::Study& study) {
  const std::set<std::string> withheld = kernel::withheld_files(study);
  const auto put_back = [&](const std::string& path) {
    const std::size_t below = std::string_view("src/workspace/").size(), hash = path.find('/', below);
    return hash != path.npos && withheld.contains(path.substr(hash + 1));
  };
  const json files = seal.value("files", json::object());
  std::set<std::string> recorded;
  for (const auto& [path, hash] : files.items()) {
    if (!path.starts_with("src/")) continue;
    recorded.insert(path);
    if (!hash.is_string() || root.sha256(path, largest_source).value_or("") != hash.get<std::string>())
      refuse(path, "is missing or was changed: its SHA-256 is not the one in etude.json");
  }
  if (!recorded.contains(study_file)) refuse(study_file, "has no hash in etude.json");
  for (const Entry& entry : listing.entries)
    if (entry.kind != FileKind::directory && entry.path.starts_with("src/workspace/") &&
        !recorded.contains(entry.path) && !put_back(entry.path))
      refuse(entry.path, "is no part of the recorded workspace");
}

/// The workspace's path in the artifact, after checking that it is complete and unchanged.
std::string verified_workspace(const SafeRoot& root, const Listing& listing, const kernel::Study& study,
                               const std::string& hash) {
  if (hash.size() != 64 || hash.find_first_not_of("0123456789abcdef") != std::string::npos)
    refuse("trace/events.jsonl", "the workspace's hash is none");
  if (const auto problems = folder_problems(root, listing, workspace_path(hash), hash, kernel::withheld_files(study));
      !problems.empty())
    refuse(problems.front().file, problems.front().why);
  return workspace_path(hash);
}

/// The versions that registered runs used, without their diffs: code of models is run again, not written again.
std::vector<kernel::CodeVersion> confirmed_versions(const Study& study) {
  std::vector<kernel::CodeVersion> found;
  for (const kernel::CodeVersion& version : study.code.versions) {
    const bool confirmed = std::ranges::any_of(study.experiments, [&](const kernel::Experiment& e) {
      const auto& cells = e.registration.cells;
      return !e.amended && std::ranges::any_of(cells, [&](const kernel::Cell& cell) {
        const auto own = cell.find(kernel::code_factor);
        return own != cell.end() && own->second == version.id;
      });
    });
    if (!confirmed) continue;
    found.push_back(version);
    found.back().diff = {};
  }
  return found;
}

std::string absolute_root(const Recorded& recorded) {
  return std::filesystem::absolute(recorded.artifact).lexically_normal().string();
}

int replicates_of(const kernel::Registration& registration, const kernel::HypothesisId& hypothesis, int otherwise) {
  for (const kernel::SizeRecord& size : registration.sizes)
    if (size.hypothesis == hypothesis) return size.replicates;
  return otherwise;
}

/// The evaluator must read the same bytes: the artifact's copies, else the original files.
void seal_again(const kernel::StudyTerms& study, kernel::Tier tier, const std::string& root, kernel::TierSpec& own) {
  for (kernel::SealedPath& path : own.data) {
    path.identity = "nothing, for it was not recorded";
    for (const kernel::SealedData& data : study.sealed)
      if (data.tier == tier && data.place == path.place) path.identity = data.identity;
    if (!study.sealed_manifest.empty())
      path.path = fmt::format("{}/{}/{}/{}", root, sealed_folder, kernel::name(tier), path.place);
  }
}

void confine(Recorded& recorded, kernel::Resources& resources, const std::string& who) {
  if (resources.sandbox == kernel::SandboxMode::none)
    recorded.notes.push_back(who + " ran without sandbox; here it runs inside one");
  if (resources.network) recorded.notes.push_back(who + " had network; here it has none");
  resources.sandbox = kernel::SandboxMode::automatic;
  resources.network = false;
}

/// The study's limit of time was for its own machine, which may be faster or less busy than the reader's.
void give_time(const Study& study, kernel::StudySpec& spec) {
  constexpr double least_s = 600, times = 4;
  if (!spec.budget.wall_s) return;
  const double own = *spec.budget.wall_s;
  double run_seconds = 0;
  for (const kernel::Run& run : study.runs)
    if (run.evidence()) run_seconds += static_cast<double>(run.ended_ms - run.started_ms) / 1000;
  spec.budget.wall_s = std::max(own, std::max(least_s, times * run_seconds));
  // A run without a time limit sets GPU hours aside for the whole limit of the study.
  if (!spec.budget.gpu_hours) return;
  const auto as_before = [&](kernel::Resources& resources) {
    if (!resources.timeout_s) resources.timeout_s = own;
  };
  as_before(spec.resources);
  for (kernel::StageSpec& stage : spec.stages) as_before(stage.resources);
  if (spec.setup) as_before(spec.setup->resources);
}

/// Uses the registered design and the reader's confinement.
void make_ready(Recorded& recorded, const std::string& workspace) {
  const Study& study = recorded.study;
  kernel::StudySpec& spec = recorded.spec;
  spec = study.spec;
  spec.hypotheses.clear();
  spec.design.settled.clear();
  for (const kernel::Experiment& e : study.experiments) {
    if (e.amended) continue;
    spec.design.family = e.registration.family;
    for (const kernel::Hypothesis& h : e.registration.hypotheses) {
      spec.hypotheses.push_back(h);
      spec.design.settled[h.id] = replicates_of(e.registration, h.id, spec.design.replicates_min);
    }
  }
  spec.design.smoke = false;
  give_time(study, spec);
  // Only what a search selected is run again.
  if (spec.kind != kernel::StudyKind::test)
    recorded.notes.push_back("the search is not run again; what it selected is confirmed on the registered runs");
  spec.kind = kernel::StudyKind::test;
  spec.design.confirm.reset();
  spec.fidelity.reset();
  const std::string root = absolute_root(recorded);
  spec.workspace = {root + "/" + workspace, {}, std::nullopt};
  spec.workspace.max_bytes = std::max<std::int64_t>(study.workspace.bytes, 1);
  // The artifact contains everything that it extends.
  spec.extends = {};
  spec.file = root + "/src/study.yaml";

  for (const kernel::Tier tier : {kernel::Tier::validation, kernel::Tier::test}) {
    std::optional<kernel::TierSpec>& own = tier == kernel::Tier::test ? spec.evaluator.test : spec.evaluator.validation;
    if (own) seal_again(study, tier, root, *own);
  }

  confine(recorded, spec.resources, "the study");
  // Every stage has its own resources, which start as those of the study.
  for (kernel::StageSpec& stage : spec.stages) confine(recorded, stage.resources, "its stage " + printable(stage.name));
  if (spec.setup) confine(recorded, spec.setup->resources, "the study's set-up");
  if (spec.cache) recorded.notes.push_back("nothing is taken from earlier runs: all is run");
  spec.cache = false;
  if (!spec.gates.empty()) recorded.notes.push_back("the study's gates asked its own people, and are left out");
  spec.gates.clear();
  // A named environment would be a program of the artifact's choice, run outside any sandbox.
  std::string& use = spec.environment.use;
  if (!use.empty() && use != "system") {
    recorded.notes.push_back("the study used the environment " + printable(use) +
                             "; here the programs that come first on your PATH are used");
    use = "system";
  }
  // A path to libraries is the reader's own; the artifact must not ask for any other variable of the reader.
  std::erase_if(spec.environment.pass, [&](const std::string& name) {
    if (name == "LD_LIBRARY_PATH") return false;
    recorded.notes.push_back("the variable " + printable(name) + " is not passed on to an artifact");
    return true;
  });
}

void refuse_declared_data(const kernel::StudySpec& spec) {
  for (const kernel::DataSpec& data : spec.data)
    if (data.identity == kernel::Identity::declared)
      refuse("",
             "the data " + printable(data.name) +
                 " are identified by declaration only, so an artifact could name any "
                 "folder of this machine",
             "run the study from its own study file, where you name the data yourself");
}

/// Of the first files, as far as they are small.
std::set<std::string> imports_of(const SafeRoot& root, const Listing& listing, const std::string& workspace) {
  constexpr std::uint64_t largest = 1 << 20;
  int left = 2000;
  std::set<std::string> modules;
  for (const Entry& entry : listing.entries)
    if (entry.path.starts_with(workspace + "/") && entry.path.ends_with(".py") && left-- > 0)
      if (const FileBytes read = root.read(entry.path, largest); read.whole())
        add_imported_modules(read.bytes, modules);
  return modules;
}

}  // namespace

kernel::Result<Recorded> read_recorded(const std::string& path) {
  const auto root = SafeRoot::open(path);
  if (!root) return root.problem();
  Recorded recorded;
  recorded.artifact = path;
  try {
    const json seal = read_seal(*root);
    const json events = seal.value("events", json::object());
    recorded.head = events.is_object() ? events.value("head", "") : "";
    std::vector<kernel::Untrue> undecided;
    recorded.study = recorded_study(*root, recorded.head, recorded.log, undecided);
    const Listing listing = root->list();
    verify_sources(*root, listing, seal, recorded.study);
    const std::string workspace =
        verified_workspace(*root, listing, recorded.study, recorded.study.workspace.hash.text());
    const kernel::EvaluatorSpec& evaluator = recorded.study.spec.evaluator;
    if (const kernel::WorkspaceHash& scoring = recorded.study.scoring.hash;
        scoring != recorded.study.workspace.hash && (evaluator.validation || evaluator.test))
      recorded.scoring =
          absolute_root(recorded) + "/" + verified_workspace(*root, listing, recorded.study, scoring.text());
    if (const auto& from = recorded.study.set_up_from; from && from->hash != recorded.study.workspace.hash)
      recorded.set_up_from =
          absolute_root(recorded) + "/" + verified_workspace(*root, listing, recorded.study, from->hash.text());
    for (kernel::CodeVersion& version : confirmed_versions(recorded.study)) {
      std::string folder = absolute_root(recorded) + "/" +
                           verified_workspace(*root, listing, recorded.study, version.workspace.hash.text());
      recorded.versions.emplace_back(std::move(version), std::move(folder));
    }
    FileBytes text = root->read(study_file, largest_study_file);
    if (!text.whole()) refuse(study_file, "is no file, or larger than 16 MB");
    recorded.text = std::move(text.bytes);
    recorded.imports = imports_of(*root, listing, workspace);
    refuse_declared_data(recorded.study.spec);
    make_ready(recorded, workspace);
    recorded.terms.head = recorded.head;
    put_in_words(recorded.study, wording_of(seal).value_or(kernel::wording_version));
    recorded.terms.untrue = untrue_in(*root, seal, recorded.study);
    recorded.terms.untrue.insert(recorded.terms.untrue.begin(), undecided.begin(), undecided.end());
    if (auto problem = choose(recorded, {})) return *problem;
  } catch (const Refused& refused) {
    return refused.problem;
  } catch (const json::exception&) {
    return Problem{"etude.json", 0, "reproduce", "holds values of unexpected types", restore};
  }
  return recorded;
}

}  // namespace artifacts
