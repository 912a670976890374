#include "apps/cli/views/study_text.h"

#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "apps/cli/views/model_lines.h"
#include "apps/cli/views/study_parts.h"

using namespace cli;
using nlohmann::json;

namespace {

json hypothesis() {
  return json::parse(R"({
    "id": "H1", "statement": "Quick takes less than half of bubble's time.", "kind": "compare", "metric": "time_ms",
    "treatment": {"algorithm": "quick"}, "control": {"algorithm": "bubble"}, "where": {"n": 1000},
    "direction": "less", "margin": {"relative": 0.5}, "status": "final", "experiment": "E01",
    "verdict": "supported", "effect": -12.345678, "effect_relative": -0.62, "interval": [-12.9012, -11.7901],
    "interval_relative": [-0.64, -0.60], "level": 0.9, "p": 1e-7, "p_corrected": 0.0012, "n": [12, 11],
    "failed": [0, 1], "power": 0.87, "reason": "The interval lies inside.", "warnings": ["one run failed"]})");
}

json study(json hypotheses) {
  json s = json::parse(R"({
    "id": "s1", "title": "Sorting", "question": "Which sort is faster?", "state": "ended", "stage": "done",
    "outcome": "concluded", "reason": null, "detail": null, "head": "abc", "opened": "2026-01-02T03:04:05.678Z",
    "ended": null, "study_file": "/x/study.yaml", "artifact": null, "report": null,
    "metrics": [{"name": "time_ms", "unit": "ms", "goal": "minimize", "primary": true}],
    "runs": {"total": 25, "scratch": 1, "succeeded": 24, "failed": 1, "timed_out": 0},
    "ledger": {"runs": {"limit": 400, "reserved": 0, "spent": 25}, "wall_s": {"limit": null, "reserved": 0, "spent": 12},
      "accounts": [{"role": "experiment", "branch": "E01", "runs": {"limit": null, "reserved": 2, "spent": 23},
                    "run_s": 90.0, "gpu_hours": 0.0, "energy_j": {"spent": null}},
                   {"role": "engineer", "branch": "smoke", "runs": {"limit": null, "reserved": 0, "spent": 2},
                    "run_s": 0.5, "gpu_hours": 1.25, "energy_j": {"spent": 1234.5}}]}})");
  s["hypotheses"] = std::move(hypotheses);
  return s;
}

/// As lists show it.
json listed(const char* verdicts) {
  json s = study(json::array());
  for (const char* key : {"hypotheses", "metrics"}) s.erase(key);
  s["verdicts"] = json::parse(verdicts);
  return s;
}

json open_hypothesis() {
  json h = hypothesis();
  for (const char* key : {"verdict", "effect", "effect_relative", "interval", "interval_relative", "level", "p",
                          "p_corrected", "n", "failed", "reason", "warnings"})
    h[key] = nullptr;
  h["status"] = "open";
  h.erase("warnings");
  return h;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

json run() {
  return json::parse(R"({"id": "s1-r1", "purpose": "registered", "state": "succeeded", "factors": {"algorithm": "quick",
    "n": 1000}, "seed": 42, "metrics": {"time_ms": 3.14159}, "ended": "2026-01-02T03:04:05Z", "retry_of": null,
    "label": null, "reason": null, "launch": "5f1c22e09ab4", "usage": {"wall_s": 1.25, "rss_peak_bytes": 14000000}})");
}

}  // namespace

TEST_CASE("a study shows each verdict with effect, interval, p, n and reason") {
  const std::string text = study_text(study({hypothesis()}), {});
  CHECK(holds(text, "H1  ✓ supported  Quick takes less than half of bubble's time.\n"));
  CHECK(holds(text, "time_ms of algorithm=quick against algorithm=bubble where n=1000: less, margin 50 %\n"));
  CHECK(holds(text,
              "effect -12.35 ms [-12.90, -11.79] at 90 %, relative -62.0 % [-64.0 %, -60.0 %]; "
              "p < 0.0001, corrected 0.0012; n 12 and 11, failed 0 and 1; power 0.87\n"));
  CHECK(holds(text, "    The interval lies inside.\n"));
  CHECK(holds(text, "caution: one run failed"));
  CHECK(holds(text, "runs      25: 24 succeeded, 1 failed; 1 is not evidence"));
  CHECK(holds(text,
              "ledger    runs 25 of 400 · wall 12 s\n"
              "          experiment · E01: runs 23 · 1 min 30 s of jobs\n"
              "          engineer · smoke: runs 2 · 0.50 s of jobs · 1.25 GPU hours · 1234 J\n"));
  CHECK(holds(text, "opened    2026-01-02 03:04 UTC\n"));
  CHECK(holds(text, "head      abc\n"));
}

