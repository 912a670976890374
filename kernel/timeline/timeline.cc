#include "kernel/timeline/timeline.h"

#include <algorithm>
#include <utility>

#include "kernel/domain/cells.h"
#include "kernel/study/at_work.h"
#include "kernel/study/ledger.h"
#include "kernel/wording/wording.h"

namespace kernel {

namespace {

using nlohmann::json;

std::string short_name(const Study& study, const Run& run) {
  std::string name = "r" + std::to_string(run.number);
  if (!run.stage.empty()) name += " " + run.stage;
  const std::string cell = words_of(study.cells.at(static_cast<std::size_t>(run.cell)));
  return cell.empty() ? name : name + " " + cell;
}

json facts_of(const Study& study, const Run& run) {
  json facts = {{"run", study.run_id(run.number)}, {"seed", run.seed}, {"attempt", run.attempt}};
  if (!run.experiment.empty()) facts["experiment"] = run.experiment.text();
  if (run.lease.memory_bytes > 0) facts["memory_bytes"] = run.lease.memory_bytes;
  return facts;
}

json usage_facts(const RunEnded& ended) {
  json facts = {{"state", name(ended.state)}};
  if (!ended.cached_from.empty()) facts["cached_from"] = ended.cached_from;
  if (ended.outcome.usage.wall_s > 0) {
    facts["cpu_s"] = ended.outcome.usage.cpu_s;
    facts["rss_peak_bytes"] = ended.outcome.usage.rss_peak_bytes;
  }
  return facts;
}

}  // namespace

std::int64_t TimelineClock::at(Time time, bool new_boot) {
  if (begun_) {
    // A boot clock that went back is that of another boot.
    const bool same = !new_boot && time.boot_ms >= last_.boot_ms;
    const std::int64_t passed = same ? time.boot_ms - last_.boot_ms : time.wall_ms - last_.wall_ms;
    now_ += std::max<std::int64_t>(0, passed) * 1000;
  }
  begun_ = true;
  last_ = time;
  return now_;
}

/// What each event does to the timeline.
struct Timeline::Recorder {
  Timeline& t;
  const Event& event;
  const Study& study;

  void operator()(const RunStarting& e) const {
    // A run that is recorded ahead begins when another one ends.
    if (e.lease.gpus.empty() && study.jobs > 0 && t.runs_.size() >= static_cast<std::size_t>(study.jobs))
      t.ahead_.insert(e.run);
    else
      open(e.run, t.now_);
  }
  void operator()(const RunStarted& e) const {
    if (t.ahead_.erase(e.run) > 0) open(e.run, t.now_);
  }
  void operator()(const RunRequeued& e) const {
    t.ahead_.erase(e.run);
    t.close_run(e.run, nullptr, {{"state", "requeued"}});
  }
  /// The jobs of these runs belong to the other study.
  void operator()(const StudyForked& e) const {
    for (const int run : e.requeued) {
      t.ahead_.erase(run);
      t.close_run(run, nullptr, {{"state", "requeued"}});
    }
  }
  void operator()(const RunEnded& e) const {
    const bool waited = t.ahead_.erase(e.run) > 0;
    if (waited && e.outcome.started_ms > 0) open(e.run, t.clock_.at_wall(e.outcome.started_ms));
    t.close_run(e.run, &e.outcome, usage_facts(e));
  }

