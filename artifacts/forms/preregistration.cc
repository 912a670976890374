#include "artifacts/forms/preregistration.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "artifacts/export/sealed_record.h"
#include "artifacts/forms/registration_answers.h"
#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"
#include "kernel/codec/codec.h"
#include "kernel/domain/enum_names.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace artifacts {
namespace {

using kernel::Purpose;
using kernel::Study;

/// What the log had told before an event: the runs that had ended with values, and what had been made of them.
struct KnownData {
  std::map<std::pair<Purpose, kernel::ExperimentId>, int> runs;
  std::vector<kernel::ExperimentId> analysed, ranked;
  bool empty() const { return runs.empty(); }
};

std::string purpose_words(Purpose purpose, const kernel::ExperimentId& experiment) {
  switch (purpose) {
    case Purpose::registered:
      return "registered run of " + experiment.text();
    case Purpose::aa:
      return "repetition of the control of " + experiment.text();
    case Purpose::repeat:
      return "repeated smoke run of " + experiment.text();
    case Purpose::search:
      return "run of the selection " + experiment.text();
    default:
      return std::string(kernel::name(purpose)) + " run";
  }
}

/// "8 smoke runs and 4 pilot runs".
std::string runs_words(const KnownData& known) {
  std::vector<std::string> parts;
  for (const auto& [of, n] : known.runs) {
    std::string words = purpose_words(of.first, of.second);
    if (n != 1) {
      const std::size_t noun = words.find("run of ") != words.npos ? words.find("run of ") + 3 : words.size();
      const std::size_t repetition = words.find("repetition of ");
      words.insert(repetition == 0 ? 10 : noun, "s");
    }
    parts.push_back(fmt::format("{} {}", n, words));
  }
  return listed(parts);
}

/// Whether values of registered runs, or what was made of runs, could be known.
bool shows_results(const KnownData& known) {
  return !known.analysed.empty() || !known.ranked.empty() ||
         std::ranges::any_of(known.runs, [](const auto& one) { return one.first.first == Purpose::registered; });
}

std::string when_words(std::int64_t number, std::int64_t wall_ms) {
  return fmt::format("event {}, {}", number, kernel::iso8601(wall_ms));
}

/// Whether it was proposed before any data, after data that are no evidence, or after results.
std::string proposed_words(std::int64_t number, std::int64_t wall_ms, const KnownData& known) {
  const std::string when = when_words(number, wall_ms);
  if (known.empty()) return when + ", before any run had ended.";
  if (!shows_results(known))
    return fmt::format("{}, after {} had ended, which are no evidence.", when, runs_words(known));
  std::string text = fmt::format("{}, **after data were seen**: {} had ended", when, runs_words(known));
  if (!known.analysed.empty())
    text += fmt::format("; analysed: {}", joined_text(known.analysed, ", ", &kernel::ExperimentId::text));
  if (!known.ranked.empty())
    text += fmt::format("; ranked: {}", joined_text(known.ranked, ", ", &kernel::ExperimentId::text));
  return text + ".";
}

/// One part of the page: what was frozen, when, and what was known.
struct FrozenPart {
  FrozenDesign design;
  std::optional<kernel::SearchPlan> search;  ///< Then `design` has only the terms.
  std::string hash;
  std::int64_t number = 0, wall_ms = 0;
  KnownData known;
  std::optional<bool> seen;  ///< Of a registration that replaces one: values of the primary metric had been seen.
};

/// Follows a log and keeps what each registration froze.
class Registrations {
 public:
  void see(const Study* before, const kernel::Event& event, int line) {
    std::visit([&](const auto& body) { take(before, body, event, line); },
               static_cast<const kernel::EventVariant&>(event.body));
  }

  std::vector<FrozenPart> parts;
  bool sound = true;
  std::string title, question;
  std::int64_t opened_ms = 0;

 private:
  template <typename Body>
  void take(const Study*, const Body&, const kernel::Event&, int) {}

