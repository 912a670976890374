#include "histories/read/readers.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "studyfile/yaml/scalars.h"

namespace histories {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_record_bytes = 64 << 20;

}  // namespace

kernel::Result<std::string> read_file(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return kernel::Problem{path.string(), 0, "", "cannot be read: " + error.message(), ""};
  if (size > most_record_bytes)
    return kernel::Problem{path.string(), 0, "", "is larger than 64 MB, and no history is", "name the right file"};
  std::ifstream file(path, std::ios::binary);
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) return kernel::Problem{path.string(), 0, "", "cannot be read", "check its permissions"};
  return text;
}

kernel::Result<std::string> choose_metric(const std::string& of, const Asked& asked,
                                          const std::vector<std::string>& known) {
  if (known.empty()) return kernel::Problem{of, 0, "", "no run of it has a metric", ""};
  if (asked.metric.empty()) {
    if (known.size() == 1) return known.front();
    return kernel::Problem{of, 0, "--metric", fmt::format("it has {} metrics", known.size()),
                           "say which one was improved: " + studyfile::listed(known)};
  }
  if (std::ranges::find(known, asked.metric) != known.end()) return asked.metric;
  return kernel::Problem{of, 0, "--metric", "no run has `" + studyfile::shown(asked.metric) + "`",
                         studyfile::suggestion(asked.metric, known, "there are")};
}

kernel::Result<std::string> choose_study(const std::string& of, const Asked& asked,
                                         const std::vector<std::string>& known) {
  if (known.empty()) return kernel::Problem{of, 0, "", "it holds no study", ""};
  if (asked.study.empty()) {
    if (known.size() == 1) return known.front();
    return kernel::Problem{of, 0, "--study", fmt::format("it holds {} studies", known.size()),
                           "name one: " + studyfile::listed(known)};
  }
  if (std::ranges::find(known, asked.study) != known.end()) return asked.study;
  return kernel::Problem{of, 0, "--study", "there is no `" + studyfile::shown(asked.study) + "`",
                         studyfile::suggestion(asked.study, known, "there are")};
}

std::string spelled(double value) {
  return fmt::format("{}", value);
}

}  // namespace histories
