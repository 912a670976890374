#include "tests/sim/real_storage.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include "kernel/codec/json_types.h"
#include "kernel/evidence/prior_results.h"
#include "memory/files/blobs.h"
#include "memory/log/event_log.h"
#include "memory/store/event_files.h"
#include "memory/store/reader.h"
#include "memory/store/verify.h"
#include "tests/sim/prior_work.h"

namespace sim {

using fakes::FailingDisk;
using Fault = FailingDisk::Fault;

namespace {

/// In memory where that is possible: nothing here waits for a disk.
std::string scratch() {
  const std::filesystem::path memory = "/dev/shm";
  std::error_code error;
  const bool usable = std::filesystem::is_directory(memory, error);
  return (usable ? memory : std::filesystem::temp_directory_path()) / "etude-sim-";
}

}  // namespace

RealStorage::RealStorage(Core& core, Disk kind) : core_(core), home_(scratch()), kind_(kind) {
  fails_ = core.dice.chance(0.5) ? 0.002 * core.dice.between(1, 10) : 0;
  disk_.fails = [this](FailingDisk::Call call) { return fault_of(call); };
}

Fault RealStorage::fault_of(FailingDisk::Call call) {
  if (!appending_) return Fault::none;
  if (kind_ == Disk::lies && call == FailingDisk::Call::flush && core_.dice.chance(0.5)) {
    lied_ = true;
    core_.note("the disk lies of a flush");
    return Fault::lies;
  }
  if (kind_ == Disk::turns_read_only && read_only_left_ > 0 && core_.dice.chance(0.002)) {
    --read_only_left_;
    disk_.read_only = true;
    core_.note("the disk is read-only");
    core_.later(core_.dice.spread(15), [this] {
      disk_.read_only = false;
      core_.note("the disk can be written again");
    });
    return Fault::error;
  }
  if (faults_left_ == 0 || !core_.dice.chance(fails_)) return Fault::none;
  --faults_left_;
  return core_.dice.chance(0.5) ? Fault::full : Fault::error;
}

void RealStorage::open() {
  if (store_) return;
  try {
    store_ = std::make_unique<memory::Store>(home_.path(), core_.dice.chance(0.5) ? 20 : 10'000);
  } catch (const memory::StoreFault&) {
    if (!disk_.read_only) throw;
    throw Died{"at a store that cannot be opened"};
  }
}

memory::Database& RealStorage::reading() {
  if (!disk_.read_only) open();
  if (!reading_)
    reading_ = std::make_unique<memory::Database>(memory::database_path(home_.path()), memory::Database::Access::read);
  return *reading_;
}

void RealStorage::append(const std::vector<kernel::Event>& events, const kernel::State& after) {
  open();
  appending_ = true;
  try {
    store_->append(events, after);
  } catch (const memory::StoreFault& fault) {
    appending_ = false;
    throw Died{fault.full ? "at a store that is full" : store_that_fails};
  }
  appending_ = false;
  appended_ += events.size();
  if (!std::ranges::all_of(events, kernel::only_reports)) durable_ = appended_;
}

void RealStorage::replay(const std::string& study, const std::function<void(const kernel::Event&)>& each) {
  for (const kernel::StoredEvent& event : chain(study)) each(event.decoded());
}

std::vector<std::string> RealStorage::hashes() const {
  std::vector<std::string> all;
  memory::Database database(memory::database_path(home_.path()), memory::Database::Access::read);
  for (memory::Query q = database.query("SELECT hash FROM events ORDER BY seq"); q.step();) all.emplace_back(q.text(0));
  return all;
}

void RealStorage::compare(const std::vector<std::string>& told, bool power) {
  loss_ = Loss::none;
  if (power && std::exchange(lied_, false)) {
    durable_ = 0;
    if (const memory::VerifyReport report = memory::verify(home_.path()); !report.ok() || !report.store) {
      std::string problem = report.ok() ? "there is none" : report.problems.front();
      // Its path is another one each time.
      if (problem.starts_with(home_.path())) problem.erase(0, home_.path().size());
      core_.note("the store is damaged: {}", problem);
      loss_ = Loss::all;
      return;
    }
  }
  const std::vector<std::string> left = hashes();
  const std::size_t both = std::min(told.size(), left.size());
  if (!std::equal(told.begin(), told.begin() + static_cast<std::ptrdiff_t>(both), left.begin()))
    broken("what is left is a beginning of what was stored", "{} events of {}", left.size(), told.size());
  if (left.size() < durable_) broken("nothing that was stored is lost", "{} of {}", left.size(), durable_);
  if (kind_ == Disk::lies && left.size() < told.size()) {
    core_.note("the disk lost {} events of {}", told.size() - left.size(), told.size());
    loss_ = Loss::newest;
  }
  appended_ = left.size();
  if (power) durable_ = appended_;
}

bool RealStorage::crash(bool power) {
  const std::vector<std::string> told = hashes();
  reading_.reset();
  numbers_.clear();
  disk_.kill();
  store_.reset();
  if (power)
    disk_.cut_power([this](std::int64_t bytes) -> std::int64_t {
      if (core_.dice.chance(0.5)) return core_.dice.chance(0.5) ? bytes : 0;
      return bytes / 512 > 0 ? 512 * core_.dice.below(static_cast<int>(bytes / 512) + 1) : bytes;
    });
  disk_.revive();
  compare(told, power);
  if (core_.dice.chance(0.3) && loss_ != Loss::all && !disk_.read_only) verify();
  return true;
}

void RealStorage::keep(std::string_view bytes) {
  memory::Blobs(home_.path() + "/blobs").put(bytes);
}

void RealStorage::verify() {
  disk_.read_only = false;
  open();
  reading_.reset();
  if (studies().empty()) return;
  const memory::Retention needed = memory::retention_of(home_.path());
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator file(home_.path() + "/blobs", error), end; !error && file != end;
       file.increment(error))
    if (const std::string name = file->path().filename(); memory::is_blob_name(name) && !needed.blobs.contains(name))
      std::filesystem::remove(file->path());
  for (const std::string& id : studies()) {
    kernel::State state;
    replay(id, [&](const kernel::Event& event) { kernel::apply(state, event); });
    const kernel::Study& study = *state.study(id);
    for (const kernel::Run& run : study.runs)
      for (const kernel::KeptOutput& kept : run.kept)
        if (study.state != kernel::StudyState::ended && !needed.kept.contains(kept.sha256))
          broken("nothing is collected that is needed", "{} of {}", kept.path, study.run_id(run.number));
    if (const auto& setup = study.environment.setup;
        setup && study.state != kernel::StudyState::ended && !needed.kept.contains(setup->key.text()))
      broken("nothing is collected that is needed", "the set-up of {}", study.id);
  }
  const std::vector<std::string> problems = memory::verify(home_.path()).problems;
  if (!problems.empty()) broken("verify finds nothing", "{}", problems.front());
}

kernel::State RealStorage::load_active() {
  open();
  return store_->load_active();
}

std::vector<kernel::StoredEvent> RealStorage::chain(const std::string& study, std::size_t from) {
  std::vector<kernel::StoredEvent> events;
  std::vector<std::int64_t>& numbers = numbers_[study];
  const std::int64_t after = from > 0 && numbers.size() >= from ? numbers[from - 1] : 0;
  if (after == 0) numbers.clear();
  const std::size_t skipped = after == 0 ? from : 0;
  numbers.resize(after == 0 ? 0 : from);
  memory::each_event(reading(), study, after, [&](const kernel::StoredEvent& event) {
    numbers.push_back(event.seq);
    events.push_back(event);
  });
  events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(std::min(skipped, events.size())));
  return events;
}

std::vector<std::string> RealStorage::studies() {
  return memory::studies_by_age(reading());
}

std::optional<std::vector<kernel::Predecessor>> RealStorage::judged(const kernel::StudyOpened& opened) {
  open();
  constexpr int most = 500;
  std::vector<kernel::Predecessor> list;
  const std::string here = kernel::context_key(opened.spec, opened.workspace, opened.data);
  memory::Reader(home_.path())
      .judged_in(kernel::command_key(opened.spec), "", contrasts_of(opened.spec), most,
                 [&](const std::string& study, std::string_view context, std::string_view document) {
                   const auto h = nlohmann::json::parse(document);
                   list.push_back({study, h.at("id"), h.at("contrast"), h.at("verdict").get<kernel::Verdict>(),
                                   h.at("reason"), context != here, ""});
                 });
  return list;
}

std::optional<std::vector<kernel::EarlierLooks>> RealStorage::looks_at(const std::string& test_data) {
  open();
  return memory::Reader(home_.path()).looks_at(test_data);
}

std::optional<kernel::RunEnded> RealStorage::remembered(const std::string& key) {
  return store_->remembered(key);
}

}  // namespace sim
