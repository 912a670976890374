#pragma once
// Studies told in events, with the state that they leave behind, for tests of the store.

#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

#include "kernel/study/state.h"

namespace story {

/// A folder of its own, gone in the end.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "etude-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  operator const std::string&() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Every byte of a file; empty when there is none.
std::string content(const std::string& path);

/// Tells events one by one, and keeps the state they make.
class Teller {
 public:
  /// The event, applied.
  kernel::Event tell(const std::string& study, kernel::EventBody body);
  kernel::Event open(const std::string& id);
  /// `count` runs, queued by one event.
  kernel::Event queue(const std::string& id, int count, kernel::Purpose purpose = kernel::Purpose::registered,
                      int retry_of = 0);
  kernel::Event end(const std::string& id, int run, kernel::RunState how = kernel::RunState::succeeded);
  /// Every kind of event once at least, from the opening to the end.
  std::vector<kernel::Event> whole(const std::string& id);
  kernel::State state;
  kernel::WorkspaceRecord workspace;
  kernel::BlobRef metrics, out_log, request, reply, answer;
  std::vector<kernel::OutputFile> outputs;

 private:
  kernel::Time now_{1'700'000'000'000, 1000};
};

/// A study as snapshots store it: equal bytes, equal states.
std::string state_bytes(const kernel::Study&);

}  // namespace story
