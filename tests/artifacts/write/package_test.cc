#include "artifacts/write/package.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/check/check.h"
#include "artifacts/text/escaping.h"
#include "artifacts/text/new_file.h"
#include "artifacts/words/result_tables.h"
#include "artifacts/write/staging.h"
#include "base/digest.h"
#include "tests/artifacts/samples/sample_study.h"
#include "tests/cost.h"
#include "tests/rounds.h"

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(folder).generic_string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string findings_of(const std::string& folder) {
  const auto report = artifacts::check(folder, {true});
  REQUIRE(report);
  return report->findings.empty() ? "" : artifacts::to_text(*report);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

SampleOptions hostile() {
  SampleOptions options;
  options.hostile = true;
  options.data = true;
  return options;
}

}  // namespace

TEST_CASE("an integrity finding heads the report and the paper") {
  const SampleStudy sample;
  kernel::Study study = sample.study();
  study.integrity = {{"E01", "time_ms", kernel::as_said("time_ms is declared deterministic but varied"), {2, 5}}};
  const artifacts::PackageInput whole = sample.input();
  const artifacts::PackageInput input{study, whole.head, whole.blob, whole.event_lines, whole.tool_version};
  const std::string folder = sample.place("out");
  REQUIRE(artifacts::package(input, folder));
  const std::string report = artifacts::file_bytes(folder + "/report.md");
  const std::size_t at = report.find("Integrity: time_ms is declared deterministic but varied");
  CHECK(at < report.find("## Answer"));
  CHECK(artifacts::file_bytes(folder + "/PAPER.md").find("Integrity: time_ms") != std::string::npos);
}

namespace {

/// The first hypothesis withdrawn: `registered` as the others, or before it was.
kernel::Study with_one_withdrawn(const SampleStudy& sample, bool registered) {
  kernel::Study study = sample.study();
  kernel::HypothesisRecord& gone = study.hypotheses.at(0);
  gone.withdrawn = kernel::as_said("it asks nothing");
  gone.result.emplace();
  gone.result->id = gone.hypothesis.id;
  gone.result->reason = kernel::as_said("Withdrawn: it asks nothing. It keeps its slot in the family.");
  if (!registered) gone.experiment = {};
  std::erase_if(study.claims, [&](const kernel::Claim& claim) { return claim.hypothesis == gone.hypothesis.id; });
  for (kernel::Claim& claim : study.claims) claim.depends_on.clear();
  return study;
}

}  // namespace

TEST_CASE("a hypothesis that was withdrawn has a reason and no numbers, wherever it is named") {
  const SampleStudy sample;
  for (const bool registered : {true, false}) {
    CAPTURE(registered);
    const kernel::Study study = with_one_withdrawn(sample, registered);
    const artifacts::PackageInput whole = sample.input();
    const artifacts::PackageInput input{study, whole.head, whole.blob, whole.event_lines, whole.tool_version};
    const std::string folder = sample.place(registered ? "registered" : "before");
    REQUIRE(artifacts::package(input, folder));
    const kernel::HypothesisId id = study.hypotheses.at(0).hypothesis.id;
    const std::string report = artifacts::file_bytes(folder + "/report.md");
    const std::string row = "| withdrawn | none: it asks nothing |  |  |  |  |  | ";
    CHECK(report.find(row + (registered ? "[runs](evidence/results/E01.md) |" : "none |")) != std::string::npos);
    CHECK(report.find("**withdrawn.** The reason given: it asks nothing.") != std::string::npos);
    const std::string answer =
        report.substr(report.find("## Answer"), report.find("## Verdicts") - report.find("## Answer"));
    CHECK(answer.find(fmt::format("\n{} (withdrawn before a verdict): “", id)) != std::string::npos);
    CHECK(answer.find(fmt::format("Of {} registered", study.hypotheses.size() - 1)) != std::string::npos);
    const std::string claims = artifacts::file_bytes(folder + "/logic/claims.md");
    CHECK(claims.find(fmt::format("No claim is made on {} (", id)) != std::string::npos);
    CHECK(claims.find("The reason given: it asks nothing.") != std::string::npos);
    const std::string table = artifacts::file_bytes(folder + "/evidence/tables/verdicts_E01.md");
    CHECK(table.find(fmt::format("\n| {} |", id)) == std::string::npos);
    CHECK((table.find("was withdrawn before it had a verdict, and has no row: it asks nothing.") !=
           std::string::npos) == registered);
    for (const std::string& path : files_below(folder)) {
      if (!path.ends_with(".md")) continue;
      CAPTURE(path);
      const std::string page = artifacts::file_bytes(folder + "/" + path);
      CHECK(page.find("verdicts_.md") == std::string::npos);
      CHECK(page.find("(unbounded, unbounded)") == std::string::npos);
      CHECK(page.find("at 0 %") == std::string::npos);
      CHECK(page.find("/.md") == std::string::npos);
    }
    const auto checked = artifacts::check(folder, {});
    REQUIRE(checked);
    for (const artifacts::Finding& f : checked->findings)
      CHECK(f.rule == "log-mismatch");  // The log knows nothing of it.
  }
}

