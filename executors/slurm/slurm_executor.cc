#include "executors/slurm/slurm_executor.h"

#include "executors/slurm/slurm_tracker.h"

namespace executors {

using kernel::JobSpec;

SlurmExecutor::SlurmExecutor(kernel::JobListener listener, std::shared_ptr<SlurmClient> client, SlurmPlace place,
                             SlurmPace pace)
    : tracker_(std::make_unique<SlurmTracker>(std::move(listener), std::move(client), std::move(place), pace)) {}
SlurmExecutor::~SlurmExecutor() = default;

void SlurmExecutor::start(const JobSpec& spec) {
  tracker_->post([tracker = tracker_.get(), spec] { tracker->start(spec); });
}
void SlurmExecutor::adopt(const JobSpec& spec) {
  tracker_->post([tracker = tracker_.get(), spec] { tracker->adopt(spec); });
}
void SlurmExecutor::cancel(const std::string& run) {
  tracker_->post([tracker = tracker_.get(), run] { tracker->cancel(run); });
}

}  // namespace executors
