#include "tests/sim/simulation.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/manifest.h"
#include "kernel/decide/decide.h"
#include "kernel/decide/fork_maker.h"
#include "tests/sim/prior_work.h"
#include "tests/sim/real_storage.h"

namespace sim {

using kernel::Study;
using kernel::StudyState;

Simulation::Simulation(std::uint64_t seed, const Options& options)
    : core(seed, options.trace),
      plan(draw_plan(core.dice)),
      storage(options.storage ? options.storage(core) : std::make_unique<MemoryStorage>()),
      machine(core, plan.rates),
      witness(core, machine, provider) {
  core.most_steps = options.most_steps;
  machine.sizes = plan.machine;
  machine.setup_key = [this](const std::string& study) { return witness.state().study(study)->spec.setup_key.text(); };
  machine.keep = [this](std::string_view bytes) { storage->keep(bytes); };
  machine.intended = [this](const kernel::JobSpec& spec, const char* how) { witness.demand_intent(spec, how); };
}

Report Simulation::run() {
  to_open = static_cast<int>(plan.studies.size());
  for (std::size_t i = 0; i < plan.studies.size(); ++i)
    core.later(plan.studies[i].opens_after_ms, [this, i] { open_study(i); });
  for (int i = 0; i < plan.rates.acts; ++i) core.later(core.dice.spread(16), [this] { act(); });
  int at_the_disk = 0;  // A kernel cannot work while the disk fails, however many are started.
  while (!over()) {
    const bool may_die = kernels++ < plan.rates.deaths;
    if (kernels > plan.rates.deaths + 40 + std::min(at_the_disk, 400))
      broken("a study comes to its end", "{} kernels were not enough", kernels);
    bool power = false;
    try {
      storage->open();
      life = std::make_unique<Life>(*this, may_die ? core.dice.between(1, plan.rates.death_points) : 0);
      life->live();
      core.note("the kernel leaves");
    } catch (const Died& death) {
      power = core.dice.chance(plan.rates.power_cut);
      at_the_disk += death.where == store_that_fails ? 1 : 0;
      core.note("the {} dies {}", power ? "machine" : "kernel", death.where);
    }
    machine.kernel_died();
    life.reset();
    between_kernels(power);
    if (storage->loss() == Storage::Loss::all) return report();
  }
  witness.replay(*storage);
  if (auto* real = dynamic_cast<RealStorage*>(storage.get())) real->verify();
  witness.at_the_end();
  return report();
}

Report Simulation::report() const {
  return {studies, kernels, core.steps(), witness.events(), core.digest()};
}

void Simulation::between_kernels(bool power) {
  const bool changed = storage->crash(power);
  if (storage->loss() == Storage::Loss::all) return;
  if (changed) witness.begin_anew(*storage);
  if (storage->loss() == Storage::Loss::newest) forget_what_was_lost();
  if (power) {
    machine.power_cut();
    core.clock.reboot();
  }
  if (over()) return;
  // The world goes on without a kernel.
  bool begins = false;
  const std::int64_t from = core.clock.uptime_ms;
  core.later(core.dice.spread(14), [&begins] { begins = true; });
  while (!begins) core.step();
  core.clock.idle_ms += core.clock.uptime_ms - from;
}

/// The log has lost events, which only a disk that lied can do. What was done because of them counts as not done.
void Simulation::forget_what_was_lost() {
  std::erase_if(provider.calls, [&](const auto& call) {
    const Study* study = witness.state().study(call.first.first);
    return !study || !study->thinking.call(call.first.second);
  });
  machine.forget([&](const Launch& launch) {
    const Study* study = witness.state().study(kernel::run_study(launch.spec.run));
    const kernel::Run* run = study ? study->run(kernel::run_number(launch.spec.run)) : nullptr;
    // The run folder of a recorded end is deleted.
    const bool deleted = launch.stage == Launch::Stage::ended && !launch.folder;
    return !run || run->token != launch.spec.token || (deleted && study->live.contains(run->number));
  });
}

bool Simulation::over() const {
  return to_open == 0 && std::ranges::all_of(witness.state().studies,
                                             [](const auto& one) { return one.second.state == StudyState::ended; });
}

kernel::WorkspaceHash Simulation::frozen(const std::string& text) {
  const std::string manifest = kernel::manifest_text(
      {{kernel::EntryType::file, "sort.py", kernel::sha256_hex(text), static_cast<std::int64_t>(text.size()), ""}});
  storage->keep(text);
  storage->keep(manifest);
  if (text.starts_with(broken_code)) machine.failing.insert(kernel::sha256_hex(manifest));
  return kernel::WorkspaceHash(kernel::sha256_hex(manifest));
}

kernel::BlobRef Simulation::kept(std::string_view bytes) {
  if (bytes.empty()) return {};
  storage->keep(bytes);
  return {kernel::sha256_hex(std::string(bytes)), static_cast<std::int64_t>(bytes.size())};
}

namespace {

/// The evaluator's data, each identified by its path.
std::vector<kernel::SealedData> sealed_of(const kernel::EvaluatorSpec& evaluator) {
  std::vector<kernel::SealedData> sealed;
  for (const kernel::Tier tier : {kernel::Tier::validation, kernel::Tier::test})
    if (const kernel::TierSpec* spec = evaluator.tier(tier))
      for (const kernel::SealedPath& data : spec->data)
        sealed.push_back({tier, data.place, data.path, "sha256:" + kernel::sha256_hex(data.path)});
  return sealed;
}

}  // namespace

void Simulation::open_study(std::size_t planned) {
  if (!life) return core.later(core.dice.spread(8), [this, planned] { open_study(planned); });
  const PlannedStudy& one = plan.studies[planned];
  kernel::StudyOpened opened;
  opened.id = fmt::format("s{}", studies + 1);
  opened.spec = one.spec;
  opened.workspace.hash = frozen(one.code);
  opened.sealed = sealed_of(one.spec.evaluator);
  if (one.spec.setup) {
    opened.spec.setup_key = kernel::SetupKey(kernel::sha256_hex(one.packages));
    // Another study has installed the same.
    if (machine.installed.contains(opened.spec.setup_key.text()))
      opened.environment.setup = {opened.spec.setup_key, {"env"}};
  }
  opened.predecessors = known_results(witness.state(), *storage, opened);
  opened.earlier_looks = known_looks(witness.state(), *storage, opened.sealed);
  opened.jobs = one.jobs;
  opened.output = "/ara-" + opened.id;
  opened.boot_id = core.clock.boot_id();
  ++studies;
  // A client asks once more if the kernel died before it answered.
  const auto done = std::make_shared<bool>(false);
  life->post(kernel::CommandRequest{{opened.id, kernel::person_actor, kernel::OpenStudy{opened}},
                                    [this, done](const kernel::CommandOutcome&) { --to_open, *done = true; }});
  core.later(60'000, [this, planned, done, id = opened.id] {
    if (*done) return;
    if (witness.state().study(id)) return static_cast<void>(--to_open);
    open_study(planned);
  });
}