TEST_CASE("the ledger has the GPU hours of a study that used some or has a budget of them") {
  json s = study({hypothesis()});
  const auto line = [&](const json& entry) {
    s["ledger"]["gpu_hours"] = entry;
    return ledger_line(s);
  };
  CHECK(line({{"limit", 2.5}, {"reserved", 0}, {"spent", 0.000123}}) ==
        "runs 25 of 400 · wall 12 s · GPU hours 0.000123 of 2.5");
  CHECK(line({{"limit", 2}, {"reserved", 0}, {"spent", 0}}) == "runs 25 of 400 · wall 12 s · GPU hours 0 of 2");
  CHECK(line({{"limit", nullptr}, {"reserved", 0}, {"spent", 13.0}}) == "runs 25 of 400 · wall 12 s · GPU hours 13");
  CHECK(line({{"limit", nullptr}, {"reserved", 0}, {"spent", 0}}) == "runs 25 of 400 · wall 12 s");
}

TEST_CASE("the short form has the sizes, the warnings, what it needs and what it cost, within 80 columns") {
  json s = study({hypothesis(), open_hypothesis()});
  s["hypotheses"][1]["id"] = "H2";
  s["gates"] = json::parse(R"([{"id": "s1-g1", "what": "run 400 runs", "decision": null, "on": "registration"},
                               {"id": "s1-g2", "what": "old", "decision": "approved", "on": "registration"}])");
  s["ledger"]["understated"] = {"The provider of model own states 1 token"};
  s["failures"] =
      json::parse(R"([{"fingerprint": "f", "runs": 5, "first": "s1-r3", "reason": "exit status 1; no such file"}])");
  const std::string text = study_summary(s, {});
  CHECK(text ==
        "Sorting\n"
        "Which sort is faster?\n"
        "The provider of model own states 1 token\n"
        "\n"
        "H1  ✓ supported  Quick takes less than half of bubble's time.\n"
        "    time_ms: -62.0 % [-64.0, -60.0] % at 90 %, p corrected 0.0012, n 12/11\n"
        "H2  · open  Quick takes less than half of bubble's time.\n"
        "\n"
        "caution   H1: one run failed\n"
        "study     s1\n"
        "state     concluded, 1 of 2 inconclusive\n"
        "asks you  run 400 runs\n"
        "answer    etude approve s1-g1, or etude reject s1-g1 --why \"…\"\n"
        "verdicts  1 supported, 1 open\n"
        "runs      25: 24 succeeded, 1 failed; 1 is not evidence (smoke, pilot, A/A, repeats, scratch)\n"
        "          s1-r3 and 4 more: exit status 1; no such file\n"
        "again     etude try --run s1-r3\n"
        "cost      runs 25 of 400 · wall 12 s\n"
        "more      etude show s1 --all\n");
  s["hypotheses"][0]["statement"] =
      "Quick takes less than half of bubble's time on every input that we could think of.";
  std::istringstream lines(study_summary(s, {80, false}));
  for (std::string line; std::getline(lines, line);) CHECK(columns_of(line) <= 80);
}

TEST_CASE("the short form shows the leading findings, and says how many more there are") {
  json s = study(json::array());
  for (int i = 1; i <= 12; ++i) {
    json one = i == 9 ? hypothesis() : open_hypothesis();
    one["id"] = "H" + std::to_string(i);
    s["hypotheses"].push_back(one);
  }
  const std::string text = study_summary(s, {});
  CHECK(text.find("H9 ") < text.find("H1 "));
  CHECK(holds(text, "H4  · open"));
  CHECK_FALSE(holds(text, "H5  · open"));
  CHECK(holds(text, "\nH5, H6, H7, H8, H10, H11, H12: open\n"));
  CHECK(std::ranges::count(text, '\n') <= 24);
  CHECK(holds(study_text(s, {}), "H12"));
}

