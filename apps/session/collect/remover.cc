#include "apps/session/collect/remover.h"

#include <filesystem>

#include "apps/session/home/garbage.h"
#include "kernel/runs/job.h"

namespace session {

Remover::Remover(HomePaths home, const executors::Backend& backend)
    : home_(std::move(home)), backend_(backend), thread_(Rest::done, [this](const Ended& ended) { remove(ended); }) {}

void Remover::discard(const kernel::Study& study, const kernel::Run& run) {
  thread_.add({study.id, run.number, run.superseded ? 0 : kernel::first_attempt(study, run)});
}

void Remover::remove(const Ended& ended) const {
  std::error_code error;
  for (std::filesystem::directory_iterator run(home_.study_runs(ended.study), error), end; !error && run != end;
       run.increment(error))
    if (launched_run(run->path().filename()) == ended.number) backend_.remove(run->path());
  std::error_code ignored;
  if (ended.chain > 0) std::filesystem::remove_all(home_.checkpoint(ended.study, ended.chain), ignored);
}

}  // namespace session
