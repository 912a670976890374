// Events and texts become transcripts, trajectories and records, also where conversations begin anew, fail or break
// off.
#include "artifacts/transcripts/transcripts.h"

#include <filesystem>
#include <map>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "agents/thinking/calls/journal_codec.h"
#include "artifacts/transcripts/research_record.h"
#include "artifacts/transcripts/trajectories.h"
#include "base/digest.h"
#include "kernel/domain/reason.h"
#include "tests/places.h"

using nlohmann::json;

namespace {

/// A study's events as they happen, and the blobs that they name.
class Recorded {
 public:
  void open(const std::string& line) { take(kernel::LineOpened{line, "engineer", "", {kernel::LinePurpose::step}}); }

  kernel::BlobRef keep(const std::string& text) {
    const kernel::BlobRef blob{kernel::sha256_hex(text), std::ssize(text)};
    blobs[blob.sha256] = text;
    return blob;
  }

  /// Asks with the whole conversation.
  int ask(const std::string& line, const std::vector<models::Message>& messages) {
    models::Request request{.model = "m-1", .system = "You mend code.", .messages = messages};
    request.tools.push_back({"write_file", "Writes.", R"({"type":"object"})"});
    agents::Remembered remembered;
    remembered.request = std::move(request);
    kernel::ModelAsked asked{++calls_, line, "small", keep(agents::to_journal(remembered))};
    asked.as = {"m-1", "high", false};
    take(asked);
    return calls_;
  }

  void reply(int call, const models::Reply& said, double usd = 0.5) {
    kernel::ModelAnswered answered{call, {}};
    answered.end.reply = keep(agents::to_journal(said));
    answered.end.tokens = {100, 20, 40, 10};
    answered.end.usd = usd;
    take(answered);
  }

  void tool(int call, const std::string& id, const std::string& text, bool refused = false) {
    take(kernel::ToolReturned{call, {id, "write_file", keep(text), refused}});
  }

  void take(kernel::EventBody body) {
    const auto problem =
        reader_.take({"s1", "kernel", {1'700'000'000'000 + ++line_ * 1000, 0}, std::move(body)}, line_);
    if (problem && !problem_) problem_ = problem;
  }

  artifacts::Transcripts all() { return reader_.finish(); }
  const std::optional<kernel::Problem>& problem() const { return problem_; }

  std::map<std::string, std::string> blobs;

 private:
  artifacts::TranscriptReader reader_{[this](const std::string& sha256) -> std::optional<std::string> {
    const auto found = blobs.find(sha256);
    return found == blobs.end() ? std::nullopt : std::optional(found->second);
  }};
  std::optional<kernel::Problem> problem_;
  int line_ = 0, calls_ = 0;
};

models::Message user(const std::string& text) {
  models::Message message;
  message.text = text;
  return message;
}

models::Reply calling(const std::string& id, const std::string& arguments, const std::string& text = "") {
  models::Reply reply{.text = text};
  reply.calls.push_back({id, "write_file", arguments});
  reply.stop = models::Stop::tools;
  return reply;
}

/// The turn of the model, and the user's answer to its calls.
void exchange(std::vector<models::Message>& messages, const models::Reply& reply, const std::string& answer,
              const std::string& text = "") {
  messages.push_back({.by = models::Speaker::assistant, .text = reply.text, .calls = reply.calls});
  models::Message said = user(text);
  for (const models::ToolCall& call : reply.calls) said.answers.push_back({call.id, answer});
  messages.push_back(std::move(said));
}

json trajectory_of(Recorded& recorded, const kernel::Redactor& redact = {}) {
  kernel::Study study;
  study.id = "s1";
  const auto files = artifacts::trajectories(recorded.all(), study, {std::string(64, 'a'), "1.2.3"}, redact);
  REQUIRE(files.size() == 1);
  return json::parse(files.begin()->second);
}

std::vector<json> lines_of_record(const std::string& text) {
  std::vector<json> lines;
  for (std::size_t start = 0, end; (end = text.find('\n', start)) != std::string::npos; start = end + 1)
    lines.push_back(json::parse(text.substr(start, end - start)));
  return lines;
}

}  // namespace