TEST_CASE("the short form shows the first cautions, and says how many more there are") {
  json s = study({hypothesis()});
  json& warnings = s["hypotheses"][0]["warnings"];
  warnings = json::array();
  for (int i = 1; i <= 8; ++i) warnings.push_back("caution " + std::string(1, static_cast<char>('a' + i)));
  const std::string all = study_summary(s, {});
  CHECK(holds(all, "caution   H1: caution b\n"));
  CHECK(holds(all, "caution   H1: caution i\nstudy     s1\n"));
  warnings.push_back("caution j");
  const std::string some = study_summary(s, {});
  CHECK(holds(some, "caution   H1: caution h\ncaution   2 more: etude show s1 --all\nstudy     s1\n"));
  CHECK(holds(study_text(s, {}), "caution: caution j\n"));
}

TEST_CASE("a verdict that rests on no run has no cautions about its evidence") {
  json s = study({hypothesis()});
  s["hypotheses"][0]["n"] = {0, 1};
  CHECK(holds(study_summary(s, {}), "caution   H1: one run failed\n"));
  CHECK(holds(study_text(s, {}), "caution: one run failed"));
  s["hypotheses"][0]["n"] = {0, 0};
  CHECK(!holds(study_summary(s, {}), "caution"));
  CHECK(!holds(study_text(s, {}), "caution"));
}

TEST_CASE("an ending on a narrow screen has whole statements, below each other") {
  json s = study({hypothesis()});
  const std::string wide = ending_text(s, {}), narrow = ending_text(s, {80, false});
  CHECK(holds(wide, "H1  ✓ supported  Quick takes less than half of bubble's time.  -62.0 %  [-64.0, -60.0] %"));
  CHECK(holds(narrow,
              "H1  ✓ supported  Quick takes less than half of bubble's time.\n"
              "    time_ms: -62.0 % [-64.0, -60.0] % at 90 %, p corrected 0.0012, n 12/11\n"));
  CHECK_FALSE(holds(narrow, "…"));
}

TEST_CASE("a study shows what each model cost in each role, and who answered") {
  json s = study({hypothesis()});
  s["ledger"]["models"] = json::parse(R"([
    {"role": "hypothesis", "model": "thinker", "calls": 12, "tokens_in": 340000, "tokens_cached": 275400,
     "tokens_out": 9000, "usd": 1.23456, "answers": [
       {"asked": "gpt-x", "effort": "high", "answered_by": "gpt-x-2026-01-01", "tier": "default", "fingerprint": "fp_1",
        "calls": 11},
       {"asked": "gpt-x", "effort": null, "answered_by": null, "tier": null, "fingerprint": null, "calls": 1}]},
    {"role": "reviewer", "model": "own", "calls": 1, "tokens_in": 10, "tokens_cached": 0, "tokens_out": 5, "usd": null,
     "answers": []}])");
  s["ledger"]["other_models"] = {"asked for gpt-x, gpt-y answered in 1 of 12 calls"};
  s["ledger"]["understated"] = {"The provider of model own states 1 token"};
  CHECK(holds(study_text(s, {}),
              "models    hypothesis, thinker: 12 calls, 340000 tokens in (81 % from the cache), 9000 out, $1.235\n"
              "          answered by gpt-x-2026-01-01, tier default, fingerprint fp_1, effort high: 11 calls\n"
              "          answered by a model that is not named: 1 call\n"
              "          reviewer, own: 1 call, 10 tokens in, 5 out, price not known\n"
              "          asked for gpt-x, gpt-y answered in 1 of 12 calls\n"
              "          The provider of model own states 1 token\n"));
  const json sums = summed_models({s["ledger"]["models"], s["ledger"]["models"]});
  REQUIRE(sums.size() == 2);
  CHECK(model_line(sums[0]) ==
        "hypothesis, thinker: 24 calls, 680000 tokens in (81 % from the cache), 18000 out, $2.469");
  CHECK(sums[0].at("studies") == 2);
  CHECK_FALSE(sums[0].contains("answers"));
  CHECK(sums[1].at("usd").is_null());
}

TEST_CASE("what nothing bounds has no interval") {
  json open = hypothesis();
  open["interval"] = {nullptr, nullptr};
  open["interval_relative"] = nullptr;
  open["effect_relative"] = nullptr;
  CHECK(holds(study_text(study({open}), {}), "effect -12.35 ms, no interval; p"));
  open["effect"] = nullptr;
  CHECK(holds(study_text(study({open}), {}), "effect –, no interval; p"));
  CHECK_FALSE(holds(ending_text(study({open}), {}), "unbounded"));
}