TEST_CASE("a packaged study has every mandatory file and passes the strict check") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  CHECK(findings_of(folder) == "");
  const std::vector<std::string> files = files_below(folder);
  for (const char* path : {"PAPER.md",
                           "logic/problem.md",
                           "logic/claims.md",
                           "logic/concepts.md",
                           "logic/experiments.md",
                           "logic/solution/constraints.md",
                           "logic/related_work.md",
                           "src/environment.md",
                           "trace/exploration_tree.yaml",
                           "evidence/README.md",
                           "report.md",
                           "report.html",
                           "etude.json",
                           "trace/events.jsonl",
                           "evidence/results/E01.csv",
                           "evidence/results/E01_points.csv",
                           "evidence/results/trials.md",
                           "evidence/figures/effects_E01.svg",
                           "evidence/figures/effects_E01.pdf",
                           "evidence/figures/means_E01_time_ms.png",
                           "evidence/figures/runs_E01_time_ms.csv",
                           "evidence/tables/verdicts_E01.png"}) {
    CAPTURE(path);
    CHECK(std::binary_search(files.begin(), files.end(), path));
  }
  CHECK_FALSE(fs::exists(folder + "/data"));
}

TEST_CASE("the indexes list what is there and nothing else") {
  const SampleStudy sample(hostile());
  const std::string folder = sample_artifact(sample);
  const std::string paper = artifacts::file_bytes(folder + "/PAPER.md");
  const std::string evidence = artifacts::file_bytes(folder + "/evidence/README.md");
  const std::string workspace = "src/workspace/" + sample.study().workspace.hash + "/";
  for (const std::string& path : files_below(folder)) {
    CAPTURE(path);
    if (path == "PAPER.md") continue;
    const std::string listed = path.starts_with(workspace) ? workspace : path;
    CHECK(paper.find("](" + listed + ")") != std::string::npos);
    if (path.starts_with("evidence/") && path != "evidence/README.md")
      CHECK(evidence.find("](" + path.substr(9) + ")") != std::string::npos);
  }
}

TEST_CASE("etude.json gives the true hash of every file that it covers") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  const json seal = json::parse(artifacts::file_bytes(folder + "/etude.json"));
  std::size_t covered = 0;
  for (const std::string& path : files_below(folder)) {
    CAPTURE(path);
    if (path == "etude.json") continue;
    const bool may_change = path == "PAPER.md" || path == "README.md" || path == "CITATION.cff" ||
                            path == "codemeta.json" || path.starts_with("logic/") ||
                            path == "trace/exploration_tree.yaml";
    const char* const kind = may_change ? "pages" : "files";
    REQUIRE(seal[kind].contains(path));
    ++covered;
    CHECK(seal[kind][path] == kernel::sha256_hex(artifacts::file_bytes(folder + "/" + path)));
  }
  CHECK(seal["files"].size() + seal["pages"].size() == covered);
  CHECK(seal["etude"] == 1);
  CHECK(seal["study"]["outcome"] == "concluded");
  CHECK(seal["study"]["head"] == sample.input().head);
  CHECK(seal["events"]["count"] == lines_of(artifacts::file_bytes(folder + "/trace/events.jsonl")).size());
  CHECK(seal["runs"].size() == sample.study().runs.size());
  CHECK(seal["registrations"][0]["hash"] == sample.study().experiments[0].hash);
  CHECK(seal["hypotheses"][0]["claim"] == "C01");
  CHECK(seal["hypotheses"][0]["verdict"] == "supported");
}

TEST_CASE("every quote in a claim's sources stands in the file that it names") {
  const SampleStudy sample(hostile());
  const std::string folder = sample_artifact(sample);
  int quotes = 0;
  for (const std::string& line : lines_of(artifacts::file_bytes(folder + "/logic/claims.md"))) {
    const auto arrow = line.find(" ← ");
    if (arrow == std::string::npos) continue;
    CAPTURE(line);
    const auto open = line.find(" «", arrow), close = line.rfind("» [");
    REQUIRE(open != std::string::npos);
    REQUIRE(close != std::string::npos);
    const std::string path = line.substr(arrow + 5, open - arrow - 5);
    const std::string quote = line.substr(open + 3, close - open - 3);
    CHECK(artifacts::file_bytes(folder + "/" + path).find(quote) != std::string::npos);
    const std::string value = line.substr(line.find(": ") + 2, arrow - line.find(": ") - 2);
    CHECK(quote.find(value) != std::string::npos);
    ++quotes;
  }
  CHECK(quotes == 25);
}

