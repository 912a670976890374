#include "executors/slurm/slurm_tracker.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/digest.h"
#include "executors/local/adoption.h"
#include "executors/run_protocol/small_files.h"

namespace executors {
namespace {

using kernel::JobEnd;
using kernel::JobOutcome;
using kernel::JobSpec;
using supervisor::boot_ms;

/// Jobs that one scancel names at most.
constexpr std::size_t most_cancelled = 200;
/// Submissions that one question to accounting names at most.
constexpr std::size_t most_accounted = 100;
/// Minutes that Slurm's limit is longer than the job's own time-out, which should come first.
constexpr std::int64_t spare_minutes = 2;

JobShape shape_of(const JobSpec& spec, const SlurmPlace& place) {
  JobShape shape;
  shape.cpus = spec.resources.cpus;
  shape.gpus = static_cast<int>(spec.gpus.size());
  shape.gpu_type = spec.resources.gpu_type;
  shape.memory_bytes = spec.resources.memory_bytes.value_or(place.memory_bytes);
  shape.minutes = place.minutes;
  if (shape.minutes == 0 && spec.resources.timeout_s) {
    const double steps = spec.evaluation ? 2 : 1;
    shape.minutes = static_cast<std::int64_t>(std::ceil(*spec.resources.timeout_s * steps / 60)) + spare_minutes;
  }
  // A stage that does not vary by the node, and a command outside the design, run on any.
  if (const auto node = spec.values.find(spec.resources.node); node != spec.values.end()) shape.node = node->second;
  return shape;
}

}  // namespace

SlurmTracker::SlurmTracker(kernel::JobListener listener, std::shared_ptr<SlurmClient> client, SlurmPlace place,
                           SlurmPace pace)
    : listener_(std::move(listener)), client_(std::move(client)), place_(std::move(place)), pace_(pace) {
  thread_ = std::thread([this] { run(); });
  // It may be inside a call that takes minutes, so nothing waits for it: it shares what it uses.
  std::thread([box = questions_] {
    for (bool over = false; !over;)
      for (const auto& question : box->take(INT64_MAX)) {
        if (!question) over = true;
        if (question) question();
      }
  }).detach();
}

SlurmTracker::~SlurmTracker() {
  answers_->put([this] { leaving_ = true; });
  thread_.join();
  questions_->put({});
}

void SlurmTracker::run() {
  between_ = pace_.listing;
  while (!leaving_) {
    for (const auto& task : answers_->take(next_due())) {
      if (leaving_) return;
      task();
    }
    if (leaving_) return;
    ask_what_is_due();
    look_around();
  }
}

std::int64_t SlurmTracker::next_due() const {
  std::int64_t next = INT64_MAX;
  if (!live_.empty()) next = std::min(next, look_at_);
  if (asking_) return next;
  if (!live_.empty()) next = std::min(next, std::max(list_at_, try_at_));
  for (const auto& [id, batch] : batches_)
    if (!batch.may_be_there) next = std::min(next, std::max(batch.begun + pace_.gather, try_at_));
  if (!to_cancel_.empty()) next = std::min(next, try_at_);
  if (!to_account_.empty()) next = std::min(next, std::max(try_at_, account_at_));
  return next;
}

void SlurmTracker::ask_what_is_due() {
  const std::int64_t now = boot_ms();
  if (asking_ || now < try_at_) return;
  if (!live_.empty() && now >= list_at_) return ask_for_listing();
  if (!to_cancel_.empty()) {
    std::vector<std::string> ids(to_cancel_.begin(), to_cancel_.end());
    if (ids.size() > most_cancelled) ids.resize(most_cancelled);
    for (const std::string& id : ids) to_cancel_.erase(id);
    return ask<std::optional<std::string>>([client = client_, ids] { return client->cancel(ids); },
                                           [this, ids](std::optional<std::string> problem) {
                                             asking_ = false;
                                             if (!problem) return reached();
                                             to_cancel_.insert(ids.begin(), ids.end());
                                             retry_later(*problem);
                                           });
  }
  if (!to_account_.empty() && now >= account_at_) {
    std::vector<std::string> tokens(to_account_.begin(), to_account_.end());
    if (tokens.size() > most_accounted) tokens.resize(most_accounted);
    for (const std::string& token : tokens) to_account_.erase(token);
    return ask<JobListing>([client = client_, tokens] { return client->account(tokens); },
                           [this, tokens](const JobListing& answer) { take_accounts(answer, tokens); });
  }
  for (auto& [id, batch] : batches_) {
    if (batch.may_be_there || now < batch.begun + pace_.gather) continue;
    return submit(batch);
  }
}

/// Something has changed, so the next listing comes as early as it may.
void SlurmTracker::list_soon() {
  between_ = pace_.listing;
  list_at_ = std::min(list_at_, listed_at_ + pace_.listing);
}

void SlurmTracker::ask_for_listing() {
  const std::int64_t now = boot_ms();
  list_at_ = now + between_;
  ask<JobListing>([client = client_] { return client->list(); },
                  [this, now](const JobListing& listing) { take_listing(listing, now); });
}

void SlurmTracker::start(const JobSpec& spec) {
  const std::uint64_t id = next_id_++;
  Live& live = live_[id];
  live.spec = spec;
  if (!spec.in_place.empty())
    return end(id,
               outcome_without_run(spec, JobEnd::failed_to_start,
                                   kernel::as_said("a command in the person's own folder runs on this machine only: "
                                                   "use --executor local")));
  Published published = publish(spec, place_.shared);
  if (published.error != 0)
    return end(id, outcome_without_run(spec, is_full(published.error) ? JobEnd::no_room : JobEnd::failed_to_start,
                                       kernel::as_said(not_written(place_.shared, published.error).text())));
  live.at = std::move(published.job);
  if (auto none = launcher_.write_elsewhere(live.at))
    return end(
        id, outcome_without_run(spec, none->no_room ? JobEnd::no_room : JobEnd::failed_to_start, std::move(none->why)));
  // A kernel that starts finds the launches of the home by these folders.
  std::error_code error;
  std::filesystem::create_directories(spec.folder, error);
  if (!spec.checkpoint.empty()) std::filesystem::create_directories(spec.checkpoint, error);
  const JobShape shape = shape_of(spec, place_);
  auto open = gathering_.find(shape);
  if (open != gathering_.end() && batches_.at(open->second).members.size() >= place_.array) {
    gathering_.erase(open);
    open = gathering_.end();
  }
  if (open == gathering_.end()) {
    open = gathering_.emplace(shape, next_id_).first;
    Batch& fresh = batches_[next_id_++];
    fresh.submission.token = kernel::random_token(12);
    fresh.submission.shape = shape;
    fresh.begun = boot_ms();
  }
  Batch& batch = batches_.at(open->second);
  live.note = {batch.submission.token, static_cast<int>(batch.members.size())};
  batch.members.push_back(id);
  batch.submission.folders.push_back(live.at.folder);
}

void SlurmTracker::adopt(const JobSpec& spec) {
  const std::uint64_t id = next_id_++;
  Live& live = live_[id];
  live.spec = live.at = spec;
  live.at.folder = shared_place(place_.shared, spec.folder);
  const auto note = read_note(spec.folder);
  if (!note) {
    // It was never submitted, so no supervisor will claim it.
    if (auto ended = end_without_outcome(live.at, nullptr, false)) return end(id, std::move(*ended));
    return end(id, outcome_without_run(spec, JobEnd::lost, {kernel::ReasonCode::supervisor_vanished}));
  }
  live.note = *note;
  live.step = Step::submitted;
  list_soon();
  look(id, live);
}

void SlurmTracker::cancel(const std::string& run) {
  std::vector<std::uint64_t> ids;
  for (auto& [id, live] : live_)
    if (live.spec.run == run && !live.cancelled) ids.push_back(id);
  for (const std::uint64_t id : ids) {
    Live& live = live_.at(id);
    live.cancelled = true;
    if (live.job && stage_of(*live.job) != SlurmStage::over) to_cancel_.insert(live.job->id);
    // Otherwise the next listing tells Slurm's id.
    list_soon();
    if (auto ended = call_off(live.at)) end(id, std::move(*ended));
  }
}

/// Writes what another kernel needs to find the jobs. False if the disk refuses; then the launches have ended.
bool SlurmTracker::note(Batch& batch) {
  for (const std::uint64_t id : std::vector(batch.members)) {
    const auto live = live_.find(id);
    if (live == live_.end() || write_note(live->second.spec.folder, live->second.note)) continue;
    const kernel::Reason why{kernel::ReasonCode::run_folder_not_written,
                             {{"folder", live->second.spec.folder}, {"error", supervisor::error_text(errno)}}};
    for (const std::uint64_t member : std::vector(batch.members))
      if (live_.contains(member)) end(member, outcome_without_run(live_.at(member).spec, JobEnd::failed_to_start, why));
    return false;
  }
  return batch.noted = true;
}

void SlurmTracker::submit(Batch& batch) {
  const std::uint64_t id = std::ranges::find_if(batches_, [&](auto& one) { return &one.second == &batch; })->first;
  std::erase_if(gathering_, [&](const auto& one) { return one.second == id; });
  const auto is_live = [this](std::uint64_t member) { return live_.contains(member); };
  if (std::ranges::none_of(batch.members, is_live) || (!batch.noted && !note(batch))) {
    batches_.erase(id);
    return;
  }
  for (const std::uint64_t member : batch.members)
    if (is_live(member)) live_.at(member).step = Step::asked;
  batch.asked = boot_ms();
  ask<SubmitAnswer>([client = client_, submission = batch.submission] { return client->submit(submission); },
                    [this, id](const SubmitAnswer& answer) { take_answer(id, answer); });
}

void SlurmTracker::take_answer(std::uint64_t id, const SubmitAnswer& answer) {
  asking_ = false;
  Batch& batch = batches_.at(id);
  switch (answer.kind) {
    case Submitting::accepted:
      reached();
      accepted(batch, answer.job);
      batches_.erase(id);
      return;
    case Submitting::refused: {
      reached();
      const std::vector<std::uint64_t> members = batch.members;
      batches_.erase(id);
      for (const std::uint64_t member : members) {
        const auto live = live_.find(member);
        if (live == live_.end()) continue;
        // An earlier try that was not answered may have begun.
        live->second.step = Step::submitted;
        if (!call_off(live->second.at)) continue;
        end(member, outcome_without_run(live->second.spec, JobEnd::failed_to_start,
                                        kernel::as_said("Slurm refused the job: " + answer.text +
                                                        ": correct the section `executor` of the configuration, or "
                                                        "the study's resources")));
      }
      return;
    }
    case Submitting::unreachable:
    case Submitting::unclear:
      // It may have the job all the same, which a listing shows.
      batch.may_be_there = true;
      retry_later(answer.text);
  }
}

void SlurmTracker::accepted(Batch& batch, const std::string& job) {
  const bool is_array = batch.members.size() > 1;
  for (std::size_t i = 0; i < batch.members.size(); ++i) {
    const std::string task = is_array ? job + "_" + std::to_string(i) : job;
    const auto live = live_.find(batch.members[i]);
    if (live == live_.end()) {
      to_cancel_.insert(task);  // It was called off meanwhile.
      continue;
    }
    live->second.step = Step::submitted;
    if (live->second.cancelled) to_cancel_.insert(task);
    live->second.job = SlurmJob{batch.submission.token, static_cast<int>(i), task, "PENDING", "None", ""};
  }
  // At once it would show no more than this answer.
  between_ = pace_.listing;
  list_at_ = std::min(list_at_, boot_ms() + between_);
}

void SlurmTracker::retry_later(const std::string& why) {
  wait_ = std::clamp<std::int64_t>(wait_ * 2, pace_.listing, pace_.longest);
  try_at_ = boot_ms() + wait_;
  list_at_ = std::min(list_at_, try_at_);
  silent_ = "Slurm does not answer: " + why;
  tell();
}

void SlurmTracker::reached() {
  wait_ = try_at_ = 0;
  silent_.clear();
  tell();
}

/// Says once that something does not answer, and once that all of it does again.
void SlurmTracker::tell() {
  const std::string& why = silent_.empty() ? accounts_silent_ : silent_;
  if (std::exchange(told_, !why.empty()) == !why.empty()) return;
  if (listener_.waits) listener_.waits(why);
}

}  // namespace executors
