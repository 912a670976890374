// `reproduce`: by the registered design of an artifact or, where another program wrote it, by one command.
#include <filesystem>
#include <fstream>
#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "apps/cli/terminal/signals.h"
#include "apps/cli/verbs/artifacts/artifact_verbs.h"
#include "apps/cli/work/follow_studies.h"
#include "apps/cli/work/job_on_terminal.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/home/home.h"
#include "apps/session/prepare/prepare.h"
#include "apps/session/prepare/reproduction_request.h"
#include "artifacts/reproduce/reproduction_foreign.h"
#include "artifacts/text/html_page.h"
#include "artifacts/write/package.h"
#include "base/digest.h"
#include "base/fd.h"
#include "base/remove_tree.h"
#include "executors/backend/backend.h"
#include "kernel/runs/job.h"
#include "kernel/wording/wording.h"
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
  spec.workspace.path = absolute_path(artifact);
  // A secret, and pages that already state the numbers that the command should produce.
  spec.workspace.exclude = {".ara_env", "/PAPER.md", "/logic/",   "/evidence/",         "/trace/",
                            "/rubric/", "/staging/", "/report.*", "/level2_report.json"};
  spec.run = {true, {command}};
  spec.resources.timeout_s = patience_s;
  spec.file = spec.workspace.path + "/artifact";
  return spec;
}

