#pragma once
// A copy of an artifact in a folder of its own, to be broken and checked; removed at the end.

#include <filesystem>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "artifacts/check/check.h"

/// The folder of tests/artifacts.
std::filesystem::path test_files();

inline constexpr const char* tree = "trace/exploration_tree.yaml";

class Scratch {
 public:
  /// A copy of tests/artifacts/clean, which breaks no rule.
  Scratch();
  explicit Scratch(const std::filesystem::path& original);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view file) const { return path_ / file; }
  std::string text(std::string_view file) const;
  void write(std::string_view file, std::string_view text) const;
  void append(std::string_view file, std::string_view text) const;
  /// Fails the test when `from` is not there.
  void replace(std::string_view file, std::string_view from, std::string_view to) const;
  void remove(std::string_view file) const;
  void link(const std::filesystem::path& target, std::string_view file) const;
  /// etude.json with the hashes of what lies in evidence/ and src/ now.
  void record() const;

  artifacts::CheckReport check(bool strict = false) const;

 private:
  std::filesystem::path path_;
};

const artifacts::Finding* find(const artifacts::CheckReport& report, std::string_view rule);
std::size_t count(const artifacts::CheckReport& report, std::string_view rule);
std::string read_all(const std::filesystem::path& file);
std::string repeated(std::string_view text, int times);
/// Nothing in it controls a terminal.
bool is_plain(std::string_view text);
