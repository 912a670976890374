// Conversations whose roles have patience: replies by batches, which outlive the program that waits for them.
#include <algorithm>

#include "kernel/domain/journal.h"
#include "kernel/views/shapes.h"
#include "kernel/wording/wording.h"
#include "tests/agents/thoughtful.h"

using namespace thoughtful;

namespace {

/// All roles have patience, and the models answer by batches what they would answer at once.
struct Patient : Thoughtful {
  explicit Patient(fakes::ScriptedModel::Script script = proposing) : Thoughtful(script) {
    patience_s = 86400;
    model->batches = [script](const models::Request& request, const models::BatchTicket&, bool) {
      return std::optional<models::BatchOutcome>(*script(request, 0));
    };
    others->batches = [](const models::Request& request, const models::BatchTicket&, bool) {
      return std::optional<models::BatchOutcome>(obliging(request, 0));
    };
  }
  int submitted() const { return model->submitted() + others->submitted(); }
  std::vector<kernel::CallEnd> ends() const {
    std::vector<kernel::CallEnd> all;
    for (const kernel::Event& event : world.log)
      if (const auto* answered = std::get_if<kernel::ModelAnswered>(&event.body)) all.push_back(answered->end);
    return all;
  }
};

bool waits_for_batch(const kernel::State& state) {
  const Study* study = state.study("s1");
  return study && std::ranges::any_of(study->thinking.calls, &kernel::ModelCall::in_batch);
}

}  // namespace

TEST_CASE("a study whose roles have patience is answered by batches, at their price") {
  Patient t;
  t.world.open(thinking_spec());
  t.live();
  CHECK(t.study().outcome == kernel::StudyOutcome::concluded);
  const auto ends = t.ends();
  CHECK(t.submitted() == static_cast<int>(ends.size()));
  for (const kernel::CallEnd& end : ends) {
    CHECK(end.by_batch);
    CHECK(end.notes.empty());
    CHECK(end.usd == Approx(0.06));  // 120 tokens at half of a thousand dollars per million.
  }
}

TEST_CASE("killed at every commit, it takes its batches up, and submits nothing twice that was recorded") {
  int commits = 0;
  {
    Patient undisturbed;
    undisturbed.world.open(thinking_spec());
    undisturbed.live([](const kernel::State& s) { return s.study("s1") && s.study("s1")->proposals_closed; });
    commits = undisturbed.world.commits;
  }
  REQUIRE(commits > 12);
  for (int at = 2; at <= commits; ++at) {
    Patient t;
    t.world.open(thinking_spec());
    t.world.fail_at_commit = at;
    CHECK_THROWS(t.live());
    t.world.inbox.take(1);  // What was said to the kernel that died.
    bool recorded = false;
    for (const kernel::ModelCall& call : t.study().thinking.calls) recorded = recorded || call.in_batch();
    t.world.take_up();
    t.live();
    const Study study = t.study();
    INFO("killed at commit " << at);
    REQUIRE(study.outcome == kernel::StudyOutcome::concluded);
    CHECK(study.hypotheses.size() == 1);
    CHECK(study.thinking.under_way == 0);
    int used = 0, lost = 0;
    for (const kernel::ModelCall& call : study.thinking.calls)
      if (call.line == 0) ++(call.state == kernel::CallState::answered ? used : lost);
    CHECK(used == 5);
    CHECK(lost <= (recorded ? 0 : 1));
    CHECK(t.model->submitted() <= used + lost);
  }
}