/// The place of one command in the home. It outlives a killed `reproduce`, so that the same command there follows the
/// job that was launched before.
class CommandPlace {
 public:
  /// `folder`: HOME/try/command-…; its parent exists. Throws std::system_error.
  explicit CommandPlace(std::string folder) : folder_(std::move(folder)) {
    fs::create_directory(folder_);
    lock_ = kernel::Fd(::open((folder_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock_) throw std::system_error(errno, std::generic_category(), "cannot open " + folder_ + "/lock");
    free_ = ::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0;
  }
  ~CommandPlace() {
    if (free_) kernel::remove_tree(folder_);
  }
  CommandPlace(const CommandPlace&) = delete;

  /// False while another process runs the command.
  bool is_free() const { return free_; }
  std::string run_folder() const { return folder_ + "/" + session::tried_run; }
  /// The token of the launch that is there; none if there is none.
  std::optional<kernel::LaunchToken> launched() const {
    std::ifstream file(folder_ + "/token", std::ios::binary);
    std::string token;
    if (!std::getline(file, token) || !fs::exists(run_folder())) return std::nullopt;
    return kernel::LaunchToken(token);
  }
  /// To be called before the launch, whose folder must not be there yet.
  void keep(const kernel::LaunchToken& token) const {
    std::ofstream file(folder_ + "/token", std::ios::binary);
    if (!(file << token.text() << '\n').flush()) throw std::runtime_error("cannot write " + folder_ + "/token");
  }

 private:
  const std::string folder_;
  kernel::Fd lock_;
  bool free_ = false;
};

/// None if a signal ended it.
kernel::Result<std::optional<artifacts::CommandEnd>> run_command(const Context& context, const std::string& artifact,
                                                                 const std::string& command, bool readers_own) {
  const session::HomePaths home{context.home()};
  const session::HomeGuest guest = session::HomeGuest::enter(home);
  memory::Blobs blobs(home.blobs());
  kernel::Study study;
  study.id = "try";
  study.spec = command_spec(artifact, command);
  const auto prepared = session::prepare(home, *context.backend, blobs, study.spec, programs::own_environment(), true);
  if (!prepared) return prepared.problem();
  study.workspace = study.scoring = prepared->workspace;
  study.environment = prepared->environment;
  study.cells = {kernel::Cell{}};
  kernel::Run run;
  run.number = 1;
  run.purpose = kernel::Purpose::scratch;
  const std::string what = fmt::format("{}\n{}\n{}", study.workspace.hash, readers_own, command);
  const CommandPlace place(home.tries() + "/command-" + kernel::sha256_hex(what).substr(0, 16));
  if (!place.is_free())
    return kernel::Problem{artifact, 0, "reproduce", "another process runs this command on the same artifact",
                           "wait until it has ended"};
  const auto before = place.launched();
  run.token = before ? *before : kernel::LaunchToken(kernel::random_token(16));
  kernel::JobSpec job = kernel::job_of(study, run, home.places());
  job.folder = place.run_folder();
  job.checkpoint.clear();
  std::optional<kernel::JobOutcome> outcome;
  if (before) {
    fmt::print(stderr, "note: goes on with the command, which an earlier `reproduce` launched\n");
    outcome = run_job(*context.backend, job, !context.json, session::Begin::follow);
    if (!outcome) return std::optional<artifacts::CommandEnd>();
    // It never began, or its machine went down.
    if (outcome->end == kernel::JobEnd::voided || outcome->end == kernel::JobEnd::lost) {
      outcome.reset();
      context.backend->remove(job.folder);
      run.token = kernel::LaunchToken(kernel::random_token(16));
      job = kernel::job_of(study, run, home.places());
      job.folder = place.run_folder();
      job.checkpoint.clear();
    }
  }
  if (!outcome) {
    place.keep(run.token);
    outcome = run_job(*context.backend, job, !context.json);
  }
  if (!outcome) return std::optional<artifacts::CommandEnd>();
  artifacts::CommandEnd end;
  end.command = command;
  end.readers_own = readers_own;
  end.succeeded = outcome->end == kernel::JobEnd::exited && outcome->exit == 0;
  if (outcome->end == kernel::JobEnd::exited) end.exit = outcome->exit;
  end.reason = outcome->reason.empty() ? fmt::format("exit status {}", outcome->exit) : newest_words(outcome->reason);
  end.printed = context.backend->harvest(job.folder).log(executors::OutputStream::out);
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

/// Runs the command once in a copy of the artifact, in the sandbox without network, and prints the outcome of each
/// claim. `given`: empty for the artifact's own command. `output`: a new folder for the report; empty if none is to be
/// written.
int reproduce_foreign(const Context& context, const std::string& artifact, const std::string& given,
                      const std::string& output) {
  const std::string place = output.empty() ? "" : absolute_path(output);
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
  return report.outcome <= artifacts::ClaimOutcome::replicated ? ok : wanting;
}

struct ReproduceOptions {
  std::string artifact, seeds = "recorded", output, command;
  std::vector<std::string> claims, budget;
  std::optional<std::uint64_t> seed;
  int sample = 0, jobs = 0;
};

/// A seed that the artifact's author could not know.
std::uint64_t chance_seed() {
  std::random_device device;
  return device();
}

/// Before anything starts, prints what will be run, its cost, and which settings of the artifact are ignored.
void announce(const Context& context, const artifacts::Recorded& recorded, const session::StartRequest& start) {
  for (const std::string& note : recorded.notes) fmt::print(stderr, "note: {}\n", printable(note));
  for (const kernel::Untrue& untrue : recorded.terms.untrue)
    fmt::print(stderr, "warning: {}\n", printable(untrue.what));
  const artifacts::ReproductionCost forecast = artifacts::forecast(recorded);
  const int jobs = start.jobs > 0 ? start.jobs : session::default_jobs(context.backend->cores(), start.spec);
  const kernel::Budget& budget = start.spec.budget;
  if (budget.wall_s && forecast.wall_s(jobs) > *budget.wall_s)
    fmt::print(stderr, "warning: budget: about {:.0f} s are needed, and it allows {:.0f} s\n", forecast.wall_s(jobs),
               *budget.wall_s);
  if (budget.runs && forecast.runs > *budget.runs)
    fmt::print(stderr, "warning: budget: {} runs are needed, and it allows {}\n", forecast.runs, *budget.runs);
  if (context.json) return;
  fmt::print("{}\n", artifacts::to_text(forecast, jobs));
  if (recorded.terms.sample > 0) fmt::print("the sample is drawn with the seed {}\n", recorded.terms.seed);
  if (recorded.terms.fresh) fmt::print("fresh seeds are drawn with the seed {}\n", recorded.terms.seed);
  std::fflush(stdout);
}

void print_report(const Context& context, const artifacts::ReproductionReport& report,
                  const kernel::Lifecycle& lifecycle) {
  if (context.json) return print_json(artifacts::to_json(report));
  fmt::print("\n{}", artifacts::to_text(report));
  if (!lifecycle.artifact.empty()) fmt::print("report: {}\n", printable(lifecycle.artifact + "/reproduction.html"));
}

kernel::Result<artifacts::Recorded> read_chosen(const ReproduceOptions& options) {
  auto recorded = artifacts::read_recorded(options.artifact);
  if (!recorded) return recorded.problem();
  const artifacts::ReproductionChoice choice{options.claims, options.seeds == "fresh", options.sample,
                                             options.seed.value_or(chance_seed())};
  if (auto problem = artifacts::choose(*recorded, choice)) return *problem;
  for (const std::string& entry : options.budget)
    if (auto problem = read_budget(entry, recorded->spec.budget, true)) return *problem;
  return recorded;
}

/// The same choice again resumes a stopped reproduction.
FollowRequest request_for(const Context& context, const ReproduceOptions& options,
                          const artifacts::Recorded& recorded) {
  FollowRequest request;
  const session::HomePaths home{context.home()};
  if (const std::string id = session::unfinished_reproduction(home, recorded, options.seed); !id.empty()) {
    fmt::print(stderr, "note: goes on with {}, which was not finished\n", id);
    request.resume = {id, options.jobs, {}};
    for (const std::string& entry : options.budget) read_budget(entry, request.resume.raised, true);
    return request;
  }
  request.start = session::reproduction_request(home, recorded);
  request.start->jobs = options.jobs;
  if (!options.output.empty()) request.start->output = absolute_path(options.output);
  sign(*request.start);
  announce(context, recorded, *request.start);
  return request;
}

int reproduce(const Context& context, ReproduceOptions options) {
  const auto named = artifact_named(context, options.artifact);
  if (!named) return fail(bad_input, named.problem());
  options.artifact = *named;
  if (artifacts::is_foreign(options.artifact)) {
    if (!options.claims.empty() || options.sample > 0 || options.seeds != "recorded" || options.seed ||
        !options.budget.empty() || options.jobs > 0)
      return fail(bad_input, options.artifact,
                  "there is no etude.json: no run or seed of it is known to choose from, nor what one costs",
                  "leave out --claim, --sample, --seeds, --seed, --budget and --jobs");
    return reproduce_foreign(context, options.artifact, options.command, options.output);
  }
  if (!options.command.empty())
    return fail(bad_input, "--command", "the artifact has a registered design, which is what is run", "leave it out");
  auto recorded = read_chosen(options);
  if (!recorded) return fail(bad_input, recorded.problem());
  FollowRequest request = request_for(context, options, *recorded);
  if (request.start)
    if (const auto replaceable = artifacts::may_replace(request.start->output); !replaceable)
      return fail(bad_input, replaceable.problem());

  hold_signals();
  // The output is one JSON document, without the events of the run.
  LiveView view(context.json ? LiveView::Style::silent : LiveView::style_for(false));
  session::Notifier notifier = notifier_of(context, view);
  const auto ended = follow_studies(context, view, notifier, {std::move(request)});
  release_signals();
  if (!ended) return fail(bad_input, ended.problem());
  if (ended->empty()) return interrupted;
  const kernel::Study& study = ended->front();
  const bool stopped = study.state != kernel::StudyState::ended;
  if (stopped && exit_code(study) != budget) return exit_code(study);
  const auto report = session::reproduction_report(session::HomePaths{context.home()}, study.id);
  if (!report) return fail(bad_input, report.problem());
  print_report(context, *report, study);
  if (stopped) return budget;
  return report->good() ? ok : wanting;
}

}  // namespace

void add_reproduce(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "reproduce", "run an artifact's design again and compare, claim by claim", reproduce);
  verb->add_option("ARA", options->artifact, "the artifact's folder, or its study")->required();
  verb->add_option("--claim", options->claims, "only this claim, such as C01; may be repeated");
  verb->add_option("--seeds", options->seeds, "recorded (default), or fresh: seeds that the study did not use")
      ->check(CLI::IsMember({"recorded", "fresh"}));
  verb->add_option("--sample", options->sample, "run only this many of its runs, drawn at random")
      ->check(CLI::Range(1, 1'000'000));
  verb->add_option("--seed", options->seed, "seed that draws the sample or the fresh seeds (default: a random one)");
  verb->add_option("--budget", options->budget,
                   "a limit, such as 2h, runs=40 or gpu_hours=1 (default: the study's own)");
  verb->add_option("--command", options->command, "command to run, for an artifact without etude.json");
  verb->add_option("-j,--jobs", options->jobs, "runs at once")->check(CLI::Range(1, 4096));
  verb->add_option("-o,--output", options->output,
                   "folder of the result, an artifact with reproduction.html (default: in the home)");
  add_executor_option(*verb, context);
}

}  // namespace cli