  void take(const Study*, const kernel::StudyOpened& e, const kernel::Event& event, int) {
    title = e.spec.title;
    question = e.spec.question;
    opened_ms = event.at.wall_ms;
  }
  void take(const Study*, const kernel::HypothesisProposed& e, const kernel::Event& event, int line) {
    proposed_[e.hypothesis.id] = proposed_words(line, event.at.wall_ms, known_);
  }
  void take(const Study* before, const kernel::RunEnded& e, const kernel::Event&, int) {
    const kernel::Run* run = before ? before->run(e.run) : nullptr;
    if (run && !e.measurement.values.empty()) ++known_.runs[{run->purpose, run->experiment}];
  }
  void take(const Study*, const kernel::RungRanked& e, const kernel::Event&, int) { add(known_.ranked, e.experiment); }
  void take(const Study*, const kernel::InterimLook& e, const kernel::Event&, int) {
    add(known_.analysed, e.experiment);
  }
  void take(const Study*, const kernel::ExperimentAnalysed& e, const kernel::Event&, int) {
    add(known_.analysed, e.experiment);
  }
  void take(const Study*, const kernel::WorkspaceAmended& e, const kernel::Event&, int) {
    if (!e.experiment.empty()) seen_[e.experiment] = e.seen;
  }
  void take(const Study* before, const kernel::SearchRegistered& e, const kernel::Event& event, int line) {
    if (!before) return;
    parts.push_back({{{}, *before, *before, {}}, e.plan, e.hash, line, event.at.wall_ms, known_, {}});
  }
  void take(const Study* before, const kernel::ExperimentRegistered& e, const kernel::Event& event, int line) {
    if (!before || !can_be_computed(*before) || !can_be_computed(*before, e.registration)) {
      sound = false;
      return;
    }
    FrozenPart part{{e.registration, *before, *before, proposed_}, {}, e.hash, line, event.at.wall_ms, known_, {}};
    if (const auto seen = seen_.find(e.registration.amends); seen != seen_.end()) part.seen = seen->second;
    parts.push_back(std::move(part));
  }

  static void add(std::vector<kernel::ExperimentId>& list, const kernel::ExperimentId& id) {
    if (std::ranges::find(list, id) == list.end()) list.push_back(id);
  }

  KnownData known_;
  std::map<kernel::HypothesisId, std::string> proposed_;
  std::map<kernel::ExperimentId, bool> seen_;
};

/// The hashes that the log has for some of its lines.
class LineHashes {
 public:
  explicit LineHashes(const std::vector<FrozenPart>& parts) {
    for (const FrozenPart& part : parts) hashes_[part.number] = "";
  }
  void take(std::string_view piece) {
    for (std::size_t end = 0; (end = piece.find('\n')) != piece.npos; piece.remove_prefix(end + 1)) {
      const auto wanted = hashes_.find(++line_);
      if (wanted != hashes_.end())
        if (const auto event = kernel::read_event_line(rest_ + std::string(piece.substr(0, end))))
          wanted->second = event->hash;
      rest_.clear();
    }
    if (hashes_.contains(line_ + 1)) rest_ += piece;
  }
  const std::string& of(std::int64_t number) const { return hashes_.at(number); }

