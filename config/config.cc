#include "config/config.h"

#include <algorithm>
#include <filesystem>

#include "config/prices.h"
#include "config/wire_settings.h"
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

void read_provider(const Value& value, Config& config) {
  Provider provider;
  const auto fields =
      value.fields({{"api"},
                    {"base_url"},
                    {"key_env"},
                    {"key_style"},
                    {"headers"},
                    {"timeouts"},
                    studyfile::elsewhere("key", "the environment, and its variable's name in `key_env`"),
                    studyfile::elsewhere("api_key", "the environment, and its variable's name in `key_env`")});
  if (!fields) return;
  if (const auto api = fields->need("api", "write `api: openai` (chat completions), `responses` or `anthropic`"))
    keep(read_protocol(*api), provider.api);
  if (const auto style = fields->find("key_style"))
    keep(style->choice<models::KeyStyle>({{"bearer", models::KeyStyle::bearer},
                                          {"x-api-key", models::KeyStyle::x_api_key},
                                          {"api-key", models::KeyStyle::api_key}}),
         provider.key_style);
  if (const auto headers = fields->find("headers")) read_headers(*headers, provider.headers);
  if (const auto url = fields->need("base_url", "say where it is served: `base_url: http://127.0.0.1:8000/v1`"))
    read_url(*url, provider.base_url);
  if (const auto key = fields->find("key_env")) {
    keep(key->text(), provider.key_env);
    if (!provider.key_env.empty() && !is_variable(provider.key_env))
      key->refuse("this is no name of a variable", "keys stay in the environment: name the variable that holds it");
  }
  if (const auto times = fields->find("timeouts")) read_time_limits(*times, provider.limits);
  config.providers.emplace(value.name(), std::move(provider));
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
                                    {"limits"},
                                    {"api"},
                                    {"effort"},
                                    {"extra"},
                                    {"stream"},
                                    {"headers"},
                                    {"timeouts"},
                                    {"fallback"},
                                    {"patience"}});
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
    if (entry.embeds && provider != config.providers.end() && provider->second.api != models::Protocol::openai)
      kind->refuse("its provider's protocol has no embeddings", "name a provider with `api: openai`");
  }
  if (const auto prices = fields->find("prices")) entry.price = read_prices(*prices);
  if (const auto context = fields->find("context")) keep(context->integer(1024, std::int64_t{1} << 40), entry.context);
  if (const auto most = fields->find("max_output"))
    if (const auto number = most->integer(1, 1 << 24)) entry.max_output = static_cast<int>(*number);
  if (entry.context > 0 && entry.max_output && *entry.max_output >= entry.context)
    value.refuse("a reply of `max_output` tokens leaves no room for a request in the `context`", "lower `max_output`");
  if (const auto images = fields->find("images")) keep(images->boolean(), entry.sees);
  if (const auto temperature = fields->find("temperature")) entry.temperature = temperature->number(0, 2);
  if (const auto limits = fields->find("limits")) read_rates(*limits, entry.limits);
  if (const auto api = fields->find("api")) entry.api = read_protocol(*api);
  if (const auto effort = fields->find("effort"))
    keep(effort->choice<models::Effort>({{"none", models::Effort::none},
                                         {"minimal", models::Effort::minimal},
                                         {"low", models::Effort::low},
                                         {"medium", models::Effort::medium},
                                         {"high", models::Effort::high},
                                         {"max", models::Effort::max}}),
         entry.effort);
  if (const auto extra = fields->find("extra")) read_extra(*extra, entry.extra);
  if (const auto stream = fields->find("stream")) keep(stream->boolean(), entry.stream);
  if (const auto headers = fields->find("headers")) read_headers(*headers, entry.headers);
  if (const auto times = fields->find("timeouts")) {
    const auto provider = config.providers.find(entry.provider);
    entry.times = provider == config.providers.end() ? models::TimeLimits{} : provider->second.limits;
    read_time_limits(*times, *entry.times);
  }
  if (const auto fallback = fields->find("fallback")) keep(fallback->text(), entry.fallback);
  if (const auto patience = fields->find("patience")) {
    entry.patience_s = patience->duration();
    if (entry.embeds) patience->refuse("a model that embeds is not asked in batches", "leave it out");
  }
  config.models.emplace(value.name(), std::move(entry));
}

