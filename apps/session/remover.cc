#include "apps/session/remover.h"

#include <filesystem>

#include "executors/run_folder.h"
#include "kernel/job.h"

namespace session {

Remover::Remover(HomePaths home) : home_(std::move(home)), thread_([this] { work(); }) {}

Remover::~Remover() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Remover::discard(const kernel::Study& study, const kernel::Run& run) {
  {
    const std::lock_guard lock(mutex_);
    ended_.push_back({study.id, run.number, run.superseded ? 0 : kernel::first_attempt(study, run)});
  }
  changed_.notify_one();
}

void Remover::work() {
  for (;;) {
    Ended ended;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || !ended_.empty(); });
      if (ended_.empty()) return;
      ended = std::move(ended_.front());
      ended_.pop_front();
    }
    remove(ended);
  }
}

void Remover::remove(const Ended& ended) const {
  std::error_code error;
  for (std::filesystem::directory_iterator run(home_.study_runs(ended.study), error), end; !error && run != end;
       run.increment(error))
    if (launched_run(run->path().filename()) == ended.number) executors::remove_run_folder(run->path());
  std::error_code ignored;
  if (ended.chain > 0) std::filesystem::remove_all(home_.checkpoint(ended.study, ended.chain), ignored);
}

}  // namespace session
