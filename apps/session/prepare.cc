#include "apps/session/prepare.h"

#include <filesystem>

#include "executors/job_environment.h"
#include "executors/machine.h"
#include "executors/sandbox.h"
#include "executors/toolchain.h"
#include "kernel/manifest.h"
#include "memory/data_identity.h"
#include "memory/protection.h"
#include "memory/snapshot.h"

namespace session {

namespace {

/// What is wrong outside is wrong with the study that names it.
kernel::Problem of_study(kernel::Problem problem, const kernel::StudySpec& spec) {
  if (problem.file.empty()) problem.file = spec.file;
  return problem;
}

}  // namespace

kernel::Result<Prepared> prepare(const HomePaths& home, memory::Blobs& blobs, const kernel::StudySpec& spec,
                                 const std::map<std::string, std::string>& own, bool strangers) {
  Prepared prepared;
  executors::EnvironmentQuery query = executors::query_of(spec);
  query.strangers = strangers;
  auto environment = executors::resolve_environment(query, own);
  if (!environment) return of_study(environment.problem(), spec);
  prepared.environment = std::move(*environment);
  prepared.environment.machine = executors::machine_facts();
  prepared.environment.passed = executors::passed_on(own, spec.environment.pass);

  if (spec.resources.sandbox == kernel::SandboxMode::automatic) {
    const auto path = own.find("PATH");
    const executors::SandboxProbe probe = executors::probe_sandbox(path == own.end() ? "/usr/bin:/bin" : path->second);
    if (!probe.works)
      return kernel::Problem{"",
                             0,
                             "sandbox: " + probe.why,
                             "jobs are strangers and run in a sandbox",
                             probe.remedy + "; or say `resources: {sandbox: none}` in the study, on your word",
                             true};
  }

  for (const kernel::DataSpec& data : spec.data) {
    auto record = memory::identify_data(data);
    if (!record) return of_study(record.problem(), spec);
    prepared.data.push_back(std::move(*record));
  }

  auto snapshot = memory::freeze(spec.workspace, home.root, blobs);
  if (!snapshot) return of_study(snapshot.problem(), spec);
  prepared.workspace = snapshot->record;
  prepared.warnings = snapshot->warnings;
  if (!spec.evaluator.protect.empty()) {
    const auto manifest = kernel::read_manifest(blobs.get(prepared.workspace.hash));
    if (!manifest) return manifest.problem();
    auto files = memory::protected_files(spec, *manifest);
    if (!files) return files.problem();
    prepared.workspace.protect = std::move(*files);
  }
  memory::materialise(prepared.workspace.hash, home.workspace(prepared.workspace.hash), blobs);
  return prepared;
}

}  // namespace session