TEST_CASE("each turn is one step: what was said before is not said again") {
  Recorded recorded;
  recorded.open("step-1");
  std::vector<models::Message> messages{user("Mend it.")};
  const models::Reply first = calling("c1", R"({"path":"a.py","content":"x"})", "I look first.");
  const int one = recorded.ask("step-1", messages);
  recorded.reply(one, first);
  recorded.tool(one, "c1", "written");
  exchange(messages, first, "written", "A person says: hurry.");
  const int two = recorded.ask("step-1", messages);
  recorded.reply(two, {.text = "Done.", .thoughts = "It is enough."});
  recorded.take(kernel::LineEnded{"step-1", {kernel::ReasonCode::stated_why, {{"why", "It works."}}}});

  const json made = trajectory_of(recorded);
  CHECK(made["schema_version"] == "ATIF-v1.7");
  const json& steps = made["steps"];
  std::vector<std::string> said;
  for (const json& step : steps)
    said.push_back(step["source"].get<std::string>() + ": " + step["message"].get<std::string>());
  CHECK(said == std::vector<std::string>{"system: You mend code.", "user: Mend it.", "agent: I look first.",
                                         "user: A person says: hurry.", "agent: Done."});
  for (std::size_t i = 0; i < steps.size(); ++i) CHECK(steps[i]["step_id"] == i + 1);
  CHECK(steps[2]["tool_calls"][0]["arguments"] == json{{"path", "a.py"}, {"content", "x"}});
  CHECK(steps[2]["observation"]["results"][0] == json{{"source_call_id", "c1"}, {"content", "written"}});
  CHECK(steps[2]["metrics"] == json{{"prompt_tokens", 150},
                                    {"completion_tokens", 20},
                                    {"cached_tokens", 40},
                                    {"cost_usd", 0.5},
                                    {"extra", {{"cache_written_tokens", 10}}}});
  CHECK(steps[2]["timestamp"] == "2023-11-14T22:13:23.000Z");
  CHECK(steps[4]["reasoning_content"] == "It is enough.");
  CHECK(made["final_metrics"]["total_cost_usd"] == 1.0);
  CHECK(made["final_metrics"]["total_prompt_tokens"] == 300);
  CHECK(made["agent"]["tool_definitions"][0]["function"]["name"] == "write_file");
  CHECK(made["agent"]["version"] == "1.2.3");
}

TEST_CASE("a conversation that begins anew says so, and goes on") {
  Recorded recorded;
  recorded.open("step-1");
  std::vector<models::Message> messages{user("Mend it.")};
  const models::Reply first = calling("c1", "{}");
  const int one = recorded.ask("step-1", messages);
  recorded.reply(one, first);
  recorded.tool(one, "c1", "written");
  exchange(messages, first, "written");
  recorded.reply(recorded.ask("step-1", messages), {.text = "So far so good."});
  recorded.reply(recorded.ask("step-1", {user("Mend it. You wrote: so far so good.")}), {.text = "Done."});
  const json steps = trajectory_of(recorded)["steps"];
  REQUIRE(steps.size() == 6);
  CHECK(steps[3]["message"] == "So far so good.");
  CHECK(steps[4]["message"] == "Mend it. You wrote: so far so good.");
  CHECK(steps[4]["extra"].contains("begins_anew"));
  CHECK_FALSE(steps[1].contains("extra"));
}

TEST_CASE("calls without a reply are no steps, and their cost counts") {
  Recorded recorded;
  recorded.open("step-1");
  const int failed = recorded.ask("step-1", {user("Mend it.")});
  kernel::ModelAnswered broken{failed, {}};
  broken.end.failure = {kernel::ReasonCode::stated_why, {{"why", "overloaded"}}};
  broken.end.usd = 0.25;
  recorded.take(broken);
  recorded.reply(recorded.ask("step-1", {user("Mend it.")}), {.text = "Done."});
  const json made = trajectory_of(recorded);
  CHECK(made["steps"].size() == 3);
  CHECK(made["final_metrics"]["total_cost_usd"] == 0.75);
  CHECK(made["final_metrics"]["extra"]["calls_without_reply"] == 1);
}

TEST_CASE("ids that a model repeats, arguments that are no object and answers that are missing stay apart") {
  Recorded recorded;
  recorded.open("step-1");
  std::vector<models::Message> messages{user("Mend it.")};
  const models::Reply first = calling("c1", "not json"), second = calling("c1", std::string(5000, '['));
  const int one = recorded.ask("step-1", messages);
  recorded.reply(one, first);
  recorded.tool(one, "c1", "no object", true);
  exchange(messages, first, "no object");
  recorded.reply(recorded.ask("step-1", messages), second);
  const json steps = trajectory_of(recorded)["steps"];
  REQUIRE(steps.size() == 4);
  CHECK(steps[2]["tool_calls"][0]["arguments"] == json::object());
  CHECK(steps[2]["tool_calls"][0]["extra"]["arguments_as_written"] == "not json");
  CHECK(steps[2]["observation"]["results"][0]["extra"]["refused"] == true);
  CHECK(steps[3]["tool_calls"][0]["tool_call_id"] != "c1");
  CHECK_FALSE(steps[3].contains("observation"));
}

