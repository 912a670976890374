#include "tests/sim/plan.h"

#include <string>
#include <utility>

#include "kernel/search/search.h"
#include "kernel/study/ledger.h"
#include "tests/sim/machine.h"

namespace sim {

namespace {

kernel::Factor factor(const std::string& name, const std::vector<std::string>& levels) {
  kernel::Factor f;
  f.name = name;
  for (const std::string& level : levels) f.levels.push_back({level, {level, std::nullopt}, {}});
  return f;
}

kernel::Hypothesis faster(const std::string& id, const std::string& treatment) {
  kernel::Hypothesis h;
  h.id = kernel::HypothesisId(id);
  h.statement = "It is faster.";
  h.metric = "y";
  h.treatment = {{"algorithm", treatment}};
  h.control = {{"algorithm", "bubble"}};
  h.direction = kernel::Direction::less;
  return h;
}

void draw_design(Dice& dice, kernel::Design& design) {
  design.rule = dice.chance(0.85) ? kernel::VerdictRule::one_interval : kernel::VerdictRule::smallest_effect;
  design.reading = design.rule == kernel::VerdictRule::one_interval && dice.chance(0.7);
  design.smoke = dice.chance(0.5);
  design.pairing = dice.chance(0.8) ? kernel::Pairing::seed : kernel::Pairing::none;
  design.order = dice.chance(0.8) ? kernel::Order::random : kernel::Order::listed;
  design.warmup_runs = dice.chance(0.1) ? 2 : 0;
  design.max_failed = dice.chance(0.5) ? 0.1 : 0.5;
  design.replicates_min = design.replicates_max = dice.between(2, 4);
  if (dice.chance(0.25)) {
    design.replicates_max += dice.between(1, 3);
    design.pilot = 2;
  } else if (dice.chance(0.25)) {
    design.replicates_min = design.replicates_max = 6;
    design.looks = kernel::Looks{{0.5, 1}, dice.chance(0.5)};
  }
}

void draw_budget(Dice& dice, kernel::StudySpec& spec) {
  if (spec.kind == kernel::StudyKind::test && dice.chance(0.35)) spec.budget.runs = dice.between(2, 30);
  if (spec.agents != "builtin" && dice.chance(0.45)) spec.budget.tokens = dice.between(400, 3000);
  if (spec.agents != "builtin" && dice.chance(0.2)) spec.budget.usd = 0.05 * dice.between(1, 6);
  if (dice.chance(0.15)) spec.budget.wall_s = dice.between(1, 60);
  if (spec.kind == kernel::StudyKind::test && spec.resources.gpus > 0 && spec.resources.timeout_s && dice.chance(0.6))
    spec.budget.gpu_hours = dice.between(1, 8) * spec.resources.gpus *
                            (*spec.resources.timeout_s + kernel::most_after_time_out_s) / kernel::seconds_an_hour;
}

void draw_gates(Dice& dice, kernel::StudySpec& spec) {
  for (const kernel::GateOn on :
       {kernel::GateOn::hypotheses, kernel::GateOn::experiments, kernel::GateOn::spend, kernel::GateOn::conclude}) {
    if (!dice.chance(0.15)) continue;
    kernel::GateSpec gate;
    gate.on = on;
    if (on == kernel::GateOn::spend) gate.above.runs = dice.between(1, 8);
    gate.pause = dice.chance(0.2);
    if (!gate.pause && dice.chance(0.4)) {
      gate.wait_s = dice.between(1, 30);
      if (dice.chance(0.7)) gate.unanswered = dice.chance(0.8);
    }
    spec.gates.push_back(gate);
  }
}

/// Training shared by measurements.
void add_stages(kernel::StudySpec& spec) {
  kernel::StageSpec train, eval;
  train.name = "train";
  train.run.words = {"train {algorithm} {seed}"};
  train.factors = {"algorithm"};
  train.outputs = {{"ckpt", "ckpt/best.pt"}};
  train.resources = spec.resources;
  eval.name = "eval";
  eval.needs = {"train"};
  const bool scored = spec.evaluator.validation || spec.evaluator.test;
  eval.run.words = {std::string(scored ? "write" : "eval") + " {train.ckpt} {n} {seed}"};
  eval.factors = {"n"};
  eval.resources = spec.resources;
  spec.stages = {train, eval};
  spec.run = eval.run;
}

void add_setup(kernel::StudySpec& spec) {
  kernel::StageSpec& setup = spec.setup.emplace();
  setup.name = setup_stage;
  setup.run.words = {"install"};
  setup.resources.cpus = 1;
  spec.setup_files = {"packages.txt"};
}

/// Metrics that only an evaluator writes. Without a validation no pilot and no search can be scored.
void add_evaluator(Dice& dice, kernel::StudySpec& spec) {
  spec.metrics[0].source = kernel::FromEvaluator{};
  spec.run.words = {"write " + spec.run.words[0]};
  const auto tier = [&](const char* name) {
    kernel::TierSpec own;
    own.command.words = {std::string("score ") + name};
    own.data = {{fmt::format("/data/{}-{}", name, dice.below(2)), name, "", 0}};
    return own;
  };
  const bool both = spec.kind != kernel::StudyKind::test || !spec.design.sized_beforehand() || dice.chance(0.6);
  if (both) spec.evaluator.validation = tier("validation");
  if (!both || dice.chance(0.7)) {
    spec.evaluator.test = tier("test");
    spec.evaluator.test->looks = dice.between(1, 2);
  }
}

/// A search over versions of the code, which engineers write.
void search_code(Dice& dice, kernel::StudySpec& spec) {
  spec.kind = kernel::StudyKind::optimize;
  kernel::CodeSpec code;
  code.drafts = dice.between(1, 2);
  code.branches = dice.between(1, 3);
  code.debug_depth = dice.below(3);
  code.versions = code.drafts + dice.below(5);
  code.idle_steps = dice.below(3);
  // One idea after another, without a further number of the seed's.
  if (spec.seed % 3 == 0) {
    spec.design.search = kernel::SearchRule::keep_or_discard;
    code.floor = 3;
    code.retest = 2;
    code.branches = 1;
  }
  spec.code = code;
  spec.factors = {factor(kernel::code_factor, {kernel::original_code})};
  if (dice.chance(0.3)) spec.factors.push_back(factor("n", {"100", "200"}));
  for (kernel::Factor& f : spec.factors) f.baseline = f.levels.front().name;
  kernel::Design& design = spec.design;
  design.pairing = kernel::Pairing::seed;
  design.replicates_min = dice.between(1, 2);
  design.replicates_max = design.replicates_min + dice.below(3);
  design.pilot = 0;
  design.looks.reset();
  design.confirm = kernel::Confirm{dice.between(1, 2), dice.between(2, 3)};
  if (code.floor > 0) design.confirm->top = 1;
  spec.run.words = {"sort {seed}"};
}

/// What a person does by hand, with nothing planned.
kernel::StudySpec captured_spec() {
  kernel::StudySpec spec;
  spec.title = "Work in sorting";
  spec.question = "What does it show?";
  spec.agents = kernel::person_at_work;
  return spec;
}

kernel::StudySpec draw_spec(Dice& dice, const kernel::Machine& machine) {
  kernel::StudySpec spec;
  spec.title = "Sorting";
  spec.question = "Which algorithm is faster?";
  const bool three = dice.chance(0.3);
  spec.factors = {
      factor("algorithm", three ? std::vector<std::string>{"bubble", "quick", "merge"}
                                : std::vector<std::string>{"bubble", "quick"}),
      factor("n", dice.chance(0.5) ? std::vector<std::string>{"100"} : std::vector<std::string>{"100", "200"})};
  spec.factors[0].baseline = "bubble";
  kernel::Metric y;
  y.name = "y";
  y.unit = "ms";
  y.primary = true;
  spec.metrics = {y};
  spec.seeds = dice.chance(0.75)  ? kernel::SeedRule::drawn
               : dice.chance(0.5) ? kernel::SeedRule::fixed
                                  : kernel::SeedRule::derived;
  spec.seed = dice.bits() % 1000;
  draw_design(dice, spec.design);
  const bool steady = dice.chance(0.3);
  spec.metrics[0].deterministic = steady;
  spec.run.words = {steady && dice.chance(0.5) ? "sort {algorithm} {n}" : "sort {algorithm} {n} {seed}"};
  const bool versions = dice.chance(0.12);
  if (versions) {
    search_code(dice, spec);
  } else if (dice.chance(0.12)) {
    // The same path through a search, whose best is confirmed.
    spec.kind = dice.chance(0.5) ? kernel::StudyKind::optimize : kernel::StudyKind::screen;
    // By a model or by halving, without a further number of the seed's.
    if (spec.kind == kernel::StudyKind::optimize && spec.seed % 2 == 0) spec.design.search = kernel::SearchRule::model;
    spec.factors = {factor("algorithm", {"bubble", "quick"}), factor("n", {"100", "200"})};
    for (kernel::Factor& f : spec.factors) f.baseline = f.levels.front().name;
    spec.design.replicates_min = 2;
    spec.design.replicates_max = 4;
    spec.design.looks.reset();
    spec.design.confirm = kernel::Confirm{1, 3};
  } else {
    if (dice.chance(0.8)) {
      spec.hypotheses = {faster("H1", "quick")};
      if (three) spec.hypotheses.push_back(faster("H2", "merge"));
    }
    if (dice.chance(0.3)) spec.design.family = static_cast<int>(spec.hypotheses.size()) + dice.between(1, 2);
  }
  spec.resources.cpus = dice.chance(0.3) ? 2 : 1;
  spec.resources.gpus = machine.gpus.empty() ? 0 : dice.below(static_cast<int>(machine.gpus.size()) + 1);
  if (dice.chance(0.3)) spec.resources.timeout_s = dice.between(1, 5);
  if (versions || dice.chance(0.2)) add_evaluator(dice, spec);
  if (spec.kind == kernel::StudyKind::test && dice.chance(0.15)) add_stages(spec);
  if (dice.chance(0.2)) add_setup(spec);
  spec.retries = dice.chance(0.5);
  spec.cache = dice.chance(0.3);
  spec.agents = versions || dice.chance(0.45) ? "small" : "builtin";
  // Agents propose hypotheses where the study lists none.
  if (spec.agents == "small" && spec.seed % 2 == 0) spec.hypotheses.clear();
  draw_budget(dice, spec);
  if (versions && dice.chance(0.4)) spec.budget.runs = dice.between(12, 40);
  // A study file that could confirm nothing is refused.
  if (spec.kind != kernel::StudyKind::test && !kernel::why_not_searchable(spec).empty()) spec.budget.runs.reset();
  draw_gates(dice, spec);
  return spec;
}

}  // namespace

Plan draw_plan(Dice& dice) {
  Plan plan;
  plan.machine.cpus = dice.between(2, 6);
  if (dice.chance(0.35))
    for (int i = dice.between(1, 3); i > 0; --i) plan.machine.gpus.push_back({"gpu" + std::to_string(i), 0});
  const int count = dice.chance(0.5) ? 1 : dice.between(2, 3);
  for (int i = 0; i < count; ++i) {
    PlannedStudy study;
    // Another study may be the same once more: that is what the cache is for.
    const bool again = i > 0 && dice.chance(0.4);
    study.spec = again               ? plan.studies.front().spec
                 : dice.chance(0.08) ? captured_spec()
                                     : draw_spec(dice, plan.machine);
    if (again) study.spec.cache = plan.studies.front().spec.cache = !study.spec.captured();
    study.packages = fmt::format("packages {}", dice.below(2));
    study.jobs = dice.between(1, 4);
    study.code = again && dice.chance(0.5) ? plan.studies.front().code : "code " + std::to_string(dice.below(1000));
    study.opens_after_ms = i == 0 ? 0 : dice.spread(15);
    plan.studies.push_back(std::move(study));
  }
  // What agents propose is proposed once more when it is known what came of it.
  const PlannedStudy& first = plan.studies.front();
  if (count == 1 && first.spec.agents == "small" && first.spec.kind == kernel::StudyKind::test &&
      first.spec.hypotheses.empty()) {
    plan.studies.push_back(PlannedStudy(first));
    plan.studies.back().opens_after_ms = 200'000;
  }
  Rates& rates = plan.rates;
  const auto sometimes = [&](double share, double most) {
    return dice.chance(share) ? most * dice.between(1, 10) / 10 : 0.0;
  };
  rates.refused = sometimes(0.15, 0.2);
  rates.no_room = sometimes(0.12, 0.1);
  rates.vanishes = sometimes(0.3, 0.3);
  rates.fails = sometimes(0.4, 0.5);
  rates.asks_again = sometimes(0.25, 0.3);
  rates.twice = sometimes(0.3, 0.5);
  rates.slow_device = sometimes(0.6, 1);
  rates.duration = dice.between(4, 14);
  rates.model_fails = sometimes(0.5, 0.4);
  rates.reply_twice = sometimes(0.3, 0.5);
  rates.latency = dice.between(4, 14);
  rates.deaths = dice.chance(0.65) ? dice.between(1, 6) : 0;
  rates.death_points = dice.chance(0.5) ? 40 : 400;
  rates.power_cut = sometimes(0.5, 1);
  rates.full = sometimes(0.15, 0.05);
  rates.acts = dice.chance(0.7) ? dice.between(1, 14) : 0;
  rates.clock_jump = sometimes(0.3, 0.4);
  rates.no_package = sometimes(0.15, 0.6);
  plan.machine.starts_in_turn = dice.chance(0.5);
  return plan;
}

}  // namespace sim
