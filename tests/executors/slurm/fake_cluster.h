#pragma once
// A cluster in this process: submitted scripts are run by sh as Slurm would run them, and tests decide when, how they
// end, and how the controller answers. Any thread.

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "executors/slurm/slurm_client.h"

namespace test {

class FakeCluster : public executors::SlurmClient {
 public:
  explicit FakeCluster(std::string folder);
  ~FakeCluster() override;

  executors::SubmitAnswer submit(const executors::Submission&) override;
  executors::JobListing list() override;
  executors::JobListing account(const std::vector<std::string>& tokens) override;
  std::optional<std::string> cancel(const std::vector<std::string>& ids) override;

  /// How the controller answers from now on. `takes_silently`: it takes a job, and its answer is lost.
  enum class Mood { answers, silent, takes_silently, refuses, nonsense };
  void be(Mood);
  /// Whether submitted jobs wait until `release`.
  void hold(bool);
  void release();
  /// Ends the newest job as Slurm would: its processes are killed at once, or asked to stop before.
  void end_newest(const std::string& state, bool ask_first = false);
  /// Gives the newest job this state, reason and node; it stays as it is otherwise.
  void say(const std::string& state, const std::string& why = "None", const std::string& nodes = "");
  /// How accounting answers from now on. `behind`: it has not heard how jobs ended.
  enum class Accounting { none, answers, silent, behind };
  void keep_accounts(Accounting);
  /// Slurm forgets all jobs that have ended; accounting keeps its record of them.
  void forget();
  /// Slurm forgets the newest job, which still runs, and so asks it to stop.
  void lose_newest();

  /// Of the submissions, sorted.
  std::vector<executors::JobShape> shapes();
  int listings();
  int submissions();
  /// How often accounting was asked.
  int accountings();
  std::size_t jobs();
  /// Processes that were started for jobs.
  int starts();

 private:
  struct Job {
    executors::SlurmJob known;
    std::string script;
    int pid = 0;
  };
  void begin(Job&);
  void look();

  const std::string folder_, supervisor_;
  std::mutex mutex_;
  std::vector<Job> jobs_;
  std::vector<executors::SlurmJob> accounts_;
  std::vector<executors::JobShape> shapes_;
  Mood mood_ = Mood::answers;
  Accounting accounting_ = Accounting::none;
  bool held_ = false;
  int next_ = 100, listings_ = 0, submissions_ = 0, accountings_ = 0, starts_ = 0;
};

}  // namespace test
