#include "config/config.h"

#include <algorithm>
#include <filesystem>

#include "studyfile/yaml/document.h"
#include "studyfile/yaml/scalars.h"
#include "studyfile/yaml/value.h"

namespace config {

using studyfile::Fields;
using studyfile::keep;
using studyfile::Value;

namespace {

template <typename T>
std::vector<std::string> names_of(const std::map<std::string, T>& entries) {
  std::vector<std::string> list;
  for (const auto& [name, entry] : entries) list.push_back(name);
  return list;
}

bool is_variable(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
  return !name.empty() && letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void read_limits_of_time(const Value& value, models::TimeLimits& limits) {
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
  while (url.ends_with('/')) url.pop_back();
  const bool web = url.starts_with("https://") || url.starts_with("http://");
  const std::size_t host = url.find("://") + 3;
  const std::size_t end = std::min(url.find('/', web ? host : 0), url.size());
  if (!web || end == host)
    return value.refuse("`" + studyfile::shown(url) + "` is no web address", "write https://… or http://…");
  if (url.find_first_of(" ?#\"<>\\") != url.npos)
    return value.refuse("the address holds a space, a query or a quote", "write https://HOST/PATH");
  if (url.substr(host, end - host).find('@') != std::string::npos)
    return value.refuse("the address holds a user or a password", "put the key into a variable and name it: `key_env`");
  into = url;
}

void read_provider(const Value& value, Config& config) {
  Provider provider;
  const auto fields =
      value.fields({{"api"},
                    {"base_url"},
                    {"key_env"},
                    {"timeouts"},
                    studyfile::elsewhere("key", "the environment, and its variable's name in `key_env`"),
                    studyfile::elsewhere("api_key", "the environment, and its variable's name in `key_env`")});
  if (!fields) return;
  if (const auto api = fields->need("api", "write `api: openai` or `api: anthropic`"))
    keep(api->choice<models::Protocol>(
             {{"openai", models::Protocol::openai}, {"anthropic", models::Protocol::anthropic}}),
         provider.api);
  if (const auto url = fields->need("base_url", "say where it is served: `base_url: http://127.0.0.1:8000/v1`"))
    read_url(*url, provider.base_url);
  if (const auto key = fields->find("key_env")) {
    keep(key->text(), provider.key_env);
    if (!provider.key_env.empty() && !is_variable(provider.key_env))
      key->refuse("this is no name of a variable", "keys stay in the environment: name the variable that holds it");
  }
  if (const auto times = fields->find("timeouts")) read_limits_of_time(*times, provider.limits);
  config.providers.emplace(value.name(), std::move(provider));
}

std::optional<models::Price> read_prices(const Value& value) {
  const auto fields = value.fields({{"input"}, {"output"}, {"cache_read"}, {"cache_written"}});
  if (!fields) return std::nullopt;
  constexpr double most = 1e6;
  models::Price price;
  if (const auto input = fields->need("input", "US dollars per million tokens"))
    keep(input->number(0, most), price.input);
  if (const auto output = fields->need("output", "US dollars per million tokens"))
    keep(output->number(0, most), price.output);
  if (const auto read = fields->find("cache_read")) price.cache_read = read->number(0, most);
  if (const auto written = fields->find("cache_written")) price.cache_written = written->number(0, most);
  return price;
}

void read_rates(const Value& value, models::RateLimits& limits) {
  const auto fields = value.fields({{"concurrent"}, {"requests_per_minute"}, {"tokens_per_minute"}});
  if (!fields) return;
  constexpr double most = 1e12;
  if (const auto at_once = fields->find("concurrent"))
    if (const auto number = at_once->integer(1, 10000)) limits.at_once = static_cast<int>(*number);
  if (const auto requests = fields->find("requests_per_minute"))
    limits.requests_per_minute = requests->number(0.01, most);
  if (const auto tokens = fields->find("tokens_per_minute")) limits.tokens_per_minute = tokens->number(1, most);
}

void read_model(const Value& value, Config& config) {
  ModelEntry entry;
  const auto fields = value.fields({{"provider"},
                                    {"model"},
                                    {"kind"},
                                    {"prices"},
                                    {"context"},
                                    {"max_output"},
                                    {"images"},
                                    {"temperature"},
                                    {"limits"}});
  if (!fields) return;
  if (const auto provider = fields->need("provider", "name one of `providers`")) {
    keep(provider->text(), entry.provider);
    if (!entry.provider.empty() && !config.providers.contains(entry.provider))
      provider->refuse("there is no such provider",
                       studyfile::suggestion(entry.provider, names_of(config.providers), "provider"));
  }
  if (const auto model = fields->need("model", "the provider's name of the model")) keep(model->text(), entry.model);
  if (const auto kind = fields->find("kind")) {
    keep(kind->choice<bool>({{"chat", false}, {"embeddings", true}}), entry.embeds);
    const auto provider = config.providers.find(entry.provider);
    if (entry.embeds && provider != config.providers.end() && provider->second.api == models::Protocol::anthropic)
      kind->refuse("its provider's protocol has no embeddings", "name a provider with `api: openai`");
  }
  if (const auto prices = fields->find("prices")) entry.price = read_prices(*prices);
  if (const auto context = fields->find("context")) keep(context->integer(1024, std::int64_t{1} << 40), entry.context);
  if (const auto most = fields->find("max_output"))
    if (const auto number = most->integer(1, 1 << 24)) entry.max_output = static_cast<int>(*number);
  if (entry.context > 0 && entry.max_output >= entry.context)
    value.refuse("a reply of `max_output` tokens leaves no room for a request in the `context`", "lower `max_output`");
  if (const auto images = fields->find("images")) keep(images->boolean(), entry.sees);
  if (const auto temperature = fields->find("temperature")) entry.temperature = temperature->number(0, 2);
  if (const auto limits = fields->find("limits")) read_rates(*limits, entry.limits);
  config.models.emplace(value.name(), std::move(entry));
}

void read_profile(const Value& value, Config& config) {
  if (value.name() == "builtin" || value.name().starts_with("replay"))
    return value.refuse_key("this name is taken", "give the profile another name");
  std::vector<studyfile::Key> keys{{"default"}};
  for (const char* role : roles) keys.push_back({role});
  std::vector<studyfile::Key> known = keys;
  known.push_back({"limits"});
  const auto fields = value.fields(known);
  if (!fields) return;
  ToolLimits& limits = config.tool_limits[value.name()];
  if (const auto given = fields->find("limits"))
    if (const auto most = given->fields({{"calls_per_reply"}, {"calls_per_line"}})) {
      if (const auto calls = most->find("calls_per_reply"))
        if (const auto number = calls->integer(1, 1000)) limits.in_reply = static_cast<int>(*number);
      if (const auto calls = most->find("calls_per_line"))
        if (const auto number = calls->integer(1, 100000)) limits.in_line = static_cast<int>(*number);
    }
  Profile profile;
  for (const studyfile::Key& key : keys)
    if (const auto model = fields->find(key.name)) {
      const auto name = model->text();
      if (!name) continue;
      if (!config.models.contains(*name))
        model->refuse("there is no such model", studyfile::suggestion(*name, names_of(config.models), "model"));
      else if (config.models.at(*name).embeds)
        model->refuse("this model only embeds texts", "name one of `kind: chat`");
      profile[std::string(key.name)] = *name;
    }
  if (!profile.contains("default") && profile.size() < std::size(roles))
    value.refuse("some roles have no model", "name one for `default`");
  config.profiles.emplace(value.name(), std::move(profile));
}

void read_section(const Fields& file, const char* key, void (*read)(const Value&, Config&), Config& config) {
  const auto section = file.find(key);
  const auto entries =
      section ? section->entries(std::string(key).substr(0, std::string(key).size() - 1)) : std::nullopt;
  if (!entries) return;
  for (const Value& entry : *entries) {
    if (!studyfile::is_name(entry.name())) entry.refuse_key("this is no name", "use letters, digits, `_` and `-`");
    read(entry, config);
  }
}

}  // namespace

std::string Config::model_of(const std::string& profile, const std::string& role) const {
  const auto found = profiles.find(profile);
  if (found == profiles.end()) return "";
  const auto own = found->second.find(role);
  if (own != found->second.end()) return own->second;
  const auto other = found->second.find("default");
  const std::string model = other == found->second.end() ? "" : other->second;
  if (role != "reviewer" || model != model_of(profile, "engineer")) return model;
  for (const auto& [another, its_model] : found->second)
    if (its_model != model) return its_model;
  return model;
}

kernel::Result<Config> parse(const std::string& text, const std::string& file) {
  const auto document = studyfile::read_yaml_text(text, file, "configuration");
  if (!document) return document.problem();
  studyfile::Problems problems(file);
  Config config;
  config.file = file;
  const Value whole(*document, {1, 1}, "", "", problems);
  if (const auto fields = whole.fields(
          {{"providers"}, {"models"}, {"profiles"}, studyfile::later("executors"), studyfile::later("telemetry")})) {
    read_section(*fields, "providers", read_provider, config);
    read_section(*fields, "models", read_model, config);
    read_section(*fields, "profiles", read_profile, config);
  }
  if (!problems.empty()) return problems.first();
  return config;
}

kernel::Result<Config> load(const std::string& asked, const std::map<std::string, std::string>& environment) {
  const auto variable = [&](const char* name) {
    const auto it = environment.find(name);
    return it == environment.end() ? std::string() : it->second;
  };
  std::string path = asked;
  if (path.empty()) {
    const std::string base = variable("XDG_CONFIG_HOME"), home = variable("HOME");
    if (base.empty() && home.empty()) return Config{};
    path = (base.empty() ? home + "/.config" : base) + "/etude/config.yaml";
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return Config{};
  }
  const auto text =
      studyfile::read_yaml_file(path, "configuration", "config.yaml", "name the configuration; docs/models.md has two");
  if (!text) return text.problem();
  return parse(*text, path);
}

std::vector<kernel::Secret> secrets(const Config& config, const std::map<std::string, std::string>& environment) {
  std::vector<kernel::Secret> list;
  for (const auto& [name, provider] : config.providers)
    if (const auto key = environment.find(provider.key_env); key != environment.end())
      list.push_back({name + " key", key->second});
  return list;
}

kernel::Result<models::Model> ready(const Config& config, const std::string& model,
                                    const std::map<std::string, std::string>& environment) {
  const auto found = config.models.find(model);
  if (found == config.models.end()) {
    const std::vector<std::string> known = names_of(config.models);
    return kernel::Problem{config.file, 0, model, "there is no such model",
                           known.empty() ? "the configuration has none" : studyfile::suggestion(model, known, "model")};
  }
  const Provider& provider = config.providers.at(found->second.provider);
  models::Model ready;
  ready.name = model;
  ready.endpoint.api = provider.api;
  ready.endpoint.base_url = provider.base_url;
  ready.endpoint.limits = provider.limits;
  ready.limits = found->second.limits;
  ready.redact = kernel::Redactor(secrets(config, environment));
  if (!provider.key_env.empty()) {
    const auto key = environment.find(provider.key_env);
    if (key == environment.end() || key->second.empty())
      return kernel::Problem{config.file, 0, model, "its key is in $" + provider.key_env + ", which is not set",
                             "export " + provider.key_env + "=…"};
    if (key->second.find_first_of("\r\n") != std::string::npos)
      return kernel::Problem{config.file, 0, model, "$" + provider.key_env + " holds a line break",
                             "a key is one word"};
    ready.endpoint.key = key->second;
  }
  return ready;
}

}  // namespace config
