#include "apps/session/prepare/captured_work.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/manifest.h"
#include "base/shell_text.h"
#include "memory/store/reader.h"
#include "memory/workspace/evaluator_files.h"
#include "memory/workspace/snapshot.h"
#include "programs/find_program.h"

namespace session {

namespace fs = std::filesystem;

namespace {

/// Variables that commands by hand get in addition to those of all jobs. No keys, which must not be recorded or reach
/// jobs.
const std::vector<std::string> passed_by_hand = {"CONDA_DEFAULT_ENV",
                                                 "CONDA_PREFIX",
                                                 "CUDA_VISIBLE_DEVICES",
                                                 "HF_HOME",
                                                 "JULIA_PROJECT",
                                                 "LD_LIBRARY_PATH",
                                                 "MKL_NUM_THREADS",
                                                 "OMP_NUM_THREADS",
                                                 "PYTHONHASHSEED",
                                                 "PYTHONPATH",
                                                 "R_LIBS_USER",
                                                 "SHELL",
                                                 "TERM",
                                                 "TORCH_HOME",
                                                 "VIRTUAL_ENV",
                                                 "XDG_CACHE_HOME"};

bool holds(const fs::path& folder, const fs::path& inner) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), inner.begin(), inner.end());
  return end == folder.end();
}

fs::path plain(const std::string& folder) {
  std::error_code error;
  const fs::path there = fs::canonical(folder, error);
  return error ? fs::path(folder).lexically_normal() : there;
}

kernel::EnvironmentRecord environment_in_place(const executors::Backend& backend, const ExecRequest& request,
                                               const kernel::StudySpec& spec) {
  executors::EnvironmentQuery query;
  query.commands = {{false, request.arguments}};
  query.workspace = query.folder = request.folder;
  kernel::EnvironmentRecord record;
  // Without a sandbox, a program that a sandbox could not show is not refused.
  if (auto found = backend.resolve(query, request.environment)) record = std::move(*found);
  if (const auto path = request.environment.find("PATH"); path != request.environment.end())
    record.toolchain.path = programs::split_path(path->second);
  record.machine = backend.machine_facts();
  record.passed = executors::passed_on(request.environment, spec.environment.pass);
  return record;
}

kernel::Result<kernel::EnvironmentRecord> environment_in_copy(const HomePaths& home, const executors::Backend& backend,
                                                              const ExecRequest& request,
                                                              const kernel::StudySpec& spec) {
  executors::EnvironmentQuery query = executors::query_of(spec);
  query.kept = home.kept();
  query.commands.push_back({false, request.arguments});
  if (spec.captured()) query.workspace = query.folder = request.folder;
  return backend.resolve(query, request.environment);
}

}  // namespace

std::string open_study(const HomePaths& home, const std::string& folder) {
  const memory::Reader reader(home.root);
  const fs::path here = plain(folder);
  std::vector<std::string> open;
  reader.studies([&](std::string_view document) {
    const auto study = nlohmann::json::parse(document);
    if (study.at("state") != "ended") open.push_back(study.at("id"));
  });
  for (auto id = open.rbegin(); id != open.rend(); ++id) {
    const kernel::State state = reader.load_active(*id);
    const kernel::Study* study = state.study(*id);
    const bool says_more = study && !study->outcome && !study->cancelling && study->reproduces.empty();
    if (says_more && holds(plain(study->spec.workspace.path), here)) return *id;
  }
  return "";
}

