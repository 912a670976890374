// The flow of runs and the checklists of recorded artifacts: counts that add up and agree with the kernel's results,
// and answers whose addresses exist.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>

#include "artifacts/forms/preregistration.h"
#include "artifacts/forms/reporting_checklist.h"
#include "artifacts/read/record.h"
#include "artifacts/read/unpack.h"
#include "tests/artifacts/samples/sample_study.h"
#include "tests/places.h"

namespace fs = std::filesystem;
using namespace artifacts;

namespace {

void check_sums(const FlowCounts& c) {
  CHECK(c.planned + c.repeated == c.queued + c.not_queued);
  CHECK(c.queued == c.not_started + c.reused + c.started);
  CHECK(c.queued == c.excluded() + c.analysed);
  CHECK(c.analysed == c.measured + c.unmeasured);
  const int ended =
      std::accumulate(c.ended.begin(), c.ended.end(), 0, [](int sum, const auto& one) { return sum + one.second; });
  CHECK(c.started == ended + c.running);
  CHECK(c.not_queued >= 0);
}

struct Unpacked {
  std::string name;
  Arrived arrived;
  SafeRoot root;
};

std::vector<Unpacked> fixtures() {
  std::vector<Unpacked> all;
  for (const auto& entry : fs::directory_iterator(tests::source_dir() + "/tests/artifacts/fixtures")) {
    auto arrived = Arrived::open(entry.path().string());
    REQUIRE(arrived);
    auto root = SafeRoot::open(arrived->folder());
    REQUIRE(root);
    all.push_back({entry.path().stem().string(), std::move(*arrived), std::move(*root)});
  }
  REQUIRE(all.size() > 10);
  return all;
}

std::vector<std::string> headings_of(const fs::path& page) {
  std::vector<std::string> headings;
  std::ifstream in(page);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with('#')) headings.push_back(line.substr(std::min(line.size(), line.find_first_not_of('#') + 1)));
  return headings;
}

std::string unescaped(std::string text) {
  std::erase(text, '\\');
  return text;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

}  // namespace

TEST_CASE("the flow of runs adds up, by arm, by cell and in all") {
  std::set<std::string> with_failures, with_repetitions, with_looks;
  for (const auto& entry : fs::directory_iterator(tests::source_dir() + "/tests/kernel/golden/logs")) {
    const std::string name = entry.path().stem().string();
    INFO(name);
    std::ifstream in(entry.path(), std::ios::binary);
    const auto log = read_log_text(std::string(std::istreambuf_iterator<char>(in), {}));
    REQUIRE(log);
    for (const ExperimentFlow& flow : run_flows(log->study)) {
      check_sums(flow.whole);
      FlowCounts sum;
      for (const auto& [cell, counts] : flow.cells) {
        check_sums(counts);
        sum.add(counts);
      }
      CHECK(sum.queued == flow.whole.queued);
      CHECK(sum.analysed == flow.whole.analysed);
      const auto registered = std::ranges::count_if(log->study.runs, [&](const kernel::Run& run) {
        return run.purpose == kernel::Purpose::registered && run.experiment == flow.experiment && run.stage.empty();
      });
      CHECK(flow.whole.queued == registered);
      for (const ArmFlow& arm : flow.arms) check_sums(arm.counts);
      if (flow.whole.unmeasured > 0) with_failures.insert(name);
      if (flow.whole.repeated > 0) with_repetitions.insert(name);
      if (flow.whole.not_queued > 0) with_looks.insert(name);
    }
  }
  // The recorded studies have what the sums are about.
  CHECK_FALSE(with_failures.empty());
  CHECK_FALSE(with_looks.empty());
}

TEST_CASE("the flow of each arm agrees with the kernel's count of runs") {
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(tests::source_dir() + "/tests/kernel/golden/logs")) {
    const std::string name = entry.path().stem().string();
    INFO(name);
    std::ifstream in(entry.path(), std::ios::binary);
    const auto log = read_log_text(std::string(std::istreambuf_iterator<char>(in), {}));
    REQUIRE(log);
    const kernel::StudySpec& spec = log->study.spec;
    for (const ExperimentFlow& flow : run_flows(log->study))
      for (std::size_t i = 0; i < flow.arms.size(); ++i) {
        const ArmFlow& arm = flow.arms[i];
        const kernel::HypothesisRecord& record = *log->study.hypothesis(arm.hypothesis);
        // The kernel counts runs where they are the units, of the primary metric, at the last look.
        const kernel::Hypothesis& h = record.hypothesis;
        const bool counts_runs = record.result && record.withdrawn.empty() &&
                                 h.kind == kernel::HypothesisKind::compare && h.metric == spec.primary().name &&
                                 !spec.primary().derived && !record.result->look && h.unit == kernel::TestUnit::seed &&
                                 spec.design.blocks.empty() && record.experiment == flow.experiment;
        if (!counts_runs) continue;
        const std::size_t side = arm.arm == "control" ? 1 : 0;
        INFO(h.id.text() << " " << arm.arm);
        CHECK(arm.counts.measured == record.result->runs()[side]);
        CHECK(arm.counts.unmeasured == record.result->failed[side]);
        ++compared;
      }
  }
  CHECK(compared > 10);
}