void Simulation::record_offline(const std::string& id, kernel::CommandBody body) {
  const Study* study = witness.state().study(id);
  kernel::State state = witness.state();
  // No kernel works on the study, so its boot clock keeps the value of the last event.
  const kernel::Time now{core.clock.now().wall_ms, study->last_boot_ms};
  const kernel::Decision decision = kernel::decide(state, {id, kernel::person_actor, std::move(body)}, {now, {}});
  if (decision.events.empty()) return;
  for (const kernel::Event& event : decision.events) kernel::apply(state, event);
  try {
    storage->open();
    storage->append(decision.events, state);
  } catch (const Died&) {
    if (storage->crash(false)) witness.begin_anew(*storage);
    return;
  }
  witness.stored(storage->chain(id, witness.events_of(id)), state);
}

void Simulation::fork(const std::string& id) {
  if (forks_left == 0 || !life) return;
  const std::vector<kernel::StoredEvent> chain = storage->chain(id);
  const std::string own = fmt::format("s{}", studies + 1);
  kernel::ForkMaker maker(id, core.dice.one_of(chain).seq, own);
  for (const kernel::StoredEvent& event : chain) maker.read(event);
  // A fork of a study that is being cancelled is refused before it gets to the kernel; here it does now and then.
  if (maker.empty() || maker.concluded() || (maker.cancelled() && core.dice.chance(0.7))) return;
  --forks_left;
  ++studies;
  core.note("{} forks {}", own, id);
  witness.fork_is_asked(own);
  kernel::ForkStudy fork = std::move(maker).made();
  fork.predecessors = found_since(witness.state(), *storage, fork);
  fork.slots += slots_of_forks(witness.state(), *storage, id);
  life->post(kernel::CommandRequest{{own, kernel::person_actor, std::move(fork)}, {}});
}

void Simulation::amend(const std::string& id, bool by_agent) {
  kernel::AmendWorkspace amend;
  amend.why = "it crashed";
  amend.workspace = witness.state().study(id)->workspace;
  amend.workspace.hash = frozen(fmt::format("amended {}", core.dice.bits()));
  amend.workspace.by.clear();
  if (const auto& setup = witness.state().study(id)->spec.setup; setup && !by_agent)
    amend.setup = {kernel::SetupKey(kernel::sha256_hex(fmt::format("packages {}", core.dice.below(3)))),
                   amend.workspace};
  if (!by_agent) return life->tell(id, std::move(amend));
  if (life->study(id)) life->post(kernel::Command{id, "experiment", std::move(amend)});
}

Report simulate(std::uint64_t seed, const Options& options) {
  // The real store takes longer.
  if (seed % 5 != 0) return Simulation(seed, options).run();
  using Disk = RealStorage::Disk;
  const Disk disk = seed % 10 == 0 ? Disk::keeps_its_word : seed % 20 == 5 ? Disk::turns_read_only : Disk::lies;
  Options own = options;
  own.storage = [disk](Core& core) { return std::make_unique<RealStorage>(core, disk); };
  Simulation simulation(seed, own);
  // Only a power cut shows that a disk has lied.
  Rates& rates = simulation.plan.rates;
  if (disk == Disk::lies) rates.deaths = std::max(rates.deaths, 3), rates.power_cut = 0.8;
  return simulation.run();
}

}  // namespace sim