TEST_CASE("no page shows a number that is none") {
  SampleOptions options;
  options.replicates = 2;  // intervals of next to nothing
  const SampleStudy sample(options);
  const std::string folder = sample_artifact(sample);
  for (const std::string& path : files_below(folder)) {
    if (!path.ends_with(".md") && !path.ends_with(".html") && !path.ends_with(".csv")) continue;
    CAPTURE(path);
    const std::string text = artifacts::file_bytes(folder + "/" + path);
    for (const char* bad : {" nan", "-nan", "NaN", " inf,", " inf]", "Infinity"}) {
      CAPTURE(bad);
      CHECK(text.find(bad) == std::string::npos);
    }
  }
}

TEST_CASE("hostile text stays text in every format") {
  const SampleStudy sample(hostile());
  const std::string folder = sample_artifact(sample);
  CHECK(findings_of(folder) == "");
  const std::string html = artifacts::file_bytes(folder + "/report.html");
  // Only our own script, and the values of the pictures, in which nothing can end the element.
  std::size_t scripts = 0, ends = 0, values = 0;
  for (std::size_t at = 0; (at = html.find("<script", at)) != html.npos; ++at) ++scripts;
  for (std::size_t at = 0; (at = html.find("</script", at)) != html.npos; ++at) ++ends;
  for (std::size_t at = 0; (at = html.find("<script type=\"application/json\">[", at)) != html.npos; ++at) ++values;
  CHECK(values > 1);
  CHECK(scripts == values + 1);
  CHECK(ends == scripts);
  CHECK(html.find("&lt;/script&gt;") != std::string::npos);
  CHECK(html.find("<b>") == std::string::npos);
  CHECK(html.find("href=\"http") == std::string::npos);
  CHECK(html.find("<strong>bold") == std::string::npos);

  // Every row of a CSV has as many fields as its header.
  for (const char* path : {"/evidence/results/E01.csv", "/evidence/results/E01_points.csv"}) {
    std::size_t expected = 0;
    for (const std::string& line : lines_of(artifacts::file_bytes(folder + path))) {
      std::size_t fields = 1;
      bool quoted = false;
      for (const char c : line) {
        if (c == '"') quoted = !quoted;
        if (c == ',' && !quoted) ++fields;
      }
      CHECK_FALSE(quoted);
      if (expected == 0) expected = fields;
      CHECK(fields == expected);
    }
    CHECK(expected > 1);
  }
}

TEST_CASE("every run is in the evidence, whatever its end") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  const std::string csv = artifacts::file_bytes(folder + "/evidence/results/E01.csv");
  const std::string trials = artifacts::file_bytes(folder + "/evidence/results/trials.csv");
  for (const kernel::Run& run : sample.study().runs) {
    const std::string& file = run.purpose == kernel::Purpose::registered ? csv : trials;
    CHECK(file.find("\n" + sample.study().run_id(run.number) + ",") != std::string::npos);
  }
  for (const char* state : {",failed,", ",timed_out,", ",lost,"}) CHECK(csv.find(state) != std::string::npos);
  const std::string logs = artifacts::file_bytes(folder + "/evidence/logs/log_pointers.md");
  CHECK(logs.find(".stderr.log") != std::string::npos);
}

TEST_CASE("values in the CSV are exact") {
  const SampleStudy sample;
  const std::string csv = artifacts::file_bytes(sample_artifact(sample) + "/evidence/results/E01.csv");
  const std::vector<std::string> lines = lines_of(csv);
  std::istringstream header(lines[0]);
  std::size_t column = 0;
  for (std::string cell; std::getline(header, cell, ',') && cell != "time_ms";) ++column;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::istringstream row(lines[i]);
    std::string id, cell;
    std::getline(row, id, ',');
    for (std::size_t c = 0; c < column; ++c) std::getline(row, cell, ',');
    const kernel::Run* run = sample.study().run(kernel::run_number(id));
    REQUIRE(run);
    const auto value = run->measurement.values.find("time_ms");
    if (value == run->measurement.values.end())
      CHECK(cell.empty());
    else
      CHECK(std::stod(cell) == value->second.value);
  }
}

TEST_CASE("the report opens with what the manipulation check found") {
  const SampleStudy troubled(hostile());
  const std::string report = artifacts::file_bytes(sample_artifact(troubled) + "/report.md");
  const auto caution = report.find("## Read this first"), answer = report.find("## Answer");
  REQUIRE(caution != std::string::npos);
  CHECK(caution < answer);
  const SampleStudy quiet;
  CHECK(artifacts::file_bytes(sample_artifact(quiet) + "/report.md").find("Read this first") == std::string::npos);
}

