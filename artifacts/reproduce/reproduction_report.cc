#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/reproduce/imported_modules.h"
#include "artifacts/reproduce/reproduction.h"
#include "artifacts/text/escaping.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/words/study_words.h"
#include "base/digest.h"
#include "kernel/codec/json_types.h"
#include "kernel/domain/enum_names.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::HypothesisResult;
using nlohmann::json;

namespace {

json number(const std::optional<double>& value) {
  return value ? kernel::number_json(*value) : json();
}

json side(const std::optional<HypothesisResult>& r) {
  if (!r) return json::object();
  return {{"verdict", kernel::name(r->verdict)},
          {"effect", number(r->effect)},
          {"effect_relative", number(r->effect_relative)},
          {"interval", {number(r->low), number(r->high)}},
          {"level", r->level},
          {"p", number(r->p)},
          {"n", r->n},
          {"failed", r->failed}};
}

json value_json(const ValueComparison& v) {
  return {{"metric", v.metric},
          {"recorded", kernel::number_json(v.recorded)},
          {"observed", kernel::number_json(v.observed)},
          {"reach", number(v.reach)},
          {"outcome", name_of(v.outcome)}};
}

json run_json(const RunComparison& r) {
  const bool run = !r.observed.empty();
  json values = json::array();
  for (const ValueComparison& v : r.values) values.push_back(value_json(v));
  return {{"recorded", r.recorded},
          {"observed", run ? json(r.observed) : json()},
          {"experiment", r.experiment},
          {"factors", r.cell},
          {"seed", r.seed},
          {"state",
           {{"recorded", kernel::name(r.recorded_state)},
            {"observed", run ? json(kernel::name(r.observed_state)) : json()}}},
          {"outcome", name_of(r.outcome)},
          {"reason", r.reason},
          {"values", std::move(values)}};
}

json sample_json(const SampleReport& sample, const ReproductionReport& report) {
  json caught = json::array();
  for (const Caught& c : sample.caught)
    caught.push_back({{"share", c.share}, {"fabricated", c.fabricated}, {"chance", c.chance}});
  return {{"seed", sample.seed},
          {"drawn", sample.drawn},
          {"of", sample.of},
          {"compared", sample.compared},
          {"agree", report.count(RunOutcome::agrees)},
          {"caught", std::move(caught)},
          {"text", report.runs_text()}};
}

json counts_json(const ReproductionReport& report) {
  json counts = json::object();
  for (const RunOutcome outcome : {RunOutcome::agrees, RunOutcome::differs, RunOutcome::failed_to_run,
                                   RunOutcome::undecidable, RunOutcome::not_run})
    counts[std::string(name_of(outcome))] = report.count(outcome);
  return counts;
}

/// The output of a command that was run; its bytes are next to the report.
json printed_json(const ReproductionReport& report) {
  if (report.command.empty()) return nullptr;
  return {{"bytes", report.printed.size()},
          {"sha256", kernel::sha256_hex(report.printed)},
          {"exit", report.exit ? json(*report.exit) : json()}};
}

/// Longer pages are not read; the JSON file has all rows.
constexpr std::size_t most_rows = 2000;

std::string chosen_words(const ReproductionReport& report) {
  const kernel::ReproductionTerms& terms = report.terms;
  std::string text =
      terms.claims.empty() ? "All claims" : "Of the claims, " + joined_text(terms.claims, ", ", in_markdown);
  if (report.sample)
    return text + fmt::format(": {} of {}, drawn with the reader's seed {}, each run again with its own seed.",
                              report.sample->drawn, prose::counted(report.sample->of, "run"), report.sample->seed);
  if (terms.fresh) return text + fmt::format(", on fresh seeds: the study's seed is {}.", terms.seed);
  return text + ", with the seeds that were recorded.";
}

std::string claims_section(const ReproductionReport& report) {
  PlainTable table;
  table.header = {"Claim", "Outcome", "Recorded", "Observed", "Why"};
  for (const ClaimComparison& c : report.claims)
    table.rows.push_back({c.hypothesis.empty() ? c.claim : c.claim + " (" + c.hypothesis + ")",
                          std::string(name_of(c.outcome)), c.recorded_text.empty() ? "none" : c.recorded_text,
                          c.observed_text.empty() ? "none" : c.observed_text, c.reason});
  return "\n## Claims\n\n" + (table.rows.empty() ? "The artifact makes none.\n" : markdown_table(table));
}

std::string sample_section(const ReproductionReport& report) {
  if (!report.sample) return "";
  PlainTable table;
  table.header = {"If so many runs were fabricated", "Chance that the sample contains one"};
  int before = 0;  // Of few runs, two shares can be the same number of them.
  for (const Caught& c : report.sample->caught) {
    if (c.fabricated != before)
      table.rows.push_back(
          {fmt::format("{} of {}", c.fabricated, report.sample->of), fmt::format("{:.1f} %", 100 * c.chance)});
    before = c.fabricated;
  }
  return "\n## What the sample could have caught\n\n" + in_markdown(report.runs_text()) + ".\n\n" +
         markdown_table(table) +
         fmt::format(
             "\nOf {}, drawn without putting any back, {} could be compared: the chance that at least one of "
             "those that were fabricated is among them (hypergeometric). What was fabricated within the noise "
             "of a cell is not seen.\n",
             prose::counted(report.sample->of, "run"), report.sample->compared);
}

std::string values_words(const RunComparison& run, bool recorded) {
  const std::string text = joined_text(run.values, ", ", [&](const ValueComparison& v) {
    return fmt::format("{} = {}", v.metric, recorded ? v.recorded : v.observed);
  });
  return text.empty() ? std::string(recorded               ? kernel::name(run.recorded_state)
                                    : run.observed.empty() ? "not run"
                                                           : kernel::name(run.observed_state))
                      : text;
}

std::string runs_section(const ReproductionReport& report) {
  std::string text = "\n## Runs\n\n";
  if (report.terms.fresh) return text + "On fresh seeds no run has a counterpart; the claims are compared.\n";
  if (report.runs.empty()) return text + "None was run again.\n";
  if (!report.sample) text += in_markdown(report.runs_text()) + ".\n\n";
  PlainTable table;
  table.header = {"Recorded", "Again", "Cell", "Seed", "Outcome", "Recorded values", "Observed values", "Why"};
  for (const RunComparison* run : report.telling_first()) {
    if (table.rows.size() == most_rows) break;
    table.rows.push_back({run->recorded, run->observed.empty() ? "none" : run->observed, assigned(run->cell),
                          std::to_string(run->seed), std::string(name_of(run->outcome)), values_words(*run, true),
                          values_words(*run, false), run->reason});
  }
  text += markdown_table(table);
  if (report.runs.size() > most_rows)
    text += fmt::format("\n{} more stand in reproduction.json.\n", report.runs.size() - most_rows);
  return text;
}

std::string environment_section(const ReproductionReport& report) {
  PlainTable table;
  table.header = {"What", "When recorded", "Now"};
  for (const EnvironmentDifference& d : report.environment) table.rows.push_back({d.what, d.recorded, d.observed});
  return "\n## Differences of environment\n\n" + (table.rows.empty() ? "None is known.\n" : markdown_table(table));
}

/// "2 reproduced, 1 diverged"; of a sample "10 of 10 runs match; claims not re-tested".
std::string answer_words(const ReproductionReport& report) {
  std::map<ClaimOutcome, int> counts;
  for (const ClaimComparison& c : report.claims) ++counts[c.outcome];
  const bool contradicted = std::ranges::any_of(
      counts, [](const auto& one) { return one.first != ClaimOutcome::not_attempted && one.second > 0; });
  if (report.sample && !contradicted)
    return fmt::format("{} of {} match; claims not re-tested", report.count(RunOutcome::agrees),
                       prose::counted(report.sample->drawn, "run"));
  const std::string sum =
      joined_text(counts, ", ", [](const auto& one) { return fmt::format("{} {}", one.second, name_of(one.first)); });
  return sum.empty() ? "no claims" : sum;
}

/// What differed: stated values, runs, the environment.
std::string differences_text(const ReproductionReport& report) {
  std::string text;
  const auto line = [&](std::string_view word, const std::string& rest) {
    text += fmt::format("{:<14} {}\n", word, rest);
  };
  for (const kernel::Untrue& u : report.terms.untrue) line("untrue", printable(u.what));
  constexpr int most = 20;
  int told = 0;
  for (const RunComparison* run : report.telling_first())
    if (run->outcome != RunOutcome::agrees && ++told <= most)
      line(name_of(run->outcome), fmt::format("{}: {}", printable(run->recorded), printable(run->reason)));
  if (told > most) line("", fmt::format("and {} more runs, which the report lists", told - most));
  if (const std::string runs = report.runs_text(); !runs.empty()) line(report.sample ? "sample" : "runs", runs);
  int others = 0;
  for (const EnvironmentDifference& d : report.environment) {
    if (!d.library.empty() && report.imports && !is_imported(d.library, *report.imports)) {
      ++others;
      continue;
    }
    line("differs",
         fmt::format("{}: {} when recorded, {} now", printable(d.what), printable(d.recorded), printable(d.observed)));
  }
  if (others > 0)
    line("differs", fmt::format("{} that the code does not import, which the report lists",
                                others == 1 ? "1 library" : fmt::format("{} libraries", others)));
  return text;
}

}  // namespace

