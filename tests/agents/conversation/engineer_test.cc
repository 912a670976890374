// An engineer that thinks: it mends code that does not pass its manipulation check.
#include "agents/thinking/calls/fit_for_services.h"
#include "agents/thinking/tools/tools.h"
#include "agents/thinking/workspace/branch.h"
#include "kernel/wording/wording.h"
#include "tests/agents/thoughtful.h"

using namespace thoughtful;

namespace {

/// The code prints the same whatever it is asked, until somebody writes `mended` into it.
fakes::FakeExecutor::Job broken_until(const std::string& hash) {
  return [hash](const kernel::JobSpec& job) {
    return job.workspace.ends_with(hash) ? honest(job) : fakes::FakeExecutor::succeeded({{"time_ms", 1}});
  };
}

std::string hash_of(const std::string& content) {
  return kernel::sha256_hex(json(std::map<std::string, std::string>{{"sort.py", content}}).dump());
}

bool mends(const models::Request& request) {
  return request.system.find("you mend the code") != std::string::npos;
}

std::string edit(const char* old, const char* now) {
  return json({{"path", "sort.py"}, {"old", old}, {"new", now}}).dump();
}

models::ModelOutcome mending(const models::Request& request, int n) {
  if (!mends(request)) return proposing(request, n);
  switch (said_before(request)) {
    case 0:
      return calling("read_log", R"({"run":1})");
    case 1:
      return calling("edit_file", edit("return a", "return sorted(a)"));
    case 2:
      return calling("apply_patch", json({{"patch",
                                           "--- a/sort.py\n+++ b/sort.py\n@@ -1,2 +1,2 @@\n def quick(a):\n"
                                           "-  return sorted(a)\n+  return mended(a)\n"}})
                                        .dump());
    default:
      return calling("finish", R"({"summary":"It ignored its arguments."})");
  }
}

const std::string mended = "def quick(a):\n  return mended(a)\n";

}  // namespace

