#include "config/config.h"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <unistd.h>

#include "config/prices.h"
#include "models/protocols/exchange.h"

namespace {

const std::string hosted = R"(
providers:
  claude: {api: anthropic, base_url: "https://api.anthropic.com/", key_env: ANTHROPIC_API_KEY}
  here:   {api: openai, base_url: http://127.0.0.1:8000/v1, timeouts: {first_byte: 10m, idle: 500ms}}
models:
  large: {provider: claude, model: claude-large, prices: {input: 3, output: 15, cache_read: 0.3}, context: 200000,
          max_output: 8000, images: true, limits: {concurrent: 4, requests_per_minute: 50, tokens_per_minute: 40000}}
  small: {provider: here, model: qwen, temperature: 0.2}
profiles:
  mixed: {default: small, engineer: large}
)";

std::string why(const std::string& text) {
  const auto config = config::parse(text, "config.yaml");
  return config ? "" : config.problem().text();
}

std::string with(const std::string& models) {
  return "providers: {here: {api: openai, base_url: 'http://h'}}\nmodels: {" + models + "}\n";
}

}  // namespace

TEST_CASE("a configuration says who serves which model at what price, and who plays which role") {
  const auto config = config::parse(hosted, "config.yaml");
  REQUIRE(config);
  CHECK(config->providers.at("claude").base_url == "https://api.anthropic.com");
  CHECK(config->providers.at("here").limits.first_byte == 600);
  CHECK(config->providers.at("here").limits.idle == 0.5);
  const config::ModelEntry& large = config->models.at("large");
  CHECK((large.sees && large.max_output == 8000 && large.context == 200000));
  CHECK(large.price->cache_read == 0.3);
  CHECK_FALSE(large.price->cache_written);
  CHECK(large.limits.at_once == 4);
  CHECK_FALSE(config->models.at("small").price);
  CHECK(config->model_of("mixed", "engineer") == "large");
  CHECK(config->model_of("mixed", "reviewer") == "small");
  CHECK(config->model_of("other", "reviewer").empty());
}

TEST_CASE("a model is ready with the key that its variable holds, and with no other") {
  const auto config = config::parse(hosted, "config.yaml");
  REQUIRE(config);
  const auto large = config::ready(*config, "large", {{"ANTHROPIC_API_KEY", "sk-1"}});
  REQUIRE(large);
  CHECK(large->endpoint.key == "sk-1");
  CHECK(large->endpoint.api == models::Protocol::anthropic);
  CHECK(config::ready(*config, "small", {{"ANTHROPIC_API_KEY", "sk-1"}})->endpoint.key.empty());
  CHECK(config::ready(*config, "large", {}).problem().text() ==
        "config.yaml: large: its key is in $ANTHROPIC_API_KEY, which is not set: export ANTHROPIC_API_KEY=…");
  CHECK(config::ready(*config, "large", {{"ANTHROPIC_API_KEY", "a\nb"}}).problem().why ==
        "$ANTHROPIC_API_KEY holds a line break");
  CHECK(config::ready(*config, "lrage", {}).problem().text() ==
        "config.yaml: lrage: there is no such model: did you mean `large`?");
}

TEST_CASE("what a server wants besides is said by provider and model") {
  const auto config = config::parse(R"(
providers:
  azure: {api: openai, base_url: "https://n.openai.azure.com/openai/v1?api-version=preview", key_env: K,
          key_style: api-key, headers: {X-Title: etude, X-Secret: {env: S}}}
  other: {api: anthropic, base_url: "https://h"}
models:
  a: {provider: azure, model: m, api: responses, effort: high, extra: {top_k: 20, deep: {on: true}}, stream: false,
      headers: {X-Title: mine}, timeouts: {idle: 1h}, fallback: b, context: 20000,
      prices: {input: 1, output: 2, cache_written_1h: 3, above: [{tokens: 100000, input: 4, output: 5}]}}
  b: {provider: other, model: n}
profiles:
  p: {default: a, reviewer: {model: b}, engineer: {model: a, fallback: b}, independent_reviewer: false}
)",
                                    "config.yaml");
  REQUIRE(config);
  const auto a = config::ready(*config, "a", {{"K", "key"}, {"S", "hidden"}});
  REQUIRE(a);
  CHECK(a->endpoint.api == models::Protocol::responses);
  CHECK(a->endpoint.key_style == models::KeyStyle::api_key);
  CHECK(a->endpoint.limits.idle == 3600);
  CHECK(a->endpoint.headers ==
        std::vector<std::pair<std::string, std::string>>{{"X-Secret", "hidden"}, {"X-Title", "mine"}});
  CHECK(config::ready(*config, "a", {{"K", "key"}}).problem().why == "its header X-Secret is in $S, which is not set");
  const config::ModelEntry& entry = config->models.at("a");
  CHECK(entry.extra == R"({"deep":{"on":true},"top_k":20})");
  CHECK_FALSE(entry.stream);
  CHECK(entry.price->above.at(0).second.input == 4);
  CHECK(config::most_output(entry, false) == 5000);  // A quarter of the context, of 32,000 where it thinks.
  CHECK(config::most_output(config->models.at("b"), false) == 4096);
  CHECK(config::most_output(config->models.at("b"), true) == 32000);
  CHECK(config->casting_of("p", "hypothesis").fallback == "b");
  CHECK(config->casting_of("p", "reviewer").fallback.empty());
  CHECK(models::to_http(a->endpoint, models::Request{}).url ==
        "https://n.openai.azure.com/openai/v1/responses?api-version=preview");
}

