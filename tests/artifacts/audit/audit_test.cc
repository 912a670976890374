// What the audit makes of a study's own record, and of records that no study left. Falsified artifacts of real runs are
// tried end to end.
#include "artifacts/audit/audit.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <sstream>

#include <nlohmann/json.hpp>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/read/record.h"
#include "artifacts/text/escaping.h"
#include "artifacts/text/new_file.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/write/staging.h"
#include "base/digest.h"
#include "kernel/codec/codec.h"
#include "tests/artifacts/samples/sample_study.h"
#include "tests/artifacts/samples/scratch.h"
#include "tests/places.h"

namespace fs = std::filesystem;
using artifacts::Findings;
using artifacts::Severity;

namespace {

constexpr const char* log_path = "trace/events.jsonl";

artifacts::CheckReport audited(const std::string& folder, const artifacts::AuditOptions& options = {}) {
  auto report = artifacts::audit(folder, options);
  REQUIRE(report);
  return *report;
}

/// The rules that found something beyond information.
std::set<std::string> rules_of(const std::vector<artifacts::Finding>& findings) {
  std::set<std::string> rules;
  for (const artifacts::Finding& f : findings)
    if (f.severity != Severity::info) rules.insert(f.rule);
  return rules;
}

/// The artifact's log with every event as `change` leaves it, its chain and etude.json's head made to agree.
void rewrite_log(const Scratch& folder, const std::function<void(kernel::EventBody&)>& change) {
  std::istringstream in(folder.text(log_path));
  std::string out, prev(kernel::chain_start);
  long long count = 0;
  for (std::string line; std::getline(in, line);) {
    const auto stored = kernel::read_event_line(line);
    REQUIRE(stored);
    kernel::Event event = stored->decoded();
    change(event.body);
    kernel::StoredEvent next = kernel::to_stored(event, prev);
    next.seq = ++count;
    prev = next.hash;
    out += next.json_line() + "\n";
  }
  folder.write(log_path, out);
  nlohmann::json seal = nlohmann::json::parse(folder.text("etude.json"));
  seal["events"]["head"] = prev;
  seal["files"][log_path] = kernel::sha256_hex(out);
  folder.write("etude.json", seal.dump());
}

/// Follows events as an audit does.
class Followed {
 public:
  void see(kernel::EventBody body, std::int64_t boot_ms) {
    const kernel::Event event{"s1", "kernel", {1000 + boot_ms, boot_ms}, std::move(body)};
    audit_.see(state_.study("s1"), event, ++line_);
    kernel::apply(state_, event);
  }
  std::vector<artifacts::Finding> findings() const { return findings_.sorted(); }

 private:
  Findings findings_;
  artifacts::RegistrationAudit audit_{findings_};
  kernel::State state_;
  int line_ = 0;
};

kernel::StudyOpened opened(const std::string& boot) {
  kernel::StudyOpened event;
  event.id = "s1";
  event.boot_id = boot;
  return event;
}

}  // namespace

TEST_CASE("every page that a study's record gives is given again, whatever stands in it") {
  SampleOptions options;
  options.hostile = GENERATE(false, true);
  options.data = options.hostile;
  const SampleStudy sample(options);
  const auto report = audited(sample_artifact(sample), {false, sample.input().head, sample.input().tool_version});
  INFO(artifacts::to_text(report));
  // The sample's verdicts and sizes are made up, and nothing else is; names that mean harm cannot be read back.
  std::set<std::string> expected{"score-mismatch", "decision-mismatch"};
  if (options.hostile) expected.insert("unread-points");
  CHECK(rules_of(report.findings) == expected);
  CHECK(count(report, "score-mismatch") == 5);
  const artifacts::Finding* score = find(report, "score-mismatch");
  REQUIRE(score);
  CHECK(score->severity == Severity::critical);
  CHECK(score->file == log_path);
  std::istringstream log(artifacts::file_bytes(sample.place("out") + "/" + log_path));
  std::string line;
  for (int i = 0; i < score->line; ++i) std::getline(log, line);
  CHECK(line.find("ExperimentAnalysed") != std::string::npos);
}

TEST_CASE("figures that could not be drawn are no line too few") {
  const SampleStudy sample;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  const auto packaged = artifacts::package(sample.input(), sample.place("out"));
  ::setenv("PATH", path.c_str(), 1);
  REQUIRE(packaged);
  const auto report = audited(packaged->path);
  INFO(artifacts::to_text(report));
  CHECK(count(report, "changed-line") + count(report, "added-line") + count(report, "unrecorded-file") == 0);
}