TEST_CASE("an engineer mends code that does not pass its check, and it is checked again before it is registered") {
  Thoughtful t(mending, broken_until(hash_of(mended)));
  t.world.open(thinking_spec());
  t.live();
  const Study study = t.study();
  REQUIRE(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(study.workspace.hash.text() == hash_of(mended));
  CHECK(study.workspace.by == "engineer");
  CHECK(t.frozen.at(hash_of(mended)).at("sort.py") == mended);
  CHECK(study.check->findings.empty());
  CHECK(study.hypothesis("H1")->result->verdict == kernel::Verdict::supported);
  CHECK(study.experiments.size() == 1);
  CHECK(study.thinking.lines.at(1).id == "engineer-1");
  const auto asked = t.model->asked();
  const auto first = std::find_if(asked.begin(), asked.end(), mends);
  CHECK(first->messages[0].text.find("changed no metric") != std::string::npos);
  CHECK(first->messages[0].text.find("r1, reference: succeeded") != std::string::npos);
}

TEST_CASE("killed at every commit while it mends, what was written is written again") {
  int commits = 0;
  {
    Thoughtful undisturbed(mending, broken_until(hash_of(mended)));
    undisturbed.world.open(thinking_spec());
    undisturbed.live();
    commits = undisturbed.world.commits;
  }
  for (int at = 16; at < commits; ++at) {
    Thoughtful t(mending, broken_until(hash_of(mended)));
    t.world.open(thinking_spec());
    t.world.fail_at_commit = at;
    bool killed = false;
    try {
      t.live();
    } catch (const std::runtime_error&) {
      killed = true;
    }
    if (!killed) break;  // What came at once was stored at once: there were fewer commits.
    t.world.inbox.take(1);
    t.world.take_up();
    t.live();
    const Study study = t.study();
    INFO("killed at commit " << at << " of " << commits);
    REQUIRE(study.outcome == kernel::StudyOutcome::concluded);
    CHECK(study.workspace.hash.text() == hash_of(mended));
    CHECK(study.hypothesis("H1")->result->verdict == kernel::Verdict::supported);
    CHECK(study.hypotheses.size() == 1);
  }
}

TEST_CASE("who leaves a person's code as it is lets it be registered; an agent's own code that fails never is") {
  Thoughtful idle(
      [](const models::Request& request, int n) {
        return mends(request) ? calling("finish", R"({"summary":"It is right as it is."})") : proposing(request, n);
      },
      broken_until("never"));
  idle.world.open(thinking_spec());
  idle.live();
  CHECK(idle.study().outcome == kernel::StudyOutcome::concluded);
  CHECK_FALSE(idle.study().check->findings.empty());

  int version = 0;
  Thoughtful bad(
      [&](const models::Request& request, int n) {
        if (!mends(request)) return proposing(request, n);
        if (said_before(request) == 0)
          return calling("write_file", json({{"path", "sort.py"}, {"content", std::to_string(++version)}}).dump());
        return calling("finish", R"({"summary":"Now it must work."})");
      },
      broken_until("never"));
  bad.world.open(thinking_spec());
  bad.live();
  const Study study = bad.study();
  CHECK(study.state == kernel::StudyState::paused);
  CHECK(kernel::newest_words(study.pause_detail)
            .find("the code that engineer wrote does not pass its manipulation check") != std::string::npos);
  CHECK(study.experiments.empty());
  CHECK(study.thinking.lines.size() == 6);
}

TEST_CASE("an engineer's reason holds no number that nothing supports, and what scores runs is out of his reach") {
  std::string answer;
  Thoughtful t(
      [&](const models::Request& request, int n) {
        if (mends(request) && said_before(request) == 3)
          return calling("finish", R"({"summary":"Now quick is 3.2 times faster."})");
        if (mends(request) && said_before(request) == 4) answer = last_answer(request);
        return mending(request, n);
      },
      broken_until(hash_of(mended)));
  t.world.open(thinking_spec());
  t.live();
  CHECK(answer.find("the reason does not pass") == 0);
  CHECK(t.study().workspace.hash.text() == hash_of(mended));
  CHECK(t.study().outcome == kernel::StudyOutcome::concluded);
}

TEST_CASE("who draws up requirements cannot change code: no tool writes, and the kernel refuses an amendment") {
  Thoughtful t(proposing, honest);
  t.world.open(thinking_spec());
  std::string refused;
  bool offered = false;
  Thoughtful* self = &t;
  t.others = std::make_shared<fakes::ScriptedModel>([&](const models::Request& request, int n) {
    if (request.system.find("you say what the question requires") == std::string::npos || said_before(request) == 0)
      return obliging(request, n);
    for (const models::Tool& tool : request.tools) offered = offered || agents::writes(tool.name);
    if (said_before(request) == 1) {
      kernel::AmendWorkspace amendment;
      amendment.workspace.hash = kernel::WorkspaceHash("another");
      amendment.why = "It scores better now.";
      self->world.inbox.post(kernel::Command{"s1", "engineer", amendment});
      return calling("write_file", R"({"path":"helper.py","content":"x = 1\n"})");
    }
    if (said_before(request) == 2) refused = last_answer(request);
    return calling("finish", R"({"summary":"It scores better now."})");
  });
  t.live([](const kernel::State& state) { return state.study("s1") && !state.study("s1")->experiments.empty(); });
  CHECK_FALSE(offered);
  CHECK(refused.starts_with("there is no such tool; you have "));
  CHECK(t.study().workspace.by.empty());
  CHECK(std::ranges::any_of(t.world.refusals, [](const std::string& why) {
    return why == "this work does not change code: it says what the code must do, or judges it";
  }));
}

TEST_CASE("calls of one reply are told apart, and said back as any server takes them") {
  models::Reply reply;
  reply.calls = {{"a", "x", ""}, {"a", "x", ""}, {"", "x", ""}, {std::string(99, 'z'), "x", ""}, {"call_2", "x", ""}};
  agents::name_calls_apart(reply);
  std::set<std::string> ids;
  for (const models::ToolCall& call : reply.calls) ids.insert(call.id);
  CHECK(ids.size() == 5);
  CHECK(ids.contains("a"));
  CHECK(agents::as_servers_take_it({"i", "rm -rf", "{cut"}).arguments == "{}");
  CHECK(agents::as_servers_take_it({"i", "rm -rf", "{cut"}).name == "rm_-rf");
  CHECK(agents::as_servers_take_it({"i", "", "[1]"}).name == "_");
  CHECK(agents::as_servers_take_it({"i", "ok", R"({"a":1})"}).arguments == R"({"a":1})");
}

TEST_CASE("a branch of code that a person has amended meanwhile is not put over it") {
  Thoughtful* self = nullptr;
  Thoughtful t(
      [&](const models::Request& request, int n) {
        if (mends(request) && said_before(request) == 2)
          self->world.inbox.post(kernel::Command{
              "s1", "person", kernel::AmendWorkspace{{kernel::WorkspaceHash(hash_of(mended)), 1, 1, {}}, "so"}});
        return mending(request, n);
      },
      broken_until(hash_of(mended)));
  self = &t;
  t.world.open(thinking_spec());
  t.live();
  const Study study = t.study();
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(study.workspace.by.empty());
  CHECK(study.experiments.size() == 1);
  const std::string ending = newest_words(study.thinking.lines.at(1).ending);  // None: the study was over before.
  CHECK((ending.empty() || ending.find("amended") != std::string::npos));
}

TEST_CASE("a branch is written below the workspace only, and not over what is protected") {
  agents::Files files;
  files.entries = {{"evaluate.py", 1}, {"src/a.py", 1}, {"data", 1}};
  files.read = [](const std::string&) { return std::string("x"); };
  files.links = {"link"};
  agents::Branch branch(files, {"evaluate.py"});
  for (const char* path : {"../a", "/etc/passwd", "a/../../b", "", ".", "a//b", "a/./b", "link/x", "link"})
    CHECK_FALSE(branch.write(path, "y").empty());
  CHECK(branch.write("evaluate.py", "y").find("protected") != std::string::npos);
  CHECK(branch.write("src", "y").find("a file cannot be a folder") == 0);
  CHECK(branch.write("data/x", "y").find("a file cannot be a folder") == 0);
  CHECK(branch.write("src/b.py", "y").empty());
  CHECK(branch.write("src/b.py/c", "y").find("a file cannot be a folder") == 0);
  CHECK(branch.write("src/a.py", "x").empty());
  CHECK(branch.changes() == agents::Changes{{{"src/b.py", "y"}}, {}});
  CHECK(branch.read("src/b.py") == "y");
  CHECK_FALSE(branch.read("../src/b.py"));
  CHECK(branch.write("big", std::string(17 << 20, 'z')).find("too large") != std::string::npos);
}