TEST_CASE("every item of both checklists is answered, with addresses that the artifact has") {
  CHECK(reforms_items().size() == 32);
  CHECK(neurips_items().size() == 16);
  for (const Unpacked& one : fixtures()) {
    INFO(one.name);
    const auto page = checklist_page(one.root, one.root.list());
    if (!page) FAIL(page.problem().text());
    CHECK(count_of(*page, "\n- **Answer**: ") == 48);
    CHECK(count_of(*page, "\n- **Justification**: ") == 48);
    std::istringstream lines(*page);
    std::string answer;
    int addresses = 0;
    const std::regex address("`([^`]+)`(?:, ([^;]+))?");
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("- **Answer**: ")) answer = line.substr(14);
      if (line == "- **Justification**: ") FAIL(answer);
      if (!line.starts_with("- **Where**: ")) continue;
      CHECK((line == "- **Where**: none") == (answer == "not recorded"));
      for (std::sregex_iterator it(line.begin(), line.end(), address), end; it != end; ++it, ++addresses) {
        const fs::path file = fs::path(one.arrived.folder()) / (*it)[1].str();
        INFO(line);
        CHECK(fs::is_regular_file(file));
        if (!(*it)[2].matched) continue;
        const std::string heading = unescaped((*it)[2].str());
        const std::vector<std::string> headings = headings_of(file);
        CHECK(std::ranges::any_of(headings, [&](const std::string& h) { return h.starts_with(heading); }));
      }
    }
    CHECK(addresses > 30);
  }
}

TEST_CASE("the record says nothing of ethics, people and impacts, and neither does the checklist") {
  for (const Unpacked& one : fixtures()) {
    const auto log = read_log(one.root);
    REQUIRE(log);
    const Listing files = one.root.list();
    const std::vector<ExperimentFlow> flows = run_flows(log->study);
    const AnsweredFrom from{log->study, files, flows};
    for (const ChecklistItem& item : neurips_items())
      if (item.id == "9" || item.id == "10" || item.id == "11" || item.id == "14" || item.id == "15")
        CHECK(item.answer(from).answer == AnswerWord::not_recorded);
    for (const ChecklistItem& item : reforms_items())
      if (item.id == "1b" || item.id == "1c" || item.id == "5b" || item.id == "6b" || item.id == "6c")
        CHECK(item.answer(from).answer == AnswerWord::not_recorded);
  }
}

TEST_CASE("a run that was repeated is excluded, and its repetition analysed") {
  const SampleStudy sample;
  const auto flows = run_flows(sample.study());
  REQUIRE(flows.size() == 1);
  check_sums(flows.front().whole);
  int superseded = 0, lost = 0;
  for (const kernel::Run& run : sample.study().runs) {
    if (run.purpose != kernel::Purpose::registered) continue;
    superseded += run.superseded ? 1 : 0;
    lost += run.state == kernel::RunState::lost ? 1 : 0;
  }
  REQUIRE(superseded > 0);
  REQUIRE(lost > 0);
  CHECK(flows.front().whole.replaced == superseded);
  CHECK(flows.front().whole.repeated == superseded);
  CHECK(flows.front().whole.ended.at(kernel::RunState::lost) == lost);
}

TEST_CASE("names and texts that try to be markup stay text on every form") {
  const SampleStudy sample({.hostile = true});
  const std::string folder = sample_artifact(sample);
  const auto root = SafeRoot::open(folder);
  REQUIRE(root);
  const auto checklist = checklist_page(*root, root->list()), prereg = preregistration_page(*root);
  REQUIRE(checklist);
  REQUIRE(prereg);
  const std::regex tag("(^|[^\\\\`])<(script|/script|b>|!--)"), link("[^\\\\]\\]\\(");
  for (const std::string* page : {&*checklist, &*prereg}) {
    std::istringstream lines(*page);
    for (std::string line; std::getline(lines, line);) {
      // Within code nothing is markup.
      const std::string text = std::regex_replace(line, std::regex("(`+).*?[^`]\\1(?!`)"), "");
      INFO(line);
      CHECK_FALSE(std::regex_search(text, tag));
      CHECK_FALSE(std::regex_search(text, link));
    }
  }
}