json to_json(const ReproductionReport& report) {
  json claims = json::array(), environment = json::array(), runs = json::array(), untrue = json::array();
  for (const ClaimComparison& c : report.claims)
    claims.push_back({{"id", c.claim},
                      {"hypothesis", c.hypothesis},
                      {"outcome", name_of(c.outcome)},
                      {"reason", c.reason},
                      {"recorded", side(c.recorded)},
                      {"observed", side(c.observed)}});
  for (const EnvironmentDifference& d : report.environment)
    environment.push_back({{"what", d.what}, {"recorded", d.recorded}, {"observed", d.observed}});
  for (const RunComparison& run : report.runs) runs.push_back(run_json(run));
  for (const kernel::Untrue& u : report.terms.untrue)
    untrue.push_back({{"experiment", u.experiment.empty() ? json() : json(u.experiment)}, {"what", u.what}});
  return {{"artifact", report.artifact},
          {"study", report.study.empty() ? json() : json(report.study)},
          {"command", report.command.empty() ? json() : json(report.command)},
          {"printed", printed_json(report)},
          {"recorded", {{"study", report.recorded_study}, {"head", report.recorded_head}}},
          {"outcome", name_of(report.outcome)},
          {"claims", std::move(claims)},
          {"chosen", report.terms.claims.empty() ? json() : json(report.terms.claims)},
          {"seeds", report.terms.fresh ? "fresh" : "same"},
          {"seed", report.terms.fresh || report.sample ? json(report.terms.seed) : json()},
          {"sample", report.sample ? sample_json(*report.sample, report) : json()},
          {"runs", std::move(runs)},
          {"run_counts", counts_json(report)},
          {"untrue", std::move(untrue)},
          {"run_s", {{"recorded", report.recorded_seconds}, {"observed", report.observed_seconds}}},
          {"environment", std::move(environment)}};
}

