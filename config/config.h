#pragma once
// The configuration file: which services there are, which models they serve at what price, and which model plays which
// role. Holds no key: those stay in the environment until a service is asked. Knows nothing of studies.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/redact.h"
#include "base/result.h"
#include "models/price.h"
#include "models/service.h"

namespace config {

struct Provider {
  models::Api api = models::Api::openai;
  std::string base_url;
  std::string key_env;  ///< The variable that holds the key; empty: none is needed.
  models::TimeLimits limits{};
};

struct ModelEntry {
  std::string provider;
  std::string model;                     ///< The provider's name of it.
  bool embeds = false;                   ///< It turns texts into vectors, and answers nothing.
  std::optional<models::Price> price{};  ///< None: not stated, so no study with a money budget may use it.
  std::int64_t context = 0;              ///< Tokens of a request and its reply together; 0: not stated.
  int max_output = 4096;                 ///< Tokens of a reply.
  bool sees = false;                     ///< Takes images.
  std::optional<double> temperature{};
  models::RateLimits limits{};
};

/// The roles that a model may play.
inline constexpr const char* roles[] = {"hypothesis", "experiment", "engineer", "analysis", "writeup", "reviewer"};

/// Which model plays which role; "default" the others.
using Profile = std::map<std::string, std::string>;

struct Config {
  std::string file;  ///< Where it was read; empty: there is none, and only the built-in agents.
  std::map<std::string, Provider> providers;
  std::map<std::string, ModelEntry> models;
  std::map<std::string, Profile> profiles;

  /// The model's name that plays the role in the profile; empty: the profile has none for it.
  std::string model_of(const std::string& profile, const std::string& role) const;
};

/// A text that is `file`'s content.
kernel::Result<Config> parse(const std::string& text, const std::string& file);
/// `asked`: the path that was named (--config); else $XDG_CONFIG_HOME/etude/config.yaml or ~/.config/etude/config.yaml,
/// which need not exist.
kernel::Result<Config> load(const std::string& asked, const std::map<std::string, std::string>& environment);

/// The keys of all providers whose variables are set.
std::vector<kernel::Secret> secrets(const Config&, const std::map<std::string, std::string>& environment);

/// A configured model with its key, ready to be asked. Refused where its variable is not set.
kernel::Result<models::Model> ready(const Config&, const std::string& model,
                                    const std::map<std::string, std::string>& environment);

}  // namespace config
