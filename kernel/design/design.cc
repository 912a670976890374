#include "kernel/design/design.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "kernel/codec/codec.h"
#include "kernel/domain/cells.h"
#include "kernel/evidence/blocks.h"
#include "kernel/evidence/derived_metrics.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/verdicts/controls.h"

namespace kernel {

namespace {

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
std::vector<Hypothesis> to_be_run(const StudySpec& spec, const Hypotheses& study) {
  std::vector<Hypothesis> list;
  for (const HypothesisRecord* record : study.open_batch()) list.push_back(record->hypothesis);
  if (spec.design.planted) list.push_back(*spec.design.planted);
  return list;
}

/// The number of seeds that earlier batches have used.
int seeds_taken(const StudySpec& spec, const Experiments& study) {
  int taken = 0;
  const bool paired = spec.design.pairing == Pairing::seed;
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
  terms.stopping = !spec.design.settled.empty()                           ? StoppingRule::settled
                   : spec.design.confirm && spec.design.confirm->most > 0 ? StoppingRule::sized
                   : spec.design.sized_beforehand()                       ? StoppingRule::fixed
                                                                          : StoppingRule::sized;
  terms.factors = spec.factors;
  terms.constants = spec.constants;
  terms.resources = spec.resources;
  terms.protect = study.workspace.protect;
  terms.environment = spec.environment;
  terms.seed = spec.seed;
  terms.evaluator = evaluator_terms(study);
  if (spec.design.pairing == Pairing::none && spec.seeds == SeedRule::derived) {
    terms.run_seeds.resize(registration.cells.size());
    for (const PlannedRun& run : registered_runs(study, registration).runs)
      if (run.stage.empty() && !run.aa) terms.run_seeds[static_cast<std::size_t>(run.cell)].push_back(run.seed);
  }
  return terms;
}

}  // namespace

RunsQueued interleaved(const Study& study, Purpose purpose, std::vector<Cell> cells, const std::vector<int>& replicates,
                       const std::optional<AaPlan>& aa, Randomness randomness) {
  RunsQueued queued;
  queued.purpose = purpose;
  queued.tier = tier_of(study.spec, purpose);
  SplitMix random{randomness.order};
  int number = static_cast<int>(study.runs.size());
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
      run.seed = randomness.seed(run, cells[static_cast<std::size_t>(run.cell)]);
      const auto own = static_cast<std::size_t>(run.cell), at = static_cast<std::size_t>(replicate - 1);
      if (own < pinned.size() && at < pinned[own].size()) run.seed = pinned[own][at];
      queued.runs.push_back(run);
    }
  }
  queued.cells = std::move(cells);
  return queued;
}

