#include "apps/cli/views/gate_text.h"

#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace cli;
using nlohmann::json;

namespace {

json gate() {
  return json::parse(R"({
    "id": "s1-g1", "on": "experiments", "what": "register the experiment", "decision": null, "why": null, "tool": null,
    "arguments": null, "allows": {"cells": 2, "replicates": {"min": 4, "max": 4}, "runs": {"min": 11, "max": 11},
      "parts": [{"purpose": "warm-up", "runs": {"min": 2, "max": 2}}, {"purpose": "registered", "runs": {"min": 8, "max": 8}},
                {"purpose": "repeats", "runs": {"min": 1, "max": 1}}],
      "hypotheses": [{"id": "H1", "power": {"min": 0.9995, "max": 0.9995}}, {"id": "H2", "power": {"min": null, "max": null}},
                     {"id": "H3", "power": {"min": 0.9995, "max": 0.9995}}],
      "cost": {"jobs": 2, "wall_s": {"expected": 8, "low": 7, "high": 10}, "gpu_hours": null, "basis": "of 3 runs"},
      "shortfall": null, "command": ["python3", "train.py", "--lr", "{lr}"]}})");
}

json study() {
  return json::parse(R"({
    "id": "s1", "state": "running", "gates": [], "agents_code": {"by": "engineer", "files": ["train.py", "model.py"]},
    "ledger": {"usd": {"limit": 2, "reserved": 0, "spent": 0.25}, "wall_s": {"limit": null, "reserved": 0, "spent": 3}}})");
}

}  // namespace

TEST_CASE("a gate that waits shows what an approval allows, and how to answer") {
  CHECK(gate_text(study(), gate(), {}) ==
        "s1-g1  experiments  register the experiment?  waits\n"
        "  runs      2 cells × 4 replicates = 8 registered; warm-up 2, repeats 1; 11 in all\n"
        "  time      about 8.0 s (7.0 s to 10 s), 2 runs at once\n"
        "  command   python3 train.py --lr {lr}\n"
        "  money     0.25 of 2 USD used\n"
        "  power     H1, H3 0.99; H2 not known\n"
        "  changed   train.py, model.py, by engineer\n"
        "  answer    etude approve s1-g1, or etude reject s1-g1 --why \"…\"\n");
  std::istringstream lines(gate_text(study(), gate(), {60, false}));
  for (std::string line; std::getline(lines, line);) CHECK(columns_of(line) <= 60);
}

TEST_CASE("numbers of replicates that differ between hypotheses are no product") {
  json unequal = gate();
  unequal["allows"]["replicates"] = {{"min", 4}, {"max", 12}};
  unequal["allows"]["parts"] = json::parse(R"([{"purpose": "registered", "runs": {"min": 16, "max": 16}}])");
  CHECK(gate_text(study(), unequal, {}).find("2 cells × 4 to 12 replicates; 16 registered\n") != std::string::npos);
}

TEST_CASE("a gate that was decided has its answer, and a question is answered with words") {
  json one = gate();
  one["decision"] = "reject";
  one["why"] = "too many runs";
  CHECK(gate_text(study(), one, {}) == "s1-g1  experiments  register the experiment?  reject: too many runs\n");
  json question = gate();
  question["on"] = "question";
  question["what"] = "Which seed?";
  question.erase("allows");
  CHECK(gate_text(study(), question, {}) ==
        "s1-g1  question  Which seed?  waits\n"
        "  answer    etude approve s1-g1 --why \"…\", with the answer\n");
}

TEST_CASE("the page of a study names runs, time and command of its open gates, and no decided gate") {
  json s = study();
  json decided = gate();
  decided["decision"] = "approve";
  s["gates"] = {decided, gate()};
  TextPage page({});
  put_gates(s, page);
  CHECK(page.take() ==
        "asks you  register the experiment\n"
        "          runs: 2 cells × 4 replicates = 8 registered; warm-up 2, repeats 1; 11 in all\n"
        "          time: about 8.0 s (7.0 s to 10 s), 2 runs at once\n"
        "          command: python3 train.py --lr {lr}\n"
        "answer    etude approve s1-g1, or etude reject s1-g1 --why \"…\"\n");
}