TEST_CASE("a reviewer that the profile does not name is another model than the engineer, if there is one") {
  const std::string models = with("m: {provider: here, model: x}, n: {provider: here, model: y}");
  const auto reviewer = [&](const std::string& profile) {
    const auto config = config::parse(models + "profiles: {p: {" + profile + "}}", "config.yaml");
    REQUIRE(config);
    return config->model_of("p", "reviewer");
  };
  CHECK(reviewer("default: m") == "m");
  CHECK(reviewer("default: m, hypothesis: n") == "n");
  CHECK(reviewer("default: m, engineer: n") == "m");
  CHECK(reviewer("default: m, hypothesis: n, reviewer: m") == "m");
}

TEST_CASE("patience belongs to a role, else to the model that plays it, and a batch has its share of the price") {
  const auto config =
      config::parse(with("m: {provider: here, model: x, patience: 2h, prices: {input: 1, output: 2, batch: 0.25}}, "
                         "n: {provider: here, model: y, prices: {input: 1, output: 2}}") +
                        "profiles: {p: {default: m, analysis: {model: n, patience: 24h}}}",
                    "config.yaml");
  REQUIRE(config);
  CHECK(config->models.at("m").patience_s == 7200);
  CHECK_FALSE(config->models.at("n").patience_s);
  CHECK(config->casting_of("p", "analysis").patience_s == 86400);
  CHECK_FALSE(config->casting_of("p", "writeup").patience_s);
  models::TokenUsage usage;
  usage.input = 1000000;
  usage.known = true;
  CHECK(models::cost(*config->models.at("m").price, usage, true) == 0.25);
  CHECK(models::cost(*config->models.at("m").price, usage) == 1);
  CHECK(models::cost(*config->models.at("n").price, usage, true) == 0.5);
}

TEST_CASE("a profile limits tool calls") {
  const std::string model = with("m: {provider: here, model: x}");
  const auto config = config::parse(
      model + "profiles: {p: {default: m, limits: {calls_per_reply: 4}}, q: {default: m}}", "config.yaml");
  REQUIRE(config);
  CHECK(config->tool_limits.at("p").in_reply == 4);
  CHECK(config->tool_limits.at("p").in_line == 200);
  CHECK(config->tool_limits.at("q").in_reply == 16);
  CHECK(why(model + "profiles: {p: {default: m, limits: {calls: 4}}}") != "");
}

TEST_CASE("a configuration has the price of a GPU's hour by type") {
  const auto config = config::parse("gpu_prices: {h100: 2.49, a100: 0}\n", "config.yaml");
  REQUIRE(config);
  CHECK(config->gpu_prices == std::map<std::string, double>{{"a100", 0}, {"h100", 2.49}});
  CHECK(why("gpu_prices: {h100: cheap}\n").find("config.yaml:1") != std::string::npos);
  CHECK(why("gpu_prices: {h100: -1}\n").find("gpu_prices.h100") != std::string::npos);
}

