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
#include "config/executor_settings.h"
#include "config/notify_settings.h"
#include "config/wire_settings.h"
#include "models/message.h"
#include "models/service/service.h"

namespace config {

struct Provider {
  models::Protocol api = models::Protocol::openai;
  std::string base_url;
  std::string key_env;  ///< The variable that holds the key; empty if none is needed.
  models::TimeLimits limits{};
  models::KeyStyle key_style = models::KeyStyle::usual;
  std::map<std::string, Header> headers{};
};

struct ModelEntry {
  std::string provider;
  std::string model;                     ///< The provider's name for it.
  bool embeds = false;                   ///< Whether it is an embedding model, which cannot converse.
  std::optional<models::Price> price{};  ///< None if not stated; then no study with a money budget may use it.
  std::int64_t context = 0;              ///< Tokens of a request and its reply together; 0 if not stated.
  std::optional<int> max_output{};       ///< Tokens of a reply; none for the default (`most_output`).
  bool sees = false;                     ///< Whether it accepts images.
  std::optional<double> temperature{};
  models::RateLimits limits{};
  std::optional<models::Protocol> api{};  ///< Another protocol than its provider's.
  models::Effort effort = models::Effort::unset;
  std::string extra{};  ///< A JSON object that is merged into the body; may be empty.
  bool stream = true;
  std::map<std::string, Header> headers{};
  std::optional<models::TimeLimits> times{};  ///< Other time limits than its provider's.
  std::string fallback{};                     ///< The model that takes a line over if this one refuses or is retired.
  std::optional<double> patience_s{};         ///< How long a reply may take by the provider's batch API; none: at once.
};

/// The tokens of a reply by default: enough to think where a model does. `thinks`: it was seen to.
int most_output(const ModelEntry&, bool thinks);

/// A request with the model's settings, and no conversation.
models::Request request_to(const ModelEntry&, bool thinks);

/// The roles that a model may play.
inline constexpr const char* roles[] = {"hypothesis", "experiment", "engineer", "analysis", "writeup", "reviewer"};

/// The model of a role, and the one that takes over where it refuses.
struct Casting {
  std::string model;
  std::string fallback{};
  std::optional<double> patience_s{};  ///< Of this role; none for that of the model that plays it.
};

/// Role → model; "default" for all other roles.
using Profile = std::map<std::string, Casting>;

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
  std::map<std::string, double> gpu_prices;       ///< By GPU type: US dollars for an hour of one.
  std::vector<Notify> notify;                     ///< Who is told of studies.
  ExecutorSettings executor;

  /// The model of the role in the profile; empty if the profile has none for it. A reviewer whom the profile does not
  /// name is another model than the engineer, if the profile has one.
  std::string model_of(const std::string& profile, const std::string& role) const;
  /// The same with the fallback that the role or its model has, and the patience of the role.
  Casting casting_of(const std::string& profile, const std::string& role) const;
};

/// Parses `text`; problems name `file`.
kernel::Result<Config> parse(const std::string& text, const std::string& file);
/// Reads `asked` (--config) if it is given; else $XDG_CONFIG_HOME/etude/config.yaml or ~/.config/etude/config.yaml,
/// which need not exist.
kernel::Result<Config> load(const std::string& asked, const std::map<std::string, std::string>& environment);

/// The keys of all providers, and the secrets of all receivers of messages, whose variables are set.
std::vector<kernel::Secret> secrets(const Config&, const std::map<std::string, std::string>& environment);

/// A configured model with its key. A problem if the key's variable is not set.
kernel::Result<models::Model> ready(const Config&, const std::string& model,
                                    const std::map<std::string, std::string>& environment);

}  // namespace config
