// What only an evaluator reads: left out of workspaces, copied, and looked at again.

#include "memory/workspace/evaluator_files.h"

#include <chrono>
#include <thread>

#include <sys/stat.h>

#include "base/digest.h"
#include "tests/memory/workspace/place.h"

using story::Place;

namespace {

/// A study that seals these files of the place's workspace, as validation data.
kernel::StudySpec sealing(const Place& place, const std::vector<std::string>& files) {
  kernel::StudySpec spec;
  spec.workspace = place.spec;
  spec.evaluator.validation.emplace();
  for (const std::string& file : files)
    spec.evaluator.validation->data.push_back({place.root + "/" + file, file, "", 1});
  return spec;
}

std::int64_t changed_ms(const std::string& path) {
  struct stat about {};
  REQUIRE(::stat(path.c_str(), &about) == 0);
  return about.st_ctim.tv_sec * std::int64_t{1000} + about.st_ctim.tv_nsec / 1'000'000;
}

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

TEST_CASE("sealed files and folders are in no snapshot, whatever their names, nor is what a sealed link leads to") {
  Place place;
  for (const char* file : {"a.py", "labels.csv", "sub/labels.csv", "odd [x]*.csv", "#b", "sets/1.csv", "sets/2.csv"})
    place.file(file, file);
  place.file("real.csv", "real");
  place.link("link.csv", "real.csv");
  const auto spec = sealing(place, {"labels.csv", "odd [x]*.csv", "#b", "sets", "link.csv"});
  place.spec.exclude = memory::sealed_patterns(spec);
  CHECK(place.paths() == std::vector<std::string>{"a.py", "sub/labels.csv"});
}

TEST_CASE("sealed data have an identity, and copies while they are small") {
  Place place;
  place.file("labels.csv", "1\n");
  place.file("sets/1.csv", "2\n");
  auto spec = sealing(place, {"labels.csv", "sets"});
  const auto sealed = memory::seal(spec, place.blobs);
  REQUIRE(sealed);
  REQUIRE(sealed->data.size() == 2);
  CHECK(sealed->data.at(0).identity == "sha256:4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865");
  const auto copies = kernel::read_manifest(place.blobs.get(sealed->manifest));
  REQUIRE(copies);
  REQUIRE(copies->size() == 2);
  CHECK(copies->at(0).path == "validation/labels.csv");
  CHECK(copies->at(1).path == "validation/sets/1.csv");
  CHECK(place.blobs.get(copies->at(1).sha256) == "2\n");
  spec.workspace.max_bytes = 3;
  CHECK(memory::seal(spec, place.blobs)->manifest.empty());

  spec.evaluator.validation->data.at(0).identity = "sha256:other";
  CHECK(story::contains(memory::seal(spec, place.blobs).problem().why, "is not what the study was evaluated by"));
  spec = sealing(place, {"gone.csv"});
  CHECK(story::contains(memory::seal(spec, place.blobs).problem().why, "there is no"));
}

TEST_CASE("a study whose jobs would see sealed bytes all the same is refused") {
  Place place;
  place.file("labels.csv", "1\n");
  place.file("empty", "");
  const auto spec = sealing(place, {"labels.csv", "empty"});
  const auto sealed = memory::seal(spec, place.blobs);
  REQUIRE(sealed);
  place.blobs.put("2\n");
  const kernel::ManifestEntry other{kernel::EntryType::file, "x", kernel::sha256_hex("2\n"), 2, ""};
  CHECK_FALSE(memory::unsealed(spec, *sealed, {"/usr"}, {other}, place.blobs));
  kernel::ManifestEntry copy = other;
  copy.sha256 = sealed->files.begin()->first;
  CHECK(story::contains(memory::unsealed(spec, *sealed, {}, {copy}, place.blobs)->why, "has the same bytes as"));
  CHECK(story::contains(memory::unsealed(spec, *sealed, {place.root}, {}, place.blobs)->why, "which every job sees"));
  kernel::ManifestEntry same = other;
  same.path = "labels.csv";
  CHECK(story::contains(memory::unsealed(spec, *sealed, {}, {same}, place.blobs)->why, "of its own"));
}

TEST_CASE("data that were changed, or touched after an evaluation began, are noticed; those before it are not") {
  Place place;
  place.file("labels.csv", "1\n");
  const auto sealed = memory::seal(sealing(place, {"labels.csv"}), place.blobs);
  REQUIRE(sealed);
  const kernel::SealedData& data = sealed->data.at(0);
  // The time of a change may lag behind the clock by a tick: waits until what comes now is later than the last change.
  const auto wait = [&] {
    while (now_ms() <= changed_ms(data.path) + 20) std::this_thread::yield();
  };
  wait();
  memory::EvaluatorDataWatch watch;
  const std::int64_t first = now_ms();
  CHECK(watch.unchanged(data, first));
  wait();
  place.file("labels.csv", "2\n");
  CHECK_FALSE(watch.unchanged(data, first));
  place.file("labels.csv", "1\n");
  CHECK_FALSE(watch.unchanged(data, first));
  // Whatever it was when an evaluation began that began before.
  wait();
  CHECK(watch.unchanged(data, now_ms()));
  CHECK_FALSE(watch.unchanged(data, first));
  std::filesystem::remove(data.path);
  CHECK_FALSE(watch.unchanged(data, now_ms()));
}