 private:
  std::map<std::int64_t, std::string> hashes_;
  std::int64_t line_ = 0;
  std::string rest_;
};

/// AsPredicted's first question.
std::string data_answer(const FrozenPart& part) {
  std::string text;
  if (part.known.empty())
    text = fmt::format("No. No run of the study had ended with a value before event {}.\n", part.number);
  else if (!shows_results(part.known))
    text = fmt::format(
        "Yes, but nothing that is evidence here: {} had ended. None of them counts for or against a "
        "hypothesis.\n",
        runs_words(part.known));
  else
    text = fmt::format(
        "**Yes: this part was registered after data were seen.** {} had ended. "
        "The runs of this part are others.\n",
        runs_words(part.known));
  const std::vector<std::pair<const char*, const std::vector<kernel::ExperimentId>&>> lists = {
      {"Analysed before", part.known.analysed}, {"Ranked before, as a selection", part.known.ranked}};
  for (const auto& [what, ids] : lists)
    if (!ids.empty()) text += fmt::format("\n- {}: {}", what, joined_text(ids, ", ", &kernel::ExperimentId::text));
  const kernel::StudyTerms& terms = part.design.terms;
  if (const kernel::ExperimentId& old = part.design.registration.amends; !old.empty())
    text += fmt::format("\n- It replaces {}, which ended when the code was changed; values of its primary metric {}.",
                        in_markdown(old.text()),
                        !part.seen   ? "may have been seen"
                        : *part.seen ? "**had been seen**"
                                     : "had not been seen");
  if (terms.fork)
    text += fmt::format("\n- The study is a fork of {} after its event {}; what came before was known.",
                        in_markdown(terms.fork->from), terms.fork->seq);
  if (!terms.reproduces.empty()) text += "\n- The study repeats a recorded one, whose results were known.";
  if (!terms.spec.extends.empty())
    text += fmt::format("\n- It builds on the artifact “{}”, whose results could be known.",
                        in_markdown(terms.spec.extends.title));
  for (const kernel::Predecessor& earlier : terms.predecessors)
    text += fmt::format("\n- Known from the earlier study {}: {} is {}{}.", in_markdown(earlier.study),
                        in_markdown(earlier.hypothesis.text()), kernel::words_of(earlier.verdict),
                        earlier.other_code ? " (with other code, data or conditions)" : "");
  for (const kernel::EarlierLooks& looks : terms.test_looks.earlier)
    text += fmt::format("\n- The earlier study {} was scored on the same test data in {}.", in_markdown(looks.study),
                        prose::counted(looks.looks, "experiment"));
  return text + (text.ends_with('\n') ? "" : "\n");
}

std::string frozen_table(const FrozenPart& part, const std::string& head) {
  PlainTable table;
  table.header = {"Frozen", ""};
  table.rows = {{"SHA-256 of the registration", part.hash},
                {"Event in trace/events.jsonl", std::to_string(part.number)},
                {"Time (clock of the machine, UTC)", kernel::iso8601(part.wall_ms)},
                {"Head of the event log at that moment", head}};
  return markdown_table(table);
}

std::string search_text(const FrozenPart& part) {
  const kernel::SearchPlan& plan = *part.search;
  std::string text =
      "A plan of selection. None of its runs is evidence; what it selects is tested on fresh seeds, by a "
      "registration of its own.\n\n";
  const auto selects_by = [&](const std::string& metric, kernel::Goal goal) {
    text += fmt::format("- **Selects by**: {}, {} is better\n", in_markdown(metric),
                        goal == kernel::Goal::minimize ? "lower" : "higher");
  };
  selects_by(plan.metric, plan.goal);
  for (const kernel::Metric& metric : plan.registered.metrics)
    if (plan.objectives.size() == 2 && metric.name == plan.objectives[1].metric) selects_by(metric.name, metric.goal);
  text += fmt::format("- **Design**: {}, {}\n", kernel::words_of(plan.design),
                      prose::counted(std::ssize(plan.registered.cells), "first candidate"));
  if (plan.baseline) text += fmt::format("- **Baseline**: {}\n", in_markdown(cell_text(*plan.baseline)));
  if (plan.design == kernel::SearchDesign::model) {
    int runs = 0;
    for (const kernel::Rung& rung : plan.rungs) runs += ((rung.proposes ? 0 : 1) + rung.candidates) * rung.replicates;
    text += fmt::format("- **Most runs**: {}\n", runs);
  }
  const bool rungs = plan.design != kernel::SearchDesign::model && plan.design != kernel::SearchDesign::keep_or_discard;
  for (std::size_t i = 0; i < plan.rungs.size() && rungs; ++i)
    text +=
        fmt::format("- **Rung {}**: {}, {} of each{}\n", i + 1, prose::counted(plan.rungs[i].candidates, "candidate"),
                    prose::counted(plan.rungs[i].replicates, "replicate"),
                    plan.rungs[i].fidelity.empty()
                        ? ""
                        : fmt::format(", at {} = {}", in_markdown(plan.fidelity), in_markdown(plan.rungs[i].fidelity)));
  text += fmt::format("- **Rule**: {}\n", in_markdown(sentence(plan.rule, part.design.wording)));
  text +=
      fmt::format("- **Confirmation**: the best {}, with {}\n", plan.top,
                  plan.confirm_most > 0 ? fmt::format("{} to {} replicates", plan.confirm_replicates, plan.confirm_most)
                                        : prose::counted(plan.confirm_replicates, "replicate"));
  return text + fmt::format("- **Data before**: {}\n", part.known.empty() ? "none" : runs_words(part.known));
}

std::string part_text(const FrozenPart& part, const std::string& head) {
  if (part.search)
    return fmt::format("\n## {}\n\n{}\n{}", in_markdown(part.search->registered.experiment.text()),
                       frozen_table(part, head), search_text(part));
  std::string text =
      fmt::format("\n## {}\n\n{}", in_markdown(part.design.registration.experiment.text()), frozen_table(part, head));
  int number = 0;
  const auto put = [&](const std::string& question, const std::string& answer) {
    text += fmt::format("\n### {}. {}\n\n{}", ++number, question, answer);
  };
  put("Have any data been collected for this study already?", data_answer(part));
  for (const FormAnswer& answer : registration_answers(part.design)) put(answer.question, answer.markdown);
  return text;
}

std::string page_of(const Registrations& seen, const LineHashes& hashes) {
  std::string page =
      fmt::format("# Preregistration: {}\n\n{}\n\n", in_markdown(seen.title), in_markdown(seen.question));
  page += fmt::format(
      "The study was opened at {} (event 1). Each part below answers the questions of AsPredicted.org from one "
      "registration. One event froze it, and a part is composed only from that event and those before it. The hash is "
      "that of the registration's canonical JSON, which `etude.json` has; `etude check` compares them. The head is the "
      "hash of the event that froze the registration: a reader who got it then can see that nothing was changed "
      "since.\n",
      kernel::iso8601(seen.opened_ms));
  for (const FrozenPart& part : seen.parts) page += part_text(part, hashes.of(part.number));
  return page;
}

/// `feed` passes the bytes of the log.
kernel::Result<std::string> composed(Registrations& seen, int wording, const std::function<void(LineHashes&)>& feed) {
  if (!seen.sound)
    return kernel::Problem{log_file, 0, "", "has a registration that no study could have had", "restore the artifact"};
  if (seen.parts.empty())
    return kernel::Problem{log_file, 0, "", "no experiment was registered, so there is no preregistration",
                           "export a study whose hypotheses were registered"};
  for (FrozenPart& part : seen.parts) part.design.wording = wording;
  LineHashes hashes(seen.parts);
  feed(hashes);
  return page_of(seen, hashes);
}

LogObserver observer_of(Registrations& seen) {
  return [&seen](const Study* before, const kernel::Event& event, int line) { seen.see(before, event, line); };
}

}  // namespace

kernel::Result<std::string> preregistration_page(const SafeRoot& root) {
  Registrations seen;
  const auto record = sealed_record(root, observer_of(seen));
  if (!record) return record.problem();
  return composed(seen, record->log.study.wording, [&](LineHashes& hashes) {
    root.stream(log_file, largest_log, [&](std::string_view piece) { hashes.take(piece); });
  });
}

kernel::Result<std::string> preregistration_of_log(std::string_view log, int wording) {
  Registrations seen;
  const auto read = read_log_text(log, observer_of(seen));
  if (!read) return read.problem();
  return composed(seen, wording, [&](LineHashes& hashes) { hashes.take(log); });
}

}  // namespace artifacts
