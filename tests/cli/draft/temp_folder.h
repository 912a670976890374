#pragma once
// A folder of one test's own, gone with it.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace test {

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "etude-test-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
    path_ = std::filesystem::canonical(pattern);
  }
  ~TempFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string path(const std::string& below = "") const {
    return below.empty() ? path_.string() : (path_ / below).string();
  }
  void write(const std::string& below, const std::string& text) const {
    std::filesystem::create_directories((path_ / below).parent_path());
    std::ofstream(path_ / below, std::ios::binary) << text;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace test