TEST_CASE("keys are redacted in every text, also in arguments and in names of their members") {
  Recorded recorded;
  recorded.open("step-1");
  const std::string key = "sk-never-to-be-shown-1234567890";
  const int one = recorded.ask("step-1", {user("My key is " + key)});
  recorded.reply(one, calling("c1", json{{key, 1}, {"content", "use " + key}}.dump()));
  recorded.tool(one, "c1", "wrote " + key);
  const std::string made = trajectory_of(recorded, kernel::Redactor({{"mock key", key}})).dump();
  CHECK(made.find(key) == std::string::npos);
  CHECK(made.find("[redacted: mock key]") != std::string::npos);
}

TEST_CASE("a text that the home does not have is named, and nothing is made up for it") {
  Recorded recorded;
  recorded.open("step-1");
  const int one = recorded.ask("step-1", {user("Mend it.")});
  CHECK_FALSE(recorded.problem());
  kernel::ModelAnswered answered{one, {}};
  answered.end.reply = {std::string(64, 'b'), 10};
  recorded.take(answered);
  REQUIRE(recorded.problem());
  CHECK(recorded.problem()->text().find(std::string(64, 'b')) != std::string::npos);
}

TEST_CASE("a record has one step for each tool call, in the order of the log") {
  Recorded recorded;
  recorded.open("step-1");
  recorded.open("step-2");
  const int one = recorded.ask("step-1", {user("Mend it.")}), two = recorded.ask("step-2", {user("Mend it, too.")});
  models::Reply both = calling("c1", R"({"path":"a.py","content":"x"})", "I write and try.");
  both.calls.push_back({"c2", "run_scratch", R"({"command":"python3 a.py"})"});
  recorded.reply(two, {.text = "Nothing to do."});
  recorded.reply(one, both);
  recorded.tool(one, "c1", "written");
  recorded.take(kernel::LineEnded{"step-1", {kernel::ReasonCode::stated_why, {{"why", "It works."}}}});
  kernel::Study study;
  study.id = "s1";
  study.spec.metrics.resize(1);
  study.spec.metrics[0].primary = true;
  study.spec.metrics[0].goal = kernel::Goal::minimize;
  const auto files = artifacts::research_record(recorded.all(), study, {std::string(64, 'a'), "1.2.3"}, {});
  const std::vector<json> steps = lines_of_record(files.at("record.jsonl"));
  std::vector<std::string> actions;
  for (const json& step : steps) actions.push_back(step["action"]);
  CHECK(actions == std::vector<std::string>{"(harness message)", "(harness message)", "(message; no action)",
                                            R"($ write_file {"path":"a.py","content":"x"})", "$ python3 a.py",
                                            "(transcript ends)"});
  for (std::size_t i = 0; i < steps.size(); ++i) CHECK(steps[i]["gid"] == i);
  CHECK(steps[2]["actor"] == "worker:step-2");
  CHECK(steps[3]["scope"] == "workspace");
  CHECK(steps[3]["patches"] == json::array({{{"path", "a.py"}, {"new", "x"}}}));
  CHECK(steps[3]["reasoning"] == "[worker step-1 begins; task: engineer, step]\nI write and try.");
  CHECK(steps[4]["scope"] == "env");
  CHECK(steps[4]["obs"].get<std::string>().starts_with("[no tool result"));
  CHECK(steps[5]["scope"] == "submission");
  const json world = json::parse(files.at("world.json")), usage = json::parse(files.at("usage.json"));
  CHECK(world["feedback_polarity"] == "lower_better");
  CHECK(world["authored_channel"]["kind"] == "patches+shell_redirect");
  CHECK(world["contract"]["text"] == "engineer:\nYou mend code.");
  CHECK(usage["turns"].size() == 2);
  CHECK(usage["turns"]["1"]["in"] == 110);
  CHECK(json::parse(files.at("record_manifest.json"))["record_gaps"]["calls_without_result"] == 1);
}

TEST_CASE("a patch is recorded file by file") {
  Recorded recorded;
  recorded.open("step-1");
  const std::string one = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n",
                    two = "--- y.py\t2026\n+++ y.py\t2026\n@@ -1 +1 @@\n-c\n+d\n";
  models::Reply reply;
  reply.calls.push_back({"c1", "apply_patch", json{{"patch", one + two}}.dump()});
  recorded.reply(recorded.ask("step-1", {user("Mend it.")}), reply);
  kernel::Study study;
  const auto files = artifacts::research_record(recorded.all(), study, {}, {});
  CHECK(lines_of_record(files.at("record.jsonl"))[1]["patches"] ==
        json::array({{{"path", "x.py"}, {"patch", one}}, {{"path", "y.py"}, {"patch", two}}}));
}

TEST_CASE("every tool of the agents has a kind") {
  int tools = 0;
  for (const auto& file : std::filesystem::directory_iterator(tests::source_dir() + "/agents/tools")) {
    INFO(file.path().stem().string());
    CHECK(artifacts::kind_of_tool(file.path().stem().string()) != artifacts::ToolKind::unknown);
    ++tools;
  }
  CHECK(tools > 20);
}
