// A disk that loses what was not flushed: below the store lies a file system that remembers, for every file, the bytes
// as they were at its last flush, and a power cut brings exactly those back.
#include <cstring>
#include <fstream>
#include <map>

#include <catch2/catch.hpp>
#include <sqlite3.h>

#include "memory/store/reader.h"
#include "memory/store/store.h"
#include "memory/store/verify.h"
#include "tests/memory/story.h"
#include "tests/rounds.h"

namespace {

namespace fs = std::filesystem;
using story::Teller;
using story::TempFolder;

std::map<std::string, std::string> durable;  // path → bytes
int flushes = 0;

/// SQLite's own file, with the flush watched. The real file lies behind this header.
struct WatchedFile {
  sqlite3_file base;
  char path[512];
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
WatchedFile* watched(sqlite3_file* file) {
  return reinterpret_cast<WatchedFile*>(file);
}
sqlite3_file* real(sqlite3_file* file) {
  return watched(file)->real();
}

sqlite3_vfs* below = nullptr;
const sqlite3_io_methods methods = {
    3,
    [](sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); },
    [](sqlite3_file* f, void* to, int n, sqlite3_int64 at) { return real(f)->pMethods->xRead(real(f), to, n, at); },
    [](sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
      return real(f)->pMethods->xWrite(real(f), from, n, at);
    },
    [](sqlite3_file* f, sqlite3_int64 size) { return real(f)->pMethods->xTruncate(real(f), size); },
    [](sqlite3_file* f, int flags) {
      const int code = real(f)->pMethods->xSync(real(f), flags);
      durable[watched(f)->path] = story::content(watched(f)->path);
      ++flushes;
      return code;
    },
    [](sqlite3_file* f, sqlite3_int64* size) { return real(f)->pMethods->xFileSize(real(f), size); },
    [](sqlite3_file* f, int lock) { return real(f)->pMethods->xLock(real(f), lock); },
    [](sqlite3_file* f, int lock) { return real(f)->pMethods->xUnlock(real(f), lock); },
    [](sqlite3_file* f, int* held) { return real(f)->pMethods->xCheckReservedLock(real(f), held); },
    [](sqlite3_file* f, int what, void* with) { return real(f)->pMethods->xFileControl(real(f), what, with); },
    [](sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); },
    [](sqlite3_file* f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); },
    [](sqlite3_file* f, int page, int size, int extend, void volatile** at) {
      return real(f)->pMethods->xShmMap(real(f), page, size, extend, at);
    },
    [](sqlite3_file* f, int at, int n, int flags) { return real(f)->pMethods->xShmLock(real(f), at, n, flags); },
    [](sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); },
    [](sqlite3_file* f, int remove) { return real(f)->pMethods->xShmUnmap(real(f), remove); },
    [](sqlite3_file* f, sqlite3_int64 at, int n, void** to) { return real(f)->pMethods->xFetch(real(f), at, n, to); },
    [](sqlite3_file* f, sqlite3_int64 at, void* page) { return real(f)->pMethods->xUnfetch(real(f), at, page); },
};

/// While it lives, stores flush through us.
class WatchedDisk {
 public:
  WatchedDisk() {
    below = sqlite3_vfs_find(nullptr);
    vfs_ = *below;
    vfs_.zName = "watched";
    vfs_.szOsFile = below->szOsFile + static_cast<int>(sizeof(WatchedFile));
    vfs_.xOpen = [](sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
      WatchedFile* mine = watched(file);
      std::snprintf(mine->path, sizeof mine->path, "%s", name ? name : "");
      const int code = below->xOpen(below, name, mine->real(), flags, out);
      mine->base.pMethods = mine->real()->pMethods ? &methods : nullptr;
      return code;
    };
    vfs_.xDelete = [](sqlite3_vfs*, const char* name, int sync_folder) {
      durable.erase(name);
      return below->xDelete(below, name, sync_folder);
    };
    sqlite3_vfs_register(&vfs_, 1);
    durable.clear();
    flushes = 0;
  }
  ~WatchedDisk() {
    sqlite3_vfs_register(below, 1);
    sqlite3_vfs_unregister(&vfs_);
  }

 private:
  sqlite3_vfs vfs_{};
};

}  // namespace

TEST_CASE("an event that was appended survives a power cut at any later instant") {
  TempFolder home;
  std::vector<std::pair<std::string, std::map<std::string, std::string>>> cuts;  // head, disk
  {
    const WatchedDisk disk;
    memory::Store store(home);
    Teller teller;
    store.append({teller.open("s1")}, teller.state);
    for (int i = 0; i < 60; ++i) {
      const int before = flushes;
      store.append({teller.queue("s1", 40, kernel::Purpose::pilot)}, teller.state);
      REQUIRE(flushes > before);
      cuts.emplace_back(store.head("s1"), durable);
    }
  }
  for (std::size_t i = 0; i < cuts.size(); i += cuts.size() / static_cast<std::size_t>(tests::rounds(20))) {
    TempFolder after;
    for (const auto& [path, bytes] : cuts[i].second)
      std::ofstream(after / fs::path(path).filename().string(), std::ios::binary) << bytes;
    REQUIRE(memory::verify(after).problems == std::vector<std::string>{});
    CHECK(memory::Reader(after).head("s1") == cuts[i].first);
  }
}