std::vector<Hypothesis> derived_hypotheses(const StudySpec& spec) {
  std::vector<Hypothesis> list;
  const Metric& metric = spec.primary();
  for (const Factor& factor : spec.factors) {
    if (!factor.baseline) continue;
    for (const Level& level : factor.levels) {
      if (level.name == *factor.baseline) continue;
      Hypothesis h;
      h.id = HypothesisId("H" + std::to_string(list.size() + 1));
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

RunsQueued pilot_runs(const Study& study, const Draw& fresh) {
  std::vector<Cell> cells = union_of_cells(study.spec, to_be_run(study.spec, study));
  const std::vector<int> replicates(cells.size(), study.spec.design.pilot);
  // Each batch has its own pilot with its own seeds.
  if (study.spec.seeds != SeedRule::derived) {
    const Draw draw = draw_for(study.spec, fresh, fmt::format("pilot {}", study.batch.number));
    RunsQueued queued = interleaved(study, Purpose::pilot, std::move(cells), replicates, std::nullopt,
                                    fresh_randomness(study, draw, "pilot"));
    queued.draw = draw;
    return with_stages(study.spec, std::move(queued));
  }
  const int first = study.spec.design.pairing == Pairing::seed
                        ? study.spec.design.pilot * block_count(study.spec) * (study.batch.number - 1)
                        : study.batch.runs_before;
  return with_stages(study.spec, interleaved(study, Purpose::pilot, std::move(cells), replicates, std::nullopt,
                                             derived_randomness(study, Purpose::pilot, first)));
}

RunsQueued smoke_runs(const Study& study, const Draw& fresh) {
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
  std::uint64_t seed = derived_seed(study.spec, Purpose::smoke, 0);
  std::uint64_t other_seed = derived_seed(study.spec, Purpose::smoke, 1);
  if (study.spec.seeds != SeedRule::derived) {
    queued.draw = draw_for(study.spec, fresh, fmt::format("smoke {}", study.runs.size()));
    FreshSeeds seeds(study, queued.draw, "smoke");
    seed = seeds.next();
    other_seed = seeds.next();
  }
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
  add(reference, other_seed, seed_label);
  return with_stages(study.spec, std::move(queued));
}

namespace {

/// The experiment whose seeds this registration keeps: the code was amended before any primary value was seen, so that
/// its hypotheses keep their slots in the family. Empty if there is none.
ExperimentId keeps_seeds_of(const Experiments& study, const Registration& r) {
  const Experiment* amended = study.experiment(r.amends);
  if (!amended) return "";
  for (const Hypothesis& before : amended->registration.hypotheses)
    for (const Hypothesis& h : r.hypotheses)
      if (h.id == before.id) return r.amends;
  return "";
}

/// Draws all seeds of the registration. Precondition: the terms are filled.
void draw_seeds(const Study& study, Registration& r, const Draw& fresh) {
  const ExperimentId kept = keeps_seeds_of(study, r);
  r.draw = kept.empty() ? draw_for(study.spec, fresh, "registration " + r.experiment)
                        : study.experiment(kept)->registration.draw;
  FreshSeeds seeds(study, r.draw, "registered", kept);
  if (study.spec.design.pinned.empty()) {
    if (r.pairing == Pairing::seed) {
      const int most = r.replicates.empty() ? 0 : *std::ranges::max_element(r.replicates);
      for (int i = 0; i < most * block_count(study.spec); ++i) r.seeds.push_back(seeds.next());
    } else {
      for (const int replicates : r.replicates) {
        std::vector<std::uint64_t>& own = r.terms->run_seeds.emplace_back();
        for (int i = 0; i < replicates; ++i) own.push_back(seeds.next());
      }
    }
  }
  for (int i = 0; r.aa && i < r.aa->replicates; ++i) r.aa->seeds.push_back(seeds.next());
}

}  // namespace

Registration registration_of(const Study& study, const std::vector<HypothesisId>& hypotheses, const Draw& draw) {
  Registration r;
  r.experiment = ExperimentId(fmt::format("E{:02}", study.experiments.size() + 1));
  r.family = study.family;
  r.alpha = study.spec.design.alpha;
  for (const HypothesisId& id : hypotheses) {
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
  const bool derived = study.spec.seeds == SeedRule::derived;
  if (derived) r.first_seed = seeds_taken(study.spec, study);
  r.order = study.spec.design.order;
  const int most = r.replicates.empty() ? 0 : *std::ranges::max_element(r.replicates);
  if (derived && r.pairing == Pairing::seed && study.spec.design.pinned.empty())
    for (int i = 0; i < most * block_count(study.spec); ++i)
      r.seeds.push_back(derived_seed(study.spec, Purpose::registered, r.first_seed + i));
  r.metrics = study.spec.metrics;
  r.guards = study.spec.guards;
  r.command = study.spec.run;
  r.stages = study.spec.stages;
  r.workspace = study.workspace.hash;
  r.environment = sha256_hex(canonical(study.environment));
  r.data = study.data;
  r.terms = terms_of(study, r);
  if (!derived) draw_seeds(study, r, draw);
  return r;
}

RunsQueued warmup_runs(const Study& study, const Registration& registration) {
  const std::vector<int> each(registration.cells.size(), study.spec.design.warmup_runs);
  RunsQueued queued =
      interleaved(study, Purpose::scratch, registration.cells, each, std::nullopt,
                  study.spec.seeds == SeedRule::derived ? derived_randomness(study, Purpose::scratch, 0)
                                                        : fresh_randomness(study, registration.draw, "warm-up"));
  for (PlannedRun& run : queued.runs) run.label = warmup_label;
  // Scores of warm-up runs would not be used.
  queued.tier = Tier::none;
  return with_stages(study.spec, std::move(queued));
}

RunsQueued registered_runs(const Study& study, const Registration& registration) {
  RunsQueued queued = interleaved(study, Purpose::registered, registration.cells, registration.replicates,
                                  registration.aa, registered_randomness(study, registration));
  queued.experiment = registration.experiment;
  return with_stages(study.spec, with_repeats(study, registration, std::move(queued)));
}

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

}  // namespace kernel
