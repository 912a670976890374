#include "apps/session/watch/public_view.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace session;
using nlohmann::json;

namespace {

json study(const char* state, const json& verdict) {
  return {{"state", state},
          {"hypotheses",
           {{{"id", "H1"}, {"experiment", "E01"}, {"verdict", verdict}},
            {{"id", "H2"}, {"experiment", nullptr}, {"verdict", nullptr}}}}};
}

json run(const char* purpose, const json& experiment) {
  return {{"id", "s-r1"},
          {"purpose", purpose},
          {"experiment", experiment},
          {"state", "succeeded"},
          {"metrics", {{"time_ms", 3.5}, {"peak_mb", 12}}},
          {"reason", nullptr}};
}

}  // namespace

TEST_CASE("a registered run's metrics are withheld until its experiment has been analysed") {
  const json shown = Withheld(study("running", nullptr)).shown(run("registered", "E01"));
  CHECK(shown["metrics"] == json{{"time_ms", nullptr}, {"peak_mb", nullptr}});
  CHECK(shown["withheld"] == true);
  const json open = Withheld(study("running", "refuted")).shown(run("registered", "E01"));
  CHECK(open["metrics"]["time_ms"] == 3.5);
  CHECK(open["withheld"] == false);
}

TEST_CASE("a hypothesis that a look decided, or that was withdrawn, uncovers nothing of the others") {
  json one = study("running", "supported");
  json open = one["hypotheses"][0];
  open["id"] = "H2";
  open["verdict"] = nullptr;
  one["hypotheses"].push_back(open);
  CHECK(Withheld(one).covers(run("registered", "E01")));
  json withdrawn = study("running", "inconclusive");
  withdrawn["hypotheses"][0]["withdrawn"] = "to have a look";
  CHECK(Withheld(withdrawn).covers(run("registered", "E01")));
}

TEST_CASE("an experiment that no analysed hypothesis names stays withheld") {
  CHECK(Withheld(study("running", "refuted")).covers(run("registered", "E02")));
  CHECK(Withheld(study("running", "refuted")).covers(run("registered", nullptr)));
}

TEST_CASE("a paused study withholds, an ended one does not") {
  CHECK(Withheld(study("paused", nullptr)).covers(run("registered", "E01")));
  CHECK_FALSE(Withheld(study("ended", nullptr)).covers(run("registered", "E01")));
}

TEST_CASE("smoke, pilot and scratch runs are open at any time") {
  for (const char* purpose : {"smoke", "pilot", "scratch"})
    CHECK(Withheld(study("running", nullptr)).shown(run(purpose, nullptr))["metrics"]["time_ms"] == 3.5);
}

TEST_CASE("an invalid run's reason, which quotes a metric, is withheld with it") {
  json invalid = run("registered", "E01");
  invalid["state"] = "invalid";
  invalid["reason"] = "`err` is 0.123, and at most 0.1 is allowed";
  CHECK(Withheld(study("running", nullptr)).shown(invalid)["reason"].get<std::string>().find("0.123") ==
        std::string::npos);
  CHECK(Withheld(study("ended", nullptr)).shown(invalid)["reason"] == invalid["reason"]);
}
