// A search by the kernel, one run at a time, for programs that know the objective: bench/search.py compares it with
// others. The first line of standard input is the space:
//   {"factors": [{"low": 0, "high": 1, "log": false, "integer": false} | {"levels": ["a", "b"]}, …],
//    "runs": 50, "beside": 1, "top": 1, "seed": 7}
// Each line `run {…}` on standard output asks for a value of those settings; the answer is a number, or `failed`. The
// last line, `best […]`, has what a study would confirm, the best first.
#include <iostream>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernel/domain/cells.h"
#include "kernel/search/model_search.h"
#include "kernel/search/search_space.h"

using nlohmann::json;

namespace {

kernel::StudySpec space_of(const json& given) {
  kernel::StudySpec spec;
  spec.kind = kernel::StudyKind::optimize;
  spec.design.confirm = kernel::Confirm{given.value("top", 1), 12};
  spec.seed = given.value("seed", 1);
  kernel::Metric metric;
  metric.name = "y";
  metric.primary = true;
  spec.metrics = {metric};
  for (const json& f : given.at("factors")) {
    kernel::Factor factor;
    factor.name = fmt::format("x{}", spec.factors.size());
    if (f.contains("levels")) {
      for (const json& level : f.at("levels")) factor.levels.push_back({level.get<std::string>(), {level, {}}, {}});
      factor.baseline = factor.levels.front().name;
    } else {
      factor.range = kernel::Range{f.at("low"), f.at("high"), f.value("log", false)};
      factor.type = f.value("integer", false) ? kernel::FactorType::integer : kernel::FactorType::number;
      factor.baseline = kernel::range_text(factor, 0.5);
      kernel::add_range_level(factor, *factor.baseline);
    }
    spec.factors.push_back(std::move(factor));
  }
  return spec;
}

kernel::CellOutcome outcome_of(const kernel::Cell& cell) {
  std::cout << "run " << json(cell).dump() << std::endl;
  std::string answer;
  if (!std::getline(std::cin, answer)) std::exit(1);
  return {cell, 0, answer == "failed" ? std::nullopt : std::optional(std::stod(answer))};
}

}  // namespace

int main() {
  std::string line;
  std::getline(std::cin, line);
  const json given = json::parse(line);
  const kernel::StudySpec spec = space_of(given);
  std::vector<kernel::CellOutcome> outcomes;
  const kernel::Cell baseline = kernel::baseline_cell(spec, false);
  std::uint64_t seed = spec.seed;
  for (const kernel::Rung& rung : kernel::model_rungs(spec, given.at("runs"), given.value("beside", 1))) {
    std::vector<kernel::Cell> cells;
    ++seed;
    if (!rung.proposes) {
      cells = kernel::sampled_cells(spec, rung.candidates, {baseline}, spec.seed);
      cells.push_back(baseline);
    } else {
      const kernel::ResponseModel model(spec, spec.metrics.front(), outcomes);
      cells = rung.decides ? model.deciding(rung.candidates, seed << 20) : model.proposals(rung.candidates, seed << 20);
    }
    for (const kernel::Cell& cell : cells)
      for (int r = 0; r < rung.replicates; ++r) outcomes.push_back(outcome_of(cell));
  }
  const kernel::ResponseModel model(spec, spec.metrics.front(), outcomes);
  std::vector<std::pair<double, const kernel::Cell*>> order;
  std::set<kernel::Cell> seen;
  for (const kernel::CellOutcome& o : outcomes)
    if (const auto expected = model.estimate(o.cell); expected && seen.insert(o.cell).second)
      order.emplace_back(expected->mean, &o.cell);
  std::ranges::stable_sort(order, {}, &std::pair<double, const kernel::Cell*>::first);
  json best = json::array();
  for (std::size_t i = 0; i < order.size() && i < static_cast<std::size_t>(spec.design.confirm->top); ++i)
    best.push_back(*order[i].second);
  std::cout << "best " << best.dump() << std::endl;
}
