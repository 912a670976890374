// `check` believes the log, not etude.json: an edit of one of them is found.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "artifacts/audit/audit.h"
#include "artifacts/check/check.h"
#include "artifacts/text/new_file.h"
#include "artifacts/write/staging.h"
#include "base/digest.h"
#include "tests/artifacts/samples/sample_study.h"
#include "tests/artifacts/samples/scratch.h"

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

void edit_seal(const std::string& folder, const std::function<void(json&)>& edit) {
  json seal = json::parse(artifacts::file_bytes(folder + "/etude.json"));
  edit(seal);
  write(folder + "/etude.json", seal.dump());
}

/// The file changed, and its hash in etude.json with it.
void forge(const std::string& folder, const std::string& path, const std::string& from, const std::string& to) {
  std::string bytes = artifacts::file_bytes(folder + "/" + path);
  const auto at = bytes.find(from);
  REQUIRE(at != std::string::npos);
  bytes.replace(at, from.size(), to);
  write(folder + "/" + path, bytes);
  edit_seal(folder, [&](json& seal) { seal["files"][path] = kernel::sha256_hex(bytes); });
}

/// The messages of a rule's findings; fails the test where the artifact is found to be sound.
std::string findings(const std::string& folder, std::string_view rule) {
  const auto report = artifacts::check(folder);
  REQUIRE(report);
  CHECK_FALSE(report->ok);
  std::string all;
  for (const artifacts::Finding& f : report->findings)
    if (f.rule == rule) all += f.file + ": " + f.message + "\n";
  return all;
}

bool says(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("an etude.json that contradicts the log is found, and where") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  struct Edit {
    const char* where;
    std::function<void(json&)> edit;
  };
  const std::vector<Edit> edits = {
      {"events.head", [](json& s) { s["events"]["head"] = std::string(64, 'a'); }},
      {"events.head", [](json& s) { s.erase("events"); }},
      {"events.count", [](json& s) { s["events"]["count"] = 3; }},
      {"study.head", [](json& s) { s["study"]["head"] = std::string(64, 'a'); }},
      {"study.outcome", [](json& s) { s["study"]["outcome"] = "failed"; }},
      {"study.hypotheses[0].verdict", [](json& s) { s["study"]["hypotheses"][0]["verdict"] = "refuted"; }},
      {"hypotheses[0].verdict", [](json& s) { s["hypotheses"][0]["verdict"] = "refuted"; }},
      {"hypotheses[0].verdict", [](json& s) { s["hypotheses"][0].erase("verdict"); }},
      {"hypotheses[0].effect", [](json& s) { s["hypotheses"][0]["effect"] = -1e6; }},
      {"hypotheses[0].interval[0]", [](json& s) { s["hypotheses"][0]["interval"][0] = nullptr; }},
      {"hypotheses[2].result.p", [](json& s) { s["hypotheses"][2]["result"]["p"] = 1e-9; }},
      {"hypotheses", [](json& s) { s["hypotheses"].erase(4); }},
      {"registrations[0].hash", [](json& s) { s["registrations"][0]["hash"] = std::string(64, 'a'); }},
      {"registrations[0].registration.family", [](json& s) { s["registrations"][0]["registration"]["family"] = 1; }},
      {"runs[3].metrics.time_ms", [](json& s) { s["runs"][3]["metrics"]["time_ms"] = 0.5; }},
      {"runs[3].metrics.time_ms", [](json& s) { s["runs"][3]["metrics"].erase("time_ms"); }},
      {"runs[3].metrics.more", [](json& s) { s["runs"][3]["metrics"]["more"] = 1; }},
      {"runs[3].seed", [](json& s) { s["runs"][3]["seed"] = 1; }},
      {"runs", [](json& s) { s["runs"].erase(3); }},
      {"runs", [](json& s) { s.erase("runs"); }},
      {"environment.machine.cpu", [](json& s) { s["environment"]["machine"]["cpu"] = "Another"; }},
      {"workspace.hash", [](json& s) { s["workspace"]["hash"] = std::string(64, 'a'); }},
  };
  const std::string good = artifacts::file_bytes(folder + "/etude.json");
  for (const Edit& edit : edits) {
    CAPTURE(edit.where);
    write(folder + "/etude.json", good);
    edit_seal(folder, edit.edit);
    CHECK(says(findings(folder, "log-mismatch"), std::string("etude.json: ") + edit.where + " is not"));
  }
}

TEST_CASE("what contradicts the log is found where it stands") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  std::string text = artifacts::file_bytes(folder + "/etude.json");
  const auto line_at = [&](std::size_t at) {
    return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  };
  std::size_t entry = text.find("\n \"runs\": [");
  REQUIRE(entry != std::string::npos);
  for (int i = 0; i < 4; ++i) entry = text.find("\n  {", entry + 1);
  const std::size_t seed = text.find("\"seed\": ", entry);
  text.insert(seed + 8, "1");
  const std::size_t head = text.find("\"head\": \"", text.find("\n \"events\": "));
  text[head + 9] = text[head + 9] == '0' ? '1' : '0';
  write(folder + "/etude.json", text);
  const auto report = artifacts::check(folder);
  std::set<int> lines;
  for (const artifacts::Finding& f : report->findings)
    if (f.rule == "log-mismatch") lines.insert(f.line);
  CHECK(lines == std::set<int>{static_cast<int>(line_at(entry + 1)),
                               static_cast<int>(line_at(text.find("\n \"events\": ") + 1))});
}

