#include <atomic>

#include "agents/thinking/calls/journal_codec.h"
#include "kernel/wording/wording.h"
#include "tests/agents/thoughtful.h"

using namespace thoughtful;

TEST_CASE("a model reads the workspace, proposes, decides and finishes; the kernel does the rest") {
  Thoughtful t(proposing);
  t.world.open(thinking_spec());
  t.live();
  const Study study = t.study();
  REQUIRE(study.outcome == kernel::StudyOutcome::concluded);
  const kernel::Hypothesis& h = study.hypothesis("H1")->hypothesis;
  CHECK(h.by == "hypothesis");
  CHECK(h.confidence == 0.9);
  CHECK(study.hypothesis("H1")->result->verdict == kernel::Verdict::supported);
  CHECK(study.family == 1);
  std::vector<std::string> lines;
  for (const kernel::LineOfWork& line : study.thinking.lines) lines.push_back(line.id);
  CHECK(lines == std::vector<std::string>{"hypothesis-1", "engineer-1", "reviewer-1", "analysis-1", "writeup-1"});
  CHECK(study.thinking.lines[0].ending == kernel::as_said("I proposed one."));
  CHECK(calls_of(study, "hypothesis-1") == 5);
  CHECK(kernel::spent(study).tokens == 120 * static_cast<std::int64_t>(study.thinking.calls.size()));
  CHECK(kernel::spent(study).usd == Approx(0.12 * static_cast<double>(study.thinking.calls.size())));
  const auto asked = t.model->asked();
  CHECK(asked[0].system.find("You propose; the kernel decides") != std::string::npos);
  CHECK(asked[0].messages[0].text.find("Which algorithm is faster?") != std::string::npos);
  CHECK(last_answer(asked[1]).find("sort.py  30 bytes") != std::string::npos);
  CHECK(last_answer(asked[2]).find("    1  def quick(a):") != std::string::npos);
  CHECK(last_answer(asked[3]) == "Proposed as H1.");
  const auto decision = std::find_if(study.nodes.begin(), study.nodes.end(),
                                     [](const kernel::Node& node) { return node.title == "One contrast"; });
  REQUIRE(decision != study.nodes.end());
  CHECK(decision->alternatives == std::vector<std::string>{"memory"});
}

TEST_CASE("what the kernel refuses comes back in words, and is not recorded as done") {
  std::vector<std::string> tries = {
      R"({"statement":"It is faster.","mechanism":"it is","confidence":2,"test":{"metric":"time_ms"}})", "{oops",
      std::string(300, '[') + std::string(300, ']'),
      R"({"statement":"Quick is better here.","mechanism":"magic","confidence":0.5,"test":{"metric":"tmie_ms"}})",
      R"({"statement":"Quick takes 17 % less time.","mechanism":"fewer pairs","confidence":0.5,"test":{"metric":"time_ms",
          "treatment":{"algorithm":"quick"},"control":{"algorithm":"bubble"},"direction":"less"}})"};
  std::vector<std::string> answers;
  Thoughtful t([&](const models::Request& request, int) {
    const std::size_t n = said_before(request);
    if (n > 0) answers.push_back(last_answer(request));
    if (n < tries.size()) return calling("propose_hypothesis", tries[n]);
    if (n == tries.size()) return calling("rm_rf", "{}");
    if (n == tries.size() + 1) return calling("propose_hypothesis", quick_takes_less);
    return calling("finish", R"({"summary":"done"})");
  });
  t.world.open(thinking_spec());
  t.live();
  REQUIRE(answers.size() == tries.size() + 2);
  CHECK(answers[0].find("the arguments do not match the schema: [confidence]") == 0);
  CHECK(answers[1] == "the arguments are not valid JSON: write one complete object");
  CHECK(answers[2] == "the arguments are nested too deeply");
  CHECK(answers[3].find("did you mean `time_ms`?") != std::string::npos);
  CHECK(answers[4].find("hypothesis H1 does not pass") == 0);
  CHECK(answers[5].find("there is no such tool; you have") == 0);
  CHECK(answers[6] == "Proposed as H1.");
  const Study study = t.study();
  CHECK(study.hypotheses.size() == 1);
  CHECK(study.thinking.calls[0].tools.front().refused);
  CHECK_FALSE(study.thinking.calls[6].tools.front().refused);
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
}

