// Any bytes as a zip: it is refused, or what it holds lies in the one folder that is made for it, which goes.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "artifacts/read/unpack.h"

namespace fs = std::filesystem;

namespace {

/// A folder of this process with `in/` for the zip and `tmp/` for what is unpacked.
const fs::path& place() {
  static const fs::path made = [] {
    std::string name = "/tmp/etude-fuzz-zip-XXXXXX";
    if (!::mkdtemp(name.data())) std::abort();
    fs::create_directory(fs::path(name) / "tmp");
    ::setenv("TMPDIR", (fs::path(name) / "tmp").c_str(), 1);
    std::atexit([] { fs::remove_all(place()); });
    return fs::path(name);
  }();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fs::path zip = place() / "a.zip";
  std::ofstream(zip, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  {
    const auto arrived = artifacts::Arrived::open(zip.string(), {.bytes = 1 << 22, .entries = 1000});
    if (arrived && !fs::path(arrived->folder()).string().starts_with((place() / "tmp").string() + "/")) std::abort();
    if (arrived)
      for (const auto& entry : fs::recursive_directory_iterator(arrived->folder())) {
        if (!entry.is_symlink()) continue;
        std::error_code error;
        const std::string there = fs::weakly_canonical(entry.path(), error).string();
        if (error || !there.starts_with((place() / "tmp").string() + "/")) std::abort();
      }
  }
  std::size_t left = 0;
  for ([[maybe_unused]] const auto& entry : fs::recursive_directory_iterator(place())) ++left;
  if (left != 2) std::abort();  // tmp/ and the zip.
  return 0;
}
