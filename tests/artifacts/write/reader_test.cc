// Ten questions that a reader of an artifact has, and where PAPER.md, the report or the README answers them.

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "artifacts/text/new_file.h"
#include "kernel/domain/enum_names.h"
#include "kernel/views/finding.h"
#include "tests/artifacts/samples/sample_study.h"
#include "tests/places.h"

namespace {

/// The part of a page under a heading, up to the next one of the same level.
std::string section(const std::string& page, const std::string& heading) {
  const std::size_t from = page.find("\n" + heading + "\n");
  if (from == std::string::npos) return "";
  const std::string level = heading.substr(0, heading.find(' ') + 1);
  return page.substr(from, page.find("\n" + level, from + 1) - from);
}

struct Answer {
  std::string question, file, heading;
  std::vector<std::string> says;
};

std::vector<Answer> answers(const kernel::Study& study) {
  std::vector<std::string> sizes, tests, warnings;
  for (const kernel::HypothesisRecord& record : study.hypotheses) {
    if (!record.result) continue;
    const std::string id = record.hypothesis.id.text();
    sizes.push_back(fmt::format("{} ({}): ", id, kernel::words_of(record.result->verdict)));
    tests.push_back("| " + kernel::words_of(record.result->verdict) + " |");
  }
  return {
      {"What was found, and by how much?", "PAPER.md", "## Overview", sizes},
      {"How sure is it?", "PAPER.md", "## Results", tests},
      {"Where does a claim hold?", "logic/claims.md", "# Claims", {"- **Conditions**: "}},
      {"What failed, and what does it teach?", "report.md", "## Dead ends", {"*Lesson:*"}},
      {"What did agents change?", "PAPER.md", "## What agents changed", {"person"}},
      {"What limits it?", "PAPER.md", "## Limitations", {"- Everything was measured on one machine"}},
      {"How was it measured?", "PAPER.md", "## Methods", {"Experiment E01 was registered on ", "replicate"}},
      {"How do I run it again, how long does it take, and on what?",
       "README.md",
       "## Check and run",
       {"etude reproduce . --sample 10", "of run time on ", "etude audit . --head "}},
      {"Where is every run?", "PAPER.md", "## Layer Index", {"(evidence/results/E01.csv)"}},
      {"May I use it, and how do I cite it?", "README.md", "## Terms", {"icense", "(CITATION.cff)"}},
  };
}

}  // namespace

TEST_CASE("ten questions of a reader are answered where the documentation says") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  const std::string documented = artifacts::file_bytes(tests::source_dir() + "/docs/artifact.md");
  const std::vector<Answer> all = answers(sample.study());
  REQUIRE(all.size() == 10);
  for (const Answer& one : all) {
    CAPTURE(one.question);
    const std::string where = section("\n" + artifacts::file_bytes(folder + "/" + one.file), one.heading);
    CHECK_FALSE(where.empty());
    for (const std::string& words : one.says) {
      CAPTURE(words);
      CHECK(where.find(words) != std::string::npos);
    }
    const std::string heading = one.heading.substr(one.heading.find(' ') + 1);
    CHECK(documented.find(fmt::format("| {} | `{}`, {} |", one.question, one.file, heading)) != std::string::npos);
  }
}