TEST_CASE("what is averaged over is shown by setting, and a corrected p by its name") {
  json averaged = hypothesis();
  averaged["settings"] =
      json::parse(R"([{"levels": {"n": 1}, "effect": -9.82, "interval": [-10.46, -9.17], "level": 0.95},
                                         {"levels": {"n": 2}, "effect": 5.8, "interval": null, "level": null}])");
  json found = study({averaged});
  CHECK(holds(study_text(found, {}), "by setting (95 %, not tested): n=1 -9.82 ms [-10.46, -9.17]; n=2 5.8 ms\n"));
  CHECK(holds(ending_text(found, {}), "p corrected"));
  found["correction"] = "benjamini_hochberg";
  CHECK(holds(ending_text(found, {}), "q (FDR)"));
  CHECK_FALSE(holds(ending_text(found, {}), "p corrected"));
  CHECK(holds(study_text(found, {}), "q (FDR) 0.0012"));
}

TEST_CASE("a withdrawn hypothesis says why, and shows no effect, interval or p") {
  json gone = hypothesis();
  for (const char* key : {"effect", "effect_relative", "interval_relative", "p", "p_corrected", "power"})
    gone[key] = nullptr;
  gone["interval"] = {nullptr, nullptr};
  gone["level"] = 0;
  gone["n"] = {0, 0};
  gone["verdict"] = "inconclusive";
  gone["withdrawn"] = "it asks nothing";
  gone["reason"] = "Withdrawn: it asks nothing. It keeps its slot in the family.";
  gone["warnings"] = json::array();
  for (const std::string& text : {study_text(study({gone}), {}), ending_text(study({gone}), {})}) {
    CAPTURE(text);
    CHECK(holds(text, "– withdrawn  Quick takes"));
    CHECK(holds(text, "Withdrawn: it asks nothing."));
    for (const char* wrong : {"inconclusive", "unbounded", "at 0 %", "0/0", "effect –", "0 and 0"})
      CHECK_FALSE(holds(text, wrong));
  }
  CHECK(holds(study_list(json::array({listed(R"({"supported": 1, "withdrawn": 1})")}), {}), "✓1 –1"));
}

TEST_CASE("what the manipulation check found, a reproduction and the advice of a search head a study") {
  json marked = study({hypothesis()});
  marked["manipulation_check"] =
      json::parse(R"([{"subject": "opt", "message": "changing `opt` changed nothing", "serious": true}])");
  marked["reproduces"] = "0123456789abcdef";
  marked["search"] = {{"advice", {"Keep the baseline."}}};
  for (const std::string& text : {study_text(marked, {}), study_summary(marked, {})}) {
    const std::size_t hypotheses = text.find("H1");
    for (const char* words : {"manipulation check: changing `opt` changed nothing\n",
                              "A reproduction: it runs again the runs of the study whose log ends with 0123456789ab.\n",
                              "advice: Keep the baseline.\n"})
      CHECK(text.find(words) < hypotheses);
  }
  CHECK(holds(ending_text(marked, {}), "manipulation check: changing `opt` changed nothing\n"));
}

TEST_CASE("the end of a study that stopped at the manipulation check repeats no finding, and has no table") {
  json stopped = study(json::array());
  const json found = {{"subject", "x"}, {"message", "smoke run r1 did not succeed"}, {"serious", true}};
  stopped["manipulation_check"] = {found, found};
  const std::string text = ending_text(stopped, {});
  CHECK_FALSE(holds(text, "manipulation check"));
  CHECK_FALSE(holds(text, "p corrected"));
  CHECK(holds(text, "ledger "));
  json open = study({open_hypothesis()});
  open["hypotheses"][0]["experiment"] = nullptr;
  open["manipulation_check"] = {found};
  CHECK_FALSE(holds(ending_text(open, {}), "manipulation check"));
  // A search has no hypotheses before its confirmation. Findings stand together.
  stopped["search"] = {{"advice", json::array()}};
  const std::string line = "manipulation check: smoke run r1 did not succeed\n";
  CHECK(holds(ending_text(stopped, {}), "\n" + line + line));
}

