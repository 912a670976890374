#include "tests/artifacts/samples/scratch.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "tests/places.h"

namespace fs = std::filesystem;

fs::path test_files() {
  return fs::path(tests::source_dir()) / "tests/artifacts";
}

std::string read_all(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Scratch::Scratch() : Scratch(test_files() / "clean") {}

Scratch::Scratch(const fs::path& original) {
  std::string name = (fs::temp_directory_path() / "ara-test-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()));
  path_ = name;
  fs::permissions(path_, fs::perms::all);
  if (!original.empty()) fs::copy(original, path_, fs::copy_options::recursive);
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Scratch::text(std::string_view file) const {
  return read_all(path_ / file);
}

void Scratch::write(std::string_view file, std::string_view text) const {
  fs::create_directories((path_ / file).parent_path());
  std::ofstream(path_ / file, std::ios::binary) << text;
}

void Scratch::append(std::string_view file, std::string_view more) const {
  write(file, text(file) + std::string(more));
}

void Scratch::replace(std::string_view file, std::string_view from, std::string_view to) const {
  std::string whole = text(file);
  const auto at = whole.find(from);
  REQUIRE(at != std::string::npos);
  write(file, whole.replace(at, from.size(), to));
}

void Scratch::remove(std::string_view file) const {
  REQUIRE(fs::remove_all(path_ / file) > 0);
}

void Scratch::link(const fs::path& target, std::string_view file) const {
  fs::create_symlink(target, path_ / file);
}

void Scratch::record() const {
  nlohmann::json files = nlohmann::json::object();
  for (const char* folder : {"evidence", "src"})
    for (const auto& entry : fs::recursive_directory_iterator(path_ / folder))
      if (entry.is_regular_file())
        files[entry.path().lexically_relative(path_).string()] = kernel::sha256_hex(read_all(entry.path()));
  write("etude.json", nlohmann::json{{"files", files}}.dump(1));
}

artifacts::CheckReport Scratch::check(bool strict) const {
  auto report = artifacts::check(path_.string(), {.strict = strict});
  REQUIRE(report);
  return *report;
}

const artifacts::Finding* find(const artifacts::CheckReport& report, std::string_view rule) {
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [&](const artifacts::Finding& f) { return f.rule == rule; });
  return found == report.findings.end() ? nullptr : &*found;
}

std::size_t count(const artifacts::CheckReport& report, std::string_view rule) {
  return static_cast<std::size_t>(std::count_if(report.findings.begin(), report.findings.end(),
                                                [&](const artifacts::Finding& f) { return f.rule == rule; }));
}

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

bool is_plain(std::string_view text) {
  for (const char c : text)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f) return false;
  return true;
}