void read_model_name(const Value& value, const Config& config, std::string& into) {
  const auto name = value.text();
  if (!name) return;
  if (!config.models.contains(*name))
    value.refuse("there is no such model", studyfile::suggestion(*name, names_of(config.models), "model"));
  else if (config.models.at(*name).embeds)
    value.refuse("this model only embeds texts", "name one of `kind: chat`");
  into = *name;
}

/// `MODEL`, or `{model: MODEL, fallback: MODEL, patience: 24h}`.
Casting read_casting(const Value& value, const Config& config) {
  Casting casting;
  if (!value.is_mapping()) {
    read_model_name(value, config, casting.model);
    return casting;
  }
  const auto fields = value.fields({{"model"}, {"fallback"}, {"patience"}});
  if (!fields) return casting;
  if (const auto model = fields->need("model", "name one of `models`")) read_model_name(*model, config, casting.model);
  if (const auto fallback = fields->find("fallback")) read_model_name(*fallback, config, casting.fallback);
  if (const auto patience = fields->find("patience")) casting.patience_s = patience->duration();
  return casting;
}

/// Of the models, once all are known.
void check_fallbacks(const Fields& file, const Config& config) {
  const auto section = file.find("models");
  const auto entries = section ? section->entries("model") : std::nullopt;
  if (!entries) return;
  for (const Value& entry : *entries) {
    const auto fallback = entry.is_mapping() ? entry.entry("fallback") : std::nullopt;
    std::string name;
    if (fallback) read_model_name(*fallback, config, name);
    if (fallback && name == entry.name()) fallback->refuse("a model cannot take over from itself", "name another one");
  }
}

/// Refuses a reviewer, or one that takes over from it, that its provider serves to an author, too.
void check_reviewer(const Value& value, const std::string& profile, const Config& config) {
  const auto providers_of = [&](const char* role) {
    std::map<std::string, std::string> found;  // Provider → model.
    const Casting casting = config.casting_of(profile, role);
    for (const std::string& model : {casting.model, casting.fallback})
      if (const auto entry = config.models.find(model); entry != config.models.end())
        found.emplace(entry->second.provider, model);
    return found;
  };
  const auto reviewers = providers_of("reviewer");
  for (const char* author : {"engineer", "hypothesis"})
    for (const auto& [provider, model] : providers_of(author))
      if (const auto same = reviewers.find(provider); same != reviewers.end())
        return value.refuse("the reviewer (" + same->second + ") and the " + author + " (" + model +
                                ") are models of the same provider, " + provider,
                            "name a `reviewer` of another provider");
}

void read_profile(const Value& value, Config& config) {
  if (value.name() == "builtin" || value.name().starts_with("replay"))
    return value.refuse_key("this name is taken", "give the profile another name");
  std::vector<studyfile::Key> keys{{"default"}};
  for (const char* role : roles) keys.push_back({role});
  std::vector<studyfile::Key> known = keys;
  known.push_back({"limits"});
  known.push_back({"independent_reviewer"});
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
    if (const auto given = fields->find(key.name)) profile[std::string(key.name)] = read_casting(*given, config);
  if (!profile.contains("default") && profile.size() < std::size(roles))
    value.refuse("some roles have no model", "name one for `default`");
  config.profiles.emplace(value.name(), std::move(profile));
  if (const auto demanded = fields->find("independent_reviewer"); demanded && demanded->boolean().value_or(false))
    check_reviewer(*demanded, value.name(), config);
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

/// `h100: 2.49`
void read_gpu_price(const Value& value, Config& config) {
  constexpr double most = 1e6;
  if (const auto usd = value.number(0, most)) config.gpu_prices[value.name()] = *usd;
}

}  // namespace

std::string Config::model_of(const std::string& profile, const std::string& role) const {
  const auto found = profiles.find(profile);
  if (found == profiles.end()) return "";
  const auto own = found->second.find(role);
  if (own != found->second.end()) return own->second.model;
  const auto other = found->second.find("default");
  const std::string model = other == found->second.end() ? "" : other->second.model;
  if (role != "reviewer" || model != model_of(profile, "engineer")) return model;
  for (const auto& [another, casting] : found->second)
    if (casting.model != model) return casting.model;
  return model;
}

