// Preregistrations of recorded studies: what stands in a part follows from the events up to its own, and from nothing
// later.
#include "artifacts/forms/preregistration.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "artifacts/read/unpack.h"
#include "kernel/codec/codec.h"
#include "tests/places.h"

namespace fs = std::filesystem;
using artifacts::preregistration_of_log;

namespace {

std::string log_of(const std::string& name) {
  std::ifstream in(tests::source_dir() + "/tests/kernel/golden/logs/" + name + ".jsonl", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string page_of(const std::string& log) {
  const auto page = preregistration_of_log(log, kernel::wording_version);
  if (!page) FAIL(page.problem().text());
  return *page;
}

std::vector<std::string> recorded_studies() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(tests::source_dir() + "/tests/kernel/golden/logs"))
    if (entry.path().stem() != "captured") names.push_back(entry.path().stem().string());
  return names;
}

/// Lines of the log that end with a registration of an experiment or a search, whole logs up to there, and the events.
struct Cut {
  std::string log;
  kernel::StoredEvent event;
  std::int64_t number = 0;
};
std::vector<Cut> cuts_of(const std::string& log) {
  std::vector<Cut> cuts;
  std::istringstream in(log);
  std::string before;
  std::int64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    before += line + "\n";
    ++number;
    const auto event = kernel::read_event_line(line);
    REQUIRE(event);
    if (event->is<kernel::ExperimentRegistered>() || event->is<kernel::SearchRegistered>())
      cuts.push_back({before, *event, number});
  }
  return cuts;
}

/// The log with another title and question, its chain made anew.
std::string renamed(const std::string& log, const std::string& text) {
  std::istringstream in(log);
  std::string out, prev(kernel::chain_start);
  for (std::string line; std::getline(in, line);) {
    kernel::Event event = kernel::read_event_line(line)->decoded();
    if (auto* opened = std::get_if<kernel::StudyOpened>(&event.body)) opened->spec.title = opened->spec.question = text;
    kernel::StoredEvent next = kernel::to_stored(event, prev);
    prev = next.hash;
    out += next.json_line() + "\n";
  }
  return out;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("nothing that was known only later stands in a preregistration") {
  for (const std::string& name : recorded_studies()) {
    INFO(name);
    const std::string log = log_of(name), whole = page_of(log);
    const std::vector<Cut> cuts = cuts_of(log);
    REQUIRE_FALSE(cuts.empty());
    for (const Cut& cut : cuts) {
      // The parts up to here are the same bytes when the log ends with this registration.
      const std::string page = page_of(cut.log);
      CHECK(whole.starts_with(page));
      const auto hash = nlohmann::json::parse(cut.event.payload).at("hash").get<std::string>();
      const std::string last = page.substr(page.rfind("\n## "));
      CHECK(contains(last, "| SHA-256 of the registration | " + hash + " |"));
      CHECK(contains(last, "| Event in trace/events.jsonl | " + std::to_string(cut.number) + " |"));
      CHECK(contains(last, "| Head of the event log at that moment | " + cut.event.hash + " |"));
      CHECK(contains(last, kernel::iso8601(cut.event.time)));
    }
    CHECK(page_of(cuts.back().log) == whole);
  }
}

TEST_CASE("each registration of an experiment answers AsPredicted's eight questions") {
  for (const std::string& name : recorded_studies()) {
    INFO(name);
    const std::string page = page_of(log_of(name));
    const auto experiments = static_cast<std::size_t>(std::ranges::count_if(
        cuts_of(log_of(name)), [](const Cut& cut) { return cut.event.is<kernel::ExperimentRegistered>(); }));
    for (const char* question :
         {"### 1. Have any data been collected", "### 2. What's the main question", "### 3. Describe the key dependent",
          "### 4. How many and which conditions", "### 5. Specify exactly which analyses",
          "### 6. Describe exactly how outliers", "### 7. How many observations", "### 8. Anything else"}) {
      std::size_t found = 0;
      for (std::size_t at = page.find(question); at != page.npos; at = page.find(question, at + 1)) ++found;
      CHECK(found == experiments);
    }
  }
}

TEST_CASE("what was registered after data were seen says so") {
  CHECK(contains(page_of(log_of("optimize")), "this part was registered after data were seen"));
  CHECK(contains(page_of(log_of("screen")), "this part was registered after data were seen"));
  const std::string amended = page_of(log_of("amended"));
  CHECK(contains(amended, "It replaces E01"));
  CHECK(contains(amended, "**had been seen**"));
  const std::size_t second = amended.find("\n## E02");
  REQUIRE(second != amended.npos);
  CHECK_FALSE(contains(amended.substr(0, second), "after data were seen"));
  CHECK(contains(amended.substr(second), "**Yes: this part was registered after data were seen.**"));
  CHECK(contains(amended.substr(second), "**after data were seen**: 2 registered runs of E01 had ended."));
  const std::string plain = page_of(log_of("failing"));
  CHECK_FALSE(contains(plain, "after data were seen"));
  const std::string sized = page_of(log_of("sized"));
  CHECK(contains(sized, "Yes, but nothing that is evidence here"));
  CHECK(contains(sized, "pilot runs"));
  CHECK_FALSE(contains(sized, "after data were seen"));
}

TEST_CASE("text of a study stays text in its preregistration") {
  const std::string page =
      page_of(renamed(log_of("failing"),
                      "a\n# Heading\n<script>alert(1)</script> [link](javascript:alert(1)) | `code` **bold**\x1b[31m"));
  // One line, in which each character with a meaning is escaped.
  const std::string title = page.substr(0, page.find('\n'));
  CHECK(contains(title, "\\<script>alert(1)\\</script>"));
  CHECK(contains(title, "\\[link\\](javascript"));
  CHECK(contains(title, "\\*\\*bold\\*\\*"));
  CHECK_FALSE(contains(page, "[link](javascript"));
  CHECK_FALSE(contains(page, "\n# Heading"));
  CHECK_FALSE(contains(page, "\x1b"));
}

TEST_CASE("a study without a registration has no preregistration") {
  const auto page = preregistration_of_log(log_of("captured"), kernel::wording_version);
  REQUIRE_FALSE(page);
  CHECK(contains(page.problem().text(), "no experiment was registered"));
}

TEST_CASE("a broken record, or none, is refused") {
  const auto arrived = artifacts::Arrived::open(tests::source_dir() + "/tests/artifacts/fixtures/failing.zip");
  REQUIRE(arrived);
  const fs::path folder = arrived->folder();
  const auto refusal = [&]() -> std::string {
    const auto root = artifacts::SafeRoot::open(folder.string());
    const auto page = artifacts::preregistration_page(*root);
    return page ? "" : page.problem().text();
  };
  CHECK(refusal() == "");
  std::ofstream(folder / "trace/events.jsonl", std::ios::app) << "{}\n";
  CHECK(contains(refusal(), "holds a line that is no event"));
  std::ofstream(folder / "etude.json") << "[]";
  CHECK(contains(refusal(), "etude.json: is not the record of an artifact of etude"));
  fs::remove(folder / "etude.json");
  CHECK(contains(refusal(), "etude did not make this artifact"));
}
