// Findings as GitHub and GitLab show them, and what a report says that it did not verify.
#include "artifacts/check/annotations.h"

#include <set>

#include <nlohmann/json.hpp>

#include "artifacts/check/rule_groups.h"
#include "artifacts/read/artifact_reader.h"
#include "tests/artifacts/samples/sample_study.h"
#include "tests/artifacts/samples/scratch.h"

using artifacts::Severity;

namespace {

artifacts::CheckReport report_of_odd_names() {
  artifacts::CheckReport report;
  report.artifact = "x";
  report.findings = {
      {"changed-line", Severity::critical, "logic/a,b:c%.md", 3, "50 % more\r\n::warning::x", false, false, {}},
      {"missing-file", Severity::warning, "PAPER.md", 0, "it is not there", false, false, {}},
      {"extra-file", Severity::info, "", 0, "one more", false, false, {}},
      {"unknown-node", Severity::error, "trace/t.yaml", 7, "no such node", false, false, "ARA108"}};
  return report;
}

}  // namespace

TEST_CASE("each finding is one command of GitHub, from which nothing in a name or a message can break out") {
  CHECK(artifacts::to_github(report_of_odd_names(), "my ara") ==
        "::error file=my ara/logic/a%2Cb%3Ac%25.md,line=3,title=etude changed-line::50 %25 more%0D%0A::warning::x\n"
        "::warning file=my ara/PAPER.md,title=etude missing-file::it is not there\n"
        "::notice title=etude extra-file::one more\n");
  CHECK(artifacts::to_github(report_of_odd_names(), ".").starts_with("::error file=logic/a%2Cb%3Ac%25.md,line=3,"));
  // Of a zip no file lies in the repository.
  CHECK(artifacts::to_github(report_of_odd_names(), "").find("file=") == std::string::npos);
}

TEST_CASE("GitLab gets every finding with a place, a severity that it knows, and a fingerprint of its own") {
  const nlohmann::json list = artifacts::to_gitlab(report_of_odd_names(), "ara");
  REQUIRE(list.size() == 3);
  CHECK(list[0]["location"] == nlohmann::json{{"path", "ara/logic/a,b:c%.md"}, {"lines", {{"begin", 3}}}});
  CHECK(list[1]["location"]["lines"]["begin"] == 1);
  CHECK(list[0]["severity"] == "critical");
  CHECK(list[1]["severity"] == "minor");
  CHECK(list[2]["severity"] == "info");
  artifacts::CheckReport twice = report_of_odd_names();
  twice.findings.push_back(twice.findings[1]);
  std::set<std::string> prints;
  const nlohmann::json more = artifacts::to_gitlab(twice, "ara");
  for (const nlohmann::json& entry : more) prints.insert(entry["fingerprint"]);
  CHECK(prints.size() == 4);
  // Others that come and go change none.
  twice.findings.erase(twice.findings.begin());
  CHECK(artifacts::to_gitlab(twice, "ara")[0]["fingerprint"] == list[1]["fingerprint"]);
}

TEST_CASE("a report ends with what was not verified of this artifact") {
  const Scratch scratch;
  const artifacts::CheckReport report = scratch.check();
  const std::string text = artifacts::to_text(report);
  CHECK(report.ok);
  CHECK(text.find("ok\nnot verified: no number was computed again: there is no event log") != std::string::npos);
  CHECK(text.find("not verified: the 1 work in logic/related_work.md was not looked up") != std::string::npos);
  CHECK(artifacts::to_json(report)["not_verified"] == report.not_verified);
  scratch.remove("logic/related_work.md");
  CHECK(scratch.check().not_verified.size() + 1 == report.not_verified.size());

  const SampleStudy study;
  const Scratch own(sample_artifact(study));
  const std::string of_own = artifacts::to_text(own.check());
  CHECK(of_own.find("not verified: pages and numbers were not computed again") != std::string::npos);
  CHECK(of_own.find("not verified: the head of the event log was not compared") != std::string::npos);
  CHECK(of_own.find("there is no event log") == std::string::npos);
}

TEST_CASE("what an audit did is not among what was not verified") {
  const artifacts::Artifact nothing;
  const auto open = artifacts::not_verified(nothing, {.recorded = true, .audited = true, .head_compared = true});
  CHECK(open == std::vector<std::string>{"no run was started again: etude reproduce"});
  CHECK(artifacts::not_verified(nothing, {.recorded = true}).size() == 3);
}