TEST_CASE("what is wrong with a configuration is said with its line and what to do") {
  CHECK(why("providers: {a: {api: openai}}") ==
        "config.yaml:1: providers.a.base_url: it is missing: say where it is served: `base_url: "
        "http://127.0.0.1:8000/v1`");
  CHECK(why("providers: {a: {api: opneai, base_url: 'http://h'}}").find("did you mean `openai`?") != std::string::npos);
  CHECK(why("providers: {a: {api: openai, base_url: 'ftp://h'}}").find("is no web address") != std::string::npos);
  CHECK(why("providers: {a: {api: openai, base_url: 'http://'}}").find("is no web address") != std::string::npos);
  CHECK(why("providers: {a: {api: openai, base_url: 'http://me:pw@h'}}").find("holds a user") != std::string::npos);
  CHECK(why("providers: {a: {api: openai, base_url: 'http://h?key=1'}}").find("the query of the address holds a key") !=
        std::string::npos);
  CHECK(why("providers: {a: {api: openai, base_url: 'http://h/v1?api-version=2025-04-01'}}") == "");
  CHECK(why("providers: {a: {api: openai, base_url: 'http://h', api_key: sk-1}}").find("`key_env`") !=
        std::string::npos);
  CHECK(why("providers: {a: {api: openai, base_url: 'http://h', key_env: sk-1-abc}}").find("no name of a variable") !=
        std::string::npos);
  CHECK(why("providers: {'a b': {api: openai, base_url: 'http://h'}}").find("this is no name") != std::string::npos);
  CHECK(why(with("m: {provider: her, model: x}")).find("did you mean `here`?") != std::string::npos);
  CHECK(why(with("m: {provider: here, model: x, prices: {input: 1}}")).find("prices.output") != std::string::npos);
  CHECK(why(with("m: {provider: here, model: x, prices: {input: -1, output: 1}}")) != "");
  CHECK(why(with("m: {provider: here, model: x, context: 2048, max_output: 4096}")).find("leaves no room") !=
        std::string::npos);
  CHECK(why(with("m: {provider: here, model: x}") + "profiles: {p: {default: n}}").find("there is no such model") !=
        std::string::npos);
  CHECK(why(with("m: {provider: here, model: x}") + "profiles: {p: {engineer: m}}").find("some roles have no model") !=
        std::string::npos);
  CHECK(why(with("m: {provider: here, model: x}") + "profiles: {builtin: {default: m}}").find("this name is taken") !=
        std::string::npos);
  CHECK(why(with("m: {provider: here, model: x, kind: embeddings}") + "profiles: {p: {default: m}}")
            .find("only embeds texts") != std::string::npos);
  CHECK(why(with("m: {provider: here, model: x, kind: embeddings}")) == "");
  CHECK(why(with("m: {provider: here, model: x, kind: embedding}")) != "");
  CHECK(why(with("m: {provider: here, model: x, effort: hihg}")).find("did you mean `high`?") != std::string::npos);
  CHECK(why(with("m: {provider: here, model: x, headers: {Authorization: Bearer x}}"))
            .find("is a secret in plain text: put it into a variable and name that: `Authorization: {env: NAME}`") !=
        std::string::npos);
  CHECK(why(with("m: {provider: here, model: x, headers: {'X Y': z}}")).find("no name of a header") !=
        std::string::npos);
  CHECK(why(with("m: {provider: here, model: x, extra: {messages: []}}")).find("is etude's own") != std::string::npos);
  CHECK(why(with("m: {provider: here, model: x, extra: 7}")) != "");
  CHECK(why(with("m: {provider: here, model: x, fallback: n}")).find("there is no such model") != std::string::npos);
  CHECK(why(with("m: {provider: here, model: x, fallback: m}")).find("cannot take over from itself") !=
        std::string::npos);
  CHECK(why(with("m: {provider: here, model: x, patience: 24}")).find("`10m` or `2h`") != std::string::npos);
  CHECK(why(with("m: {provider: here, model: x, patience: 0s}")).find("a duration of nothing") != std::string::npos);
  CHECK(why(with("m: {provider: here, model: x, kind: embeddings, patience: 24h}")).find("is not asked in batches") !=
        std::string::npos);
  CHECK(why(with("m: {provider: here, model: x, prices: {input: 1, output: 2, batch: 2}}")) != "");
  CHECK(why(with("m: {provider: here, model: x, prices: {input: 1, output: 2, above: [{tokens: 9, input: 1, output: 1},"
                 " {tokens: 9, input: 1, output: 1}]}}"))
            .find("do not rise") != std::string::npos);
  CHECK(why(with("m: {provider: here, model: x}") + "profiles: {p: {default: m, independent_reviewer: true}}")
            .find("are models of the same provider, here: name a `reviewer` of another provider") != std::string::npos);
  CHECK(why("telemetry: {}").find("not available yet") != std::string::npos);
  CHECK(why("model: {}").find("did you mean `models`?") != std::string::npos);
  CHECK(why("providers: [a]") != "");
  CHECK(why("") != "");
}

