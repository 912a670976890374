#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "artifacts/reproduce/reproduction.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/words/study_words.h"
#include "kernel/design/design.h"
#include "kernel/evidence/derived_metrics.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Cell;
using kernel::Problem;

namespace {

/// Cell → the seeds of its registered runs, including those that a look made unnecessary.
using Seeds = std::map<Cell, std::vector<std::uint64_t>>;

void add_registered(const kernel::Registration& r, const std::set<Cell>& wanted, Seeds& seeds) {
  for (std::size_t c = 0; c < r.cells.size() && c < r.replicates.size(); ++c) {
    if (!wanted.contains(r.cells[c])) continue;
    std::vector<std::uint64_t>& own = seeds[r.cells[c]];
    for (int replicate = 1; replicate <= r.replicates[c]; ++replicate)
      if (const std::uint64_t* seed = kernel::registered_seed(r, c, replicate);
          seed && std::ranges::count(own, *seed) == 0)
        own.push_back(*seed);
  }
}

/// Keeps the hypotheses of the chosen claims. Returns what is wrong; empty if nothing is.
std::string keep_chosen(Recorded& recorded, const std::vector<std::string>& claims) {
  if (claims.empty()) return "";
  std::set<kernel::HypothesisId> hypotheses;
  for (const std::string& id : claims) {
    const auto claim = std::ranges::find_if(recorded.study.claims, [&](const kernel::Claim& c) { return c.id == id; });
    if (claim == recorded.study.claims.end()) return id;
    hypotheses.insert(claim->hypothesis);
  }
  std::erase_if(recorded.spec.hypotheses, [&](const kernel::Hypothesis& h) { return !hypotheses.contains(h.id); });
  // A planted effect belongs to the whole study.
  recorded.spec.design.planted.reset();
  return recorded.spec.hypotheses.empty() ? claims.front() : "";
}

std::set<Cell> cells_wanted(const kernel::StudySpec& spec) {
  std::set<Cell> cells;
  for (const kernel::Hypothesis& h : spec.hypotheses)
    for (Cell& cell : kernel::cells_to_run(spec, h)) cells.insert(std::move(cell));
  if (spec.design.planted)
    for (Cell& cell : kernel::cells_to_run(spec, *spec.design.planted)) cells.insert(std::move(cell));
  return cells;
}

/// The evidence of the chosen hypotheses, by run number.
std::vector<const kernel::Run*> evidence_of(const Recorded& recorded) {
  const std::set<Cell> wanted = cells_wanted(recorded.spec);
  std::vector<const kernel::Run*> runs;
  for (const kernel::Run& run : recorded.study.runs)
    if (run.evidence() && wanted.contains(cell_of(recorded.study, run))) runs.push_back(&run);
  return runs;
}

/// splitmix64, as for the order of runs, so that the sample is the same on every machine.
struct Draw {
  std::uint64_t state;
  std::size_t below(std::size_t n) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<std::size_t>((z ^ (z >> 31)) % n);
  }
};

Seeds drawn(const kernel::RunBoard& study, std::vector<const kernel::Run*> runs, const ReproductionChoice& choice) {
  Draw draw{choice.seed};
  for (std::size_t i = 0; i < static_cast<std::size_t>(choice.sample); ++i)
    std::swap(runs[i], runs[i + draw.below(runs.size() - i)]);
  runs.resize(static_cast<std::size_t>(choice.sample));
  std::ranges::sort(runs, [](const auto* a, const auto* b) { return a->number < b->number; });
  Seeds seeds;
  for (const kernel::Run* run : runs) seeds[cell_of(study, *run)].push_back(run->seed);
  return seeds;
}

}  // namespace

std::optional<Problem> choose(Recorded& recorded, const ReproductionChoice& choice) {
  const std::string sample = fmt::format("--sample {}", choice.sample);
  if (const std::string unknown = keep_chosen(recorded, choice.claims); !unknown.empty())
    return Problem{"", 0, "--claim " + printable(unknown), "the artifact has no such claim",
                   "logic/claims.md lists them"};
  if (choice.sample > 0 && choice.fresh)
    return Problem{"", 0, sample, "runs are drawn to be compared one by one, and on fresh seeds none has a counterpart",
                   "leave out --seeds fresh"};
  recorded.terms.claims = choice.claims;
  recorded.terms.fresh = choice.fresh;
  recorded.terms.sample = choice.sample;
  recorded.terms.seed = choice.fresh || choice.sample > 0 ? choice.seed : 0;
  kernel::Design& design = recorded.spec.design;
  design.pinned.clear();
  if (choice.fresh) {
    if (recorded.study.spec.seeds != kernel::SeedRule::drawn && choice.seed == recorded.study.spec.seed)
      return Problem{"", 0, fmt::format("--seed {}", choice.seed), "is the seed that was recorded", "give another one"};
    recorded.spec.seed = choice.seed;
    if (recorded.spec.seeds == kernel::SeedRule::drawn) recorded.spec.seeds = kernel::SeedRule::fixed;
    return std::nullopt;
  }
  Seeds seeds;
  if (choice.sample > 0) {
    const std::vector<const kernel::Run*> runs = evidence_of(recorded);
    if (choice.sample > static_cast<int>(runs.size()))
      return Problem{
          "", 0, sample,
          fmt::format("{} there as evidence", runs.size() == 1 ? "1 run is" : fmt::format("{} runs are", runs.size())),
          "draw fewer, or run all again without --sample"};
    seeds = drawn(recorded.study, runs, choice);
    design.looks.reset();
    design.planted.reset();
    design.warmup_runs = 0;
  } else {
    const std::set<Cell> wanted = cells_wanted(recorded.spec);
    for (const kernel::Experiment& e : recorded.study.experiments)
      if (!e.amended) add_registered(e.registration, wanted, seeds);
  }
  for (auto& [cell, own] : seeds) design.pinned.push_back({cell, std::move(own)});
  return std::nullopt;
}

double ReproductionCost::wall_s(int jobs) const {
  return std::max(longest_s, run_seconds / std::max(1, jobs));
}

ReproductionCost forecast(const Recorded& recorded) {
  const std::vector<const kernel::Run*> evidence = evidence_of(recorded);
  std::set<std::pair<Cell, std::uint64_t>> pinned;
  for (const kernel::PinnedCell& cell : recorded.spec.design.pinned)
    for (const std::uint64_t seed : cell.seeds) pinned.emplace(cell.cell, seed);
  ReproductionCost total;
  total.of = static_cast<int>(evidence.size());
  double wall = 0;
  for (const kernel::Run* run : evidence) {
    const Cell& cell = cell_of(recorded.study, *run);
    if (!pinned.empty() && !pinned.contains({cell, run->seed})) continue;
    ++total.runs;
    wall = static_cast<double>(run->ended_ms - run->started_ms) / 1000;
    total.run_seconds += wall;
    total.longest_s = std::max(total.longest_s, wall);
    total.gpu_seconds += wall * run->lease.devices();
  }
  return total;
}

std::string to_text(const ReproductionCost& f, int jobs) {
  const std::string gpus = f.gpu_seconds > 0 ? fmt::format(", {:.2g} GPU hours", f.gpu_seconds / 3600) : "";
  return fmt::format(
      "{} of {}, {} of run time when recorded: about {} with {} at a time{}; 0 USD, for no model is asked", f.runs,
      prose::counted(f.of, "run"), prose::duration_text(f.run_seconds), prose::duration_text(f.wall_s(jobs)), jobs,
      gpus);
}

}  // namespace artifacts