std::string to_text(const ReproductionReport& report) {
  std::string text;
  const auto line = [&](std::string_view word, const std::string& rest) {
    text += fmt::format("{:<14} {}\n", word, rest);
  };
  for (const ClaimComparison& c : report.claims) {
    // A sample reaches no verdict on a claim that it does not contradict.
    if (report.sample && c.outcome == ClaimOutcome::not_attempted) continue;
    const std::string of = c.hypothesis.empty() ? "" : fmt::format(" ({})", printable(c.hypothesis.text()));
    line(name_of(c.outcome), fmt::format("{}{}: {}", printable(c.claim), of, printable(c.reason)));
    if (!c.recorded_text.empty()) line("", "  recorded " + printable(c.recorded_text));
    if (!c.observed_text.empty()) line("", "  observed " + printable(c.observed_text));
  }
  text += fmt::format("{}: {}\n", printable(report.artifact), answer_words(report));
  std::string differed = differences_text(report);
  return text + (differed.empty() ? "" : "\n" + differed);
}

std::string to_markdown(const ReproductionReport& report) {
  std::string text = "# Reproduction: " + std::string(name_of(report.outcome)) + "\n\n";
  if (report.study.empty()) {
    text += "The artifact " + in_code(report.artifact) + " registered no design. ";
    text += report.command.empty()
                ? "Nothing of it was run.\n"
                : "Of it " + in_code(report.command) + " was run, in a copy and inside a sandbox: " +
                      (report.exit ? fmt::format("exit status {}", *report.exit) : "it did not end by itself") +
                      fmt::format(", {} bytes printed.\n", report.printed.size());
    return text + claims_section(report);
  }
  text += "The design that " + in_code(report.artifact) + " registered (study " + in_markdown(report.recorded_study) +
          ", chain head " + in_code(report.recorded_head) + ") was run again as study " + in_markdown(report.study) +
          ", in a clean workspace and inside a sandbox that the artifact cannot relax. " + chosen_words(report) + "\n";
  text += fmt::format("\nIts evidence took {} of run time when it was recorded, and {} now.\n",
                      prose::duration_text(report.recorded_seconds), prose::duration_text(report.observed_seconds));
  if (!report.terms.untrue.empty()) {
    text += "\n## What the artifact states and its log does not have\n\n";
    for (const kernel::Untrue& u : report.terms.untrue) text += "- " + in_markdown(u.what) + "\n";
  }
  return text + claims_section(report) + sample_section(report) + runs_section(report) + environment_section(report);
}

}  // namespace artifacts