TEST_CASE("an integrity finding heads the study and its end") {
  json found = study({hypothesis()});
  found["integrity"] = json::parse(R"([{"experiment": "E01", "metric": "time_ms", "message": "time_ms varied"}])");
  for (const std::string& text : {study_text(found, {}), ending_text(found, {})}) {
    REQUIRE(holds(text, "integrity: time_ms varied\n"));
    CHECK(text.find("integrity:") < text.find("H1"));
  }
}

TEST_CASE("before the registered look a hypothesis is open and shows no number") {
  json running = study({open_hypothesis()});
  running["state"] = "running";
  running["stage"] = "measuring";
  const std::string text = study_text(running, {});
  CHECK(holds(text, "H1  · open  "));
  CHECK(holds(text, "withheld until E01 is analysed"));
  CHECK(holds(text, "state     running, measuring\n"));
  CHECK_FALSE(holds(text, "effect"));
}

TEST_CASE("a slope names its axis, scale and value") {
  json slope = hypothesis();
  slope["kind"] = "slope";
  slope["along"] = "n";
  slope["scale"] = "loglog";
  slope["value"] = 2.0;
  slope["direction"] = "equal";
  slope["margin"] = {{"absolute", 0.25}};
  slope["effect_relative"] = nullptr;
  CHECK(holds(study_text(study({slope}), {}),
              "slope of time_ms along n (loglog) for algorithm=quick where n=1000: equal 2, margin 0.25\n"));
}

TEST_CASE("an exploratory hypothesis says so, and a paused study says how to go on") {
  json exploratory = hypothesis();
  exploratory["status"] = "exploratory";
  json paused = study({exploratory});
  paused["state"] = "paused";
  paused["outcome"] = nullptr;
  paused["reason"] = "budget";
  paused["detail"] = "400 of 400 runs are spent";
  const std::string text = study_text(paused, {});
  CHECK(holds(text, "supported, exploratory"));
  CHECK(holds(text, "state     paused (budget), done: 400 of 400 runs are spent\n"));
  CHECK(holds(text, "continue  etude resume s1 --budget KEY=VALUE\n"));
}

TEST_CASE("a running study without a kernel is a stopped one, and says how to go on") {
  json running = study({open_hypothesis()});
  running["state"] = "running";
  cli::name_owner(running, std::nullopt);
  CHECK(running["owner"].is_null());
  CHECK(holds(study_text(running, {}), "state     stopped"));
  CHECK(holds(study_text(running, {}), "continue  etude resume s1\n"));
  running["runs"]["running"] = 2;
  running["runs"]["starting"] = 1;
  const std::string left = "2 were running when the kernel stopped, 1 was starting when the kernel stopped";
  CHECK(holds(study_text(running, {}), left));
  CHECK(holds(study_summary(running, {}), left));
  json live = run();
  live["state"] = "running";
  CHECK(holds(run_table(running, {live}, {}), "was running"));
  cli::name_owner(running, 4711);
  CHECK(running["owner"] == 4711);
  CHECK(holds(study_text(running, {}), "state     running"));
  CHECK(holds(study_text(running, {}), ", 2 running, 1 starting"));
  CHECK(!holds(run_table(running, {live}, {}), "was running"));
  json paused = study({open_hypothesis()});
  paused["state"] = "paused";
  cli::name_owner(paused, 4711);
  CHECK(paused["owner"].is_null());
}

TEST_CASE("a narrow terminal gets wrapped lines, none wider than it") {
  json wordy = hypothesis();
  wordy["statement"] = std::string("long ") + std::string(60, 'x') + " " + std::string(200, 'w');
  wordy["reason"] = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen";
  const std::string text = study_text(study({wordy}), {60, false});
  CHECK(holds(text, "ten eleven\n    twelve thirteen"));
}

TEST_CASE("text that came from outside cannot drive the terminal") {
  json nasty = study({hypothesis()});
  nasty["title"] = "\x1b[2Jgone";
  nasty["hypotheses"][0]["statement"] = "a\nb\x07";
  const std::string text = study_text(nasty, {});
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\x07') == std::string::npos);
  CHECK(holds(text, "\\x1b[2Jgone"));
}