TEST_CASE("killed at every commit, it goes on from the journal, and asks nothing twice that was answered") {
  int commits = 0;
  {
    Thoughtful undisturbed(proposing);
    undisturbed.world.open(thinking_spec());
    undisturbed.live([](const kernel::State& s) { return s.study("s1") && s.study("s1")->proposals_closed; });
    commits = undisturbed.world.commits;
  }
  REQUIRE(commits > 12);
  for (int at = 2; at <= commits; ++at) {
    Thoughtful t(proposing);
    t.world.open(thinking_spec());
    t.world.fail_at_commit = at;
    CHECK_THROWS(t.live());
    t.world.inbox.take(1);  // What was said to the kernel that died.
    t.world.take_up();
    t.live();
    const Study study = t.study();
    INFO("killed at commit " << at);
    REQUIRE(study.outcome == kernel::StudyOutcome::concluded);
    CHECK(study.hypotheses.size() == 1);
    CHECK(study.hypothesis("H1")->result->verdict == kernel::Verdict::supported);
    CHECK(study.thinking.under_way == 0);
    int used = 0, lost = 0;
    for (const kernel::ModelCall& call : study.thinking.calls)
      if (call.line == 0) ++(call.state == kernel::CallState::answered ? used : lost);
    CHECK(used == 5);
    CHECK(lost <= 1);
    CHECK(t.model->asked().size() <= static_cast<std::size_t>(used) + 1);
  }
}

TEST_CASE("a budget that a call could break pauses the study, and more of it lets the line go on") {
  Thoughtful t(proposing);
  kernel::StudySpec spec = thinking_spec();
  spec.budget.usd = 3;  // At a thousand dollars per million tokens.
  t.world.open(spec);
  t.live();
  Study study = t.study();
  REQUIRE(study.state == kernel::StudyState::paused);
  CHECK(study.pause_reason == kernel::PauseReason::budget);
  CHECK(kernel::spent(study).usd <= 3);
  const std::size_t before = t.model->asked().size();
  kernel::Budget more;
  more.usd = 1000;
  t.world.take_up(more);
  t.live();
  study = t.study();
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(t.model->asked().size() == 5);
  CHECK(before < 5);
}

TEST_CASE("a model that does not answer pauses the study with the reason, and is asked again once it goes on") {
  std::atomic<bool> down = true;
  Thoughtful t([&](const models::Request& request, int n) -> models::ModelOutcome {
    if (down && said_before(request) == 2) {
      models::Failure failure;
      failure.kind = models::Failure::Kind::unauthorised;
      failure.message = "HTTP 401: wrong key";
      return failure;
    }
    return proposing(request, n);
  });
  t.world.open(thinking_spec());
  t.live();
  CHECK(t.study().pause_reason == kernel::PauseReason::agent);
  CHECK(kernel::newest_words(t.study().pause_detail) ==
        "hypothesis-1: model small does not answer: unauthorised: HTTP 401: wrong key. `etude doctor --model small` "
        "says what its server wants; mend the configuration or the server, then resume");
  down = false;
  t.world.take_up();
  t.live();
  CHECK(t.study().outcome == kernel::StudyOutcome::concluded);
  CHECK(t.model->asked().size() == 6);
}

TEST_CASE("a model that only talks is asked for tools, and one that repeats a call is stopped") {
  Thoughtful talker([](const models::Request&, int) { return saying("I think quicksort is faster."); });
  talker.world.open(thinking_spec());
  talker.live();
  CHECK(talker.model->asked().size() == 4);
  CHECK_FALSE(talker.study().thinking.lines[0].ended);
  CHECK(kernel::newest_words(talker.study().pause_detail) ==
        "hypothesis-1: 4 replies of model small in a row called no tool: its replies are text only. Once that is "
        "mended, `etude "
        "resume` asks again");
  Thoughtful circler([](const models::Request&, int) { return calling("list_files", "{}"); });
  circler.world.open(thinking_spec());
  circler.live();
  CHECK(circler.model->asked().size() == 9);
  CHECK(circler.study().thinking.lines[0].ending.code == kernel::ReasonCode::line_repeats_itself);
  CHECK(last_answer(circler.model->asked()[5]).find("You have asked this 5 times") == 0);
}

TEST_CASE("a line of work is told when few replies are left") {
  Thoughtful t([](const models::Request&, int n) {
    return calling("read_file", R"({"path":"sort.py","lines":)" + std::to_string(n + 1) + "}");
  });
  t.world.open(thinking_spec());
  t.live();
  const auto asked = t.model->asked();
  REQUIRE(asked.size() == 80);
  CHECK(asked[74].messages.back().text.empty());
  CHECK(asked[75].messages.back().text ==
        "5 replies left before your part ends without a result: hand in what you have.\n");
  CHECK(asked[79].messages.back().text ==
        "1 reply left before your part ends without a result: hand in what you have.\n");
  CHECK(t.study().thinking.lines[0].ending.code == kernel::ReasonCode::line_of_most_calls);
}

