// What control groups allow this process, in both versions of Linux's interface.

#include "executors/run_protocol/group_limits.h"

#include <filesystem>

#include <catch2/catch.hpp>

#include "tests/executors/fixture.h"

namespace fs = std::filesystem;
using supervisor::group_limits;
using supervisor::throttled_us;

namespace {

/// A folder in place of `/`.
class Root {
 public:
  explicit Root(const std::string& own) { put("/proc/self/cgroup", own); }
  Root& put(const std::string& path, const std::string& text) {
    const std::string file = folder_.path() + path;
    fs::create_directories(fs::path(file).parent_path());
    test::write(file, text);
    return *this;
  }
  std::string path() const { return folder_.path(); }

 private:
  test::Folder folder_;
};

}  // namespace

TEST_CASE("the smallest quota and limit of the groups above count, in version 2") {
  Root root("0::/user.slice/job\n");
  root.put("/sys/fs/cgroup/user.slice/job/cpu.max", "max 100000\n")
      .put("/sys/fs/cgroup/user.slice/job/memory.max", "8589934592\n")
      .put("/sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n")
      .put("/sys/fs/cgroup/user.slice/cpu.stat", "usage_usec 5\nnr_throttled 2\nthrottled_usec 700\n")
      .put("/sys/fs/cgroup/user.slice/memory.max", "max\n")
      .put("/sys/fs/cgroup/cpu.stat", "usage_usec 9\nthrottled_usec 100000\n");
  const auto limits = group_limits(root.path());
  CHECK(limits.processors == 1.5);
  CHECK(limits.memory_bytes == std::int64_t{8} << 30);
  REQUIRE(limits.stat_files.size() == 1);
  CHECK(throttled_us(limits.stat_files) == 700);
}

TEST_CASE("a container sees its own group at the mount, in version 1, whatever its path is outside") {
  Root root("5:memory:/docker/5f1c\n3:cpu,cpuacct:/docker/5f1c\n1:name=systemd:/docker/5f1c\n");
  root.put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n")
      .put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n")
      .put("/sys/fs/cgroup/cpu,cpuacct/cpu.stat", "nr_periods 3\nnr_throttled 1\nthrottled_time 2500000\n")
      .put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  const auto limits = group_limits(root.path());
  CHECK(limits.processors == 0.5);
  CHECK(limits.memory_bytes == 1073741824);
  CHECK(throttled_us(limits.stat_files) == 2500);
}

TEST_CASE("no quota, an unlimited memory and texts of another form limit nothing") {
  Root free("4:cpu:/\n5:memory:/a\n0::/\n");
  free.put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")
      .put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")
      .put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
  for (const char* own : {"", "0:", "x", "0::relative\n", "0::/../..\n", "0::/\n"}) {
    CAPTURE(own);
    Root odd(own);
    odd.put("/sys/fs/cgroup/cpu.max", "many 0\n").put("/sys/fs/cgroup/memory.max", "-5\n");
    for (const std::string& root : {odd.path(), free.path()}) {
      const auto limits = group_limits(root);
      CHECK_FALSE(limits.processors);
      CHECK_FALSE(limits.memory_bytes);
      CHECK(limits.stat_files.empty());
    }
  }
  CHECK(throttled_us({"/nowhere/cpu.stat"}) == 0);
}
