// What the witness demands of single kinds of studies: set-ups, evaluators, searches over code, work by hand, forks.
#include <algorithm>

#include "kernel/evidence/prior_results.h"
#include "kernel/search/code_search.h"
#include "kernel/search/search.h"
#include "kernel/study/ledger.h"
#include "tests/sim/prior_work.h"
#include "tests/sim/witness.h"

namespace sim {

using kernel::Event;
using kernel::Study;
using kernel::Tier;

namespace {

const kernel::ScratchOrder* order_by_hand(const Study& study, const kernel::Run& run) {
  const kernel::ScratchOrder* order = study.order_of(run);
  return order && order->by_hand() ? order : nullptr;
}

bool scored_on_test_data(const kernel::Registration& registration) {
  return registration.terms && registration.terms->evaluator && registration.terms->evaluator->tier == Tier::test;
}

}  // namespace

/// A job finds what the present set-up made, and nothing of another one.
void Witness::environment_is_ready(const Study& study, const kernel::JobSpec& spec) const {
  if (!study.spec.setup || spec.stage == setup_stage) return;
  const kernel::Run& run = *study.run(kernel::run_number(spec.run));
  const std::string& key = study.spec.setup_key.text();
  for (const kernel::DataMount& mount : spec.prepared)
    if (mount.path.find(key) == mount.path.npos || !machine_.installed.contains(key))
      broken("a job finds its own environment", "{} finds {}", spec.run, mount.path);
  if (spec.prepared.empty() && !order_by_hand(study, run))
    broken("a job finds its own environment", "{} finds none", spec.run);
}

void Witness::evaluator_is_the_persons(const Study& study, const kernel::Run& run, const kernel::JobSpec& spec) const {
  const kernel::EvaluatorSpec& declared = study.spec.evaluator;
  const Tier tier = spec.evaluation ? spec.evaluation->tier : Tier::none;
  if (tier == Tier::test && run.purpose != kernel::Purpose::registered && run.purpose != kernel::Purpose::aa)
    broken("only registered runs are scored on the test data", "{} is a {} run", spec.run, kernel::name(run.purpose));
  // No evaluator scores warm-up runs, or ordered runs that are not of the design.
  const bool plain = spec.stage.empty() && run.purpose != kernel::Purpose::scratch;
  if (plain && run.purpose == kernel::Purpose::registered && declared.test && tier != Tier::test)
    broken("registered runs are scored on the test data", "{}", spec.run);
  if (plain && declared.validation && tier == Tier::none) broken("an evaluator scores each run", "{}", spec.run);
  if (!spec.evaluation) return;
  if (spec.evaluation->workspace != "/workspaces/" + books_.at(study.id).persons_code)
    broken("no agent's code scores its own runs", "{} is scored by {}", spec.run, spec.evaluation->workspace);
  for (const kernel::SealedData& data : study.sealed)
    if (data.tier != tier && std::ranges::count(spec.evaluation->data, data.path, &kernel::DataMount::path) > 0)
      broken("a tier has its own data", "{} sees {}", spec.run, data.path);
  for (const kernel::DataMount& mount : spec.data)
    if (std::ranges::count(study.sealed, mount.path, &kernel::SealedData::path) > 0)
      broken("no job sees what scores it", "{} sees {}", spec.run, mount.path);
}

/// Each environment is set up once, before anything runs in it.
void Witness::set_up_once(const Study& study, const Event& event, Books& books) const {
  if (const auto* amended = std::get_if<kernel::WorkspaceAmended>(&event.body)) {
    if (amended->workspace.by.empty()) books.persons_code = amended->workspace.hash.text();
    if (amended->setup) books.set_up = false;
  }
  if (!study.spec.setup) return;
  if (const auto* starting = std::get_if<kernel::RunStarting>(&event.body)) {
    const kernel::Run& run = *study.run(starting->run);
    if (run.stage == setup_stage) {
      if (books.set_up) broken("an environment is set up once", "{} again", study.run_id(run.number));
      for (const auto& [other, token] : books.launched)
        if (study.run(other)->stage == setup_stage)
          broken("an environment is set up once", "{} beside {}", study.run_id(run.number), study.run_id(other));
    } else if (!books.set_up && !order_by_hand(study, run)) {
      broken("nothing runs before its environment is set up", "{}", study.run_id(run.number));
    }
  }
  if (const auto* ended = std::get_if<kernel::RunEnded>(&event.body))
    if (study.run(ended->run)->stage == setup_stage && ended->state == kernel::RunState::succeeded) books.set_up = true;
}

/// Test data score no more experiments than the study allows, with those of its past and of the study it was forked
/// from.
void Witness::test_data_are_counted(const Study& study, const Event& event, Books& books) const {
  if (const auto* forked = std::get_if<kernel::StudyForked>(&event.body)) books.looks[books.seq] = forked->looks;
  const auto* registered = std::get_if<kernel::ExperimentRegistered>(&event.body);
  if (!registered || !scored_on_test_data(registered->registration)) return;
  books.looks[books.seq] = 1;
  int used = 0;
  for (const auto& [seq, looks] : books.looks) used += looks;
  if (used > study.spec.evaluator.test->looks)
    broken("test data are looked at as often as allowed", "{} times in {}", used, study.id);
}

/// A search keeps enough of the run budget for its confirmation. Retries and ordered runs are not counted.
void Witness::confirmation_is_kept(const Study& study, const kernel::RunsQueued& queued, const Books& books) const {
  if (!study.spec.budget.runs || queued.runs.front().retry_of) return;
  const auto beside = std::ranges::count_if(
      study.runs, [](const kernel::Run& run) { return run.retry_of > 0 || run.purpose == kernel::Purpose::scratch; });
  const auto planned =
      static_cast<std::int64_t>(books.runs_ended) +
      static_cast<std::int64_t>(books.launched.size() + study.queue.size() + study.blocked.size() + queued.runs.size());
  const std::int64_t most = *study.spec.budget.runs - kernel::confirmation_runs(study.spec) + beside;
  if (planned > most) broken("a search leaves the runs of its confirmation", "{} of {} in {}", planned, most, study.id);
}

void Witness::code_is_searched(const Study& study, const Event& event, Books& books) const {
  const kernel::CodeSpec& most = *study.spec.code;
  if (const auto* planned = std::get_if<kernel::CodePlanned>(&event.body)) {
    if (!kernel::open_steps(study).empty() && !planned->steps.empty())
      broken("a round follows the one before", "round {} of {}", planned->round, study.id);
    if (static_cast<int>(planned->steps.size()) > most.branches)
      broken("a round has as many steps as branches", "{} of {} in {}", planned->steps.size(), most.branches, study.id);
    if (static_cast<int>(study.code.versions.size() + planned->steps.size()) > most.versions && !planned->steps.empty())
      broken("a search writes no more versions than it may", "{} and {} steps of {} in {}", study.code.versions.size(),
             planned->steps.size(), most.versions, study.id);
  }
  if (const auto* proposed = std::get_if<kernel::CodeProposed>(&event.body)) {
    if (static_cast<int>(books.code.size()) > most.versions)
      broken("a search writes no more versions than it may", "{} of {} in {}", books.code.size(), most.versions,
             study.id);
    if (!books.code.insert(proposed->version.workspace.hash.text()).second)
      broken("each version is other code", "{} of {}", proposed->version.id, study.id);
    if (study.search->done() || !study.code.over.empty())
      broken("a search that is over gets no version", "{} of {}", proposed->version.id, study.id);
  }
  if (const auto* queued = std::get_if<kernel::RunsQueued>(&event.body);
      queued && queued->purpose == kernel::Purpose::search) {
    for (const kernel::PlannedRun& run : queued->runs) {
      const auto [seed, fresh] = books.search_seeds.emplace(run.replicate, run.seed);
      if (seed->second != run.seed)
        broken("versions run on the same seeds", "{} of replicate {}", study.run_id(run.number), run.replicate);
    }
    confirmation_is_kept(study, *queued, books);
  }
  if (const auto* ranked = std::get_if<kernel::RungRanked>(&event.body)) {
    for (const kernel::Run& run : study.runs)
      if (run.purpose == kernel::Purpose::search && !run.ended())
        broken("a search is ranked after its runs", "{} goes on", study.run_id(run.number));
    for (const kernel::Candidate& c : ranked->candidates) {
      if (!c.kept || !ranked->last) continue;
      const std::string& version = c.cell.at(kernel::code_factor);
      int met = 0;
      for (const kernel::StudyRequirement& one : study.thinking.requirements) {
        if (one.version != version) continue;
        if (one.judged != kernel::Judgement::met || one.judge == one.by)
          broken("a version is confirmed after another agent read it", "{} of {}", version, study.id);
        ++met;
      }
      if (met == 0) broken("a version is confirmed after another agent read it", "{} of {}", version, study.id);
    }
  }
  if (const auto* registered = std::get_if<kernel::ExperimentRegistered>(&event.body);
      registered && study.spec.seeds == kernel::SeedRule::drawn)
    for (const auto& [replicate, seed] : books.search_seeds)
      if (std::ranges::count(registered->registration.seeds, seed) > 0)
        broken("what selected a version does not confirm it", "seed {} in {}", seed, study.id);
}

/// What a person orders runs once, as it was ordered, and is on the record. No role is asked for anything in a study
/// that only records a person's work.
void Witness::by_hand_is_by_hand(const Study& study, const Event& event, Books& books) const {
  if (const auto* queued = std::get_if<kernel::RunsQueued>(&event.body)) {
    if (queued->order && queued->order->by_hand() && !books.ordered_by_hand.insert(queued->order->tool_call).second)
      broken("a person's order is followed once", "{} in {}", queued->order->tool_call, study.id);
    for (const kernel::PlannedRun& run : queued->runs)
      if (run.retry_of && order_by_hand(study, *study.run(run.retry_of)))
        broken("a person's command is not repeated", "{}", study.run_id(run.number));
  }
  if (const auto* starting = std::get_if<kernel::RunStarting>(&event.body)) {
    const kernel::Run& run = *study.run(starting->run);
    const kernel::ScratchOrder* order = order_by_hand(study, run);
    if (order && !order->folder.empty() && order->resources.sandbox != kernel::SandboxMode::none)
      broken("what runs in a person's folder runs as the person does", "{}", study.run_id(run.number));
    const auto tells = [&](const kernel::Node& node) {
      return node.runs == std::vector<std::string>{study.run_id(run.number)};
    };
    if (order && std::ranges::none_of(study.nodes, tells))
      broken("a person's command is on the record", "{}", study.run_id(run.number));
  }
  if (!study.spec.captured()) return;
  const auto* queued = std::get_if<kernel::RunsQueued>(&event.body);
  const auto* concluded = std::get_if<kernel::StudyConcluded>(&event.body);
  if (std::holds_alternative<kernel::ModelAsked>(event.body) ||
      std::holds_alternative<kernel::HypothesisProposed>(event.body) ||
      std::holds_alternative<kernel::ClaimRecorded>(event.body) || (queued && !queued->order) ||
      (concluded && concluded->outcome != kernel::StudyOutcome::cancelled && !kernel::is_person(event.actor)))
    broken("a person's work is the person's", "{} in {}", kernel::type_name(event.body), study.id);
}

/// The first registration of each hypothesis of the family takes a slot of it.
void Witness::slots_are_counted(const Study& study, const Event& event, Books& books) const {
  if (const auto* forked = std::get_if<kernel::StudyForked>(&event.body)) {
    books.forked_at = books.seq;
    books.slots_elsewhere[books.seq] = forked->slots;
  }
  if (const auto* registered = std::get_if<kernel::ExperimentRegistered>(&event.body))
    for (const kernel::Hypothesis& h : registered->registration.hypotheses)
      if (!study.hypothesis(h.id)->exploratory) books.slots.emplace(h.id, books.seq);
  const auto* proposed = std::get_if<kernel::HypothesisProposed>(&event.body);
  if (!proposed || proposed->exploratory || !study.fork || study.family == 0) return;
  const auto taken = static_cast<int>(study.hypotheses.size()) + study.fork->slots;
  if (taken >= study.family)
    broken("a fork has the rest of the family", "{} of {} is taken in {}", taken, study.family, study.id);
}

/// No agent proposes again, without saying what differs, what was not supported on the same code.
void Witness::earlier_results_are_known(const Study& study, const Event& event) const {
  const auto* proposed = std::get_if<kernel::HypothesisProposed>(&event.body);
  if (!proposed) return;
  const kernel::Hypothesis& h = proposed->hypothesis;
  if (kernel::is_person(h.by) || study.spec.agents == "builtin" || !h.difference.empty() || study.spec.code) return;
  const std::string contrast = kernel::contrast_key(h);
  // The code that was amended takes its hypotheses with it.
  if (study.batch.amended_at > 0) return;
  for (const kernel::Predecessor& p : study.predecessors)
    if (p.contrast == contrast && p.verdict != kernel::Verdict::supported && !p.other_code)
      broken("no dead end is tried twice unsaid", "{} of {} after {} of {}", h.id, study.id, p.hypothesis, p.study);
}

/// A fork has the past of the other study, and its own budget, leases, calls, slots and looks from then on.
void Witness::fork_shares_nothing(const Study& study, const kernel::StudyForked& forked, const Books& books) const {
  const Study& other = *state_.study(forked.from);
  const Books& others = books_.at(forked.from);
  int looks = 0;
  const std::int64_t until = forks_asked_.at(study.id);
  for (const auto& [seq, count] : others.looks)
    if (seq > forked.seq && seq <= until) looks += count;
  if (looks != forked.looks)
    broken("a fork counts the looks of the other study", "{} of {} in {}", forked.looks, looks, study.id);
  const auto later = [&](const Books& of, std::int64_t seq) {
    return std::ranges::count_if(of.slots, [&](const auto& slot) { return slot.second > seq && slot.second <= until; });
  };
  auto slots = later(others, forked.seq);
  for (const auto& [seq, elsewhere] : others.slots_elsewhere)
    if (seq > forked.seq && seq <= until) slots += elsewhere;
  for (const auto& [id, of] : books_)
    if (const Study* known = state_.study(id); known && id != study.id && descends(state_, *known, other.id))
      slots += later(of, of.forked_at);
  if (slots != forked.slots)
    broken("a fork counts the slots of the other study", "{} of {} in {}", forked.slots, slots, study.id);
  for (const kernel::HypothesisRecord& record : other.hypotheses) {
    if (!record.result || others.judged.at(record.hypothesis.id) > until) continue;
    const kernel::HypothesisRecord* own = study.hypothesis(record.hypothesis.id);
    const bool shared = own && own->result;
    const bool told = std::ranges::any_of(study.predecessors, [&](const kernel::Predecessor& p) {
      return p.study == other.id && p.hypothesis == record.hypothesis.id && p.verdict == record.result->verdict;
    });
    if (!shared && !told)
      broken("a fork knows what was found", "{} of {} in {}", record.hypothesis.id, other.id, study.id);
  }
  if (study.state != kernel::StudyState::paused || study.session_open || !study.to_kill.empty())
    broken("a fork waits for a person", "{}", study.id);
  if (!books.launched.empty()) broken("a fork shares no job", "{} has live runs", study.id);
}

/// What accounts hold is the sum of what ended.
void Witness::ledger_is_right(const Study& study, const Books& books) const {
  const kernel::Account sum = kernel::spent(study);
  if (sum.runs != books.runs_ended || sum.tokens != books.tokens_spent)
    broken("the ledger is the sum of what ended", "{} runs of {}, {} tokens of {} in {}", sum.runs, books.runs_ended,
           sum.tokens, books.tokens_spent, study.id);
}

}  // namespace sim
