#include "executors/slurm/slurm_tracker.h"

// What listings, accounting and run folders say about the jobs, and how each job ends.

#include <algorithm>

#include "executors/run_protocol/small_files.h"

namespace executors {
namespace {

using kernel::JobEnd;
using kernel::JobOutcome;
using supervisor::boot_ms;

/// Folders of launches that one look opens at most: they may lie on a slow network.
constexpr std::size_t most_looks = 64;

}  // namespace

void SlurmTracker::take_listing(const JobListing& listing, std::int64_t asked) {
  asking_ = false;
  listed_at_ = asked;
  if (!listing.jobs) return retry_later(listing.why);
  reached();
  // A job that was submitted twice has several records: one that goes on counts.
  std::map<std::pair<std::string_view, int>, const SlurmJob*> known;
  for (const SlurmJob& job : *listing.jobs) {
    const SlurmJob*& one = known[{job.token, job.index}];
    if (!one || stage_of(*one) == SlurmStage::over) one = &job;
  }
  bool changed = false;
  std::vector<std::uint64_t> to_look;
  for (auto& [id, live] : live_) {
    if (live.step == Step::queued) continue;
    const auto found = known.find({live.note.submission, live.note.index});
    if (found == known.end()) {
      if (live.step == Step::asked) continue;
      if (live.missing++ == 0) live.missing_since = asked;
      if (!live.accounted && live.over_since == 0) live.job.reset();
      changed = true;
    } else {
      const SlurmJob& job = *found->second;
      changed = changed || !live.job || live.job->state != job.state;
      live.job = job;
      live.job_of = asked;
      live.missing = 0;
      live.asked_accounts = live.accounted = false;
      if (stage_of(job) == SlurmStage::over && live.over_since == 0) live.over_since = boot_ms();
      if (live.cancelled && stage_of(job) != SlurmStage::over) to_cancel_.insert(job.id);
    }
    to_look.push_back(id);
  }
  // What was not answered clearly is there, or is submitted again.
  for (auto batch = batches_.begin(); batch != batches_.end();) {
    const bool is_there =
        batch->second.may_be_there && batch->second.asked < asked &&
        std::ranges::any_of(batch->second.members, [&](std::uint64_t member) {
          const auto live = live_.find(member);
          return live != live_.end() && known.contains({live->second.note.submission, live->second.note.index});
        });
    if (is_there)
      for (const std::uint64_t member : batch->second.members)
        if (live_.contains(member)) live_.at(member).step = Step::submitted;
    if (batch->second.asked < asked) batch->second.may_be_there = false;
    batch = is_there ? batches_.erase(batch) : std::next(batch);
  }
  between_ = changed ? pace_.listing : std::min(between_ * 3 / 2, pace_.longest);
  list_at_ = asked + between_;
  for (const std::uint64_t id : to_look)
    if (live_.contains(id)) look(id, live_.at(id));
}

/// How a job ended stays unknown where there is no accounting, where that does not answer for long, and where it does
/// not know an end although it had time to hear of it: slurmctld keeps what it could not tell slurmdbd.
void SlurmTracker::take_accounts(const JobListing& answer, const std::vector<std::string>& tokens) {
  asking_ = false;
  const std::int64_t now = boot_ms();
  const bool is_silent = !answer.jobs && answer.may_answer_later;
  std::map<std::pair<std::string_view, int>, const SlurmJob*> known;
  if (answer.jobs)
    for (const SlurmJob& job : *answer.jobs)
      if (stage_of(job) == SlurmStage::over) known[{job.token, job.index}] = &job;
  std::vector<std::uint64_t> to_look;
  bool again = false;
  for (auto& [id, live] : live_) {
    if (!live.asked_accounts || std::ranges::find(tokens, live.note.submission) == tokens.end()) continue;
    const auto found = known.find({live.note.submission, live.note.index});
    if (found != known.end() && live.missing > 0) live.job = *found->second;
    const std::int64_t patience = is_silent ? pace_.accounts : answer.jobs ? pace_.recorded : 0;
    live.accounted = found != known.end() || now - live.missing_since >= patience;
    live.asked_accounts = live.accounted;
    again = again || !live.accounted;
    to_look.push_back(id);
  }
  account_wait_ = again ? std::clamp<std::int64_t>(account_wait_ * 2, pace_.listing, pace_.longest) : 0;
  account_at_ = again ? now + account_wait_ : 0;
  accounts_silent_ = again && is_silent ? "Slurm's accounting does not answer: " + answer.why : "";
  tell();
  for (const std::uint64_t id : to_look)
    if (live_.contains(id)) look(id, live_.at(id));
}

void SlurmTracker::look_around() {
  const std::int64_t now = boot_ms();
  if (live_.empty() || now < look_at_) return;
  look_at_ = now + pace_.look;
  std::vector<std::uint64_t> next;
  for (auto one = live_.upper_bound(last_looked_); next.size() < std::min(most_looks, live_.size()); ++one) {
    if (one == live_.end()) one = live_.begin();
    next.push_back(one->first);
  }
  last_looked_ = next.back();
  for (const std::uint64_t id : next)
    if (Live& live = live_.at(id); live.step != Step::queued) look(id, live);
}

void SlurmTracker::look(std::uint64_t id, Live& live) {
  const std::int64_t now = boot_ms();
  const SlurmJob* job = live.job ? &*live.job : nullptr;
  // Two listings: one alone may be older than a submission that was still on its way.
  const bool gone = live.step == Step::submitted && live.missing >= 2;
  const bool over = live.over_since > 0 && now - live.over_since >= pace_.settle;
  const auto must_ask = [&] {
    if (!gone || live.accounted || live.given_up || live.cancelled || live.over_since > 0) return false;
    if (!std::exchange(live.asked_accounts, true)) to_account_.insert(live.note.submission);
    return true;
  };
  // What became of a job that we ended in Slurm says only that.
  const SlurmJob* record = live.given_up ? &*live.given_up : job;
  if (auto outcome = outcome_left(live.at)) {
    if (live.cancelled || !asks_for_record(*outcome)) return end(id, std::move(*outcome));
    if ((live.over_since > 0 || gone) && !must_ask()) return end(id, with_reason_of(record, std::move(*outcome)));
    return;
  }
  if (!live.announced)
    if (const std::int64_t started = started_at(live.at); started > 0) announce(live, started);
  const bool requeued = job && live.announced && live.job_of > live.announced_at && stage_of(*job) == SlurmStage::waits;
  const bool hopeless = job && never_starts(*job);
  if ((requeued || hopeless) && !live.given_up) {
    live.given_up = live.job;
    to_cancel_.insert(job->id);
  }
  if ((!over && !gone && !live.given_up) || must_ask()) return;
  const std::int64_t since = std::max(live.over_since, live.missing_since);
  const bool surely = since > 0 && now - since >= pace_.unreachable;
  if (auto ended = end_without_outcome(live.at, live.given_up ? &*live.given_up : job, surely)) {
    if (live.cancelled && (ended->end == JobEnd::lost || ended->end == JobEnd::voided)) ended->end = JobEnd::cancelled;
    end(id, std::move(*ended));
  }
}

void SlurmTracker::announce(Live& live, std::int64_t started_ms) {
  if (std::exchange(live.announced, true)) return;
  live.announced_at = boot_ms();
  if (listener_.started) listener_.started({live.spec.run, live.spec.token, started_ms});
}

void SlurmTracker::end(std::uint64_t id, JobOutcome outcome) {
  Live& live = live_.at(id);
  if (outcome.started_ms > 0) announce(live, outcome.started_ms);
  if (outcome.started_ms > 0) outcome.node = node_of(live.at);
  outcome.stage = live.spec.stage;
  outcome.leaves_files = live.spec.leaves_files;
  if (live.spec.evaluation) outcome.tier = live.spec.evaluation->tier;
  const bool has_devices = !live.spec.gpus.empty();
  const std::string launch = live.spec.folder.substr(home_of(live.spec.folder).size() + std::string("/runs/").size());
  live_.erase(id);
  if (listener_.ended) listener_.ended(std::move(outcome));
  // Slurm gives a device to another job only when it is free.
  if (has_devices && listener_.freed) listener_.freed(launch);
}

}  // namespace executors