TEST_CASE("what a person says reaches the next call") {
  Thoughtful* self = nullptr;
  Thoughtful t([&](const models::Request& request, int n) {
    if (said_before(request) == 1) self->world.say(kernel::Steer{"look at memory, too"});
    return proposing(request, n);
  });
  self = &t;
  t.world.open(thinking_spec());
  t.live();
  const auto asked = t.model->asked();
  CHECK(asked[2].messages.back().text == "The person who runs this study says: look at memory, too\n");
  CHECK(asked[3].messages.back().text.empty());
}

TEST_CASE("a call under way is cut off when its study is cancelled, and its end is in the journal") {
  Thoughtful* self = nullptr;
  Thoughtful t([&](const models::Request& request, int n) -> std::optional<models::ModelOutcome> {
    if (said_before(request) < 2) return proposing(request, n);
    self->world.inbox.post(kernel::Command{"s1", "person", kernel::Cancel{"enough"}});
    return std::nullopt;
  });
  self = &t;
  t.world.open(thinking_spec());
  t.live();
  // Once more if the thinker ends before the conversation does.
  CHECK(t.model->cancelled >= 1);
  const Study study = t.study();
  CHECK(study.outcome == kernel::StudyOutcome::cancelled);
  CHECK(study.thinking.under_way == 0);
  CHECK(study.thinking.calls.back().state == kernel::CallState::failed);
  CHECK(kernel::spent(study).usd > 0.24);  // Two replies, and what was set aside for the third.
}

TEST_CASE("the journal's requests and replies are read as they were written, and what is broken is said") {
  agents::Remembered remembered;
  remembered.heard = 2;
  remembered.request.model = "m";
  remembered.request.system = "rules";
  remembered.request.temperature = 0.5;
  remembered.request.tools = {{"t", "does", "{}"}};
  remembered.request.messages.resize(2);
  remembered.request.messages[0].images = {{"image/png", std::string("\0\xff", 2)}};
  remembered.request.messages[1].by = models::Speaker::assistant;
  remembered.request.messages[1].calls = {{"c", "t", "{\"a\":1}"}};
  remembered.request.messages.push_back({models::Speaker::user, "", {}, {}, {{"c", "no", {}, true}}});
  const std::string text = agents::to_journal(remembered);
  const std::string picture("\0\xff", 2);
  std::map<std::string, std::string> blobs = {{"first", text}, {kernel::sha256_hex(picture), picture}};
  const auto fetch = [&](const std::string& sha256) { return blobs.at(sha256); };
  const auto read = agents::request_from_journal(text, fetch);
  REQUIRE(read);
  CHECK(agents::to_journal(*read) == text);
  CHECK(read->request.messages[0].images[0].bytes == std::string("\0\xff", 2));

  // What goes on from there says only what is new, and the last message may have grown.
  remembered.request.messages.back().text = "A person said more.";
  remembered.request.messages.push_back({models::Speaker::assistant, "I see.", {}, {}, {}});
  remembered.heard = 3;
  blobs["second"] = agents::to_journal(remembered, {{"first", 0}, 2});
  CHECK(blobs["second"].find("rules") == std::string::npos);
  remembered.request.messages.push_back({models::Speaker::user, "Go on.", {}, {}, {}});
  const std::string third = agents::to_journal(remembered, {{"second", 0}, 4});
  CHECK(third.find("I see") == std::string::npos);
  const auto later = agents::request_from_journal(third, fetch);
  REQUIRE(later);
  CHECK(agents::to_journal(*later) == agents::to_journal(remembered));
  CHECK_FALSE(agents::request_from_journal(agents::to_journal(remembered, {{"first", 0}, 4}), fetch));
  const models::Reply reply = std::get<models::Reply>(calling("t", "{"));
  CHECK(agents::to_journal(*agents::reply_from_journal(agents::to_journal(reply))) == agents::to_journal(reply));
  CHECK(agents::reply_from_journal("{}").problem().what == "a recorded reply");
  CHECK(agents::request_from_journal("{\"v\":9}", fetch).problem().why.find("another version") != std::string::npos);
}