Casting Config::casting_of(const std::string& profile, const std::string& role) const {
  Casting casting{model_of(profile, role)};
  if (const auto found = profiles.find(profile); found != profiles.end())
    for (const auto& key : {role, std::string("default")})
      if (const auto own = found->second.find(key); own != found->second.end() && own->second.model == casting.model) {
        casting = own->second;
        break;
      }
  if (const auto entry = models.find(casting.model); entry != models.end() && casting.fallback.empty())
    casting.fallback = entry->second.fallback;
  return casting;
}

int most_output(const ModelEntry& entry, bool thinks) {
  constexpr int usual = 4096, with_thinking = 32000;
  if (entry.max_output) return *entry.max_output;
  const bool thinking = thinks || (entry.effort != models::Effort::unset && entry.effort != models::Effort::none);
  const std::int64_t most = thinking ? with_thinking : usual;
  // A small context must hold a request, too.
  return static_cast<int>(entry.context > 0 ? std::min(most, std::max<std::int64_t>(256, entry.context / 4)) : most);
}

models::Request request_to(const ModelEntry& entry, bool thinks) {
  models::Request request;
  request.model = entry.model;
  request.max_output = most_output(entry, thinks);
  request.temperature = entry.temperature;
  request.effort = entry.effort;
  request.extra = entry.extra;
  request.stream = entry.stream;
  return request;
}

kernel::Result<Config> parse(const std::string& text, const std::string& file) {
  const auto document = studyfile::read_yaml_text(text, file, "configuration");
  if (!document) return document.problem();
  studyfile::Problems problems(file);
  Config config;
  config.file = file;
  const Value whole(*document, {1, 1}, "", "", problems);
  if (const auto fields = whole.fields({{"providers"},
                                        {"models"},
                                        {"profiles"},
                                        {"gpu_prices"},
                                        {"notify"},
                                        {"executors"},
                                        studyfile::later("telemetry")})) {
    read_section(*fields, "providers", read_provider, config);
    read_section(*fields, "models", read_model, config);
    check_fallbacks(*fields, config);
    read_section(*fields, "profiles", read_profile, config);
    read_section(*fields, "gpu_prices", read_gpu_price, config);
    if (const auto notify = fields->find("notify")) read_notify(*notify, config.notify);
    if (const auto executors = fields->find("executors")) read_executors(*executors, config.executor);
  }
  config.executor.file = file;
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
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) return Config{};
  }
  const auto text =
      studyfile::read_yaml_file(path, "configuration", "config.yaml", "name the configuration; docs/models.md has two");
  if (!text) return text.problem();
  return parse(*text, path);
}

std::vector<kernel::Secret> secrets(const Config& config, const std::map<std::string, std::string>& environment) {
  std::vector<kernel::Secret> list;
  const auto add = [&](const std::string& label, const std::string& variable) {
    if (const auto value = environment.find(variable); value != environment.end())
      list.push_back({label, value->second});
  };
  for (const auto& [name, provider] : config.providers) {
    add(name + " key", provider.key_env);
    for (const auto& [header, value] : provider.headers) add(name + " " + header, value.env);
  }
  for (const auto& [name, entry] : config.models)
    for (const auto& [header, value] : entry.headers) add(name + " " + header, value.env);
  for (const Notify& notify : config.notify) {
    add("webhook", notify.url_env);
    for (const auto& [header, value] : notify.headers) add("webhook " + header, value.env);
  }
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
  const ModelEntry& entry = found->second;
  ready.endpoint.api = entry.api.value_or(provider.api);
  ready.endpoint.base_url = provider.base_url;
  ready.endpoint.limits = entry.times.value_or(provider.limits);
  ready.endpoint.key_style = provider.key_style;
  std::map<std::string, Header> headers = entry.headers;
  headers.insert(provider.headers.begin(), provider.headers.end());
  for (const auto& [name, header] : headers) {
    std::string text = header.text;
    if (!header.env.empty()) {
      const auto variable = environment.find(header.env);
      if (variable == environment.end() || variable->second.empty())
        return kernel::Problem{config.file, 0, model,
                               "its header " + name + " is in $" + header.env + ", which is not set",
                               "export " + header.env + "=…"};
      text = variable->second;
    }
    if (text.find_first_of("\r\n") != std::string::npos)
      return kernel::Problem{config.file, 0, model, "$" + header.env + " holds a line break", "a header is one line"};
    ready.endpoint.headers.emplace_back(name, std::move(text));
  }
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
