#pragma once
// What a text about a study of sorting may rest on: three algorithms, three kinds of input, two metrics, and four
// hypotheses with a verdict of each kind.

#include "prose/lint.h"

inline prose::Facts sorting() {
  prose::Facts facts;
  const auto level = [&](const char* factor, const char* name, std::optional<double> value) {
    facts.constants.push_back({name, value, {factor}, std::string("a level of `") + factor + "`", "", false});
  };
  for (const char* name : {"bubble", "quick", "merge"})
    level("algorithm", name, std::nullopt), facts.subjects.insert(name);
  for (const char* name : {"random", "sorted", "nearly_sorted"})
    level("distribution", name, std::nullopt), facts.subjects.insert(name);
  level("n", "500", 500);
  level("n", "1000", 1000);
  level("n", "2000", 2000);
  level("lr", "3e-4", 3e-4);
  level("dtype", "double", std::nullopt);
  level("model", "gpt-4", std::nullopt);
  level("model", "resnet50", std::nullopt);
  facts.constants.push_back({"8", 8, {"repeats"}, "the constant `repeats`", "", false});
  facts.constants.push_back({"0.05", 0.05, {"alpha", "significance level", "level"}, "alpha", "", true});
  facts.constants.push_back({"0.95", 0.95, {"level", "interval"}, "the level", "", true});
  facts.constants.push_back({"0.5", 0.5, {"margin"}, "the margin of H1", "", true});
  facts.constants.push_back({"1.5", 1.5, {"margin"}, "the margin of H4", "ms", false});
  facts.constants.push_back({"12", 12, {"replicates", "replicate"}, "the replicates", "", false});
  facts.constants.push_back({"4", 4, {"family"}, "the family", "", false});
  facts.names = {"time_ms", "misplaced_items", "nearly_sorted", "gpt-4", "resnet50", "naïve", "日本"};
  facts.ids = {"H1", "H2", "H3", "H4", "H5", "E01", "C01", "N02", "s1"};
  facts.runs = 40;
  facts.proposals = {3, 5};
  facts.metrics = {"time_ms", "misplaced_items"};
  facts.units = {"ms", "items"};
  facts.subjects.insert({"time_ms", "time", "misplaced_items", "misplaced", "items"});
  facts.works["knuth1998"] = {{"knuth"}, {"10.5555/280635"}};
  facts.works["bentley:engineering"] = {{"bentley", "mcilroy"}, {}};
  facts.works["smith_2020"] = {{"smith", "knuth"}, {"2001.01234"}};
  const auto hypothesis = [&](const char* id, std::set<std::string> treatment, std::set<std::string> control,
                              const char* verdict, prose::Licence licence) {
    facts.hypotheses.push_back({id, "time_ms", std::move(treatment), std::move(control), {}, true, verdict, licence});
  };
  hypothesis("H1", {"quick"}, {"bubble"}, "supported", {true, false, false, true, false, true});
  hypothesis("H2", {"merge"}, {"quick"}, "refuted", {false, false, false, false, true, false});
  hypothesis("H3", {"merge"}, {"bubble"}, "inconclusive", {});
  hypothesis("H4", {"sorted"}, {"random"}, "supported", {false, false, true, false, true, true});
  hypothesis("H5", {"merge"}, {"bubble"}, "", {});
  facts.hypotheses[0].foreign = {"merge", "nearly_sorted"};
  facts.hypotheses[0].every = true;
  for (prose::HypothesisFacts& h : facts.hypotheses) h.randomised = true;
  return facts;
}
