#pragma once
// A workspace to be filled, frozen and brought back, for tests of snapshots.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "base/manifest.h"
#include "memory/workspace/snapshot.h"
#include "tests/memory/story.h"

namespace story {

/// A workspace and a home beside it.
struct Place {
  TempFolder folder;
  std::string root = folder / "w";
  std::string home = folder / "home";
  memory::Blobs blobs{home + "/blobs"};
  kernel::WorkspaceSpec spec;

  Place() {
    std::filesystem::create_directories(root);
    spec.path = root;
  }
  void file(const std::string& path, const std::string& text = "x") {
    std::filesystem::create_directories(std::filesystem::path(root + "/" + path).parent_path());
    std::ofstream(root + "/" + path, std::ios::binary) << text;
  }
  void link(const std::string& path, const std::string& target) {
    std::filesystem::create_directories(std::filesystem::path(root + "/" + path).parent_path());
    std::filesystem::create_symlink(target, root + "/" + path);
  }
  memory::Snapshot freeze() {
    auto snapshot = memory::freeze(spec, home, blobs);
    if (!snapshot) FAIL(snapshot.problem().text());
    return *snapshot;
  }
  kernel::Problem problem() {
    const auto snapshot = memory::freeze(spec, home, blobs);
    REQUIRE_FALSE(snapshot);
    return snapshot.problem();
  }
  std::vector<std::string> paths() {
    std::vector<std::string> all;
    const auto entries = kernel::read_manifest(blobs.get(freeze().record.hash.text()));
    REQUIRE(entries);
    for (const kernel::ManifestEntry& e : *entries) all.push_back(e.path);
    return all;
  }
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

}  // namespace story