  void operator()(const LineOpened& e) const {
    Pool& pool = t.agents_.try_emplace(e.role, Pool{LaneGroup::agents}).first->second;
    const int place = t.take(pool, e.role);
    const std::string about = e.about.empty() ? e.line : e.about;
    t.lines_.insert_or_assign(e.line, OpenLine{t.open(pool.lanes[static_cast<std::size_t>(place)], about,
                                                      std::string(name(e.subject.purpose)), {{"line", e.line}}),
                                               e.role, place});
  }
  void operator()(const LineEnded& e) const { t.close_line(e.line, json::object()); }
  void operator()(const ModelAsked& e) const { t.calls_.insert_or_assign(e.call, OpenCall{e.line, e.model, t.now_}); }
  void operator()(const ModelAnswered& e) const {
    json facts = {{"call", e.call},
                  {"tokens", e.end.tokens.total()},
                  {"dollars", e.end.usd},
                  {"attempts", e.end.attempts},
                  {"by_batch", e.end.by_batch}};
    if (!e.end.failure.empty()) facts["failure"] = newest_words(e.end.failure);
    t.close_call(e.call, "", std::move(facts));
  }
  void operator()(const ToolReturned& e) const {
    const ModelCall* call = study.thinking.call(e.call);
    if (!call) return;
    const auto line = t.lines_.find(study.thinking.lines.at(static_cast<std::size_t>(call->line)).id);
    if (line == t.lines_.end()) return;
    OpenSlice& slice = line->second.slice;
    put_inside(slice, slice.inner_end, t.now_, e.answer.tool, "tool",
               {{"call", e.call}, {"refused", e.answer.refused}});
  }

  void operator()(const HypothesisProposed& e) const {
    const Lane lane = t.new_lane(LaneGroup::hypotheses, e.hypothesis.id.text());
    OpenSlice open = t.open(lane, e.hypothesis.statement, e.exploratory ? "exploratory" : "hypothesis",
                            {{"hypothesis", e.hypothesis.id.text()}, {"by", event.actor}});
    t.proposed_.insert_or_assign(e.hypothesis.id, open.slice);
    t.hypotheses_.insert_or_assign(e.hypothesis.id, std::move(open));
  }
  void operator()(const HypothesisWithdrawn& e) const { end_hypothesis(e.hypothesis, "withdrawn"); }
  void operator()(const ExperimentRegistered& e) const {
    const Registration& registration = e.registration;
    const auto& open =
        begin_experiment(registration.experiment, prose_of(registration.hypotheses.size(), "hypothesis"));
    for (const Hypothesis& hypothesis : registration.hypotheses) {
      const auto from = t.proposed_.find(hypothesis.id);
      if (from == t.proposed_.end()) continue;
      if (std::ranges::find(t.flows_, hypothesis.id) == t.flows_.end()) {
        t.flows_.push_back(hypothesis.id);
        t.point(hypothesis.id, FlowPoint::Kind::begin, from->second);
      }
      t.point(hypothesis.id, FlowPoint::Kind::step, open.slice);
    }
  }
  void operator()(const SearchRegistered& e) const { begin_experiment(e.plan.registered.experiment, "search"); }
  void operator()(const RungRanked& e) const {
    inside_experiment(e.experiment, "rung " + std::to_string(e.rung), "rung");
    if (e.last) end_experiment(e.experiment, "ranked");
  }
  void operator()(const InterimLook& e) const {
    inside_experiment(e.experiment, "look " + std::to_string(e.number), "look");
    for (const HypothesisResult& result : e.results) end_hypothesis(result.id, name(result.verdict));
  }
  void operator()(const ExperimentAnalysed& e) const {
    end_experiment(e.experiment, "analysed");
    for (const HypothesisResult& result : e.results) end_hypothesis(result.id, name(result.verdict));
  }
  void operator()(const WorkspaceAmended& e) const {
    if (!e.experiment.empty()) end_experiment(e.experiment, "amended");
  }
  void operator()(const ClaimRecorded& e) const {
    OpenSlice open = t.open(t.new_lane(LaneGroup::claims, e.claim.id), e.claim.title, "claim",
                            {{"claim", e.claim.id}, {"status", e.claim.status}});
    if (std::ranges::find(t.flows_, e.claim.hypothesis) != t.flows_.end())
      t.point(e.claim.hypothesis, FlowPoint::Kind::end, open.slice);
    t.claims_.push_back(std::move(open));
  }

