#pragma once
// Reads what the configuration says of HTTP: addresses, further headers, members of the body, protocols and time
// limits. Records problems in the values that it is given.

#include <map>
#include <optional>
#include <string>

#include "models/http.h"

namespace studyfile {
class Value;
}

namespace config {

/// The value of a further header: as it is written, or that of a variable.
struct Header {
  std::string text, env;
};

bool is_variable(const std::string& name);
void read_url(const studyfile::Value&, std::string& into);
/// `{X-Title: etude, X-Secret: {env: NAME}}`. Refuses a secret in plain text.
void read_headers(const studyfile::Value&, std::map<std::string, Header>& into);
std::optional<models::Protocol> read_protocol(const studyfile::Value&);
void read_time_limits(const studyfile::Value&, models::TimeLimits&);
/// Members of the body as JSON text.
void read_extra(const studyfile::Value&, std::string& into);

}  // namespace config
