#pragma once
// Follows jobs on a Slurm cluster on two threads: one acts on run folders and on Slurm's answers, and one asks Slurm,
// which may block for minutes. What it asks: submissions, one listing of all jobs, cancellations and accounts, one
// question at a time.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "executors/local/launch_job.h"
#include "executors/slurm/mailbox.h"
#include "executors/slurm/shared_folder.h"
#include "executors/slurm/slurm_client.h"
#include "executors/slurm/slurm_launch.h"
#include "kernel/loop/executor.h"

namespace executors {

/// Other threads call only the public functions and the destructor.
class SlurmTracker {
 public:
  SlurmTracker(kernel::JobListener, std::shared_ptr<SlurmClient>, SlurmPlace, SlurmPace);
  ~SlurmTracker();

  void post(std::function<void()> task) { answers_->put(std::move(task)); }
  void start(const kernel::JobSpec&);
  void adopt(const kernel::JobSpec&);
  void cancel(const std::string& run);

 private:
  enum class Step { queued, asked, submitted };

  struct Live {
    kernel::JobSpec spec;  ///< As the kernel gave it.
    kernel::JobSpec at;    ///< With its places on the nodes.
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
  void ask(std::function<Answer()> question, std::function<void(Answer)> then) {
    asking_ = true;
    questions_->put([question = std::move(question), then = std::move(then), answers = answers_] {
      // If the tracker has left, nobody takes the answer.
      answers->put([then, answer = question()] { then(answer); });
    });
  }
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
  void end(std::uint64_t id, kernel::JobOutcome);

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

}  // namespace executors