  /// What was cancelled, or stopped by a failure, ends here.
  void operator()(const StudyEnded&) const {
    while (!t.hypotheses_.empty()) end_hypothesis(HypothesisId(t.hypotheses_.begin()->first), "no verdict");
    while (!t.experiments_.empty()) end_experiment(ExperimentId(t.experiments_.begin()->first), "not analysed");
    while (!t.lines_.empty()) t.close_line(std::string(t.lines_.begin()->first), json::object());
    for (auto& [id, open] : std::exchange(t.open_gates_, {})) t.close(std::move(open.first));
  }

  void operator()(const GateOpened& e) const {
    const int place = t.take(t.gates_, "gate");
    t.open_gates_.insert_or_assign(
        e.gate.id, std::pair(t.open(t.gates_.lanes[static_cast<std::size_t>(place)], newest_words(e.gate.what), "gate",
                                    {{"gate", e.gate.id}}),
                             place));
  }
  void operator()(const GateDecided& e) const {
    auto gate = t.open_gates_.extract(e.gate);
    if (!gate) return;
    gate.mapped().first.slice.facts.update(json{{"approved", e.approved}, {"by", event.actor}});
    t.gates_.taken[static_cast<std::size_t>(gate.mapped().second)] = false;
    t.close(std::move(gate.mapped().first));
  }

  /// These only change what `follow_study` sees, or belong in no lane.
  template <OneOf<StudyOpened, ProposalsClosed, SampleSized, IntegrityFound, BatchOpened, ArmStopped, NodeRecorded,
                  StudyPaused, StudyResumed, CancellationRequested, StudySteered, StudyConcluded, PicturesDrawn,
                  ArtifactPackaged, RunsQueued, ManipulationChecked, RunCancellationRequested, CallBatched, NoteTaken,
                  RequirementBound, RequirementJudged, SectionWritten, CodePlanned, CodeProposed, CodeCompared>
                Other>
  void operator()(const Other&) const {}