TEST_CASE("a state says what is not well, and who has to act") {
  json now = study({hypothesis()});
  CHECK(state_text(now) == "concluded, 1 run failed");
  now["runs"]["failed"] = 0;
  CHECK(state_text(now) == "concluded");
  now["state"] = "running";
  now["gates"] = json::array({{{"id", "s1-g1"}, {"decision", "approve"}}});
  CHECK(state_text(now) == "running");
  now["gates"].push_back({{"id", "s1-g2"}, {"decision", nullptr}});
  CHECK(state_text(now) == "waiting for approval");
  now["gates"] = json::array();
  now["waiting"] = json::parse(R"([{"on": "batch"}])");
  CHECK(state_text(now) == "waiting for a batch");
  now["waiting"].push_back({{"on", "provider"}});
  CHECK(state_text(now) == "paused for a provider");
  now["owner"] = nullptr;
  CHECK(state_text(now) == "stopped");
  json empty = study(json::array());
  empty["runs"]["failed"] = 0;
  CHECK(state_text(empty) == "concluded without a verdict");
}

TEST_CASE("the list tells studies apart by state and verdicts") {
  json second = listed("{}");
  second["id"] = "s2";
  second["state"] = "running";
  CHECK(study_list(json::array({listed(R"({"supported": 1, "open": 1})"), second}), {}) ==
        "id  state                           verdicts  runs  opened                title\n"
        "s1  concluded, 1 of 2 inconclusive  ✓1 ·1       25  2026-01-02 03:04 UTC  Sorting\n"
        "s2  running                         –           25  2026-01-02 03:04 UTC  Sorting\n");
}

TEST_CASE("the list fits a narrow terminal, and keeps ids, states, verdicts, runs and titles") {
  json one = listed(R"({"supported": 1, "inconclusive": 2, "open": 1})");
  one["title"] = "Sorting algorithms across input distributions";
  one["tags"] = {"night", "lr-sweep"};
  one["left"] = json::parse(R"({"wall_s": {"expected": 8, "low": 7, "high": 9}})");
  CHECK(study_list(json::array({one}), {80, false}) ==
        "id  state                           verdicts  runs   left  title\n"
        "s1  concluded, 3 of 4 inconclusive  ✓1 ~2 ·1    25  8.0 s  Sorting algorithms a…\n");
  for (const int width : {60, 80, 100}) {
    const std::string text = study_list(json::array({one}), {width, false});
    CHECK(holds(text, "Sorting"));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(columns_of(line) <= width);
  }
}

TEST_CASE("the short form leaves what a run printed to the list of failures") {
  json h = hypothesis();
  h["verdict"] = "inconclusive";
  h["reason"] = "every run of fast failed: exit status 1; the end of its stderr: Traceback (most recent call last)";
  const json s = study({h});
  CHECK(holds(study_summary(s, {}), "    every run of fast failed: exit status 1\n"));
  CHECK(holds(study_text(s, {}), "Traceback"));
}

TEST_CASE("runs are rows with a column per factor and metric, and its unit") {
  CHECK(run_table(study(json::array()), {run()}, {}) ==
        "id     purpose     state      algorithm  n     seed  time_ms [ms]   time  memory  launch        reason\n"
        "s1-r1  registered  succeeded  quick      1000    42         3.142  1.2 s   14 MB  5f1c22e09ab4\n");
}

TEST_CASE("withheld and absent metrics are told apart, and a run in flight has no cost yet") {
  json hidden = run(), absent = run();
  hidden["withheld"] = true;
  hidden["metrics"]["time_ms"] = nullptr;
  absent["metrics"] = json::object();
  absent["state"] = "timed_out";
  absent["reason"] = "timed out after 60 s";
  absent["ended"] = nullptr;
  const std::string text = run_table(study(json::array()), {hidden, absent}, {});
  CHECK(holds(text, "    withheld  1.2 s"));
  CHECK(holds(text,
              "timed out  quick      1000    42             –      –       –  5f1c22e09ab4  timed out after 60 s\n"));
}

TEST_CASE("retries and smoke runs say what they are") {
  json retry = run(), smoke = run();
  retry["retry_of"] = "s1-r1";
  smoke["label"] = "algorithm";
  const std::string text = run_table(study(json::array()), {retry, smoke}, {});
  CHECK(holds(text, "retry of s1-r1"));
  CHECK(holds(text, "varies algorithm"));
}
