#include <cmath>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "benchmarks/night_score.h"
#include "benchmarks/night_study.h"

using namespace benchmarks;
using nlohmann::json;

namespace {

json idea(const std::string& version, const json& gain, bool again, bool kept) {
  const json compared = {{"gain", 0.1}, {"floor", 0.05}, {"compared", 3}};
  return {{"version", version},
          {"base", "original"},
          {"first", {{"gain", gain}, {"floor", 0.05}}},
          {"kept", kept},
          {"retest", again ? compared : json()},
          {"lines", 4}};
}

/// A night in which the third of three ideas was kept.
json night_document() {
  const json code = {
      {"base", "v3"},
      {"ideas", {idea("v1", json(), false, false), idea("v2", 0.2, true, false), idea("v3", 0.3, true, true)}}};
  const json confirmation = {{"effect", -0.25},
                             {"interval", {-0.3, -0.2}},
                             {"verdict", "supported"},
                             {"control", {{"code", "original"}}},
                             {"treatment", {{"code", "v3"}}}};
  return {{"id", "s1"},
          {"state", "ended"},
          {"outcome", "concluded"},
          {"reason", nullptr},
          {"detail", nullptr},
          {"search", {{"code", code}}},
          {"hypotheses", {confirmation}},
          {"runs", {{"total", 20}}},
          {"ledger", {{"usd", {{"spent", 0.5}}}, {"tokens", {{"spent", 1000}}}, {"wall_s", {{"spent", 60.0}}}}}};
}

json run_of(const std::string& version, double cpu_s, const std::string& state = "succeeded") {
  return {{"state", state}, {"factors", {{"code", version}}}, {"usage", {{"cpu_s", cpu_s}}}};
}

std::string end_of_night(const json& study, const std::vector<json>& runs = {}, bool idle = false) {
  return night_result(study, runs, idle).at("end");
}

}  // namespace

TEST_CASE("a night's gain is that of its last kept version, and positive where fewer bits are needed") {
  const json result = night_result(night_document(), {}, false);
  CHECK(result.at("end") == "confirmed");
  CHECK(result.at("gain") == 0.25);
  CHECK(result.at("low") == 0.2);
  CHECK(result.at("high") == 0.3);
  CHECK(result.at("tried") == 3);
  CHECK(result.at("failed") == 1);
  CHECK(result.at("promising") == 2);
  CHECK(result.at("kept") == 1);
  CHECK(result.at("version") == "v3");
  CHECK(result.at("lines") == 4);
}

TEST_CASE("a night ends as its study did") {
  json study = night_document();
  study["hypotheses"][0]["verdict"] = "inconclusive";
  CHECK(end_of_night(study) == "not confirmed");
  study["outcome"] = "failed";
  CHECK(end_of_night(study) == "failed");
  study["state"] = "paused";
  study["reason"] = "interrupted";
  CHECK(end_of_night(study) == "unfinished");
  study["reason"] = "budget";
  CHECK(end_of_night(study) == "spent");
  study["reason"] = "agent";
  CHECK(end_of_night(study) == "unfinished");
  CHECK(end_of_night(study, {}, true) == "spent");

  json nothing = night_document();
  nothing["search"]["code"] = {{"base", "original"}, {"ideas", {idea("v1", 0.01, false, false)}}};
  nothing["hypotheses"] = json::array();
  const json result = night_result(nothing, {}, false);
  CHECK(result.at("end") == "none kept");
  CHECK(result.at("gain") == 0.0);
  CHECK(result.at("version").is_null());
}

TEST_CASE("a version that takes more processor time than its budget confirms nothing") {
  const std::vector<json> within = {run_of("original", 20), run_of("original", 21), run_of("original", 22),
                                    run_of("v3", 27), run_of("v3", 90, "failed")};
  CHECK(end_of_night(night_document(), within) == "confirmed");
  const std::vector<json> beyond = {run_of("original", 20), run_of("original", 21), run_of("original", 22),
                                    run_of("v3", 28)};
  CHECK(end_of_night(night_document(), beyond) == "over budget");
}

TEST_CASE("nights have a mean gain with Student's interval, and a share with Wilson's") {
  std::vector<json> nights;
  for (const double gain : {0.1, 0.2, 0.6}) {
    nights.push_back(night_result(night_document(), {}, false));
    nights.back()["gain"] = gain;
  }
  nights[0]["end"] = "not confirmed";
  nights.push_back(nights.back());
  nights.back()["end"] = "over budget";
  const json totals = night_totals(nights);
  CHECK(totals.at("tried") == 12);
  CHECK(totals.at("usd") == 2.0);
  CHECK(totals.at("confirmed").at("nights") == 2);
  CHECK(totals.at("confirmed").at("of") == 4);
  CHECK(totals.at("confirmed").at("low").get<double>() == Approx(0.1500).margin(1e-4));
  CHECK(totals.at("gain").at("nights") == 3);
  CHECK(totals.at("gain").at("mean").get<double>() == Approx(0.3));
  // 4.302653 is the 0.975 quantile of t with 2 degrees of freedom, and the variance is 0.07.
  CHECK(totals.at("gain").at("high").get<double>() == Approx(0.3 + 4.302653 * std::sqrt(0.07 / 3)));

  const json one = night_totals({nights[0]});
  CHECK(one.at("gain").at("mean") == 0.1);
  CHECK(one.at("gain").at("low").is_null());
}

TEST_CASE("a night's study has the terms, and a text whose characters can be learnt") {
  NightFiles shared = {{"train.txt", std::string(300, 'a') + "b"},
                       {"val.txt", std::string(300, 'a')},
                       {"test.txt", std::string(300, 'b')},
                       {"evaluate.py", "e"},
                       {"walls.py", "w"},
                       {"rehearse.py", "r"}};
  CHECK_FALSE(refuse_night_text(shared, "t"));
  NightTerms terms;
  terms.seconds = 0.5;
  terms.usd = 2;
  const NightFiles files = night_study(terms, "hosted", 3, shared);
  CHECK_FALSE(files.contains("rehearse.py"));
  for (const auto& [name, bytes] : files) CHECK(bytes.find("{{") == bytes.npos);
  CHECK(files.at("prepare.py").find("SECONDS = 0.5 ") != std::string::npos);
  for (const char* line : {"agents: hosted\n", "seed: 3\n", "budget: {wall: 8h, usd: 2}\n", "timeout: 123s"})
    CHECK(files.at("study.yaml").find(line) != std::string::npos);

  shared["val.txt"] += "ç";
  CHECK(refuse_night_text(shared, "t")->text().find("t/val.txt: `ç` does not occur in train.txt") == 0);
  shared["val.txt"] = "short";
  CHECK(refuse_night_text(shared, "t")->text().find("t/val.txt: it has 5 bytes") == 0);
  shared["val.txt"] = std::string(300, '\xff');
  CHECK(refuse_night_text(shared, "t")->text().find("t/val.txt: it is not UTF-8") == 0);
}
