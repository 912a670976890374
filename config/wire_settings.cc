#include "config/wire_settings.h"

#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

#include "base/redact.h"
#include "studyfile/yaml/document.h"
#include "studyfile/yaml/scalars.h"
#include "studyfile/yaml/value.h"

namespace config {

using nlohmann::json;
using studyfile::keep;
using studyfile::Value;
using studyfile::YamlNode;

namespace {

/// Whether a header's name says that its value is a secret.
bool names_a_secret(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name == "authorization" || name == "api-key" || name == "x-api-key" || name == "cookie" ||
         name.find("token") != name.npos || name.find("secret") != name.npos || name.ends_with("-key");
}

bool is_secret(const std::string& text) {
  return kernel::Redactor()(text) != text;
}

/// Whether a parameter of the query is named like a key, or has the shape of one.
bool query_has_key(const std::string& query) {
  for (std::size_t at = 0; at < query.size();) {
    const std::size_t end = std::min(query.find('&', at + 1), query.size());
    const std::string pair = query.substr(at + 1, end - at - 1);
    const std::string name = pair.substr(0, pair.find('='));
    if (names_a_secret(name) || name == "key" || name == "api_key" || name == "apikey" || is_secret(pair)) return true;
    at = end;
  }
  return false;
}

bool is_header_name(const std::string& name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; });
}

json json_of(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return nullptr;
    case YamlNode::Kind::list: {
      json list = json::array();
      for (const YamlNode& item : node.items) list.push_back(json_of(item));
      return list;
    }
    case YamlNode::Kind::mapping: {
      json map = json::object();
      for (const studyfile::YamlEntry& entry : node.entries) map[entry.key] = json_of(entry.value);
      return map;
    }
    case YamlNode::Kind::scalar:
      break;
  }
  if (node.quoted) return node.text;
  if (const auto truth = studyfile::as_boolean(node.text)) return *truth;
  if (studyfile::is_integer(node.text)) {
    const json number = json::parse(node.text, nullptr, false);
    if (number.is_number()) return number;
  }
  if (const auto number = studyfile::as_number(node.text)) return *number;
  return node.text;
}

}  // namespace

bool is_variable(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
  return !name.empty() && letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void read_time_limits(const Value& value, models::TimeLimits& limits) {
  const auto fields = value.fields({{"connect"}, {"first_byte"}, {"idle"}, {"total"}});
  if (!fields) return;
  const auto read = [&](const char* key, double& into) {
    if (const auto one = fields->find(key)) keep(one->duration(), into);
  };
  read("connect", limits.connect);
  read("first_byte", limits.first_byte);
  read("idle", limits.idle);
  read("total", limits.total);
}

void read_url(const Value& value, std::string& into) {
  const auto text = value.text();
  if (!text) return;
  std::string url = *text;
  while (url.ends_with('/') && url.find('?') == url.npos) url.pop_back();
  const bool web = url.starts_with("https://") || url.starts_with("http://");
  const std::size_t host = url.find("://") + 3;
  const std::size_t end = std::min(url.find('/', web ? host : 0), url.size());
  if (!web || end == host)
    return value.refuse("`" + studyfile::shown(url) + "` is no web address", "write https://… or http://…");
  if (url.find_first_of(" #\"<>\\") != url.npos)
    return value.refuse("the address holds a space, a fragment or a quote", "write https://HOST/PATH");
  // A query can be seen in logs of proxies.
  if (query_has_key(url.substr(std::min(url.find('?'), url.size()))))
    return value.refuse("the query of the address holds a key", "put the key into a variable and name it: `key_env`");
  if (url.substr(host, end - host).find('@') != std::string::npos)
    return value.refuse("the address holds a user or a password", "put the key into a variable and name it: `key_env`");
  into = url;
}

void read_headers(const Value& value, std::map<std::string, Header>& into) {
  const auto entries = value.entries("header");
  if (!entries) return;
  for (const Value& entry : *entries) {
    if (!is_header_name(entry.name())) {
      entry.refuse_key("this is no name of a header", "use letters, digits and `-`");
      continue;
    }
    Header header;
    if (entry.is_mapping()) {
      const auto fields = entry.fields({{"env"}});
      if (!fields) continue;
      if (const auto variable = fields->need("env", "name the variable that holds the value")) {
        keep(variable->text(), header.env);
        if (!header.env.empty() && !is_variable(header.env))
          variable->refuse("this is no name of a variable", "name the variable that holds the value");
      }
    } else if (const auto text = entry.text()) {
      header.text = *text;
      if (names_a_secret(entry.name()) || is_secret(header.text)) {
        entry.refuse("the value of this header is a secret in plain text",
                     "put it into a variable and name that: `" + entry.name() + ": {env: NAME}`");
        continue;
      }
      if (header.text.find_first_of("\r\n") != std::string::npos) {
        entry.refuse("the value holds a line break", "write it on one line");
        continue;
      }
    }
    into[entry.name()] = std::move(header);
  }
}

std::optional<models::Protocol> read_protocol(const Value& value) {
  return value.choice<models::Protocol>({{"openai", models::Protocol::openai},
                                         {"responses", models::Protocol::responses},
                                         {"anthropic", models::Protocol::anthropic}});
}

void read_extra(const Value& value, std::string& into) {
  if (!value.is_mapping())
    return value.refuse_kind("a mapping", "write members of the request's body: `extra: {top_k: 20}`");
  const json members = json_of(value.node());
  for (const char* own : {"model", "messages", "input", "tools", "stream"})
    if (members.contains(own))
      return value.refuse("`" + std::string(own) + "` is etude's own", "leave it out of `extra`");
  into = members.dump();
}

}  // namespace config
