#pragma once
// An executor without processes: a job is a function from its spec to a report, posted at once or on demand.

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/loop/executor.h"
#include "kernel/loop/inbox.h"
#include "kernel/study/state.h"

namespace fakes {

class FakeExecutor : public kernel::Executor {
 public:
  using Job = std::function<kernel::ReportEnd(const kernel::JobSpec&)>;

  FakeExecutor(kernel::Inbox& inbox, Job what) : job(std::move(what)), inbox_(inbox) {}

  void start(const kernel::JobSpec& spec) override {
    started.push_back(spec);
    report(spec);
  }
  void start_in_turn(const kernel::JobSpec& spec, int below) override {
    in_turn.emplace_back(kernel::run_number(spec.run), below);
    if (!holds) start(spec);
  }
  void withdraw(const std::string& study_folder) override { withdrawn.push_back(study_folder); }
  void adopt(const kernel::JobSpec& spec) override {
    adopted.push_back(spec);
    report(spec);
  }
  void cancel(const std::string& run) override { cancelled.insert(run); }

  /// A succeeded job with these metrics.
  static kernel::ReportEnd succeeded(const std::map<std::string, double>& metrics) {
    kernel::ReportEnd report;
    for (const auto& [name, value] : metrics) report.measurement.values[name] = {value, false, false};
    return report;
  }

  Job job;
  std::vector<kernel::JobSpec> started, adopted;
  std::vector<std::pair<int, int>> in_turn;  ///< Numbers of runs that were to start in turn, and below how many.
  bool holds = false;                        ///< The turn of jobs never comes.
  std::vector<std::string> withdrawn;        ///< Folders of studies.
  std::set<std::string> cancelled;
  bool silent = false;  ///< Jobs start and never end: what a kernel that dies leaves behind.

 private:
  void report(const kernel::JobSpec& spec) {
    const int number = kernel::run_number(spec.run);
    inbox_.post(kernel::Command{kernel::run_study(spec.run), "kernel", kernel::ReportStart{number, spec.token}});
    if (silent) return;
    kernel::ReportEnd end = job(spec);
    end.run = number;
    end.outcome.run = spec.run;
    end.outcome.token = spec.token;
    inbox_.post(kernel::Command{kernel::run_study(spec.run), "kernel", end});
  }

  kernel::Inbox& inbox_;
};

}  // namespace fakes
