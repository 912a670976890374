#pragma once
// The real store of a home in a temporary folder, above a disk that fails by the simulation's chance: it is full, it
// refuses writes, it is read-only for a while, and a power cut leaves some of what was not flushed, torn. A disk may
// also say of a flush that it was done when it was not: then a power cut may lose or damage what was stored.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/scratch_folder.h"
#include "memory/store/store.h"
#include "tests/fakes/failing_disk.h"
#include "tests/sim/core.h"
#include "tests/sim/storage.h"

namespace sim {

class RealStorage : public Storage {
 public:
  /// What the disk does apart from single calls that fail.
  enum class Disk { keeps_its_word, turns_read_only, lies };

  RealStorage(Core&, Disk);

  void append(const std::vector<kernel::Event>&, const kernel::State& after) override;
  void replay(const std::string& study, const std::function<void(const kernel::Event&)>&) override;
  bool crash(bool power) override;
  Loss loss() const override { return loss_; }
  void open() override;
  kernel::State load_active() override;
  std::vector<kernel::StoredEvent> chain(const std::string& study, std::size_t from = 0) override;
  std::vector<std::string> studies() override;
  std::optional<std::vector<kernel::Predecessor>> judged(const kernel::StudyOpened&) override;
  std::optional<std::vector<kernel::EarlierLooks>> looks_at(const std::string& test_data) override;
  std::optional<kernel::RunEnded> remembered(const std::string& key) override;
  void keep(std::string_view bytes) override;
  /// Deletes the blobs that nothing needs, as `etude gc` does, and demands that `etude verify` finds nothing.
  void verify();

 private:
  memory::Database& reading();
  /// The hashes of all events that can be read, oldest first.
  std::vector<std::string> hashes() const;
  fakes::FailingDisk::Fault fault_of(fakes::FailingDisk::Call);
  /// Demands that what a power cut may not take is there, and notes what a disk that lied has lost.
  void compare(const std::vector<std::string>& told, bool power);

  Core& core_;
  fakes::FailingDisk disk_;
  const kernel::ScratchFolder home_;
  double fails_ = 0;  ///< Share of the calls while the kernel appends.
  int faults_left_ = 6, read_only_left_ = 2;
  const Disk kind_;
  bool appending_ = false;
  bool lied_ = false;  ///< Since the last power cut.
  Loss loss_ = Loss::none;
  std::size_t appended_ = 0, durable_ = 0;  ///< Events: all, and those that a power cut may not take.
  std::unique_ptr<memory::Store> store_;
  std::unique_ptr<memory::Database> reading_;
  std::map<std::string, std::vector<std::int64_t>> numbers_;  ///< Study → `seq` of its events that were read.
};

}  // namespace sim