TEST_CASE("an artifact that others wrote is told apart from one that lost its record") {
  const Scratch others;
  const auto report = audited(others.path().string());
  CHECK(rules_of(report.findings) == std::set<std::string>{"no-record"});
  CHECK(report.ok);
  CHECK_FALSE(audited(others.path().string(), {true, "", ""}).ok);
  const Scratch lost;
  lost.write("etude.json", "{}");
  const auto found = audited(lost.path().string());
  CHECK(find(found, "lost-record"));
  CHECK_FALSE(find(found, "no-record"));
  CHECK_FALSE(found.ok);
  CHECK_FALSE(artifacts::audit("/nonexistent"));
}

TEST_CASE("logs that no study could have left are diagnosed") {
  using Change = std::function<void(kernel::EventBody&)>;
  const auto opening = [](std::function<void(kernel::StudySpec&)> change) {
    return [change](kernel::EventBody& body) {
      if (auto* event = std::get_if<kernel::StudyOpened>(&body)) change(event->spec);
    };
  };
  const auto registering = [](std::function<void(kernel::Registration&)> change) {
    return [change](kernel::EventBody& body) {
      auto* event = std::get_if<kernel::ExperimentRegistered>(&body);
      if (!event) return;
      change(event->registration);
      event->hash = kernel::sha256_hex(kernel::canonical(event->registration));
    };
  };
  const std::vector<Change> changes = {
      opening([](kernel::StudySpec& s) { s.factors.clear(); }),
      opening([](kernel::StudySpec& s) { s.factors[0].levels.clear(); }),
      opening([](kernel::StudySpec& s) { s.design.pilot = 2'000'000'000; }),
      opening([](kernel::StudySpec& s) {
        for (int i = 0; i < 30; ++i) s.factors.push_back(s.factors[0]), s.factors.back().name += std::to_string(i);
      }),
      opening([](kernel::StudySpec& s) { s.seed += 1; }),
      registering([](kernel::Registration& r) { r.replicates.pop_back(); }),
      registering([](kernel::Registration& r) { r.replicates[0] = 2'000'000'000; }),
      registering([](kernel::Registration& r) { r.hypotheses[0].id = "H99"; }),
      registering([](kernel::Registration& r) { r.cells.clear(); }),
      [](kernel::EventBody& body) {
        if (auto* event = std::get_if<kernel::ExperimentAnalysed>(&body)) event->results.clear();
      },
      [](kernel::EventBody& body) {
        if (auto* event = std::get_if<kernel::RunsQueued>(&body)) event->runs[0].cell = 1'000'000;
      },
      [](kernel::EventBody& body) {
        if (auto* event = std::get_if<kernel::NodeRecorded>(&body)) event->node.id.clear();
      },
      [](kernel::EventBody& body) {
        if (auto* event = std::get_if<kernel::NodeRecorded>(&body)) event->node.parents = {event->node.id};
      },
      [](kernel::EventBody& body) {
        if (auto* event = std::get_if<kernel::ClaimRecorded>(&body)) event->claim.hypothesis = "H99";
      },
  };
  const SampleStudy sample;
  const std::string original = sample_artifact(sample);
  std::set<std::pair<std::string, std::string>> known;
  for (const artifacts::Finding& f : audited(original).findings) known.insert({f.rule, f.message});
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    const Scratch folder{fs::path(original)};
    rewrite_log(folder, changes[i]);
    const auto report = audited(folder.path().string());
    CHECK_FALSE(report.ok);
    // Neither what is found in the log as it was counts, since the sample's verdicts and sizes are made up, nor that
    // the pages are not those of the changed log.
    CHECK(std::any_of(report.findings.begin(), report.findings.end(), [&](const auto& f) {
      return f.severity == Severity::critical && f.rule != "changed-line" && !known.contains({f.rule, f.message});
    }));
  }
}

TEST_CASE("a registration that does not follow from the events before it is found, though its hash is right") {
  const SampleStudy sample;
  const std::string original = sample_artifact(sample);
  const auto wrong_registrations = [&](const std::function<void(kernel::Registration&)>& change) {
    const Scratch folder{fs::path(original)};
    rewrite_log(folder, [&](kernel::EventBody& body) {
      auto* event = std::get_if<kernel::ExperimentRegistered>(&body);
      if (!event) return;
      change(event->registration);
      event->hash = kernel::sha256_hex(kernel::canonical(event->registration));
    });
    const auto findings = audited(folder.path().string()).findings;
    return std::count_if(findings.begin(), findings.end(), [](const artifacts::Finding& f) {
      return f.rule == "decision-mismatch" && f.message.starts_with("the registration");
    });
  };
  CHECK(wrong_registrations([](kernel::Registration&) {}) == 0);
  CHECK(wrong_registrations([](kernel::Registration& r) { r.alpha = 0.2; }) == 1);
  CHECK(wrong_registrations([](kernel::Registration& r) { r.family = 1; }) == 1);
  CHECK(wrong_registrations([](kernel::Registration& r) { r.replicates[0] += 1; }) == 1);
}

TEST_CASE("events stand in the order of the machine's clock, but for another boot and for what a fork takes over") {
  Followed study;
  study.see(opened("first"), 500);
  study.see(kernel::StudyPaused{kernel::PauseReason::person, {}}, 600);
  study.see(kernel::StudyResumed{"second", 0, {}}, 20);
  study.see(kernel::StudyPaused{kernel::PauseReason::person, {}}, 30);
  study.see(kernel::StudyForked{"s0", 3, "", {}}, 10);
  study.see(kernel::StudyResumed{"second", 0, {}}, 15);
  CHECK(study.findings().empty());
  study.see(kernel::StudyResumed{"second", 0, {}}, 14);
  REQUIRE(study.findings().size() == 1);
  CHECK(study.findings()[0].rule == "out-of-order");
  CHECK(study.findings()[0].line == 7);
}

TEST_CASE("unpaired runs have the seeds that were registered for them") {
  Followed study;
  study.see(opened("boot"), 1);
  kernel::ExperimentRegistered event;
  event.registration.experiment = "E01";
  event.registration.pairing = kernel::Pairing::none;
  event.registration.cells = {{{"arm", "a"}}};
  event.registration.replicates = {2};
  event.registration.terms.emplace();
  event.registration.terms->run_seeds = {{11, 12}};
  study.see(event, 2);
  const auto planned = [](int number, std::uint64_t seed, int replicate) {
    kernel::RunsQueued queued;
    queued.experiment = "E01";
    queued.cells = {{{"arm", "a"}}};
    queued.runs.resize(1);
    queued.runs[0].number = number;
    queued.runs[0].seed = seed;
    queued.runs[0].replicate = replicate;
    return queued;
  };
  study.see(planned(1, 11, 1), 3);
  CHECK_FALSE(rules_of(study.findings()).contains("unregistered-run"));
  SECTION("another seed") {
    study.see(planned(2, 13, 2), 4);
  }
  SECTION("a replicate too much") {
    study.see(planned(2, 12, 3), 4);
  }
  SECTION("the same replicate twice") {
    study.see(planned(2, 11, 1), 4);
  }
  CHECK(rules_of(study.findings()).contains("unregistered-run"));
}

TEST_CASE("points are read back as they were written, or are said to be inexact") {
  const Scratch folder{fs::path()};
  const auto row = [](const std::string& name, const std::string& item) {
    return artifacts::in_csv("s1-r1") + "," + artifacts::in_csv(name) + ",3," + artifacts::in_csv(item) +
           ",-0.1,true\n";
  };
  const std::string header = "run,metric,step,item,value,censored\n";
  const auto points = [&](const std::string& rows) {
    folder.write("evidence/results/E01_points.csv", header + rows);
    const auto root = artifacts::SafeRoot::open(folder.path().string());
    const auto read = artifacts::read_points(*root, "E01");
    REQUIRE(read);
    return *read;
  };
  const auto plain = points(row("loss, \"of\" all", "q 17") + "s1-r2,x,,,NaN,false\ns1-r2,x,,,-Infinity,false\n");
  REQUIRE(plain.size() == 2);
  const artifacts::RunPoints& first = plain.at("s1-r1");
  CHECK(first.line == 2);
  CHECK((first.exact && first.understood));
  CHECK(first.points[0].name == "loss, \"of\" all");
  CHECK(first.points[0].item == "q 17");
  CHECK(first.points[0].step == 3);
  CHECK(first.points[0].value == -0.1);
  CHECK(first.points[0].censored);
  CHECK(std::isnan(plain.at("s1-r2").points[0].value));
  CHECK(plain.at("s1-r2").points[1].value == -std::numeric_limits<double>::infinity());
  for (const char* odd : {"=sum", "bell\a", "\xff"}) CHECK_FALSE(points(row(odd, "")).at("s1-r1").exact);
  CHECK_FALSE(points("s1-r1,x,,,many,false\n").at("s1-r1").understood);
  CHECK_FALSE(points("s1-r1,x\n").at("s1-r1").understood);
  CHECK(points("").empty());
}

TEST_CASE("of a long line that was changed the finding shows what differs, found and expected") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  const Scratch scratch(folder);
  // The last number of the longest row.
  const std::string page = scratch.text("report.md");
  const std::size_t at = page.find("[numbers](evidence/tables/verdicts_E01.md), [runs](evidence/results/E01.md) |");
  REQUIRE(at != std::string::npos);
  const std::size_t line = page.rfind('\n', at) + 1;
  REQUIRE(at - line > 160);
  std::string changed = page;
  changed.replace(at, 9, "[figures]");
  scratch.write("report.md", changed);
  const auto report = audited(scratch.path());
  INFO(artifacts::to_text(report));
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [](const auto& f) { return f.rule == "changed-line" && f.file == "report.md"; });
  REQUIRE(found != report.findings.end());
  const std::size_t gives = found->message.find(", and the record gives «…");
  REQUIRE(gives != std::string::npos);
  CHECK(found->message.starts_with("this line says «…"));
  CHECK(found->message.find("[figures](") < gives);
  CHECK(found->message.find("[numbers](") > gives);
  CHECK(found->message.find("[numbers](") != std::string::npos);
}

TEST_CASE("of two texts the part that differs is shown, whole characters of it, and whole texts where they are short") {
  using artifacts::differing;
  CHECK(differing("a cat", "a dog", 20) == std::pair<std::string, std::string>("a cat", "a dog"));
  const std::string before(100, 'a'), after(100, 'b');
  const auto [x, y] = differing(before + "1" + after, before + "22" + after, 40);
  CHECK(x == "…" + std::string(10, 'a') + "1" + std::string(10, 'b') + "…");
  CHECK(y == "…" + std::string(10, 'a') + "22" + std::string(10, 'b') + "…");
  CHECK(differing(before, before + "end", 40).second == "…" + std::string(10, 'a') + "end");
  CHECK(differing(std::string(90, 'x'), std::string(90, 'y'), 40).first == std::string(40, 'x') + "…");
  for (int shift = 0; shift < 4; ++shift) {
    std::string wide(static_cast<std::size_t>(shift), 'a');
    for (int i = 0; i < 40; ++i) wide += "é…";
    for (const std::string& part :
         {differing(wide + "é", wide + "è", 30).first, differing(wide, "b" + wide, 30).second})
      CHECK(artifacts::clean(part).invalid_line == 0);
  }
  const nlohmann::json found = {{"reason", before + "1"}}, computed = {{"reason", before + "2"}};
  const auto difference = artifacts::first_value_difference(found, computed);
  REQUIRE(difference);
  CHECK(difference->found.ends_with("a1\""));
  CHECK(difference->computed.ends_with("a2\""));
}

TEST_CASE("values differ by the first member that does, and numbers by more than arithmetic") {
  const nlohmann::json found = {{"a", {1.0, 2.0}}, {"b", "x"}};
  CHECK_FALSE(artifacts::first_value_difference(found, {{"a", {1.0 + 1e-12, 2.0}}, {"b", "x"}}));
  const auto number = artifacts::first_value_difference(found, {{"a", {1.0, 2.0001}}, {"b", "x"}});
  REQUIRE(number);
  CHECK(number->where == ".a[1]");
  CHECK(number->computed == "2.0001");
  CHECK(artifacts::first_value_difference(found, {{"a", {1.0, 2.0}}})->where == ".b");
  CHECK(artifacts::first_value_difference({{"a", 1}}, found)->where == ".a");
  CHECK(artifacts::first_value_difference({{"n", 1}}, {{"n", 2}}));
}

TEST_CASE("the page on the audit lists every rule with its severity and its remedy") {
  const std::string page = read_all(fs::path(tests::source_dir()) / "docs/audit.md");
  for (const artifacts::Rule& rule : artifacts::audit_rules()) {
    CAPTURE(rule.id);
    CHECK(page.find("| `" + std::string(rule.id) + "` | " + std::string(artifacts::name_of(rule.severity))) !=
          std::string::npos);
    CHECK(page.find(std::string(rule.mend)) != std::string::npos);
  }
}