TEST_CASE("the report names every verdict and the chain's head") {
  const SampleStudy sample;
  const std::string report = artifacts::file_bytes(sample_artifact(sample) + "/report.md");
  CHECK(report.find("the evidence supports 2, refutes 2 and leaves 1 undecided") != std::string::npos);
  for (const kernel::HypothesisRecord& record : sample.study().hypotheses)
    CHECK(report.find("### " + record.hypothesis.id + ": ") != std::string::npos);
  CHECK(report.find(sample.input().head) != std::string::npos);
}

TEST_CASE("a workspace whose blobs are gone or changed leaves no half artifact") {
  const SampleStudy sample;
  artifacts::PackageInput input = sample.input();
  const std::string order = kernel::sha256_hex("def less(a, b): return a < b\n");
  const std::string gone = GENERATE(std::string("order"), std::string("manifest"));
  input.blob = [&](const std::string& hash) {
    const bool lost = hash == (gone == "order" ? order : sample.study().workspace.hash.text());
    return lost ? std::string("changed") : sample.input().blob(hash);
  };
  CHECK_THROWS(artifacts::package(input, sample.place("out")));
  CHECK_FALSE(fs::exists(sample.place("out")));
  CHECK(std::distance(fs::directory_iterator(sample.place("")), fs::directory_iterator()) == 1);
}

TEST_CASE(
    "the workspace comes from blobs byte for byte, with what may run; the folder it was frozen from is not asked") {
  const SampleStudy sample;
  fs::remove_all(sample.place("workspace"));
  const std::string copy = sample_artifact(sample) + "/src/workspace/" + sample.study().workspace.hash;
  CHECK((fs::status(copy + "/run.sh").permissions() & fs::perms::owner_exec) != fs::perms::none);
  CHECK((fs::status(copy + "/sort.py").permissions() & fs::perms::owner_exec) == fs::perms::none);
  CHECK(artifacts::file_bytes(copy + "/sort.py") == "import lib.order\nprint('sorts')\n");
  CHECK(findings_of(sample.place("out")) == "");
}

TEST_CASE("a tree of a manifest keeps links that stay inside, leaves secrets out and refuses what leads out") {
  const SampleStudy sample;
  fs::create_directories(sample.place("tree"));
  artifacts::Staging folder(sample.place("tree"));
  using kernel::EntryType;
  const std::string hash = kernel::sha256_hex("1");
  const auto bytes = [](const std::string&) { return std::string("1"); };
  folder.make_tree({{EntryType::file, ".ara_env", hash, 1, ""},
                    {EntryType::folder, "empty", "", 0, ""},
                    {EntryType::file, "lib/a.py", hash, 1, ""},
                    {EntryType::link, "link.py", "", 0, "lib/a.py"}},
                   "src", bytes);
  CHECK(fs::read_symlink(sample.place("tree/src/link.py")) == "lib/a.py");
  CHECK(folder.files().at("src/link.py").sha256 == hash);
  artifacts::Staging in_memory;
  in_memory.make_tree({{EntryType::file, "a.py", hash, 1, ""}, {EntryType::link, "b.py", "", 0, "a.py"}}, "src", bytes);
  CHECK(in_memory.files().at("src/b.py").sha256 == hash);
  CHECK(fs::is_directory(sample.place("tree/src/empty")));
  CHECK_FALSE(fs::exists(sample.place("tree/src/.ara_env")));
  CHECK_THROWS(folder.make_tree({{EntryType::link, "out.txt", "", 0, "../../etc/passwd"}}, "other", bytes));
}

TEST_CASE("without gnuplot an artifact has no figures, says so, and is whole") {
  const SampleStudy sample;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  const auto result = artifacts::package(sample.input(), sample.place("out"));
  ::setenv("PATH", path.c_str(), 1);
  REQUIRE(result);
  REQUIRE(result->warnings.size() == 1);
  CHECK(result->warnings[0].find("gnuplot") != std::string::npos);
  CHECK_FALSE(fs::exists(result->path + "/evidence/figures"));
  CHECK(findings_of(result->path) == "");
  CHECK(artifacts::file_bytes(result->path + "/report.md").find("figures are missing") != std::string::npos);
}

TEST_CASE("the time to package five thousand runs grows with their number only") {
  const auto study_of = [](int replicates) {
    SampleOptions options;
    options.replicates = replicates;
    return std::make_unique<SampleStudy>(options);
  };
  int packaged = 0;
  const auto package = [&](const auto& sample) { sample_artifact(*sample, "out-" + std::to_string(++packaged)); };
  CHECK(tests::growth(tests::rounds(85), study_of, package) < tests::linear);
  const auto sample = study_of(tests::rounds(340));
  REQUIRE(static_cast<int>(sample->study().runs.size()) > tests::rounds(5000));
  CHECK(findings_of(sample_artifact(*sample)) == "");
}
