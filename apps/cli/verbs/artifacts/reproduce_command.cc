#include "apps/cli/verbs/artifacts/reproduce_command.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "apps/cli/terminal/signals.h"
#include "apps/cli/work/one_job.h"
#include "apps/session/home/home.h"
#include "apps/session/prepare/prepare.h"
#include "artifacts/reproduce/reproduction_foreign.h"
#include "artifacts/text/html_page.h"
#include "executors/backend/backend.h"
#include "kernel/runs/job.h"
#include "memory/files/blobs.h"
#include "programs/run_program.h"

namespace cli {

namespace {

namespace fs = std::filesystem;

constexpr double patience_s = 3600;

/// A study of one run of one command, with nothing to measure.
kernel::StudySpec command_spec(const std::string& artifact, const std::string& command) {
  kernel::StudySpec spec;
  spec.title = spec.question = "a command";
  spec.workspace.path = fs::absolute(artifact).lexically_normal().string();
  // A secret, and pages that already state the numbers that the command should produce.
  spec.workspace.exclude = {".ara_env", "/PAPER.md", "/logic/",   "/evidence/",         "/trace/",
                            "/rubric/", "/staging/", "/report.*", "/level2_report.json"};
  spec.run = {true, {command}};
  spec.resources.timeout_s = patience_s;
  spec.file = spec.workspace.path + "/artifact";
  return spec;
}

/// None if a signal ended it.
kernel::Result<std::optional<artifacts::CommandEnd>> run_command(const Context& context, const std::string& artifact,
                                                                 const std::string& command, bool readers_own) {
  const session::HomePaths home{context.home()};
  const session::HomeGuest guest = session::HomeGuest::enter(home);
  memory::Blobs blobs(home.blobs());
  kernel::Study study;
  study.id = "try";
  study.spec = command_spec(artifact, command);
  const auto prepared = session::prepare(home, context.backend, blobs, study.spec, programs::own_environment(), true);
  if (!prepared) return prepared.problem();
  study.workspace = study.scoring = prepared->workspace;
  study.environment = prepared->environment;
  study.cells = {kernel::Cell{}};
  kernel::Run run;
  run.number = 1;
  run.purpose = kernel::Purpose::scratch;
  run.token = kernel::LaunchToken(fmt::format("try-{}", ::getpid()));
  const kernel::ScratchFolder scratch = scratch_in(home.tries());
  kernel::JobSpec job = kernel::job_of(study, run, home.places());
  job.folder = scratch.path() + "/" + session::tried_run;
  job.checkpoint.clear();
  const auto outcome = run_job(context.backend, job, !context.json);
  if (!outcome) return std::optional<artifacts::CommandEnd>();
  artifacts::CommandEnd end;
  end.command = command;
  end.readers_own = readers_own;
  end.succeeded = outcome->end == kernel::JobEnd::exited && outcome->exit == 0;
  if (outcome->end == kernel::JobEnd::exited) end.exit = outcome->exit;
  end.reason = outcome->reason.empty() ? fmt::format("exit status {}", outcome->exit) : outcome->reason;
  end.printed = context.backend.harvest(job.folder).log(executors::Stream::out);
  end.seconds = outcome->usage.wall_s;
  return std::optional(std::move(end));
}

/// Refuses a folder that is not empty.
std::optional<kernel::Problem> refused_place(const std::string& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && (!fs::is_directory(folder, error) || !fs::is_empty(folder, error)))
    return kernel::Problem{folder, 0, "", "is not an empty folder", "name a new one"};
  return std::nullopt;
}

/// Writes the whole folder or nothing.
void write_report(const std::string& place, const artifacts::ReproductionReport& report) {
  const std::string folder = fmt::format("{}.{}", place, ::getpid());
  fs::create_directories(folder);
  const std::string markdown = artifacts::to_markdown(report);
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream file(folder + "/" + name, std::ios::binary);
    if (!(file << text).flush()) throw std::runtime_error("cannot write " + folder + "/" + name);
  };
  write("reproduction.json", artifacts::to_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  if (!report.command.empty()) write("printed.txt", report.printed);
  write("reproduction.md", markdown);
  write("reproduction.html", artifacts::html_page({"Reproduction of " + report.artifact, markdown, {}, true, {}}));
  fs::rename(folder, place);
}

}  // namespace

int reproduce_foreign(const Context& context, const std::string& artifact, const std::string& given,
                      const std::string& output) {
  const std::string place = output.empty() ? "" : fs::absolute(output).lexically_normal().string();
  if (!place.empty())
    if (const auto problem = refused_place(place)) return fail(bad_input, *problem);
  const auto foreign = artifacts::read_foreign(artifact);
  if (!foreign) return fail(bad_input, foreign.problem());
  const std::string command = !given.empty() ? given : foreign->commands.empty() ? "" : foreign->commands.front();
  std::optional<artifacts::CommandEnd> end;
  if (!command.empty()) {
    fmt::print(stderr, "note: there is no registered design; {} is run once: {}\n",
               given.empty() ? "what src/artifacts.md offers" : "the command", printable(command));
    hold_signals();
    auto ran = run_command(context, artifact, command, !given.empty());
    if (!ran) return fail(bad_input, ran.problem());
    if (!*ran) return interrupted;
    end = std::move(*ran);
  }
  const artifacts::ReproductionReport report = artifacts::compare(*foreign, end);
  if (context.json)
    print_json(artifacts::to_json(report));
  else
    fmt::print("{}", artifacts::to_text(report));
  if (!place.empty()) write_report(place, report);
  return report.outcome == artifacts::ClaimOutcome::reproduced ? ok : wanting;
}

}  // namespace cli