TEST_CASE("the configuration is found where it is named, or where people keep theirs; without one there is none") {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("etude-config-" + std::to_string(getpid()))).string();
  std::filesystem::create_directories(folder + "/.config/etude");
  const std::string file = folder + "/.config/etude/config.yaml";
  CHECK(config::load("", {{"HOME", folder}})->file.empty());
  CHECK(config::load("", {})->file.empty());
  CHECK(config::load(file, {}).problem().why == "there is no such file");
  // A link to nothing is a configuration that was meant, and cannot be read.
  std::filesystem::create_symlink("elsewhere", file);
  CHECK(config::load("", {{"HOME", folder}}).problem().why == "there is no such file");
  std::filesystem::remove(file);
  std::ofstream(file) << hosted;
  CHECK(config::load("", {{"HOME", folder}})->models.size() == 2);
  CHECK(config::load("", {{"HOME", "/nowhere"}, {"XDG_CONFIG_HOME", folder + "/.config"}})->file == file);
  CHECK(config::load(folder, {}).problem().why == "it is a folder");
  std::filesystem::remove_all(folder);
}

TEST_CASE("the price of a GPU is that of the longest type that the name of its model contains") {
  const std::map<std::string, double> prices = {{"h100", 2.5}, {"H100 80GB", 3}, {"a100", 1}, {"nvidia", 0.5}};
  CHECK(config::gpu_price(prices, "8 × NVIDIA H100 80GB HBM3") == 3);
  CHECK(config::gpu_price(prices, "1 × NVIDIA H100 PCIe") == 0.5);  // The longer word.
  CHECK(config::gpu_price({{"a100", 1}}, "NVIDIA A100-SXM4-40GB") == 1);
  CHECK_FALSE(config::gpu_price({{"a100", 1}}, "NVIDIA H100"));
  CHECK_FALSE(config::gpu_price({{"a100", 1}}, ""));
  CHECK_FALSE(config::gpu_price({}, "NVIDIA A100"));
}

TEST_CASE("receivers of messages are commands or addresses, for some events or for all") {
  const auto config = config::parse(R"(
notify:
  - command: mail -s "$ETUDE_TEXT" me
  - {command: [/usr/bin/notify, "a b"], on: [failed, waits], timeout: 5s}
  - {webhook: "https://example.org/hook", headers: {X-Team: lab, Authorization: {env: BEARER}}}
  - webhook: {env: HOOK}
)",
                                    "config.yaml");
  REQUIRE(config);
  REQUIRE(config->notify.size() == 4);
  using config::NotifyOn;
  CHECK(config->notify[0].command == std::vector<std::string>{"/bin/sh", "-c", "mail -s \"$ETUDE_TEXT\" me"});
  CHECK(config->notify[0].on.size() == 4);
  CHECK(config->notify[1].command == std::vector<std::string>{"/usr/bin/notify", "a b"});
  CHECK(config->notify[1].on == std::set<NotifyOn>{NotifyOn::failed, NotifyOn::waits});
  CHECK(config->notify[1].timeout_s == 5);
  CHECK(config->notify[2].url == "https://example.org/hook");
  CHECK(config->notify[3].url_env == "HOOK");
  CHECK(config->notify[3].shown() == "webhook $HOOK");
  // What the variables hold is never recorded.
  const auto hidden = config::secrets(*config, {{"HOOK", "https://example.org/abc"}, {"BEARER", "Bearer x-1"}});
  CHECK(hidden.size() == 2);
  CHECK(config::parse("notify: {command: date}\n", "c")->notify.size() == 1);
}

TEST_CASE("a receiver that cannot be meant is one error with its place") {
  CHECK(why("notify: {comand: x}\n").find("config.yaml:1") == 0);
  CHECK(why("notify: {command: x, webhook: 'https://h/x'}\n").find("two receivers") != std::string::npos);
  CHECK(why("notify: {on: [ended]}\n").find("command") != std::string::npos);
  CHECK(why("notify: {command: []}\n").find("empty") != std::string::npos);
  CHECK(why("notify: {command: x, on: []}\n").find("nothing would ever be told") != std::string::npos);
  CHECK(why("notify: {command: x, on: [end]}\n").find("ended") != std::string::npos);
  CHECK(why("notify: {command: x, headers: {A: b}}\n").find("no headers") != std::string::npos);
  CHECK(why("notify: {webhook: ftp://h}\n").find("no web address") != std::string::npos);
  CHECK(why("notify: {webhook: 'https://h/?token=abc'}\n").find("holds a key") != std::string::npos);
  CHECK(why("notify: {webhook: 'https://h/', headers: {Authorization: x}}\n").find("secret in plain text") !=
        std::string::npos);
  CHECK(why("notify: {command: x, timeout: 1h}\n").find("longer than 10 minutes") != std::string::npos);
}
