#include "kernel/binding/addresses.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "kernel/domain/cells.h"
#include "kernel/domain/enum_names.h"
#include "kernel/inference/estimate.h"
#include "kernel/study/ledger.h"
#include "kernel/study/sealed_seeds.h"
#include "kernel/verdicts/verdict_reason.h"
#include "kernel/views/finding.h"
#include "kernel/views/result_text.h"
#include "kernel/wording/wording.h"
#include "prose/nearest.h"
#include "prose/numbers.h"

namespace kernel {

namespace {

using Members = std::vector<std::string>;

NoValue unknown(const std::string& what, const std::string& spelled, const std::string& before, const Members& known) {
  const std::string near = prose::nearest(spelled, known);
  if (!near.empty()) return {"is no address: " + what, fmt::format("did you mean {{{{{}{}}}}}?", before, near)};
  return {"is no address: " + what,
          "there is " + (known.empty() ? "nothing yet" : fmt::format("{}", fmt::join(known, ", ")))};
}

/// Quotes words of a person or an agent, so that no reader takes them for a result.
std::string quoted(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  return "“" + text + "”";
}

NoValue missing(const std::string& why) {
  return {"has no value: " + why, "say so in words, or leave it out"};
}

AddressValue or_missing(std::string text, const std::string& why) {
  return text.empty() ? AddressValue(missing(why)) : AddressValue(std::move(text));
}

/// The levels along which an interaction or a crossover is tested.
std::string step_words(const Hypothesis& h) {
  if (h.steps.empty()) return "";
  if (h.kind == HypothesisKind::interaction)
    return fmt::format("from {} = {} to {}", h.along, h.steps.front(), h.steps.back());
  return fmt::format("along {} ({})", h.along, fmt::join(h.steps, ", "));
}

/// The factors that the hypothesis does not name, with their levels.
std::string crossed_words(const StudySpec& spec, const Hypothesis& h) {
  std::string text;
  for (const Factor& factor : spec.factors) {
    if (h.where.contains(factor.name) || h.treatment.contains(factor.name) || h.control.contains(factor.name) ||
        h.along == factor.name)
      continue;
    std::string levels;
    for (const Level& level : factor.levels) levels += (levels.empty() ? "" : ", ") + level.name;
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", factor.name, levels);
  }
  return text;
}

std::string requirement_words(const StudySpec& spec, int wording, const Hypothesis& h) {
  std::string text;
  for (const Requirement& required : h.requirements)
    text += fmt::format("{}{} is {}", text.empty() ? "" : "; ", required.metric,
                        region_words(spec, requirement_of(h, required), wording));
  return text;
}

/// The count of one arm.
AddressValue of_arm(const std::array<int, 2>& counts, const std::string& arm, const std::string& address) {
  if (arm == "treatment") return std::to_string(counts[0]);
  if (arm == "control") return std::to_string(counts[1]);
  return unknown("there is no such arm", arm, address + ".", {"treatment", "control"});
}

using Table = std::vector<std::pair<std::string, AddressValue>>;

/// `shown`: the subject as messages have it.
AddressValue table_value(const std::string& subject, const std::string& shown, const Members& steps,
                         const Table& table) {
  Members known;
  for (const auto& [member, value] : table) {
    if (steps.size() == 2 && steps[1] == member) return value;
    known.push_back(member);
  }
  return unknown(shown + " has no such value", steps.size() > 1 ? steps[1] : "", subject + ".", known);
}

AddressValue table_value(const std::string& subject, const Members& steps, const Table& table) {
  return table_value(subject, "`" + subject + "`", steps, table);
}

AddressValue hypothesis_value(const StudySpec& spec, int wording, const HypothesisRecord& record,
                              const Members& steps) {
  const Hypothesis& h = record.hypothesis;
  const std::string& member = steps[1];
  const bool of_arms = steps.size() == 3 && (member == "n" || member == "failed");
  const bool judged = record.result.has_value(), withdrawn = !record.withdrawn.empty();
  if (of_arms && judged && !withdrawn)
    return of_arm(member == "n" ? record.result->n : record.result->failed, steps[2], h.id + "." + member);
  const ShownResult s = judged ? shown(spec, record) : ShownResult{};
  const auto of_result = [&](AddressValue value) {
    return judged ? std::move(value)
                  : NoValue{"is withheld", fmt::format("{} is open until its experiment is analysed", h.id)};
  };
  const auto number = [&](const ShownNumber& shown) {
    return of_result(shown.missing ? AddressValue(missing(*shown.missing)) : AddressValue(shown.text));
  };
  const char* const verdict = withdrawn ? "withdrawn" : "exploratory";
  const bool own_verdict = judged && !withdrawn && !record.exploratory;
  return table_value(h.id.text(), h.id.text(), of_arms ? Members{steps[0], member} : steps,
                     {{"statement", quoted(h.statement)},
                      {"finding", of_result(finding_words(spec, record, wording))},
                      {"found", of_result(found_words(spec, record, wording))},
                      {"size", of_result(size_words(spec, record, wording))},
                      {"mechanism", h.mechanism.empty() ? AddressValue(missing("none was stated"))
                                                        : AddressValue(quoted(h.mechanism))},
                      {"metric", h.metric},
                      {"treatment", cell_text(h.treatment)},
                      {"control", h.kind == HypothesisKind::slope ? AddressValue(missing("a slope has none"))
                                                                  : AddressValue(cell_text(h.control))},
                      {"where", h.where.empty() ? AddressValue(missing("it fixes no further factor"))
                                                : AddressValue(cell_text(h.where))},
                      {"along", or_missing(h.along, "it is no slope")},
                      {"steps", or_missing(step_words(h), "it compares no levels of a further factor")},
                      {"crossed", or_missing(crossed_words(spec, h), "every factor is fixed")},
                      {"requirements", or_missing(requirement_words(spec, wording, h), "it requires nothing else")},
                      {"region", region_words(spec, h, wording)},
                      {"verdict", of_result(own_verdict ? words_of(record.result->verdict) : verdict)},
                      {"effect", number(s.effect)},
                      {"effect_relative", number(s.relative_effect)},
                      {"interval", number(s.interval)},
                      {"interval_relative", number(s.relative_interval)},
                      {"interval_bca", number(s.bootstrap)},
                      {"level", number(s.level)},
                      {"p", number(s.p)},
                      {"p_corrected", number(s.p_corrected)},
                      {"n", number(s.n)},
                      {"failed", number(s.failed)},
                      {"power", number(s.power)},
                      {"se", number(s.se)},
                      {"df", number(s.df)},
                      {"reason", of_result(judged ? sentence(record.result->reason, wording) : "")}});
}

AddressValue runs_value(const Study& study, const Members& steps) {
  std::vector<std::pair<std::string, AddressValue>> table = {{"total", std::to_string(study.runs.size())},
                                                             {"scratch", std::to_string(study.counted.scratch)},
                                                             {"cached", std::to_string(study.counted.cached)}};
  for (const RunState state : enumerators<RunState>())
    table.emplace_back(std::string(name(state)), std::to_string(study.counted.in[static_cast<std::size_t>(state)]));
  for (const Purpose purpose : {Purpose::registered, Purpose::smoke, Purpose::pilot, Purpose::aa})
    table.emplace_back(
        std::string(name(purpose)),
        std::to_string(std::ranges::count_if(study.runs, [&](const Run& run) { return run.purpose == purpose; })));
  if (study.search) table.emplace_back("search", std::to_string(study.search->runs));
  if (const auto repeats = std::ranges::count(study.runs, Purpose::repeat, &Run::purpose); repeats > 0)
    table.emplace_back("repeat", std::to_string(repeats));
  return table_value("runs", steps, table);
}

AddressValue ledger_value(const Study& study, const Members& steps) {
  const Spending spent = spending_of(study, {0, study.last_boot_ms});
  const std::optional<EnergySpent> energy = kernel::spent(study).energy;
  const auto of = [](double value, const char* unit) {
    return AddressValue(prose::with_unit(prose::rounded(value), unit));
  };
  return table_value("ledger", steps,
                     {{"runs", of(spent.runs.spent, "")},
                      {"wall_s", of(spent.wall_s.spent, "s")},
                      {"usd", of(spent.usd.spent, "USD")},
                      {"tokens", of(spent.tokens.spent, "")},
                      {"gpu_hours", of(spent.gpu_hours.spent, "h")},
                      {"energy_j", energy ? of(energy->joules, "J") : AddressValue(missing("no counter told"))}});
}

AddressValue study_value(const Study& study, const Members& steps) {
  const int family =
      study.family > 0 ? study.family : study.spec.design.family.value_or(static_cast<int>(study.hypotheses.size()));
  return table_value("study", steps,
                     {{"id", study.id},
                      {"title", quoted(study.spec.title)},
                      {"question", quoted(study.spec.question)},
                      {"family", std::to_string(family)},
                      {"opened", iso8601(study.opened_ms).substr(0, 10)}});
}

AddressValue hypotheses_value(const Hypotheses& study, const Members& steps) {
  std::map<Verdict, int> judged;
  int all = 0, exploratory = 0, open = 0, withdrawn = 0;
  for (const HypothesisRecord& record : study.hypotheses) {
    if (!record.withdrawn.empty()) {
      ++withdrawn;
      continue;
    }
    exploratory += record.exploratory ? 1 : 0;
    open += record.result ? 0 : 1;
    if (record.result && !record.exploratory) ++all, ++judged[record.result->verdict];
  }
  const auto judged_or_withheld = [&](int n) {
    const bool none = open > 0 && all + exploratory == 0;
    return none ? AddressValue(NoValue{"is withheld", "no hypothesis is analysed yet"})
                : AddressValue(std::to_string(n));
  };
  return table_value("hypotheses", steps,
                     {{"total", std::to_string(study.hypotheses.size())},
                      {"exploratory", std::to_string(exploratory)},
                      {"withdrawn", std::to_string(withdrawn)},
                      {"judged", judged_or_withheld(all)},
                      {"supported", judged_or_withheld(judged[Verdict::supported])},
                      {"refuted", judged_or_withheld(judged[Verdict::refuted])},
                      {"no_relevant_effect", judged_or_withheld(judged[Verdict::no_relevant_effect])},
                      {"inconclusive", judged_or_withheld(judged[Verdict::inconclusive])}});
}

AddressValue experiment_value(const Study& study, const Experiment& e, const Members& steps) {
  const Registration& r = e.registration;
  if (steps.size() >= 3) return cell_value(study, e, {steps.begin() + 1, steps.end()});
  return table_value(r.experiment.text(), steps,
                     {{"registration", e.hash.substr(0, 12)},
                      {"cells", std::to_string(r.cells.size())},
                      {"hypotheses", std::to_string(r.hypotheses.size())},
                      {"family", std::to_string(r.family)},
                      {"runs", std::to_string(std::ranges::count_if(study.runs, [&](const Run& run) {
                         return run.experiment == r.experiment && run.stage.empty();
                       }))}});
}

AddressValue run_value(const Study& study, const Run& run, const Members& steps) {
  const std::string subject = fmt::format("r{}", run.number);
  if (!run.ended()) return NoValue{"is withheld", subject + " has not ended"};
  // A reason may hold words of the job, which knows its seed.
  const Experiment* of = study.experiment(run.experiment);
  if (of && seeds_are_sealed(study, *of) && steps.size() == 2 && steps[1] == "reason")
    return NoValue{"is withheld", fmt::format("{} is open until its experiment is analysed", run.experiment)};
  return table_value(subject, steps,
                     {{"state", std::string(name(run.state))},
                      {"reason", run.reason.empty() ? AddressValue(missing("none was recorded"))
                                                    : AddressValue(quoted(sentence(run.reason, study.wording)))}});
}

const Run* run_of(const RunBoard& study, const std::string& subject) {
  int number = 0;
  const auto [end, error] = std::from_chars(subject.data() + 1, subject.data() + subject.size(), number);
  const bool whole =
      subject.size() > 1 && subject[0] == 'r' && error == std::errc() && end == subject.data() + subject.size();
  return whole ? study.run(number) : nullptr;
}

}  // namespace

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  bool inside = false;
  for (const char c : text) {
    if (c == '"') inside = !inside;
    if (c == separator && !inside)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

AddressValue value_at(const Study& study, std::string_view address) {
  const Members steps = parts_of(address, '.');
  const bool open_quote = std::ranges::count(address, '"') % 2 != 0;
  if (open_quote || std::ranges::find(steps, "") != steps.end())
    return NoValue{"is no address", "write SUBJECT.VALUE between double braces on one line, as in {{H1.effect}}"};
  Members subjects = {"runs", "ledger", "study", "hypotheses"};
  for (const HypothesisRecord& record : study.hypotheses) {
    if (record.hypothesis.id.text() == steps[0] && steps.size() > 1)
      return hypothesis_value(study.spec, study.wording, record, steps);
    subjects.push_back(record.hypothesis.id.text());
  }
  for (const Experiment& e : study.experiments) {
    if (e.registration.experiment.text() == steps[0] && steps.size() > 1) return experiment_value(study, e, steps);
    subjects.push_back(e.registration.experiment.text());
  }
  if (steps[0] == "runs") return runs_value(study, steps);
  if (steps[0] == "ledger") return ledger_value(study, steps);
  if (steps[0] == "study") return study_value(study, steps);
  if (steps[0] == "hypotheses") return hypotheses_value(study, steps);
  if (const Run* run = run_of(study, steps[0])) return run_value(study, *run, steps);
  if (std::ranges::find(subjects, steps[0]) != subjects.end())
    return NoValue{"is no address: it names no value", fmt::format("write {{{{{}.VALUE}}}}", steps[0])};
  std::string rest(address.substr(std::min(address.size(), steps[0].size())));
  NoValue none = unknown("there is no such subject", steps[0], "", subjects);
  if (const std::string near = prose::nearest(steps[0], subjects); !near.empty())
    none.todo = fmt::format("did you mean {{{{{}{}}}}}?", near, rest);
  return none;
}

}  // namespace kernel
