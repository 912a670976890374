// Event logs as an earlier program wrote them, of studies of every kind (tests/e2e/home/record_home.py): this one must
// read them, follow them, and write every event again to the byte.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "kernel/codec/codec.h"
#include "kernel/decide/preconditions.h"
#include "kernel/study/state.h"
#include "kernel/verdicts/analyse_experiment.h"
#include "kernel/wording/wording.h"
#include "tests/places.h"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> logs() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(tests::source_dir() + "/tests/kernel/golden/logs"))
    found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

/// What people read of results.
std::vector<std::string> words(const std::vector<kernel::HypothesisResult>& results) {
  std::vector<std::string> all;
  for (const kernel::HypothesisResult& result : results) {
    all.push_back(sentence(result.reason, 1));
    for (const kernel::Reason& warning : result.warnings) all.push_back(sentence(warning, 1));
    for (const kernel::RequirementResult& required : result.requirements) all.push_back(sentence(required.reason, 1));
  }
  return all;
}

std::vector<std::string> words(const kernel::SampleSized& sized) {
  std::vector<std::string> all = kernel::sentences(sized.warnings, 1);
  for (const kernel::SizeRecord& size : sized.sizes) all.push_back(sentence(size.how, 1));
  return all;
}

/// The sentences of an event that a study's runs decide, as recorded and as this program gives them.
using Said = std::pair<std::vector<std::string>, std::vector<std::string>>;
std::optional<Said> said(const kernel::Study& study, const kernel::EventBody& body) {
  if (const auto* sized = std::get_if<kernel::SampleSized>(&body))
    return Said{words(*sized), words(kernel::size_sample(study))};
  const auto experiment = [&](const kernel::ExperimentId& id) -> const kernel::Experiment& {
    return *std::find_if(study.experiments.begin(), study.experiments.end(),
                         [&](const kernel::Experiment& e) { return e.registration.experiment == id; });
  };
  if (const auto* look = std::get_if<kernel::InterimLook>(&body))
    return Said{words(look->results), words(kernel::interim_look(study, experiment(look->experiment)).results)};
  if (const auto* analysed = std::get_if<kernel::ExperimentAnalysed>(&body))
    return Said{words(analysed->results), words(kernel::analyse(study, experiment(analysed->experiment)).results)};
  return std::nullopt;
}

}  // namespace

TEST_CASE("sizes and verdicts of a recorded log are explained in the same words") {
  std::size_t compared = 0;
  for (const fs::path& log : logs()) {
    CAPTURE(log.string());
    std::ifstream in(log, std::ios::binary);
    kernel::State state;
    for (std::string line; std::getline(in, line);) {
      const kernel::Event event = kernel::read_event_line(line)->decoded();
      if (const kernel::Study* before = state.study(event.study)) {
        if (const auto both = said(*before, event.body)) {
          CHECK(both->second == both->first);
          compared += both->first.size();
        }
      }
      kernel::apply(state, event);
    }
  }
  CHECK(compared > 100);
}

TEST_CASE("every event of a recorded log is read and written again to the byte, and the log is followed") {
  std::set<std::string> types;
  for (const fs::path& log : logs()) {
    CAPTURE(log.string());
    std::ifstream in(log, std::ios::binary);
    kernel::Chain chain;
    kernel::State state;
    int different = 0;
    for (std::string line; std::getline(in, line);) {
      const auto stored = kernel::read_event_line(line);
      REQUIRE(stored);
      REQUIRE(chain.add(*stored).empty());
      CHECK(stored->json_line() == line);
      const kernel::Event event = stored->decoded();
      kernel::StoredEvent again = kernel::to_stored(event, stored->prev, stored->version);
      again.seq = stored->seq;
      if (again.json_line() != line && ++different <= 3) CHECK(again.json_line() == line);
      if (const kernel::Study* before = state.study(event.study))
        CHECK(kernel::cannot_follow(*before, event.body, event.actor).value_or("") == "");
      CHECK_NOTHROW(kernel::apply(state, event));
      types.insert(stored->type);
    }
    CHECK(different == 0);
    CHECK(state.studies.size() == 1);
    CHECK_FALSE(state.studies.begin()->second.nodes.empty());
  }
  // All but RunRequeued, and the end, which no artifact has in its own log.
  CHECK(types.size() >= 40);
}
