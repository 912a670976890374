#pragma once
// Where a simulated home keeps its events: in memory, or in the real store above a disk that fails. It outlives kernels
// and says what a new kernel finds.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/codec/codec.h"
#include "kernel/loop/event_ports.h"

namespace sim {

class Storage : public kernel::EventStore {
 public:
  /// What the last crash took of what was stored for good. Only a disk that lies takes any of it.
  enum class Loss { none, newest, all };
  /// The process that wrote has died. `power`: the machine lost its power, and with it all that was not flushed.
  /// Returns whether other events may be there than those that were appended: fewer, or those of an append that failed.
  virtual bool crash(bool power) = 0;
  /// `all`: the store says that it is damaged. A person takes a backup then, or begins anew.
  virtual Loss loss() const { return Loss::none; }
  /// A new process opens the store. Throws Died if it cannot.
  virtual void open() = 0;
  /// All studies that have not ended, as a new kernel reads them.
  virtual kernel::State load_active() = 0;
  /// The stored events of the study, oldest first, without the first `from`.
  virtual std::vector<kernel::StoredEvent> chain(const std::string& study, std::size_t from = 0) = 0;
  virtual std::vector<std::string> studies() = 0;
  /// Keeps a blob, before an event names it.
  virtual void keep(std::string_view /*bytes*/) {}
  /// The judged hypotheses of other studies that concern this one, oldest first, and how often others looked at the
  /// test data; none from a storage that cannot look for them.
  virtual std::optional<std::vector<kernel::Predecessor>> judged(const kernel::StudyOpened&) { return std::nullopt; }
  virtual std::optional<std::vector<kernel::EarlierLooks>> looks_at(const std::string& /*test_data*/) {
    return std::nullopt;
  }
  /// The outcome of an earlier run with that key.
  virtual std::optional<kernel::RunEnded> remembered(const std::string& key) = 0;
};

class MemoryStorage : public Storage {
 public:
  void append(const std::vector<kernel::Event>&, const kernel::State& after) override;
  void replay(const std::string& study, const std::function<void(const kernel::Event&)>&) override;
  bool crash(bool power) override;
  void open() override {}
  kernel::State load_active() override;
  std::vector<kernel::StoredEvent> chain(const std::string& study, std::size_t from = 0) override {
    const auto& all = chains_[study];
    return {all.begin() + static_cast<std::ptrdiff_t>(from), all.end()};
  }
  std::vector<std::string> studies() override;
  std::optional<kernel::RunEnded> remembered(const std::string& key) override;

 private:
  std::map<std::string, std::vector<kernel::StoredEvent>> chains_;
  std::map<std::string, kernel::RunEnded> remembered_;
  std::vector<std::string> not_flushed_;  ///< The studies of the newest events that only report.
  std::int64_t last_ = 0;
};

}  // namespace sim