TEST_CASE("a study says for which batch it waits, pauses without its end, and takes it up later") {
  Patient t;
  bool there = false;
  t.model->batches = [&](const models::Request& request, const models::BatchTicket&,
                         bool) -> std::optional<models::BatchOutcome> {
    if (said_before(request) == 1 && !there) return std::nullopt;
    return proposing(request, 0);
  };
  t.world.open(thinking_spec());
  bool said = false;
  t.live([&](const kernel::State& state) {
    if (!said && waits_for_batch(state) && state.study("s1")->thinking.calls.size() == 2) {
      const json waiting = kernel::study_shape(*state.study("s1"), "").at("waiting").at(0);
      CHECK(waiting.at("why") == "waits for batch b2 of model small, until at most 1970-01-01 01:00 UTC");
      CHECK(waiting.at("on") == "batch");
      CHECK(waiting.at("line") == "hypothesis-1");
      CHECK(waiting.at("until") == "1970-01-01T01:00:00.000Z");
      CHECK(waiting.at("since").is_string());
      said = true;
      t.world.say(kernel::Pause{kernel::PauseReason::interrupted, {}});
    }
    return World::at_rest(state);
  });
  CHECK(said);
  Study study = t.study();
  CHECK(study.state == kernel::StudyState::paused);
  CHECK(study.thinking.calls[1].in_batch());
  CHECK_FALSE(kernel::study_shape(study, "").contains("waiting"));
  there = true;
  t.world.take_up();
  t.live();
  CHECK(t.study().outcome == kernel::StudyOutcome::concluded);
  CHECK(t.model->submitted() == 5);
  CHECK(t.model->batches_cancelled == 0);
}

TEST_CASE("what a batch does not answer is asked at once, at the full price, with why in the record") {
  Patient t;
  t.model->batches = [](const models::Request& request, const models::BatchTicket&, bool) {
    return said_before(request) == 1
               ? std::optional<models::BatchOutcome>(models::BatchMissed{"batch b2 expired", true})
               : std::optional<models::BatchOutcome>(proposing(request, 0));
  };
  t.world.open(thinking_spec());
  t.live();
  const Study study = t.study();
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  const kernel::CallEnd end = t.ends().at(1);
  CHECK(end.notes == std::vector<std::string>{"batch b2 expired; asked at once"});
  CHECK_FALSE(end.by_batch);
  CHECK(end.attempts == 2);
  CHECK(end.usd > 0.12);  // What was set aside for the batch, too, for it may have to be paid.
  CHECK_FALSE(study.thinking.calls[1].batch);
}

TEST_CASE("a batch that cannot be looked at pauses the study, and is taken up once that is mended") {
  Patient t;
  bool locked = true;
  t.model->batches = [&](const models::Request& request, const models::BatchTicket&,
                         bool) -> std::optional<models::BatchOutcome> {
    if (said_before(request) == 2 && locked) {
      models::Failure failure;
      failure.kind = models::Failure::Kind::unauthorised;
      failure.message = "HTTP 401: wrong key";
      return models::BatchLeft{failure};
    }
    return proposing(request, 0);
  };
  t.world.open(thinking_spec());
  t.live();
  CHECK(t.study().state == kernel::StudyState::paused);
  CHECK(kernel::newest_words(t.study().pause_detail) ==
        "hypothesis-1: model small does not answer: unauthorised: HTTP 401: wrong key. `etude doctor --model small` "
        "says what its server wants; mend the configuration or the server, then resume");
  locked = false;
  t.world.take_up();
  t.live();
  CHECK(t.study().outcome == kernel::StudyOutcome::concluded);
  CHECK(t.model->submitted() == 5);
}

TEST_CASE("a study that is cancelled cancels its batches, and counts them as paid") {
  Patient t;
  t.model->batches = [](const models::Request&, const models::BatchTicket&, bool) {
    return std::optional<models::BatchOutcome>();
  };
  t.world.open(thinking_spec());
  bool said = false;
  t.live([&](const kernel::State& state) {
    if (waits_for_batch(state) && !std::exchange(said, true)) t.world.say(kernel::Cancel{"enough"});
    return World::at_rest(state);
  });
  const Study study = t.study();
  CHECK(study.outcome == kernel::StudyOutcome::cancelled);
  CHECK(study.thinking.under_way == 0);
  CHECK(t.model->batches_cancelled >= 1);
  CHECK(kernel::spent(study).usd > 0);
}
