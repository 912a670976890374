#include "executors/slurm/slurm_executor.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "base/digest.h"
#include "executors/local/adoption.h"
#include "executors/local/launch_job.h"
#include "executors/run_protocol/small_files.h"
#include "executors/slurm/mailbox.h"
#include "executors/slurm/shared_folder.h"
#include "executors/slurm/slurm_launch.h"

namespace executors {
namespace {

using kernel::JobEnd;
using kernel::JobOutcome;
using kernel::JobSpec;
using supervisor::boot_ms;

/// Folders of launches that one look opens at most: they may lie on a slow network.
constexpr std::size_t most_looks = 64;
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

/// The executor's thread. Other threads call only the public functions and the destructor.
class SlurmExecutor::Tracker {
 public:
  Tracker(kernel::JobListener listener, std::shared_ptr<SlurmClient> client, SlurmPlace place, SlurmPace pace)
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
  ~Tracker() {
    answers_->put([this] { leaving_ = true; });
    thread_.join();
    questions_->put({});
  }

  void post(std::function<void()> task) { answers_->put(std::move(task)); }
  void start(const JobSpec&);
  void adopt(const JobSpec&);
  void cancel(const std::string& run);

 private:
  enum class Step { queued, asked, submitted };

  struct Live {
    JobSpec spec;  ///< As the kernel gave it.
    JobSpec at;    ///< With its places on the nodes.
    SubmissionNote note;
    Step step = Step::queued;
    bool announced = false, cancelled = false;
    std::optional<SlurmJob> job;  ///< Of the newest listing.
    std::int64_t job_of = 0;      ///< When that listing was asked for.
    std::int64_t announced_at = 0;
    std::optional<SlurmJob> given_up;                ///< Why we ended it in Slurm: its record before that.
    std::int64_t missing_since = 0;                  ///< When a listing first lacked it; 0: none did.
    int missing = 0;                                 ///< Listings in a row that lacked it.
    bool asked_accounts = false, accounted = false;  ///< What listings lack is asked of accounting, until it answers.
    std::int64_t over_since = 0;                     ///< When its end was first seen; 0: not yet.
  };
  struct Batch {
    Submission submission;
    std::vector<std::uint64_t> members;
    std::int64_t begun = 0;     ///< When it was first put together.
    bool noted = false;         ///< The notes of its launches are written.
    std::int64_t asked = 0;     ///< When sbatch was last started; 0: never.
    bool may_be_there = false;  ///< An earlier try was not answered clearly: ask for a listing first.
  };

  void run();
  std::int64_t next_due() const;
  /// Sends the question to the other thread; only one is open at a time.
  template <typename Answer>
  void ask(std::function<Answer()> question, std::function<void(Answer)> then);
  void ask_what_is_due();
  void ask_for_listing();
  void list_soon();
  void submit(Batch&);
  bool note(Batch&);
  void take_answer(std::uint64_t batch, const SubmitAnswer&);
  void take_listing(const JobListing&, std::int64_t asked);
  void take_accounts(const JobListing&, const std::vector<std::string>& tokens);
  void accepted(Batch&, const std::string& job);
  void retry_later(const std::string& why);
  void reached();
  void tell();
  void look_around();
  void look(std::uint64_t id, Live&);
  void announce(Live&, std::int64_t started_ms);
  void end(std::uint64_t id, JobOutcome);

