#include "kernel/design/design.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/digest.h"
#include "kernel/codec/codec.h"
#include "kernel/domain/cells.h"
#include "kernel/evidence/blocks.h"
#include "kernel/evidence/derived_metrics.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/verdicts/controls.h"

namespace kernel {

namespace {

// splitmix64 (Steele, Lea and Flood 2014) is small, takes a seed and gives the same numbers on every machine.
struct SplitMix {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
};

void shuffle(std::vector<int>& items, SplitMix& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

std::vector<Cell> union_of_cells(const StudySpec& spec, const std::vector<Hypothesis>& hypotheses) {
  std::vector<Cell> cells;
  std::set<Cell> seen;
  for (const Hypothesis& h : hypotheses)
    for (Cell& cell : cells_to_run(spec, h))
      if (seen.insert(cell).second) cells.push_back(std::move(cell));
  return cells;
}

/// The hypotheses of the batch, and the planted effect.
std::vector<Hypothesis> to_be_run(const Study& study) {
  std::vector<Hypothesis> list;
  for (const HypothesisRecord* record : study.open_batch()) list.push_back(record->hypothesis);
  if (study.spec.design.planted) list.push_back(*study.spec.design.planted);
  return list;
}

/// The number of seeds that earlier batches have used.
int seeds_taken(const Study& study) {
  int taken = 0;
  const bool paired = study.spec.design.pairing == Pairing::seed;
  for (const Experiment& e : study.experiments)
    if (paired) {
      taken = std::max(taken, e.registration.first_seed + static_cast<int>(e.registration.seeds.size()));
    } else {
      // All registered replicates count, also those that were never due.
      for (const int replicates : e.registration.replicates) taken += replicates;
      if (e.registration.aa) taken += e.registration.aa->replicates;
    }
  return taken;
}

/// The other levels; numeric levels start with the farthest, because a small step may change nothing by chance.
std::vector<const Level*> farthest_first(const Factor& factor, const std::string& from) {
  std::vector<const Level*> others;
  for (const Level& level : factor.levels)
    if (level.name != from) others.push_back(&level);
  const Level* start = factor.level(from);
  const auto distance = [&](const Level* level) {
    return start && start->value.number && level->value.number ? std::abs(*level->value.number - *start->value.number)
                                                               : 0;
  };
  std::ranges::stable_sort(others, [&](const Level* a, const Level* b) { return distance(a) > distance(b); });
  return others;
}

Terms terms_of(const Study& study, const Registration& registration) {
  const StudySpec& spec = study.spec;
  Terms terms;
  terms.design = spec.design;
  terms.stopping = !spec.design.settled.empty()     ? StoppingRule::settled
                   : spec.design.sized_beforehand() ? StoppingRule::fixed
                                                    : StoppingRule::sized;
  terms.factors = spec.factors;
  terms.constants = spec.constants;
  terms.resources = spec.resources;
  terms.protect = study.workspace.protect;
  terms.environment = spec.environment;
  terms.seed = spec.seed;
  terms.evaluator = evaluator_terms(study);
  if (spec.design.pairing == Pairing::none) {
    terms.run_seeds.resize(registration.cells.size());
    for (const PlannedRun& run : registered_runs(study, registration).runs)
      if (run.stage.empty() && !run.aa) terms.run_seeds[static_cast<std::size_t>(run.cell)].push_back(run.seed);
  }
  return terms;
}

}  // namespace

RunsQueued interleaved(const Study& study, Purpose purpose, std::vector<Cell> cells, const std::vector<int>& replicates,
                       const std::optional<AaPlan>& aa, int first_seed) {
  RunsQueued queued;
  queued.purpose = purpose;
  queued.tier = tier_of(study.spec, purpose);
  SplitMix random{study.spec.seed * 0x2545f4914f6cdd1dULL + static_cast<std::uint64_t>(purpose) +
                  (static_cast<std::uint64_t>(first_seed) << 8)};
  int number = static_cast<int>(study.runs.size());
  int index = first_seed;
  const auto place = aa ? std::ranges::find(cells, aa->cell) : cells.end();
  const int control = static_cast<int>(place - cells.begin());
  const int most = replicates.empty() ? 0 : *std::ranges::max_element(replicates);
  const std::vector<std::vector<std::uint64_t>> pinned = pinned_for(study, purpose, cells);
  for (int replicate = 1; replicate <= most; ++replicate) {
    std::vector<int> block;
    for (std::size_t c = 0; c < cells.size(); ++c)
      if (replicates[c] >= replicate) block.push_back(static_cast<int>(c));
    constexpr int again = -1;  // The repeated control of the A/A comparison; it is shuffled with the other cells.
    if (aa && replicate <= aa->replicates) block.push_back(again);
    if (study.spec.design.order == Order::random) shuffle(block, random);
    for (const int cell : block) {
      PlannedRun run;
      run.number = ++number;
      run.aa = cell == again;
      run.cell = run.aa ? control : cell;
      run.replicate = replicate;
      // If paired, all cells (of a block) share one seed per replicate. If unpaired, each run has its own seed.
      run.seed = seed_of(study.spec, purpose,
                         study.spec.design.pairing == Pairing::seed
                             ? first_seed + seed_index(study.spec.factors, study.spec.design.blocks,
                                                       cells[static_cast<std::size_t>(run.cell)], replicate - 1)
                             : index++);
      const auto own = static_cast<std::size_t>(run.cell), at = static_cast<std::size_t>(replicate - 1);
      if (own < pinned.size() && at < pinned[own].size()) run.seed = pinned[own][at];
      queued.runs.push_back(run);
    }
  }
  queued.cells = std::move(cells);
  return queued;
}

std::uint64_t seed_of(const StudySpec& spec, Purpose purpose, int index) {
  SplitMix random{spec.seed ^ (0x51ed270b7a1fULL * (static_cast<std::uint64_t>(purpose) + 1))};
  // The purpose takes the top two of 31 bits, and an odd multiplier permutes the rest, so no seed is used twice. A
  // search uses the seeds of scratch runs, because no scratch run of a study measures.
  const std::uint64_t low = 0x1fffffffULL;
  const std::uint64_t start = random.next() & low;
  const Purpose stream = purpose == Purpose::search ? Purpose::scratch : purpose;
  return (static_cast<std::uint64_t>(stream) << 29) |
         ((start + static_cast<std::uint64_t>(index) * 0x3504f335ULL) & low);
}

std::vector<Hypothesis> derived_hypotheses(const StudySpec& spec) {
  std::vector<Hypothesis> list;
  const Metric& metric = spec.primary();
  for (const Factor& factor : spec.factors) {
    if (!factor.baseline) continue;
    for (const Level& level : factor.levels) {
      if (level.name == *factor.baseline) continue;
      Hypothesis h;
      h.id = "H" + std::to_string(list.size() + 1);
      h.by = "hypothesis";
      h.statement = "Setting " + factor.name + " to " + level.name + " instead of " + *factor.baseline + " changes " +
                    metric.name + ".";
      h.metric = metric.name;
      h.treatment = {{factor.name, level.name}};
      h.control = {{factor.name, *factor.baseline}};
      h.direction = Direction::different;
      list.push_back(std::move(h));
    }
  }
  return list;
}

RunsQueued pilot_runs(const Study& study) {
  std::vector<Cell> cells = union_of_cells(study.spec, to_be_run(study));
  const std::vector<int> replicates(cells.size(), study.spec.design.pilot);
  // Each batch has its own pilot with its own seeds.
  const int first = study.spec.design.pairing == Pairing::seed
                        ? study.spec.design.pilot * block_count(study.spec) * (study.batch.number - 1)
                        : study.batch.runs_before;
  return with_stages(study.spec, interleaved(study, Purpose::pilot, std::move(cells), replicates, std::nullopt, first));
}

RunsQueued smoke_runs(const Study& study) {
  RunsQueued queued;
  queued.purpose = Purpose::smoke;
  queued.tier = tier_of(study.spec, Purpose::smoke);
  int number = static_cast<int>(study.runs.size());
  const auto add = [&](const Cell& cell, std::uint64_t seed, const std::string& label) {
    PlannedRun run;
    run.number = ++number;
    run.cell = static_cast<int>(queued.cells.size());
    run.seed = seed;
    run.replicate = 1;
    run.label = label;
    queued.cells.push_back(cell);
    queued.runs.push_back(run);
  };
  const Cell reference = reference_cell(study.spec);
  const std::uint64_t seed = seed_of(study.spec, Purpose::smoke, 0);
  add(reference, seed, reference_label);
  for (const Factor& factor : study.spec.factors) {
    for (const Level* level : farthest_first(factor, reference.at(factor.name))) {
      Cell flipped = reference;
      flipped[factor.name] = level->name;
      if (is_excluded(study.spec, flipped)) continue;
      add(flipped, seed, factor.name);
      break;
    }
  }
  add(reference, seed_of(study.spec, Purpose::smoke, 1), seed_label);
  return with_stages(study.spec, std::move(queued));
}

Registration registration_of(const Study& study, const std::vector<std::string>& hypotheses) {
  Registration r;
  r.experiment =
      "E" + std::string(study.experiments.size() < 9 ? "0" : "") + std::to_string(study.experiments.size() + 1);
  r.family = study.family;
  r.alpha = study.spec.design.alpha;
  for (const std::string& id : hypotheses) {
    const HypothesisRecord* record = study.hypothesis(id);
    r.batch = record->batch;
    r.hypotheses.push_back(record->hypothesis);
  }
  r.planted = study.spec.design.planted;
  if (!study.experiments.empty() && study.experiments.back().amended)
    r.amends = study.experiments.back().registration.experiment;
  std::vector<Hypothesis> all = r.hypotheses;
  if (r.planted) all.push_back(*r.planted);
  if (study.sized)
    for (const SizeRecord& size : study.sized->sizes)
      if (std::ranges::any_of(all, [&](const Hypothesis& h) { return h.id == size.hypothesis; }))
        r.sizes.push_back(size);
  r.cells = union_of_cells(study.spec, all);
  // A search uses `replicates_min` for selection, so only the hypotheses size its confirmation.
  r.replicates.assign(r.cells.size(), study.spec.design.confirm ? 1 : study.spec.design.replicates_min);
  for (const Hypothesis& h : all) {
    const auto size = std::ranges::find_if(r.sizes, [&](const SizeRecord& s) { return s.hypothesis == h.id; });
    if (size == r.sizes.end()) continue;
    const std::vector<Cell> wanted = cells_to_run(study.spec, h);
    const std::set<Cell> own(wanted.begin(), wanted.end());
    for (std::size_t c = 0; c < r.cells.size(); ++c)
      if (own.contains(r.cells[c])) r.replicates[c] = std::max(r.replicates[c], size->replicates);
  }
  if (const auto pinned = pinned_for(study, Purpose::registered, r.cells); !pinned.empty())
    for (std::size_t c = 0; c < r.cells.size(); ++c) r.replicates[c] = static_cast<int>(pinned[c].size());
  r.aa = aa_plan(study, r);
  r.pairing = study.spec.design.pairing;
  r.first_seed = seeds_taken(study);
  r.order = study.spec.design.order;
  const int most = r.replicates.empty() ? 0 : *std::ranges::max_element(r.replicates);
  if (r.pairing == Pairing::seed && study.spec.design.pinned.empty())
    for (int i = 0; i < most * block_count(study.spec); ++i)
      r.seeds.push_back(seed_of(study.spec, Purpose::registered, r.first_seed + i));
  r.metrics = study.spec.metrics;
  r.guards = study.spec.guards;
  r.command = study.spec.run;
  r.stages = study.spec.stages;
  r.workspace = study.workspace.hash;
  r.environment = sha256_hex(canonical(study.environment));
  r.data = study.data;
  r.terms = terms_of(study, r);
  return r;
}

RunsQueued warmup_runs(const Study& study, const Registration& registration) {
  const std::vector<int> each(registration.cells.size(), study.spec.design.warmup_runs);
  RunsQueued queued = interleaved(study, Purpose::scratch, registration.cells, each);
  for (PlannedRun& run : queued.runs) run.label = warmup_label;
  // Scores of warm-up runs would not be used.
  queued.tier = Tier::none;
  return with_stages(study.spec, std::move(queued));
}

RunsQueued registered_runs(const Study& study, const Registration& registration) {
  RunsQueued queued = interleaved(study, Purpose::registered, registration.cells, registration.replicates,
                                  registration.aa, registration.first_seed);
  queued.experiment = registration.experiment;
  return with_stages(study.spec, std::move(queued));
}

namespace {

/// Null if the cell has no pinned seeds.
const std::vector<std::uint64_t>* pinned_seeds(const Design& design, const Cell& cell) {
  for (const PinnedCell& pinned : design.pinned)
    if (pinned.cell == cell) return &pinned.seeds;
  return nullptr;
}

}  // namespace

std::vector<std::vector<std::uint64_t>> pinned_for(const StudyTerms& study, Purpose purpose,
                                                   const std::vector<Cell>& cells) {
  std::vector<std::vector<std::uint64_t>> seeds;
  if (purpose != Purpose::registered || study.spec.design.pinned.empty()) return seeds;
  std::map<Cell, const std::vector<std::uint64_t>*> known;
  for (const PinnedCell& pinned : study.spec.design.pinned) known.emplace(pinned.cell, &pinned.seeds);
  for (const Cell& cell : cells) {
    const auto found = known.find(cell);
    seeds.push_back(found == known.end() ? std::vector<std::uint64_t>() : *found->second);
  }
  return seeds;
}

const std::uint64_t* registered_seed(const Registration& r, std::size_t cell, int replicate) {
  const auto at = [](const std::vector<std::uint64_t>& seeds, int index) {
    return index >= 0 && index < static_cast<int>(seeds.size()) ? &seeds[static_cast<std::size_t>(index)] : nullptr;
  };
  if (!r.terms) return r.pairing == Pairing::seed ? at(r.seeds, replicate - 1) : nullptr;
  if (cell >= r.cells.size()) return nullptr;
  if (!r.terms->design.pinned.empty()) {
    const auto* pinned = pinned_seeds(r.terms->design, r.cells[cell]);
    return pinned ? at(*pinned, replicate - 1) : nullptr;
  }
  if (r.pairing == Pairing::seed)
    return at(r.seeds, seed_index(r.terms->factors, r.terms->design.blocks, r.cells[cell], replicate - 1));
  return cell < r.terms->run_seeds.size() ? at(r.terms->run_seeds[cell], replicate - 1) : nullptr;
}

}  // namespace kernel
