#include "apps/session/prepare/prepare.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/session/prepare/prior_work.h"
#include "base/digest.h"
#include "base/manifest.h"
#include "kernel/codec/codec.h"
#include "kernel/codec/json_types.h"
#include "kernel/domain/image_root.h"
#include "memory/store/reader.h"
#include "memory/workspace/data_identity.h"
#include "memory/workspace/evaluator_files.h"
#include "memory/workspace/paid_answers.h"
#include "memory/workspace/snapshot.h"
#include "programs/run_program.h"
#include "prose/numbers.h"

namespace session {

std::string default_output(const std::string& study_file) {
  const std::filesystem::path file(study_file);
  return (file.parent_path() / (file.stem().string() + "-ara")).string();
}

int default_jobs(int cores, const kernel::StudySpec& spec) {
  return std::max(1, cores / std::max(1, spec.resources.cpus));
}

namespace {

/// Problems of files outside are reported for the study that names them.
kernel::Problem of_study(kernel::Problem problem, const kernel::StudySpec& spec) {
  if (problem.file.empty()) problem.file = spec.file;
  return problem;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

/// Paths outside the home that a machine needs for runs of the study. `bwrap`: what makes their sandbox, or empty.
std::vector<std::string> needed_on_nodes(const Prepared& prepared, const std::string& bwrap) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    if (path.starts_with("/") && std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
  };
  if (const auto image = kernel::image_of(prepared.environment.toolchain)) {
    // The programs are in it. What the home has of it is copied.
    add(*image);
    for (const kernel::ProgramRecord& program : prepared.environment.programs)
      if (program.name == "apptainer") add(program.path);
  } else {
    // A module's file is read here only.
    for (const kernel::ProgramRecord& program : prepared.environment.programs)
      if (!program.name.starts_with("module ")) add(program.path);
    for (const std::string& prefix : prepared.environment.toolchain.prefixes) add(prefix);
  }
  for (const kernel::DataRecord& data : prepared.data) add(data.path);
  add(bwrap);
  return paths;
}

/// The key of all that a set-up depends on: its command, its files, the programs, and its environment variables.
kernel::Result<kernel::SetupKey> setup_key(const kernel::StudySpec& spec, const Prepared& prepared,
                                           const memory::Blobs& blobs) {
  const auto manifest = kernel::read_manifest(blobs.get(prepared.workspace.hash.text()));
  if (!manifest) return manifest.problem();
  nlohmann::json files = nlohmann::json::object();
  for (const std::string& file : spec.setup_files) {
    const auto entry = std::ranges::find(*manifest, file, &kernel::ManifestEntry::path);
    if (entry == manifest->end() || entry->sha256.empty())
      return kernel::Problem{"", 0, "environment.setup.key", "`" + file + "` is no file of the workspace",
                             "name files of the workspace that decide what the set-up installs"};
    files[file] = entry->sha256;
  }
  kernel::EnvironmentRecord programs;
  programs.toolchain = prepared.environment.toolchain;
  programs.programs = prepared.environment.programs;
  const nlohmann::json all = {{"run", spec.setup->run.words},
                              {"files", std::move(files)},
                              {"programs", kernel::canonical(programs)},
                              {"set", spec.environment.set}};
  return kernel::SetupKey(kernel::sha256_hex(all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

/// For a study that runs the extended artifact's code: the spec with that code as its workspace.
kernel::Result<kernel::StudySpec> with_code_of_parent(const HomePaths& home, memory::Blobs& blobs,
                                                      const kernel::StudySpec& spec, Prepared& prepared) {
  const kernel::WorkspaceHash& hash = spec.extends.workspace;
  if (!blobs.exists(hash.text()))
    if (const auto parent = bring_parent(home.root, blobs, spec.extends); !parent) return parent.problem();
  const auto manifest = kernel::read_manifest(blobs.get(hash.text()));
  if (!manifest) return manifest.problem();
  prepared.workspace.hash = hash;
  for (const kernel::ManifestEntry& entry : *manifest) {
    if (entry.type != kernel::EntryType::folder) ++prepared.workspace.files;
    prepared.workspace.bytes += entry.bytes;
  }
  memory::materialise(hash, home.workspace(hash), blobs);
  kernel::StudySpec seen = spec;
  seen.workspace.path = home.workspace(hash);
  return seen;
}

/// What holds jobs where no sandbox can be made. `image`: whether their programs are in one, which Apptainer enters
/// then.
std::string walls_without_sandbox(const executors::SandboxProbe& probe, bool image) {
  return image ? "the namespaces of Apptainer, a filter of system calls, no_new_privs and the search for its processes"
               : probe.walls;
}

kernel::Problem not_amended(const std::string& study, const std::string& why) {
  return {"", 0, "study " + study, why, "run it anew as another study"};
}

}  // namespace

std::string why_sandbox(const kernel::StudySpec& spec) {
  if (spec.resources.sandbox == kernel::SandboxMode::required) return "`resources.sandbox` is `require`";
  if (spec.setup) return "runs see what `environment.setup` leaves in a sandbox only";
  const kernel::EvaluatorSpec& evaluator = spec.evaluator;
  if (evaluator.validation || evaluator.test || !evaluator.protect.empty())
    return "only a sandbox keeps jobs from what scores them";
  if (spec.agents != "builtin") return "agents may write code, which runs in a sandbox";
  return "";
}

std::optional<kernel::Problem> weaker_walls(const executors::Backend& backend, const kernel::StudySpec& spec,
                                            const std::map<std::string, std::string>& own) {
  if (spec.resources.sandbox != kernel::SandboxMode::automatic || !why_sandbox(spec).empty()) return std::nullopt;
  const executors::SandboxProbe probe = backend.probe_sandbox(own);
  if (probe.works) return std::nullopt;
  const std::string walls = walls_without_sandbox(probe, spec.environment.use.starts_with("apptainer:"));
  return kernel::Problem{"", 0, "sandbox: " + probe.why, "jobs are held by " + walls,
                         probe.remedy + "; `sandbox: require` refuses to run without"};
}

kernel::Result<Prepared> prepare(const HomePaths& home, const executors::Backend& backend, memory::Blobs& blobs,
                                 const kernel::StudySpec& given, const std::map<std::string, std::string>& own,
                                 bool untrusted) {
  Prepared prepared;
  kernel::StudySpec spec = given;
  if (!spec.extends.workspace.empty()) {
    auto with_code = with_code_of_parent(home, blobs, given, prepared);
    if (!with_code) return of_study(with_code.problem(), given);
    spec = std::move(*with_code);
  }
  executors::EnvironmentQuery query = executors::query_of(spec);
  query.untrusted = untrusted;
  query.kept = home.kept();
  auto environment = backend.resolve(query, own);
  if (!environment) return of_study(environment.problem(), spec);
  prepared.environment = std::move(*environment);

  std::string bwrap;
  if (spec.resources.sandbox != kernel::SandboxMode::none) {
    const executors::SandboxProbe probe = backend.probe_sandbox(own);
    if (probe.works) bwrap = probe.bwrap;
    const std::string needs = untrusted ? "code of others runs in a sandbox" : why_sandbox(spec);
    if (!probe.works && !needs.empty()) {
      const std::string otherwise = untrusted ? "" : "; or say `resources: {sandbox: none}` in the study, on your word";
      return kernel::Problem{"", 0, "sandbox: " + probe.why, needs, probe.remedy + otherwise, true};
    }
    if (!probe.works)
      prepared.environment.machine[kernel::walls_fact] =
          walls_without_sandbox(probe, kernel::image_of(prepared.environment.toolchain).has_value());
  }

  for (const kernel::DataSpec& data : spec.data) {
    auto record = memory::identify_data(data);
    if (!record) return of_study(record.problem(), spec);
    prepared.data.push_back(std::move(*record));
  }

  executors::NodeNeeds needs = executors::node_needs(spec);
  needs.paths = needed_on_nodes(prepared, bwrap);
  executors::NodesAnswer nodes = backend.ask_nodes(home.root, needs);
  if (nodes.problem) return of_study(std::move(*nodes.problem), spec);
  if (nodes.kinds > 1) {
    prepared.environment.machine["nodes"] = prose::counted(nodes.kinds, "kind");
    prepared.warnings.push_back(fmt::format(
        "runs may get nodes of {}, which may differ in speed: choose one by `constraint` or `partition`, or "
        "make the nodes blocks by `resources.node`",
        prose::counted(nodes.kinds, "kind")));
  }

  auto sealed = memory::seal(spec, blobs);
  if (!sealed) return of_study(sealed.problem(), spec);
  prepared.sealed = sealed->data;
  prepared.sealed_manifest = sealed->manifest;
  if (prepared.workspace.hash.empty()) {
    kernel::WorkspaceSpec seen = spec.workspace;
    for (std::string& pattern : memory::sealed_patterns(spec)) seen.exclude.push_back(std::move(pattern));
    auto snapshot = memory::freeze(seen, home.root, blobs);
    if (!snapshot) return of_study(snapshot.problem(), spec);
    prepared.workspace = snapshot->record;
    prepared.warnings.insert(prepared.warnings.end(), snapshot->warnings.begin(), snapshot->warnings.end());
  }
  if (!spec.evaluator.protect.empty() || !prepared.sealed.empty()) {
    const auto manifest = kernel::read_manifest(blobs.get(prepared.workspace.hash.text()));
    if (!manifest) return manifest.problem();
    auto files = memory::protected_files(spec, *manifest);
    if (!files) return files.problem();
    prepared.workspace.protect = std::move(*files);
    std::vector<std::string> shown = prepared.environment.toolchain.prefixes;
    if (const auto image = kernel::image_of(prepared.environment.toolchain))
      shown = {*image};
    else
      shown.emplace_back("/usr");
    for (const kernel::DataRecord& data : prepared.data) shown.push_back(std::filesystem::canonical(data.path));
    if (auto problem = memory::unsealed(spec, *sealed, shown, *manifest, blobs)) return std::move(*problem);
  }
  memory::materialise(prepared.workspace.hash, home.workspace(prepared.workspace.hash), blobs);
  if (const auto manifest = kernel::read_manifest(blobs.get(prepared.workspace.hash.text()))) {
    std::vector<std::string> files;
    for (const kernel::ManifestEntry& entry : *manifest) files.push_back(entry.path);
    prepared.answers = memory::paid_answers(spec, home.workspace(prepared.workspace.hash), files);
  }
  if (spec.setup) {
    auto key = setup_key(spec, prepared, blobs);
    if (!key) return of_study(key.problem(), spec);
    prepared.setup_key = std::move(*key);
    // An earlier study has made the same set-up.
    if (const std::string place = home.kept() + "/" + prepared.setup_key; std::filesystem::is_directory(place))
      prepared.environment.setup = {prepared.setup_key, names_in(place)};
  }
  return prepared;
}

kernel::Result<kernel::WorkspaceRecord> frozen_code(const HomePaths& home, memory::Blobs& blobs,
                                                    const CodeFolder& code) {
  kernel::WorkspaceSpec from{code.path, {}, std::nullopt};
  from.max_bytes = std::numeric_limits<std::int64_t>::max();
  auto snapshot = memory::freeze(from, home.root, blobs);
  if (!snapshot) return snapshot.problem();
  if (snapshot->record.hash != code.hash)
    return kernel::Problem{code.path, 0, "", "is not the code that its name says: it was changed meanwhile",
                           "run the artifact again from an unchanged copy"};
  memory::materialise(code.hash, home.workspace(code.hash), blobs);
  return snapshot->record;
}

kernel::Result<kernel::AmendWorkspace> amendment_of(const HomePaths& home, const executors::Backend& backend,
                                                    memory::Blobs& blobs, const AmendRequest& request) {
  const kernel::State state = memory::Reader(home.root).load_active(request.study);
  const kernel::Study* study = state.study(request.study);
  if (!study || study->state == kernel::StudyState::ended) return no_active_study(home, request.study);
  if (!study->reproduces.empty()) return not_amended(study->id, "runs again what an artifact holds, and nothing else");
  auto now = prepare(home, backend, blobs, study->spec, programs::own_environment(), false);
  if (!now) return now.problem();
  const auto same = [](const auto& a, const auto& b) { return nlohmann::json(a) == nlohmann::json(b); };
  if (!same(now->data, study->data)) return not_amended(study->id, "its data are not what they were, too");
  if (!same(now->sealed, study->sealed))
    return not_amended(study->id, "its evaluator's data are not what they were, too");
  const auto unchanged = [](const kernel::ProtectedFile& a, const kernel::ProtectedFile& b) {
    return a.path == b.path && a.sha256 == b.sha256;
  };
  if (!std::ranges::equal(now->workspace.protect, study->workspace.protect, unchanged))
    return not_amended(study->id, "a protected file changed, too");
  const auto programs = [](const kernel::EnvironmentRecord& all) {
    return nlohmann::json{{"programs", all.programs}, {"prefixes", all.toolchain.prefixes}};
  };
  if (now->setup_key != study->spec.setup_key && programs(now->environment) != programs(study->environment))
    return not_amended(study->id, "the programs that the environment's set-up starts from changed, too");
  kernel::AmendWorkspace amended{now->workspace, request.why};
  if (!now->setup_key.empty()) amended.setup = {now->setup_key, now->workspace};
  return amended;
}

}  // namespace session