 private:
  /// The run takes its slots and devices.
  void open(int number, std::int64_t begin) const {
    const Run& run = *study.run(number);
    OpenRun open;
    const auto add = [&](const Lane& lane) {
      open.slices.push_back(
          t.open_at(begin, lane, short_name(study, run), std::string(name(run.purpose)), facts_of(study, run)));
    };
    for (int i = 0; i < std::max(1, run.lease.cpus); ++i) {
      open.cpus.push_back(t.take(t.cpus_, "CPU", true));
      add(t.cpus_.lanes[static_cast<std::size_t>(open.cpus.back())]);
    }
    for (const std::string& gpu : run.lease.gpus) {
      Pool& pool = t.devices_.try_emplace(gpu, Pool{LaneGroup::devices}).first->second;
      open.devices.emplace_back(gpu, t.take(pool, "GPU " + gpu));
      add(pool.lanes[static_cast<std::size_t>(open.devices.back().second)]);
    }
    t.runs_.insert_or_assign(number, std::move(open));
  }
  static std::string prose_of(std::size_t n, const std::string& noun) {
    return n == 1 ? "1 " + noun : std::to_string(n) + " " + (noun == "hypothesis" ? "hypotheses" : noun + "s");
  }
  const OpenSlice& begin_experiment(const ExperimentId& id, const std::string& about) const {
    const Lane lane = t.new_lane(LaneGroup::experiments, id.text());
    return t.experiments_.insert_or_assign(id, t.open(lane, id.text() + ": " + about, "experiment")).first->second;
  }
  /// The time since the last step of the experiment.
  void inside_experiment(const ExperimentId& id, std::string title, std::string category) const {
    if (const auto open = t.experiments_.find(id); open != t.experiments_.end())
      put_inside(open->second, open->second.inner_end, t.now_, std::move(title), std::move(category));
  }
  void end_experiment(const ExperimentId& id, std::string_view how) const {
    if (auto open = t.experiments_.extract(id)) {
      open.mapped().slice.facts["end"] = how;
      t.close(std::move(open.mapped()));
    }
  }
  void end_hypothesis(const HypothesisId& id, std::string_view how) const {
    if (auto open = t.hypotheses_.extract(id)) {
      open.mapped().slice.facts["end"] = how;
      t.close(std::move(open.mapped()));
    }
  }
};

Lane Timeline::new_lane(LaneGroup group, std::string name) {
  const Lane lane{group, ++lanes_[group]};
  out_(LaneNamed{lane, std::move(name)});
  return lane;
}

int Timeline::take(Pool& pool, const std::string& name, bool always_numbered) {
  const auto free = std::ranges::find(pool.taken, false);
  const auto place = static_cast<int>(free - pool.taken.begin());
  if (free == pool.taken.end()) {
    const bool numbered = always_numbered || place > 0;
    pool.lanes.push_back(new_lane(pool.group, numbered ? name + " " + std::to_string(place + 1) : name));
    pool.taken.push_back(true);
  } else {
    *free = true;
  }
  return place;
}

Timeline::OpenSlice Timeline::open(const Lane& lane, std::string name, std::string category, json facts) {
  return open_at(now_, lane, std::move(name), std::move(category), std::move(facts));
}

Timeline::OpenSlice Timeline::open_at(std::int64_t begin, const Lane& lane, std::string name, std::string category,
                                      json facts) {
  // A lane's last slice may have been made longer than it was, to last a microsecond.
  begin = std::max(begin, ends_[{lane.group, lane.number}]);
  return {{lane, begin, begin, std::move(name), std::move(category), std::move(facts)}, {}, begin};
}

void Timeline::put_inside(OpenSlice& outer, std::int64_t begin, std::int64_t end, std::string name,
                          std::string category, json facts) {
  begin = std::max(begin, outer.inner_end);
  end = std::max(begin + 1, end);
  outer.inner.push_back({outer.slice.lane, begin, end, std::move(name), std::move(category), std::move(facts)});
  outer.inner_end = end;
}

void Timeline::close(OpenSlice&& open) {
  TimeSlice& slice = open.slice;
  slice.end = std::max({slice.begin + 1, now_, open.inner_end});
  ends_[{slice.lane.group, slice.lane.number}] = slice.end;
  out_(std::move(slice));
  for (TimeSlice& inner : open.inner) out_(std::move(inner));
}

void Timeline::close_run(int number, const JobOutcome* outcome, json facts) {
  auto found = runs_.extract(number);
  if (!found) return;  // It never started.
  OpenRun& run = found.mapped();
  for (const int place : run.cpus) cpus_.taken[static_cast<std::size_t>(place)] = false;
  for (const auto& [gpu, place] : run.devices) devices_.at(gpu).taken[static_cast<std::size_t>(place)] = false;
  if (outcome && outcome->started_ms > 0 && outcome->ended_ms >= outcome->started_ms) {
    OpenSlice& first = run.slices.front();
    const auto within = [&](std::int64_t wall_ms) {
      return std::clamp(clock_.at_wall(wall_ms), first.slice.begin, std::max(first.slice.begin, now_));
    };
    const EvaluatorOutcome* scoring = outcome->evaluator ? &*outcome->evaluator : nullptr;
    const std::int64_t started = within(outcome->started_ms);
    const std::int64_t ended = within(
        scoring && scoring->started_ms > 0 ? std::min(outcome->ended_ms, scoring->started_ms) : outcome->ended_ms);
    if (started > first.slice.begin) put_inside(first, first.slice.begin, started, "launch", "launch");
    if (ended > started) put_inside(first, started, ended, "job", "job");
    if (scoring && within(scoring->ended_ms) > ended)
      put_inside(first, std::max(ended, first.slice.begin), within(scoring->ended_ms), "evaluator", "evaluator");
    if (now_ > first.inner_end) put_inside(first, first.inner_end, now_, "collect", "collect");
  }
  for (OpenSlice& slice : run.slices) {
    slice.slice.facts.update(facts);
    close(std::move(slice));
  }
}

void Timeline::close_call(int number, std::string_view name, json facts) {
  const auto found = calls_.extract(number);
  if (!found) return;
  const OpenCall& call = found.mapped();
  const auto line = lines_.find(call.line);
  if (line == lines_.end()) return;
  put_inside(line->second.slice, call.begin, now_, name.empty() ? call.model : std::string(name), "model",
             std::move(facts));
}

void Timeline::close_line(const std::string& id, json facts) {
  std::vector<int> left;  // Calls that were given up with their line.
  for (const auto& [number, call] : calls_)
    if (call.line == id) left.push_back(number);
  for (const int number : left) close_call(number, "", {{"call", number}, {"unanswered", true}});
  auto line = lines_.extract(id);
  if (!line) return;
  agents_.at(line.mapped().pool).taken[static_cast<std::size_t>(line.mapped().place)] = false;
  line.mapped().slice.slice.facts.update(facts);
  close(std::move(line.mapped().slice));
}

void Timeline::count(const std::string& name, std::map<std::string, double> series) {
  auto& last = counted_[name];
  if (last == series) return;
  last = series;
  out_(CounterValues{name, now_, std::move(series)});
}

void Timeline::point(const HypothesisId& hypothesis, FlowPoint::Kind kind, const TimeSlice& at) {
  const auto flow = static_cast<int>(std::ranges::find(flows_, hypothesis) - flows_.begin()) + 1;
  points_.push_back({kind, flow, hypothesis.text(), at.lane, at.begin});
}

void Timeline::follow_study(const Study& study) {
  const auto stage = [&](const char* which, std::string text) {
    const auto open = stages_.find(which);
    if (open != stages_.end() && open->second.slice.name == text) return;
    if (open != stages_.end()) {
      close(std::move(open->second));
      stages_.erase(open);
    }
    if (study.state == StudyState::ended) return;
    if (!stage_lanes_.contains(which)) stage_lanes_.emplace(which, new_lane(LaneGroup::study, which));
    stages_.emplace(which, this->open(stage_lanes_.at(which), std::move(text), which));
  };
  stage("state", study.state == StudyState::paused ? "paused: " + std::string(name(*study.pause_reason))
                                                   : std::string(name(study.state)));
  stage("phase", std::string(name(study.phase())));
  const int going = runs_at_work(study);
  const std::size_t waiting = study.queue.size() + study.blocked.size() + study.live.size();
  count("runs", {{"going", going}, {"waiting", static_cast<double>(waiting) - going}});
  const Account sum = spent(study);
  count("tokens",
        {{"spent", static_cast<double>(sum.tokens)}, {"reserved", static_cast<double>(study.thinking.tokens_aside)}});
  count("dollars", {{"spent", sum.usd}, {"reserved", study.thinking.usd_aside}});
}

void Timeline::add(const Event& event, const Study& after) {
  const bool may_boot =
      std::holds_alternative<StudyResumed>(event.body) || std::holds_alternative<StudyForked>(event.body);
  now_ = clock_.at(event.at, may_boot);
  follow_study(after);
  std::visit(Recorder{*this, event, after}, static_cast<const EventVariant&>(event.body));
}

void Timeline::finish() {
  const json unfinished = {{"unfinished", true}};
  const auto end = [&](OpenSlice& open) {
    open.slice.facts.update(unfinished);
    close(std::move(open));
  };
  while (!runs_.empty()) close_run(runs_.begin()->first, nullptr, unfinished);
  while (!lines_.empty()) close_line(std::string(lines_.begin()->first), unfinished);
  for (auto& [id, open] : hypotheses_) end(open);
  for (auto& [id, open] : experiments_) end(open);
  for (auto& [id, open] : open_gates_) end(open.first);
  for (auto& [which, open] : stages_) end(open);
  for (OpenSlice& open : claims_) close(std::move(open));  // A claim lasts.
  for (const FlowPoint& one : points_) out_(one);
}

}  // namespace kernel
