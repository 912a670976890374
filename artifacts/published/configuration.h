#pragma once
// `.ara-check.toml`: which published rules are reported and how, and which of them `--fix` may correct. The longest
// selector that fits a rule decides: a code ("ARA107") or the beginning of one ("ARA1", "ARA").

#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "artifacts/published/rules.h"
#include "base/result.h"

namespace artifacts::published {

inline constexpr std::string_view configuration_file = ".ara-check.toml";

inline constexpr std::size_t rule_count = 0
#define PUBLISHED_RULE(...) +1
#include "artifacts/published/rules.def"
    ;

struct RuleSetting {
  bool reported = true;
  bool fixable = false;  ///< Never for a rule that has no correction.
  Severity severity = Severity::error;
};

class Configuration {
 public:
  /// What holds without a file.
  Configuration();
  /// Unknown keys, selectors that fit no rule and values of the wrong kind are problems. `path` is for the messages.
  static kernel::Result<Configuration> parse(std::string_view text, const std::string& path);

  const RuleSetting& of(Code code) const { return settings_[static_cast<std::size_t>(code)]; }
  const std::string& path() const { return path_; }  ///< Empty if there is no file.

 private:
  std::array<RuleSetting, rule_count> settings_;
  std::string path_;
};

/// How the file is looked for.
struct ConfigurationChoice {
  std::string path;      ///< Exactly this file.
  bool ignored = false;  ///< No file at all.
};

/// Without a choice: the file in `directory` or in the nearest folder above it up to the root of its Git repository;
/// outside a repository, only in `directory`. A file that is there and cannot be read or understood is a problem.
kernel::Result<Configuration> find_configuration(const std::string& directory, const ConfigurationChoice& choice = {});

}  // namespace artifacts::published