  const kernel::JobListener listener_;
  const std::shared_ptr<SlurmClient> client_;
  const SlurmPlace place_;
  const SlurmPace pace_;
  const std::shared_ptr<Mailbox> answers_ = std::make_shared<Mailbox>(), questions_ = std::make_shared<Mailbox>();
  JobLauncher launcher_{""};
  std::map<std::uint64_t, Live> live_;
  std::map<JobShape, std::uint64_t> gathering_;  ///< The batch that still takes members.
  std::map<std::uint64_t, Batch> batches_;       ///< Not accepted yet.
  std::set<std::string> to_cancel_;              ///< Slurm's ids.
  std::set<std::string> to_account_;             ///< Submissions that accounting is to be asked for.
  std::uint64_t next_id_ = 1, last_looked_ = 0;
  bool asking_ = false, leaving_ = false;
  std::string silent_, accounts_silent_;  ///< Why Slurm, or its accounting, does not answer; empty: it does.
  bool told_ = false;                     ///< The listener knows that one of them does not.
  std::int64_t listed_at_ = 0, list_at_ = INT64_MAX, between_ = 0;  ///< Newest listing, next one, time between.
  std::int64_t try_at_ = 0, wait_ = 0;                              ///< After Slurm did not answer.
  std::int64_t account_at_ = 0, account_wait_ = 0;                  ///< After accounting did not say how a job ended.
  std::int64_t look_at_ = 0;
  std::thread thread_;
};

void SlurmExecutor::Tracker::run() {
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

std::int64_t SlurmExecutor::Tracker::next_due() const {
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

template <typename Answer>
void SlurmExecutor::Tracker::ask(std::function<Answer()> question, std::function<void(Answer)> then) {
  asking_ = true;
  questions_->put([question = std::move(question), then = std::move(then), answers = answers_] {
    // If the tracker has left, nobody takes the answer.
    answers->put([then, answer = question()] { then(answer); });
  });
}

void SlurmExecutor::Tracker::ask_what_is_due() {
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
void SlurmExecutor::Tracker::list_soon() {
  between_ = pace_.listing;
  list_at_ = std::min(list_at_, listed_at_ + pace_.listing);
}

void SlurmExecutor::Tracker::ask_for_listing() {
  const std::int64_t now = boot_ms();
  list_at_ = now + between_;
  ask<JobListing>([client = client_] { return client->list(); },
                  [this, now](const JobListing& listing) { take_listing(listing, now); });
}

void SlurmExecutor::Tracker::start(const JobSpec& spec) {
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

void SlurmExecutor::Tracker::adopt(const JobSpec& spec) {
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

void SlurmExecutor::Tracker::cancel(const std::string& run) {
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
bool SlurmExecutor::Tracker::note(Batch& batch) {
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

void SlurmExecutor::Tracker::submit(Batch& batch) {
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

void SlurmExecutor::Tracker::take_answer(std::uint64_t id, const SubmitAnswer& answer) {
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

void SlurmExecutor::Tracker::accepted(Batch& batch, const std::string& job) {
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

void SlurmExecutor::Tracker::retry_later(const std::string& why) {
  wait_ = std::clamp<std::int64_t>(wait_ * 2, pace_.listing, pace_.longest);
  try_at_ = boot_ms() + wait_;
  list_at_ = std::min(list_at_, try_at_);
  silent_ = "Slurm does not answer: " + why;
  tell();
}

void SlurmExecutor::Tracker::reached() {
  wait_ = try_at_ = 0;
  silent_.clear();
  tell();
}

/// Says once that something does not answer, and once that all of it does again.
void SlurmExecutor::Tracker::tell() {
  const std::string& why = silent_.empty() ? accounts_silent_ : silent_;
  if (std::exchange(told_, !why.empty()) == !why.empty()) return;
  if (listener_.waits) listener_.waits(why);
}

void SlurmExecutor::Tracker::take_listing(const JobListing& listing, std::int64_t asked) {
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
void SlurmExecutor::Tracker::take_accounts(const JobListing& answer, const std::vector<std::string>& tokens) {
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

void SlurmExecutor::Tracker::look_around() {
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

void SlurmExecutor::Tracker::look(std::uint64_t id, Live& live) {
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

void SlurmExecutor::Tracker::announce(Live& live, std::int64_t started_ms) {
  if (std::exchange(live.announced, true)) return;
  live.announced_at = boot_ms();
  if (listener_.started) listener_.started({live.spec.run, live.spec.token, started_ms});
}

void SlurmExecutor::Tracker::end(std::uint64_t id, JobOutcome outcome) {
  Live& live = live_.at(id);
  if (outcome.started_ms > 0) announce(live, outcome.started_ms);
  if (outcome.started_ms > 0) outcome.node = node_of(live.at);
  outcome.stage = live.spec.stage;
  if (live.spec.evaluation) outcome.tier = live.spec.evaluation->tier;
  const bool has_devices = !live.spec.gpus.empty();
  const std::string launch = live.spec.folder.substr(home_of(live.spec.folder).size() + std::string("/runs/").size());
  live_.erase(id);
  if (listener_.ended) listener_.ended(std::move(outcome));
  // Slurm gives a device to another job only when it is free.
  if (has_devices && listener_.freed) listener_.freed(launch);
}

SlurmExecutor::SlurmExecutor(kernel::JobListener listener, std::shared_ptr<SlurmClient> client, SlurmPlace place,
                             SlurmPace pace)
    : tracker_(std::make_unique<Tracker>(std::move(listener), std::move(client), std::move(place), pace)) {}
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
