#pragma once
// The configuration file: services, models with their prices, and the model of each role. Holds no key: keys stay in
// the environment until a service is asked. Knows no study.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/redact.h"
#include "base/result.h"
#include "models/message.h"
#include "models/service.h"

namespace config {

struct Provider {
  models::Protocol api = models::Protocol::openai;
  std::string base_url;
  std::string key_env;  ///< The variable that holds the key; empty if none is needed.
  models::TimeLimits limits{};
};

struct ModelEntry {
  std::string provider;
  std::string model;                     ///< The provider's name for it.
  bool embeds = false;                   ///< Whether it is an embedding model, which cannot converse.
  std::optional<models::Price> price{};  ///< None if not stated; then no study with a money budget may use it.
  std::int64_t context = 0;              ///< Tokens of a request and its reply together; 0 if not stated.
  int max_output = 4096;                 ///< Tokens of a reply.
  bool sees = false;                     ///< Whether it accepts images.
  std::optional<double> temperature{};
  models::RateLimits limits{};
};

/// The roles that a model may play.
inline constexpr const char* roles[] = {"hypothesis", "experiment", "engineer", "analysis", "writeup", "reviewer"};

/// Role → model; "default" for all other roles.
using Profile = std::map<std::string, std::string>;

/// The most tool calls of a role.
struct ToolLimits {
  int in_reply = 16;
  int in_line = 200;  ///< In one line of work.
};

struct Config {
  std::string file;  ///< Its path; empty if there is none, and then only the built-in agents exist.
  std::map<std::string, Provider> providers;
  std::map<std::string, ModelEntry> models;
  std::map<std::string, Profile> profiles;
  std::map<std::string, ToolLimits> tool_limits;  ///< By profile.

  /// The model of the role in the profile; empty if the profile has none for it. A reviewer whom the profile does not
  /// name is another model than the engineer, if the profile has one.
  std::string model_of(const std::string& profile, const std::string& role) const;
};

/// Parses `text`; problems name `file`.
kernel::Result<Config> parse(const std::string& text, const std::string& file);
/// Reads `asked` (--config) if it is given; else $XDG_CONFIG_HOME/etude/config.yaml or ~/.config/etude/config.yaml,
/// which need not exist.
kernel::Result<Config> load(const std::string& asked, const std::map<std::string, std::string>& environment);

/// The keys of all providers whose variables are set.
std::vector<kernel::Secret> secrets(const Config&, const std::map<std::string, std::string>& environment);

/// A configured model with its key. A problem if the key's variable is not set.
kernel::Result<models::Model> ready(const Config&, const std::string& model,
                                    const std::map<std::string, std::string>& environment);

}  // namespace config