kernel::StudyOpened captured_study(const executors::Backend& backend, memory::Blobs& blobs,
                                   const CaptureRequest& request, const std::string& id, const std::string& boot_id) {
  kernel::StudyOpened opened;
  opened.id = id;
  const std::string folder = plain(request.folder).string(), name = plain(request.folder).filename().string();
  kernel::StudySpec& spec = opened.spec;
  spec.title = "Work in " + (name.empty() ? folder : name);
  spec.question = request.question.empty() ? fmt::format("What does the work in {} show?", name.empty() ? folder : name)
                                           : request.question;
  spec.workspace.path = folder;
  spec.agents = kernel::person_at_work;
  spec.seeds = kernel::SeedRule::drawn;
  spec.design.rule = kernel::VerdictRule::one_interval;
  spec.environment.pass = passed_by_hand;
  spec.resources.sandbox = kernel::SandboxMode::none;
  const auto quoted = [](const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  opened.text = fmt::format(
      "# Captured while it was done: there was no design beforehand, so nothing of it confirms anything.\n"
      "etude: 1\ntitle: {}\nquestion: {}\nagents: {}\n",
      quoted(spec.title), quoted(spec.question), kernel::person_at_work);
  opened.workspace.hash = kernel::WorkspaceHash(blobs.put(kernel::manifest_text({})).sha256);
  opened.environment.machine = backend.machine_facts();
  opened.environment.passed.emplace();
  opened.jobs = backend.cores();
  opened.output = folder + "/" + id + "-ara";
  opened.boot_id = boot_id;
  return opened;
}

kernel::Result<kernel::OrderScratch> order_by_hand(const HomePaths& home, const executors::Backend& backend,
                                                   memory::Blobs& blobs, const kernel::StudyTerms& terms,
                                                   const ExecRequest& request, const kernel::Redactor& redact) {
  for (const std::string& word : request.arguments)
    if (redact(word) != word)
      return kernel::Problem{"", 0, "the command", "contains a key, which would be stored in the record",
                             "let it read the key from a file of yours"};
  const bool captured = terms.spec.captured(), in_place = captured && !request.sandbox;
  if (const auto missing = missing_program(request); missing && (in_place || captured)) return *missing;
  kernel::OrderScratch made;
  kernel::ScratchOrder& order = made.order;
  order.tool_call = request.request;
  order.arguments = request.arguments;
  order.command = kernel::shell_line(request.arguments);
  order.resources = terms.spec.resources;
  if (request.cpus > 0) order.resources.cpus = request.cpus;
  if (request.gpus > 0) {
    order.resources.gpus = request.gpus;
    order.resources.gpu_share.reset();
  }
  if (request.timeout_s > 0) order.resources.timeout_s = request.timeout_s;
  if (request.sandbox) order.resources.sandbox = kernel::SandboxMode::automatic;
  if (in_place) order.folder = plain(request.folder).string();
  if (order.resources.sandbox != kernel::SandboxMode::none) {
    const executors::SandboxProbe probe = backend.probe_sandbox(request.environment);
    if (!probe.works)
      return kernel::Problem{"", 0, "sandbox: " + probe.why, "this run needs a sandbox", probe.remedy, true};
  }
  auto environment = in_place ? environment_in_place(backend, request, terms.spec)
                              : environment_in_copy(home, backend, request, terms.spec);
  if (!environment) return environment.problem();
  order.environment = std::move(*environment);
  kernel::WorkspaceSpec seen = terms.spec.workspace;
  if (captured) seen.path = plain(request.folder).string();
  for (std::string& pattern : memory::sealed_patterns(terms.spec)) seen.exclude.push_back(std::move(pattern));
  auto snapshot = memory::freeze(seen, home.root, blobs);
  if (!snapshot) return snapshot.problem();
  order.workspace = snapshot->record;
  order.workspace.protect = terms.workspace.protect;
  if (!in_place) memory::materialise(order.workspace.hash, home.workspace(order.workspace.hash), blobs);
  return made;
}

std::optional<kernel::Problem> missing_program(const ExecRequest& request) {
  const std::string& name = request.arguments.front();
  const auto path = request.environment.find("PATH");
  const bool named = name.find('/') != name.npos;
  const std::string place =
      named ? (fs::path(request.folder) / name).string()
            : programs::find_on_path(name, path == request.environment.end() ? "/usr/bin:/bin" : path->second);
  if (!place.empty() && programs::is_executable_file(place)) return std::nullopt;
  return kernel::Problem{"", 0, "`" + name + "`", "there is no such program", "write the command as in a shell"};
}

int ordered_run(const HomePaths& home, const std::string& study, const std::string& request) {
  int found = 0;
  memory::Reader(home.root).runs(study, [&](std::string_view document) {
    const auto run = nlohmann::json::parse(document);
    if (run.value("request", nlohmann::json()) == request) found = run.at("number");
  });
  return found;
}

}  // namespace session