TEST_CASE("members that this program does not know contradict nothing") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  edit_seal(folder, [](json& s) {
    s["later"] = 1;
    s["runs"][0]["later"] = 1;
    s["hypotheses"][0].erase("mechanism");
  });
  CHECK(artifacts::check(folder)->ok);
}

TEST_CASE("an audit by the version that wrote etude.json misses members, and finds those that it never wrote") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  struct Edit {
    const char* where;
    std::function<void(json&)> edit;
  };
  const std::vector<Edit> edits = {
      {"hypotheses[0].mechanism", [](json& s) { s["hypotheses"][0].erase("mechanism"); }},
      {"runs[0].later", [](json& s) { s["runs"][0]["later"] = 1; }},
      {"later", [](json& s) { s["later"] = 1; }},
      {"study.ledger", [](json& s) { s["study"].erase("ledger"); }},
  };
  const std::string good = artifacts::file_bytes(folder + "/etude.json");
  const auto said = [&](const char* where, const std::string& version) {
    const auto report = artifacts::audit(folder, {false, "", version});
    REQUIRE(report);
    return std::any_of(report->findings.begin(), report->findings.end(), [&](const artifacts::Finding& f) {
      return f.rule == "log-mismatch" && f.message.find(where) != std::string::npos;
    });
  };
  for (const Edit& edit : edits) {
    CAPTURE(edit.where);
    write(folder + "/etude.json", good);
    CHECK_FALSE(said(edit.where, "0.1.0"));
    edit_seal(folder, edit.edit);
    CHECK(said(edit.where, "0.1.0"));
    CHECK_FALSE(said(edit.where, "99.0"));
  }
}

TEST_CASE("a caller that waits for hashes is told how many are done") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  write(folder + "/evidence/large.bin", std::string(5 << 20, 'x'));
  edit_seal(folder, [](json& s) { s["files"]["evidence/large.bin"] = kernel::sha256_hex(std::string(5 << 20, 'x')); });
  std::vector<std::uint64_t> steps;
  std::uint64_t of = 0;
  const auto report = artifacts::check(folder, {false, [&](std::uint64_t done, std::uint64_t all) {
                                                  steps.push_back(done);
                                                  of = all;
                                                }});
  REQUIRE(report);
  REQUIRE(steps.size() > 2);
  CHECK(std::is_sorted(steps.begin(), steps.end()));
  CHECK(steps.back() == of);
  CHECK(of > 5 << 20);
}

TEST_CASE("a log whose chain is broken is found, with the line, even where its hash was made to agree") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  forge(folder, "trace/events.jsonl", "\"alpha\":0.05", "\"alpha\":0.50");
  CHECK(says(findings(folder, "broken-chain"), "trace/events.jsonl: was changed"));
  const auto report = artifacts::check(folder);
  CHECK(find(*report, "broken-chain")->line > 0);
  CHECK(find(*report, "changed-file") == nullptr);
}

TEST_CASE("a log that was cut short or is gone is found") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  std::string log = artifacts::file_bytes(folder + "/trace/events.jsonl");
  log.resize(log.rfind('\n', log.size() - 2) + 1);
  write(folder + "/trace/events.jsonl", log);
  CHECK(says(findings(folder, "broken-chain"), "conclusion"));
  fs::remove(folder + "/trace/events.jsonl");
  CHECK(says(findings(folder, "broken-chain"), "is missing"));
}

TEST_CASE("a workspace that its manifest contradicts is found, even where etude.json was made to agree") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  const std::string workspace = "src/workspace/" + sample.study().workspace.hash;
  SECTION("a file changed") {
    forge(folder, workspace + "/sort.py", "sorts", "SORTS");
    CHECK(says(findings(folder, "workspace-mismatch"), "/sort.py"));
  }
  SECTION("a file and the manifest changed") {
    const std::string before = kernel::sha256_hex(artifacts::file_bytes(folder + "/" + workspace + "/sort.py"));
    forge(folder, workspace + "/sort.py", "sorts", "SORTS");
    forge(folder, workspace + ".manifest", before,
          kernel::sha256_hex(artifacts::file_bytes(folder + "/" + workspace + "/sort.py")));
    CHECK(says(findings(folder, "workspace-mismatch"), ".manifest"));
  }
  SECTION("a file gone") {
    fs::remove(folder + "/" + workspace + "/lib/order.py");
    edit_seal(folder, [&](json& s) { s["files"].erase(workspace + "/lib/order.py"); });
    CHECK(says(findings(folder, "workspace-mismatch"), "/lib/order.py"));
  }
  SECTION("a file more") {
    write(folder + "/" + workspace + "/sitecustomize.py", "1");
    edit_seal(folder, [&](json& s) { s["files"][workspace + "/sitecustomize.py"] = kernel::sha256_hex("1"); });
    CHECK(says(findings(folder, "workspace-mismatch"), "/sitecustomize.py"));
  }
}

TEST_CASE("an edited report is found") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  std::ofstream(folder + "/report.html", std::ios::app) << "<p>all is well</p>";
  CHECK(says(findings(folder, "changed-file"), "report.html"));
}
