#include "apps/session/session.h"

#include <atomic>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <sys/random.h>

#include "agents/builtin.h"
#include "apps/session/collector.h"
#include "apps/session/leftovers.h"
#include "apps/session/packager.h"
#include "apps/session/prepare.h"
#include "apps/session/remover.h"
#include "apps/session/system_clock.h"
#include "artifacts/package.h"
#include "executors/local_executor.h"
#include "kernel/loop.h"
#include "memory/home_folder.h"
#include "memory/snapshot.h"
#include "memory/store.h"

namespace session {

namespace {

std::string random_token() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) throw std::runtime_error("no randomness to be had");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

}  // namespace

/// Members in the order of dependence: what is destroyed last is what everything else borrows.
struct Session::Parts : kernel::Observer {
  Parts(const std::string& root, HomeLock held, kernel::Observer& watching)
      : home{root},
        lock(std::move(held)),
        watcher(watching),
        store(home.root),
        blobs(home.blobs()),
        remover(home),
        collector(home, blobs, inbox),
        executor({[this](const kernel::JobStarted& started) {
                    inbox.post(kernel::Command{kernel::run_study(started.run), "kernel",
                                               kernel::ReportStart{kernel::run_number(started.run), started.token}});
                  },
                  [this](const kernel::JobOutcome& outcome) { collector.collect(outcome); }}) {}
  ~Parts() override {
    if (packager.joinable()) packager.join();
  }

  /// Only the studies asked for are in the loop: others of the home stay as they are.
  void deliberate(kernel::State state) {
    for (const auto& [id, study] : state.studies) {
      collector.know(id, study.spec);
      mine.insert(id);
    }
    loop.emplace(std::move(state),
                 kernel::LoopParts{store, executor, clock, *this, inbox, home.places(), agents::builtin_turn,
                                   [this](const kernel::Study& study) { begin_packaging(study); }, random_token});
  }

  void committed(const kernel::Event& event, const kernel::State& state) override {
    if (const auto* ended = std::get_if<kernel::RunEnded>(&event.body)) {
      const kernel::Study& study = *state.study(event.study);
      remover.discard(study, *study.run(ended->run));
    }
    watcher.committed(event, state);
  }
  void refused(const kernel::Command& command, const std::string& reason) override { watcher.refused(command, reason); }

  void begin_packaging(const kernel::Study& study) {
    if (packager.joinable()) packager.join();
    // Without its runs: the packager folds the study anew.
    kernel::Study known;
    known.id = study.id;
    known.sealed_head = study.sealed_head;
    known.output = study.output;
    packager = std::thread([this, study = std::move(known)] {
      kernel::ReportPackage report;
      try {
        auto packaged = package_study(home, study, study.output);
        if (packaged)
          report = std::move(*packaged);
        else
          report.failure = packaged.problem().text();
      } catch (const std::exception& e) {
        report.failure = e.what();
      }
      inbox.post(kernel::Command{study.id, "kernel", std::move(report)});
    });
  }

  const HomePaths home;
  HomeLock lock;
  kernel::Observer& watcher;
  SystemClock clock;
  kernel::Inbox inbox;
  memory::Store store;
  memory::Blobs blobs;
  Remover remover;
  Collector collector;
  executors::LocalExecutor executor;
  std::thread packager;
  std::optional<kernel::Loop> loop;
  std::set<std::string> mine;
  std::atomic<int> interrupts{0};
};

Session::Session(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Session::~Session() = default;

kernel::Result<std::unique_ptr<Session>> Session::open(const std::string& home, kernel::Observer& watcher) {
  auto lock = HomeLock::take(HomePaths{home});
  if (!lock) return lock.problem();
  // A fresh store beside what is left of a lost one would number its studies as that did.
  std::error_code missing;
  const auto bytes = std::filesystem::file_size(HomePaths{home}.database(), missing);
  if ((missing || bytes == 0) && memory::without_store(home) == memory::Storeless::lost)
    return kernel::Problem{"", 0, HomePaths{home}.database(), memory::store_lost, "", true};
  auto parts = std::make_unique<Parts>(home, std::move(*lock), watcher);
  remove_leftovers(parts->home);
  return std::unique_ptr<Session>(new Session(std::move(parts)));
}

kernel::Result<std::string> Session::start(const StartRequest& request) {
  auto prepared = prepare(parts_->home, parts_->blobs, request.spec, !request.reproduces.empty());
  if (!prepared) return prepared.problem();
  kernel::StudyOpened opened;
  opened.id = fmt::format("s{}", parts_->store.next_study_number());
  opened.spec = request.spec;
  opened.text = request.text;
  opened.workspace = prepared->workspace;
  opened.environment = std::move(prepared->environment);
  opened.data = std::move(prepared->data);
  opened.jobs = request.jobs > 0 ? request.jobs : default_jobs(request.spec);
  opened.output = request.output;
  opened.boot_id = parts_->clock.boot_id();
  opened.reproduces = request.reproduces;
  const std::string id = opened.id;
  parts_->deliberate({});
  parts_->collector.know(id, request.spec);
  parts_->mine.insert(id);
  parts_->inbox.post(kernel::Command{id, "person", kernel::OpenStudy{std::move(opened)}});
  return id;
}

kernel::Result<std::vector<std::string>> Session::resume(const ResumeRequest& request) {
  kernel::State state = parts_->store.load_active(request.study);
  std::erase_if(state.studies, [&](const auto& entry) {
    const kernel::Study& study = entry.second;
    const bool stopped_by_itself = study.state == kernel::StudyState::running || study.pause_reason == "interrupted";
    return request.study.empty() ? !stopped_by_itself : entry.first != request.study;
  });
  if (!request.study.empty() && state.studies.empty())
    return kernel::Problem{"", 0, "study " + request.study, "is not here, or has ended",
                           "`etude ls` lists the studies"};
  std::vector<kernel::Command> commands;
  std::vector<std::string> ids;
  for (const auto& [id, study] : state.studies) {
    if (const auto usable = artifacts::may_replace(study.output); !usable) return usable.problem();
    memory::materialise(study.workspace.hash, parts_->home.workspace(study.workspace.hash), parts_->blobs);
    commands.push_back({id, "person", kernel::Resume{parts_->clock.boot_id(), request.jobs, request.raised}});
    ids.push_back(id);
  }
  parts_->deliberate(std::move(state));
  parts_->loop->recover(commands);
  return ids;
}

bool Session::run() {
  const auto at_rest = [this](const kernel::State& state) {
    for (const std::string& id : parts_->mine) {
      const kernel::Study* study = state.study(id);
      if (!study || study->state == kernel::StudyState::running) return false;
    }
    return true;
  };
  parts_->loop->run(at_rest);
  return at_rest(parts_->loop->state());
}

const kernel::Study* Session::study(const std::string& id) const {
  return parts_->loop->state().study(id);
}

void Session::interrupt() {
  if (parts_->interrupts++ == 0)
    parts_->inbox.post(kernel::Drain{});
  else
    leave();
}

void Session::leave() {
  parts_->inbox.post(kernel::Leave{});
}

std::string default_output(const std::string& study_file) {
  const std::filesystem::path file(study_file);
  return (file.parent_path() / (file.stem().string() + "-ara")).string();
}

int default_jobs(const kernel::StudySpec& spec) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, cores / std::max(1, spec.resources.cpus));
}

}  // namespace session
