// Feeds bytes to `audit` in the place of one file of an artifact of ours: etude.json, its log, a page, evidence. No
// crash; every finding is one printable, bounded line; and other bytes than it was packaged with are never taken for
// the same. The first byte chooses the file. Needs no seeds: from nothing it begins with the file as it was.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "artifacts/audit/audit.h"
#include "artifacts/check/check.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/write/package.h"
#include "tests/artifacts/samples/sample_study.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

struct Packaged {
  Packaged() {
    const auto result = artifacts::package(sample.input(), sample.place("ara"));
    require(static_cast<bool>(result));
    folder = result->path;
    for (const char* name : {"etude.json", "trace/events.jsonl", "trace/exploration_tree.yaml", "PAPER.md",
                             "logic/claims.md", "evidence/README.md"}) {
      std::ifstream in(folder + "/" + name, std::ios::binary);
      files.push_back({name, {std::istreambuf_iterator<char>(in), {}}});
      require(!files.back().bytes.empty());
    }
    said = everything();
  }

  /// What an audit says of the folder as it is now.
  std::string everything() const {
    const auto report = artifacts::audit(folder);
    require(static_cast<bool>(report));
    for (const artifacts::Finding& f : report->findings) {
      require(!f.message.empty() && f.message.size() < 4000);
      require(artifacts::printable(f.message) == f.message);
    }
    return artifacts::to_text(*report);
  }

  struct File {
    std::string name, bytes;
  };
  const File& chosen(std::uint8_t by) const { return files[by % files.size()]; }
  void write(const File& file, std::string_view bytes) const {
    std::ofstream(folder + "/" + file.name, std::ios::binary | std::ios::trunc) << bytes;
  }

  SampleStudy sample;
  std::string folder;
  std::string said;  ///< Of the folder as it was packaged: no study ran here.
  std::vector<File> files;
};

const Packaged& packaged() {
  static const Packaged once;
  return once;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (size >= 2 && seed % 16 != 0) return 1 + LLVMFuzzerMutate(data + 1, size - 1, most - 1);
  const Packaged::File& file = packaged().chosen(static_cast<std::uint8_t>(seed >> 4));
  const std::size_t length = std::min(file.bytes.size(), most - 1);
  data[0] = static_cast<std::uint8_t>(seed >> 4);
  std::memcpy(data + 1, file.bytes.data(), length);
  return 1 + LLVMFuzzerMutate(data + 1, length, most - 1);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Packaged::File& file = packaged().chosen(data[0]);
  packaged().write(file, bytes);
  const std::string said = packaged().everything();
  packaged().write(file, file.bytes);
  // JSON may be laid out in another way and say the same.
  if (bytes != file.bytes && file.name != "etude.json") require(said != packaged().said);
  return 0;
}
