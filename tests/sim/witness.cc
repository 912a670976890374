#include "tests/sim/witness.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernel/runs/run_keys.h"
#include "kernel/study/ledger.h"
#include "memory/log/value_codec.h"

namespace sim {

using kernel::Event;
using kernel::RunState;
using kernel::Study;

std::string bytes_of(const Study& study) {
  memory::ValueWriter writer;
  writer.add(study);
  return writer.take();
}

namespace {

/// The first part of the study that differs, as in Study::each_part, and its member; empty if none does.
std::string difference(const Study& a, const Study& b) {
  const auto members = [](const Study& study) {
    std::vector<std::string> all;
    int part = 0;
    Study::each_part(study, [&](const auto& one) {
      int member = 0;
      memory::each_member(one, [&](const auto& value) {
        memory::ValueWriter writer;
        writer.add(value);
        all.push_back(fmt::format("part {}, member {}:{}", part, ++member, writer.take()));
      });
      ++part;
    });
    return all;
  };
  const std::vector<std::string> of_a = members(a), of_b = members(b);
  for (std::size_t i = 0; i < of_a.size(); ++i)
    if (of_a[i] != of_b[i]) return of_a[i].substr(0, of_a[i].find(':'));
  return "";
}

}  // namespace

Witness::Witness(Core& core, const Machine& machine, const Provider& provider)
    : core_(core), machine_(machine), provider_(provider) {}

void Witness::stored(const std::vector<kernel::StoredEvent>& events, const kernel::State& after) {
  mark_copies(events);
  for (const kernel::StoredEvent& event : events) take(event, true);
  leases_fit();
  // The kernel's state is the fold of what it stored. To compare takes longer than all the rest.
  std::set<std::string> touched;
  for (const kernel::StoredEvent& event : events) touched.insert(event.study);
  for (const std::string& study : touched)
    if (core_.dice.chance(0.1) && bytes_of(*after.study(study)) != bytes_of(*state_.study(study)))
      broken("the state is the fold of the log", "study {} after its event {}, {}", study, books_[study].events,
             difference(*after.study(study), *state_.study(study)));
}

void Witness::begin_anew(Storage& storage) {
  state_ = {};
  const std::map<std::string, Books> before = std::exchange(books_, {});
  count_ = 0;
  for (const std::string& study : storage.studies()) {
    const std::vector<kernel::StoredEvent> chain = storage.chain(study);
    mark_copies(chain);
    for (const kernel::StoredEvent& event : chain) take(event, false);
    if (const auto known = before.find(study); known != before.end())
      books_[study].opened_at_ms = known->second.opened_at_ms;
  }
}

void Witness::replay(Storage& storage) const {
  kernel::State again;
  std::int64_t count = 0;
  for (const std::string& study : storage.studies()) {
    kernel::Chain chain;
    for (const kernel::StoredEvent& event : storage.chain(study)) {
      if (const std::string why = chain.add(event); !why.empty())
        broken("the chain is intact", "event {} of {} {}", event.seq, study, why);
      kernel::apply(again, event.decoded());
      ++count;
    }
  }
  if (count != count_) broken("nothing that was stored is lost", "{} events of {}", count, count_);
  compare(again, "a replay");
}

void Witness::compare(const kernel::State& read, const char* where) const {
  for (const auto& [id, study] : state_.studies) {
    const Study* other = read.study(id);
    if (!other && study.state == kernel::StudyState::ended) continue;
    if (!other || bytes_of(*other) != bytes_of(study))
      broken("fold equals replay", "study {} by {}, {}", id, where,
             other ? difference(*other, study) : "it is not there");
  }
}

std::size_t Witness::events_of(const std::string& study) const {
  const auto known = books_.find(study);
  return known == books_.end() ? 0 : known->second.events;
}

std::string Witness::head_of(const std::string& study) const {
  const auto known = books_.find(study);
  return known == books_.end() ? "" : known->second.head;
}

void Witness::demand_intent(const kernel::JobSpec& spec, const char* how) const {
  const Study* study = state_.study(kernel::run_study(spec.run));
  const kernel::Run* run = study ? study->run(kernel::run_number(spec.run)) : nullptr;
  if (!run || run->token != spec.token || !study->live.contains(run->number))
    broken("an intent is stored before its effect", "{} is {} and the log does not say so", spec.run, how);
  if (spec.seed != run->seed)
    broken("a run keeps its seed", "{} has seed {} and is {} with {}", spec.run, run->seed, how, spec.seed);
  if (const Launch* known = machine_.launch(spec.token); known && known->spec.run != spec.run)
    broken("a job belongs to one study", "{} takes that of {}", spec.run, known->spec.run);
  evaluator_is_the_persons(*study, *run, spec);
  if (std::string_view(how) == "started") environment_is_ready(*study, spec);
}

void Witness::demand_call(const std::string& id, int call) const {
  const Study* study = state_.study(id);
  const kernel::ModelCall* known = study ? study->thinking.call(call) : nullptr;
  if (!known || known->state != kernel::CallState::asked)
    broken("an intent is stored before its effect", "call {} of {} is made and the log does not say so", call, id);
}

void Witness::mark_copies(const std::vector<kernel::StoredEvent>& events) {
  for (const kernel::StoredEvent& event : events)
    if (event.is<kernel::StudyForked>() && !state_.study(event.study)) ++books_[event.study].copied;
}

void Witness::take(const kernel::StoredEvent& stored, bool live) {
  Books& books = books_[stored.study];
  const Event event = stored.decoded();
  if (kernel::encode(event.body) != stored.payload)
    broken("an event keeps its bytes", "event {} of {}", books.events, stored.study);
  ++count_;
  ++books.events;
  books.head = stored.hash;
  books.seq = newest_ = stored.seq;
  core_.note("{} {} {}", stored.study, stored.type, live ? stored.actor : "");
  if (const Study* study = state_.study(stored.study)) before(*study, event, books, live);
  try {
    kernel::apply(state_, event);
  } catch (const std::logic_error& fault) {
    broken("every event follows from those before it", "{} of {}: {}", stored.type, stored.study, fault.what());
  }
  after(*state_.study(stored.study), event, books, live);
}

/// What the event must find.
void Witness::before(const Study& study, const Event& event, Books& books, bool live) const {
  if (books.over && !std::holds_alternative<kernel::RequirementJudged>(event.body))
    broken("nothing follows the end", "{} of {}", kernel::type_name(event.body), study.id);
  gates_hold(study, event, books);
  set_up_once(study, event, books);
  test_data_are_counted(study, event, books);
  if (study.spec.code) code_is_searched(study, event, books);
  by_hand_is_by_hand(study, event, books);
  slots_are_counted(study, event, books);
  earlier_results_are_known(study, event);
  if (const auto* starting = std::get_if<kernel::RunStarting>(&event.body))
    launch_begins(study, *starting, books, live);
  if (const auto* ended = std::get_if<kernel::RunEnded>(&event.body)) run_ends(study, *ended, books);
  if (const auto* queued = std::get_if<kernel::RunsQueued>(&event.body)) runs_are_queued(study, *queued);
  if (std::holds_alternative<kernel::StudyPaused>(event.body)) budget_pauses(study, event, books);
  if (const auto* again = std::get_if<kernel::RunRequeued>(&event.body)) {
    const auto token = books.launched.extract(again->run);
    const Launch* launch = token ? machine_.launch(kernel::LaunchToken(token.mapped())) : nullptr;
    if (launch && launch->ran) broken("only what never ran goes back to the queue", "{}", launch->spec.run);
  }
  if (const auto* asked = std::get_if<kernel::ModelAsked>(&event.body)) {
    if (study.state != kernel::StudyState::running || study.cancelling || study.outcome)
      broken("nothing is spent in a study that does not run", "call {} of {}", asked->call, study.id);
    books.calls[asked->call] = asked->tokens;
    const std::int64_t open = std::accumulate(books.calls.begin(), books.calls.end(), std::int64_t{0},
                                              [](std::int64_t sum, const auto& one) { return sum + one.second; });
    if (const auto most = study.spec.budget.tokens; most && books.tokens_spent + open > *most)
      broken("budgets are walls", "{} tokens spent, {} reserved, {} allowed in {}", books.tokens_spent, open, *most,
             study.id);
    const double usd = static_cast<double>(books.tokens_spent + open) * usd_per_token;
    if (const auto most = study.spec.budget.usd; most && usd > *most + 1e-9)
      broken("budgets are walls", "{} USD of {} in {}", usd, *most, study.id);
  }
  if (const auto* answered = std::get_if<kernel::ModelAnswered>(&event.body)) {
    if (!books.calls.erase(answered->call))
      broken("one reply is recorded for one call", "call {} of {}", answered->call, study.id);
    books.tokens_spent += answered->end.tokens.total();
    const auto charged = provider_.calls.find({study.id, answered->call});
    if (charged != provider_.calls.end() && answered->end.tokens.total() < charged->second.tokens)
      broken("what was charged for is counted", "call {} of {}: {} of {} tokens", answered->call, study.id,
             answered->end.tokens.total(), charged->second.tokens);
  }
  if (const auto* analysed = std::get_if<kernel::ExperimentAnalysed>(&event.body)) {
    if (!books.analysed.insert(analysed->experiment.text()).second)
      broken("an experiment is judged once", "{} of {}", analysed->experiment, study.id);
    for (const kernel::Run& run : study.runs)
      if (run.experiment == analysed->experiment && !run.ended() && run.purpose == kernel::Purpose::registered)
        broken("verdicts come after all runs", "{} of {} goes on", run.number, study.id);
  }
}

void Witness::launch_begins(const Study& study, const kernel::RunStarting& e, Books& books, bool live) const {
  const std::string run = study.run_id(e.run);
  if (!books.tokens.emplace(e.token.text(), e.run).second)
    broken("a token is for one launch", "{} of {}", e.token, run);
  for (const auto& [id, other] : books_)
    if (id != study.id && !books.copied && !other.copied && other.tokens.contains(e.token.text()))
      broken("a token is for one launch", "{} of {}", run, id);
  books.started_by[e.run] = machine_.kernels();
  if (!books.launched.emplace(e.run, e.token.text()).second) broken("one process for one run", "{} starts again", run);
  if (study.state != kernel::StudyState::running || study.cancelling || study.outcome)
    broken("nothing starts in a study that does not run", "{}", run);
  for (const kernel::GateRecord& gate : study.gates)
    if (!gate.decided && gate.gate.call == 0)
      broken("a gate holds its study", "{} starts before {}", run, gate.gate.id);
  const int used = books.runs_ended + static_cast<int>(books.launched.size());
  if (study.spec.budget.runs && used > *study.spec.budget.runs)
    broken("budgets are walls", "run {} of {} in {}", used, *study.spec.budget.runs, study.id);
  // The machine knows the hours of now, which an event that is read again did not find.
  if (const auto most = study.spec.budget.gpu_hours; most && live) {
    double hours = machine_.device_hours(study.id);
    for (const auto& [number, token] : books.launched)
      if (const Launch* launch = machine_.launch(kernel::LaunchToken(token));
          !launch || launch->stage != Launch::Stage::ended)
        hours += kernel::most_gpu_hours(study, *study.run(number));
    if (hours > *most + 1e-9) broken("budgets are walls", "{} GPU hours of {} in {}", hours, *most, study.id);
  }
  for (std::size_t i = 0; i < study.spec.gates.size(); ++i)
    if (const auto& gate = study.spec.gates[i]; gate.on == kernel::GateOn::spend && gate.above.runs &&
                                                used > *gate.above.runs &&
                                                !books.approved.contains(static_cast<int>(i)))
      broken("a gate stands before its step", "run {} of {}", used, study.id);
  // Those beyond -j wait for their turn, and the machine demands that.
  const int ahead = machine_.sizes.starts_in_turn ? std::min(study.jobs, 4) : 0;
  if (static_cast<int>(books.launched.size()) > study.jobs + ahead)
    broken("never more runs at once than -j", "{} in {}", books.launched.size(), study.id);
}

void Witness::run_ends(const Study& study, const kernel::RunEnded& e, Books& books) const {
  const kernel::Run& run = *study.run(e.run);
  const std::string id = study.run_id(e.run);
  if (run.ended()) broken("a run ends once", "{}", id);
  const auto token = books.launched.extract(e.run);
  if (!e.cached_from.empty()) {
    if (token) broken("a run is executed or taken from the cache", "{}", id);
    kernel::Run as_if = run;
    as_if.token = kernel::LaunchToken("0000000000000000");
    const kernel::ReportEnd truth = truth_of(kernel::job_of(study, as_if, {"/runs", "/workspaces", "/kept"}));
    const auto value = [](const kernel::Measurement& of) {
      const auto known = of.values.find("y");
      return known == of.values.end() ? 0 : known->second.value;
    };
    if (value(truth.measurement) != value(e.measurement))
      broken("the cache holds what the run would give", "{} from {}", id, e.cached_from);
    if (kernel::run_study(e.cached_from) == study.id) broken("the cache is of earlier studies", "{}", id);
    return;
  }
  if (!token) {
    if (e.state == RunState::succeeded) broken("a run that never ran does not succeed", "{}", id);
    return;
  }
  ++books.runs_ended;
  if (e.outcome.token.text() != token.mapped()) broken("a job reports under its own token", "{}", id);
  const Launch* launch = machine_.launch(e.outcome.token);
  if (!launch) broken("an end is that of a job", "{} has none", id);
  const kernel::ReportEnd& truth = launch->report;
  if (launch->stage == Launch::Stage::running || launch->stage == Launch::Stage::spawned)
    broken("an end is that of a job", "{} still runs", id);
  if (e.outcome.end != truth.outcome.end && truth.outcome.end != kernel::JobEnd::voided &&
      truth.outcome.end != kernel::JobEnd::no_room)
    broken("the end is recorded as it was", "{}", id);
  if (!std::ranges::equal(
          e.outputs, truth.outputs, {}, [](const auto& one) { return one.path + one.blob.sha256; },
          [](const auto& one) { return one.path + one.blob.sha256; }))
    broken("what a job left is kept", "{}", id);
  if (e.state == RunState::succeeded && (truth.outcome.end != kernel::JobEnd::exited || truth.outcome.exit != 0))
    broken("a failed run does not succeed", "{}", id);
  for (const auto& [name, value] : truth.measurement.values)
    if (const auto known = e.measurement.values.find(name);
        known == e.measurement.values.end() || known->second.value != value.value)
      broken("a value is recorded as it was measured", "{} of {}", name, id);
}

void Witness::runs_are_queued(const Study& study, const kernel::RunsQueued& e) const {
  for (const kernel::PlannedRun& planned : e.runs) {
    const std::string id = study.run_id(planned.number);
    if (planned.retry_of) {
      const kernel::Run& earlier = *study.run(planned.retry_of);
      if (earlier.seed != planned.seed || earlier.replicate != planned.replicate)
        broken("a run keeps its seed", "{} after {}", id, study.run_id(planned.retry_of));
      if (!earlier.ended()) broken("a run is repeated after its end", "{}", id);
      if (earlier.retried_as)
        broken("a run is repeated once", "{} as {} and {}", planned.retry_of, earlier.retried_as, id);
      continue;
    }
    // Runs of other purposes are never on the seeds that verdicts rest on.
    const bool of_experiment = !e.experiment.empty() && e.purpose == kernel::Purpose::registered;
    if (of_experiment || !planned.stage.empty() || study.spec.seeds == kernel::SeedRule::derived) continue;
    for (const kernel::Experiment& experiment : study.experiments)
      if (e.purpose == kernel::Purpose::pilot && experiment.registration.batch == study.batch.number &&
          std::ranges::find(experiment.registration.seeds, planned.seed) != experiment.registration.seeds.end())
        broken("no pilot has a registered seed", "{}", id);
  }
}

/// A study pauses for its budget only if the next step would exceed it.
void Witness::budget_pauses(const Study& study, const Event& event, const Books& books) const {
  const auto& paused = std::get<kernel::StudyPaused>(event.body);
  if (paused.reason != kernel::PauseReason::budget) return;
  const auto value = [&](const char* name) {
    const auto known = paused.detail.values.find(name);
    const auto* number = known == paused.detail.values.end() ? nullptr : std::get_if<double>(&known->second);
    return number ? *number : 0.0;
  };
  const auto limit = paused.detail.values.find("limit");
  const auto* which = limit == paused.detail.values.end() ? nullptr : std::get_if<std::string>(&limit->second);
  if (!which) return;
  const auto open = static_cast<double>(std::accumulate(books.calls.begin(), books.calls.end(), std::int64_t{0},
                                                        [](auto sum, const auto& one) { return sum + one.second; }));
  const double spent = static_cast<double>(books.tokens_spent) + open;
  const kernel::Budget& most = study.spec.budget;
  bool justified = true;
  if (*which == "tokens") justified = spent + value("next") >= static_cast<double>(*most.tokens);
  if (*which == "usd") justified = spent * usd_per_token + value("next") >= *most.usd - 1e-9;
  if (*which == "runs")
    justified = books.runs_ended + static_cast<int>(books.launched.size()) + 1 > static_cast<int>(*most.runs);
  if (*which == "gpu_hours") justified = machine_.device_hours(study.id) + value("next") > *most.gpu_hours - 1e-9;
  if (!justified) broken("a budget is counted once", "{} pauses for its {} too early", study.id, *which);
}

/// Each gate of the study file stands before its step, and a decision is on what the study is at.
void Witness::gates_hold(const Study& study, const Event& event, const Books& books) const {
  const auto passes = [&](kernel::GateOn on, std::size_t not_before, const char* what) {
    for (std::size_t i = 0; i < study.spec.gates.size(); ++i) {
      if (study.spec.gates[i].on != on) continue;
      const auto approved = books.approved.find(static_cast<int>(i));
      if (approved == books.approved.end()) broken("a gate stands before its step", "{} of {}", what, study.id);
      if (approved->second < not_before) broken("a decision is on what is at hand", "{} of {}", what, study.id);
    }
  };
  if (std::holds_alternative<kernel::ExperimentRegistered>(event.body))
    passes(kernel::GateOn::experiments, std::max(books.newest_code_by_agent, books.newest_batch_by_agent),
           "a registration");
  if (std::holds_alternative<kernel::ClaimRecorded>(event.body))
    passes(kernel::GateOn::conclude, books.newest_batch_by_agent, "a claim");
}

/// What the event leaves behind.
void Witness::after(const Study& study, const Event& event, Books& books, bool live) const {
  if (std::holds_alternative<kernel::StudyOpened>(event.body)) {
    if (live) books.opened_at_ms = core_.clock.uptime_ms - core_.clock.idle_ms;
    books.persons_code = study.workspace.hash.text();
    books.code = {books.persons_code};
    books.set_up = study.environment.setup.has_value();
  }
  if (const auto* decided = std::get_if<kernel::GateDecided>(&event.body); decided && decided->approved)
    for (const kernel::GateRecord& record : study.gates)
      if (record.gate.id == decided->gate) books.approved[record.gate.position] = books.events;
  if (const auto* amended = std::get_if<kernel::WorkspaceAmended>(&event.body))
    if (!amended->workspace.by.empty()) books.newest_code_by_agent = books.events;
  if (std::holds_alternative<kernel::BatchOpened>(event.body) && !kernel::is_person(event.actor))
    books.newest_batch_by_agent = books.events;
  if (const auto* forked = std::get_if<kernel::StudyForked>(&event.body)) {
    --books.copied;
    books.tokens.clear();
    // Its jobs, and what they cost from now on, are the other study's.
    for (const int run : forked->requeued) books.launched.erase(run);
    if (!study.live.empty()) broken("a fork shares no job", "{} has live runs", study.id);
    for (const int run : forked->requeued)
      if (!study.run(run)->token.empty()) broken("a fork shares no job", "{} keeps a token", study.run_id(run));
    for (const kernel::GateRecord& gate : study.gates)
      if (!gate.gate.id.starts_with(study.id + "-")) broken("a fork has its own gates", "{}", gate.gate.id);
    if (live && books.copied == 0) fork_shares_nothing(study, *forked, books);
  }
  for (const kernel::HypothesisRecord& record : study.hypotheses) {
    if (record.result) books.judged.try_emplace(record.hypothesis.id, books.seq);
    if (!record.result || !record.withdrawn.empty()) continue;
    const auto [known, fresh] = books.verdicts.try_emplace(record.hypothesis.id.text(), record.result->verdict);
    if (!fresh && known->second != record.result->verdict)
      broken("a verdict is final", "{} of {}", record.hypothesis.id, study.id);
  }
  std::set<int> live_runs;
  for (const auto& [run, token] : books.launched) live_runs.insert(run);
  if (live_runs != study.live) broken("what lives is what was launched", "{}", study.id);
  const double wall = study.wall_spent_s();
  const std::int64_t worked_ms = core_.clock.uptime_ms - core_.clock.idle_ms - books.opened_at_ms;
  if (wall < books.wall_s - 0.0005)
    broken("wall time does not run back", "from {} s to {} s in {}", books.wall_s, wall, study.id);
  if (live && !study.fork && !books.copied && wall > static_cast<double>(worked_ms) / 1000 + 0.001)
    broken("wall time is time in which a kernel worked", "{} s of {} ms in {}", wall, worked_ms, study.id);
  books.wall_s = wall;
  books.over = study.state == kernel::StudyState::ended;
}

void Witness::leases_fit() const {
  std::map<std::string, std::string> holders;
  for (const auto& [id, study] : state_.studies)
    for (const int number : study.live) {
      const kernel::Run& run = *study.run(number);
      const Launch* launch = machine_.launch(run.token);
      // A job that may run holds its devices, whichever kernel works on its study. An end that is not recorded yet does
      // not, nor an intent of a kernel that died.
      const bool may_run =
          launch && (launch->stage == Launch::Stage::running || launch->stage == Launch::Stage::spawned);
      if (launch ? !may_run : books_.at(id).started_by.at(number) != machine_.kernels()) continue;
      for (const std::string& gpu : run.lease.gpus)
        if (const auto [held, fresh] = holders.emplace(gpu, study.run_id(number)); !fresh)
          broken("a device is leased to one run", "{} to {} and {}", gpu, held->second, study.run_id(number));
    }
}

void Witness::at_the_end() const {
  for (const auto& [id, study] : state_.studies) {
    if (study.state != kernel::StudyState::ended) broken("a study comes to its end", "{} is not at its end", id);
    if (!study.live.empty() || study.thinking.under_way > 0) broken("nothing is live after the end", "{}", id);
    ledger_is_right(study, books_.at(id));
    std::int64_t charged = 0;
    for (const auto& [call, seen] : provider_.calls)
      if (call.first == id) charged += seen.tokens;
    if (charged > books_.at(id).tokens_spent)
      broken("what was charged for is counted", "{} tokens of {} in {}", books_.at(id).tokens_spent, charged, id);
    if (const auto most = study.spec.budget.runs; most && machine_.ran(id) > *most)
      broken("budgets are walls", "{} processes of {} in {}", machine_.ran(id), *most, id);
    if (const auto most = study.spec.budget.gpu_hours; most && machine_.device_hours(id) > *most + 1e-9)
      broken("budgets are walls", "{} GPU hours of {} in {}", machine_.device_hours(id), *most, id);
    for (const kernel::Run& run : study.runs)
      if (!run.ended() && !study.cancelling && study.outcome == kernel::StudyOutcome::concluded &&
          !run.experiment.empty())
        broken("nothing is lost", "{} never ended", study.run_id(run.number));
  }
}

}  // namespace sim
