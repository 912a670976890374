#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/report.h"
#include "kernel/binding/known_facts.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/blocks.h"
#include "kernel/sizing/interim_looks.h"
#include "kernel/study/ledger.h"
#include "kernel/study/requirements.h"
#include "kernel/verdicts/verdict_reason.h"
#include "kernel/views/models_shape.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Purpose;
using kernel::Run;
using kernel::RunState;
using kernel::Study;

namespace {

/// Adds a capital, unless a name of the study comes first, and a full stop.
std::string sentence(const kernel::StudyTerms& terms, std::string text) {
  std::size_t end = 0;
  while (end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
  const std::string first = text.substr(0, end);
  const bool word =
      end > 0 && (end == text.size() || std::string_view(" ,:;").find(text[end]) != std::string_view::npos);
  const auto names = [&](const auto& list) {
    return std::ranges::any_of(list, [&](const auto& one) { return one.name == first; });
  };
  if (word && !names(terms.spec.metrics) && !names(terms.spec.factors))
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  if (!text.empty() && std::string_view(".!?").find(text.back()) == std::string_view::npos) text += ".";
  return text;
}

std::string counts_table(const kernel::RunBoard& board) {
  PlainTable table;
  table.header = {"Purpose", "Runs"};
  for (const RunState state : kernel::enumerators<RunState>()) {
    if (!kernel::is_end(state)) continue;
    std::string& word = table.header.emplace_back(kernel::words_of(state));
    word.front() = static_cast<char>(std::toupper(word.front()));
  }
  table.header.push_back("Run again");
  table.right.assign(table.header.size(), true);
  table.right.front() = false;
  for (const Purpose purpose : {Purpose::registered, Purpose::aa, Purpose::search, Purpose::pilot, Purpose::smoke,
                                Purpose::comparison, Purpose::repeat, Purpose::scratch}) {
    const PurposeCounts c = counts_of_purpose(board, purpose);
    if (c.total == 0) continue;
    std::vector<std::string> row = {std::string(kernel::name(purpose)), std::to_string(c.total)};
    for (const auto& [state, n] : c.ended) row.push_back(std::to_string(n));
    row.push_back(std::to_string(c.superseded));
    table.rows.push_back(std::move(row));
  }
  return table.rows.empty() ? "No run was started.\n" : markdown_table(table);
}

std::string failures(const Study& study) {
  constexpr std::size_t most = 40;
  PlainTable table;
  table.header = {"Run", "Purpose", "Cell", "Seed", "State", "Counts", "Reason"};
  std::size_t all = 0;
  for (const Run& run : study.runs) {
    if (!run.ended() || run.state == RunState::succeeded) continue;
    if (++all > most) continue;
    table.rows.push_back({study.run_id(run.number), std::string(kernel::name(run.purpose)),
                          cell_text(cell_of(study, run)), std::to_string(run.seed),
                          std::string(kernel::name(run.state)),
                          run.evidence()   ? "yes, against its arm"
                          : run.superseded ? "no, run again"
                                           : "no",
                          run.reason.empty() ? "none recorded" : sentence(run.reason, study.wording)});
  }
  if (table.rows.empty()) return study.runs.empty() ? "" : "\nEvery run succeeded.\n";
  std::string text = "\nWhat did not succeed:\n\n" + markdown_table(table);
  if (all > most)
    text += fmt::format("\n{} more stand in evidence/results.\n",
                        prose::counted(static_cast<long long>(all - most), "run"));
  return text;
}

std::string evaluator_line(const kernel::ExperimentId& experiment, const kernel::EvaluatorTerms& terms) {
  const std::string look =
      terms.tier == kernel::Tier::test ? fmt::format(", look {} of {} at its data", terms.look, terms.looks) : "";
  return fmt::format(
      "- **Evaluator**: the runs of {} were scored by `{}`{}; jobs see neither its data nor its copy of "
      "the code.\n",
      experiment, kernel::name(terms.tier), look);
}

/// "Future work" of "future_work".
std::string title_of(std::string name) {
  for (char& c : name)
    if (c == '_') c = ' ';
  if (!name.empty()) name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return name;
}

/// As a quotation, so that it cannot be taken for the report's own words.
std::string quotation(const std::string& text) {
  std::string quoted = "> ";
  for (const char c : text) {
    quoted += c;
    if (c == '\n') quoted += "> ";
  }
  return quoted + "\n";
}

std::string judged_words(const kernel::Hypotheses& study, const kernel::StudyRequirement& one) {
  if (one.question) return kernel::answer_to(study, one);
  if (one.judged == kernel::Judgement::open) return one.file.empty() ? "not met: " + one.unmet : "not judged";
  return std::string(one.judged == kernel::Judgement::met ? "met" : "not met") +
         (kernel::is_person(one.judge) ? " (a person's word): " : ": ") + one.why;
}

std::string subject_of(const kernel::StudyRequirement& one) {
  if (one.question) return "question";
  return one.version.empty() ? "method" : "code of " + one.version;
}

}  // namespace

double run_seconds(const Study& study) {
  // Before wording 9 the time of all runs stood beside the number of the registered ones.
  const bool of_all = study.wording < 9 && study.wording != kernel::codes_only;
  double sum = 0;
  for (const Run& run : study.runs)
    if (of_all || run.purpose == kernel::Purpose::registered) sum += run.outcome.usage.wall_s;
  return sum;
}

std::string runs_section(const Study& study) {
  std::string text = "\n## How the runs went\n\n" + counts_table(study) + failures(study);
  long long malformed = 0;
  for (const Run& run : study.runs) malformed += run.measurement.malformed;
  if (malformed) text += fmt::format("\n{} could not be understood.\n", prose::counted(malformed, "metric line"));
  return text;
}

std::string by_hand_section(const kernel::Exploration& study) {
  constexpr std::size_t most_shown = 200;
  std::string text;
  std::size_t all = 0;
  for (const kernel::Node& node : study.nodes) {
    if (node.by.empty() || node.type == kernel::NodeType::dead_end || ++all > most_shown) continue;
    const char* what = node.type == kernel::NodeType::experiment ? "Ran"
                       : node.type == kernel::NodeType::decision ? "Decided"
                                                                 : "Noted";
    const std::string said = value_in(node.fields, node.type == kernel::NodeType::decision ? "choice" : "description");
    text += fmt::format("- {} **{}** {}", kernel::iso8601(node.time_ms), what,
                        in_markdown(said.empty() ? node.title : said));
    if (const std::string why = value_in(node.fields, "rationale"); !why.empty()) text += " *Why:* " + in_markdown(why);
    for (const std::string& alternative : node.alternatives) text += " *Not:* " + in_markdown(alternative);
    if (!node.runs.empty()) text += " (" + in_markdown(fmt::format("{}", fmt::join(node.runs, ", "))) + ")";
    text += "\n";
  }
  if (text.empty()) return "";
  if (all > most_shown) text += fmt::format("- … and {} more, in trace/exploration_tree.yaml\n", all - most_shown);
  return "\n## By hand\n\nWhat a person ran and wrote down beside the design. None of it is evidence.\n\n" + text;
}

std::string dead_ends_section(const Study& study) {
  std::string text;
  for (const kernel::Node& node : study.nodes) {
    if (node.type != kernel::NodeType::dead_end) continue;
    text += fmt::format("- **{}** {}", in_markdown(with_stop(sentence(study, node.title), study.wording)),
                        in_markdown(sentence(study, value_in(node.fields, "why_failed"))));
    if (const std::string lesson = value_in(node.fields, "lesson"); !lesson.empty())
      text += " *Lesson:* " + in_markdown(sentence(study, lesson));
    text += "\n";
  }
  return text.empty() ? "" : "\n## Dead ends\n\n" + text;
}

std::string design_section(const Study& study) {
  std::string text = "\n## Design\n\n";
  for (const kernel::Experiment& e : study.experiments) {
    const kernel::Registration& r = e.registration;
    text +=
        fmt::format("- **{}** was registered {} under `{}`: {} in {}, a family of {} sharing alpha {}.\n", r.experiment,
                    kernel::iso8601(e.registered_ms), e.hash,
                    prose::counted(static_cast<long long>(r.hypotheses.size()), "hypothesis"),
                    prose::counted(static_cast<long long>(r.cells.size()), "cell"), r.family, prose::rounded(r.alpha));
    text += r.pairing == kernel::Pairing::seed
                ? fmt::format("- **Pairing**: by seed; every replicate uses one seed in all cells{}.\n",
                              kernel::in_blocks(study.spec) ? " of a block" : "")
                : "- **Pairing**: none; every run has a seed of its own.\n";
    if (kernel::in_blocks(study.spec))
      text +=
          "- **Unit**: block (" + in_markdown(kernel::blocks_words(study.spec)) +
          "); an arm's runs in a block are averaged, arms are compared within blocks, and no two blocks share seeds.\n";
    text += r.order == kernel::Order::random ? "- **Order**: cells interleaved, shuffled within each replicate.\n"
                                             : "- **Order**: as listed, within each replicate.\n";
    for (const double share : kernel::looks_of(r))
      text += fmt::format("- **Look** at {} of every cell's replicates; the boundary spends alpha over all looks.\n",
                          prose::share_text(share));
  }
  for (const kernel::Experiment& e : study.experiments)
    if (e.registration.terms && e.registration.terms->evaluator)
      text += evaluator_line(e.registration.experiment, *e.registration.terms->evaluator);
  if (study.experiments.empty()) text += "- No experiment was registered.\n";
  text += study.spec.seeds == kernel::SeedRule::drawn
              ? "- **Seeds** were drawn at registration; those of runs stand in evidence/results.\n"
              : fmt::format("- **Seed** of the study: {}; seeds of runs stand in evidence/results.\n", study.spec.seed);
  text += command_lines(study.spec);
  if (study.check)
    text += study.check->skipped            ? "- **Manipulation check**: skipped.\n"
            : study.check->findings.empty() ? "- **Manipulation check**: every factor and the seed changed something.\n"
                                            : "- **Manipulation check**: it found something; see the top.\n";
  if (const std::vector<kernel::SizeRecord> sizes = study.all_sizes(); !sizes.empty()) {
    PlainTable table;
    table.header = {"Hypothesis", "Replicates", "Power", "Standard deviation in the pilot", "How"};
    table.right = {false, true, true, true, false};
    for (const kernel::SizeRecord& s : sizes)
      table.rows.push_back({s.hypothesis.text(), std::to_string(s.replicates),
                            s.power ? fmt::format("{:.2f}", *s.power) : "not known",
                            s.sd ? prose::rounded(*s.sd, *s.sd / 2) : "no pilot", sentence(s.how, study.wording)});
    text += "\nSizes and how they came about:\n\n" + markdown_table(table);
  }
  return text;
}

std::string cost_section(const Study& study) {
  const kernel::Account all = kernel::spent(study);
  double cpu_s = 0;
  for (const kernel::Run& run : study.runs)
    if (run.cached_from.empty()) cpu_s += run.outcome.usage.cpu_s;
  std::string text = "\n## Cost and energy\n\n";
  text +=
      fmt::format("- **Runs**: {}, also those that are no evidence; {} of run time, {} of processor time.\n",
                  prose::counted(all.runs, "run"), prose::duration_text(all.run_seconds), prose::duration_text(cpu_s));
  text += all.gpu_seconds > 0
              ? fmt::format("- **GPUs**: {} GPU hours.\n", prose::rounded(all.gpu_seconds / kernel::seconds_an_hour))
              : "- **GPUs**: none was asked for.\n";
  if (all.energy)
    text += fmt::format("- **Energy**: {} J over {}, by the machine's counters{}.\n",
                        prose::rounded(all.energy->joules), prose::counted(all.energy->runs, "run"),
                        all.energy->exclusive ? "" : ", with what else went on beside some of them");
  else
    text += "- **Energy**: not measured, for no counter of the machine could be read.\n";
  const bool unpriced = std::ranges::any_of(study.models, [](const kernel::ModelUse& use) { return use.unpriced > 0; });
  text += all.calls > 0 ? fmt::format("- **Models**: {}, {}, {} USD{}.\n", prose::counted(all.calls, "call"),
                                      prose::counted(all.tokens, "token"), prose::rounded(all.usd),
                                      unpriced ? ", without the calls whose price is not known" : "")
                        : "- **Models**: none was asked.\n";
  for (const std::string& words : kernel::paid_answers_words(kernel::paid_answers_shape(study.answers)))
    text += fmt::format("- **Answers**: {}; paid before the study.\n", in_markdown(words));
  return text;
}

std::string environment_section(const kernel::StudyTerms& terms) {
  std::string text = "\n## Environment\n\n";
  for (const auto& [key, value] : terms.environment.machine)
    text += fmt::format("- **{}**: {}\n", in_markdown(key), in_markdown(value));
  for (const kernel::ProgramRecord& p : terms.environment.programs)
    text += fmt::format("- **{}**: {}, {}\n", in_markdown(p.name),
                        p.version.empty() ? "no version told" : in_markdown(p.version), in_code(p.path));
  for (const kernel::DataRecord& data : terms.data)
    text += fmt::format("- **data {}**: {}\n", in_markdown(data.name), in_markdown(data.identity));
  for (const kernel::SealedData& data : terms.sealed)
    text += fmt::format("- **data of the evaluator, {}, {}**: {}\n", kernel::name(data.tier), in_markdown(data.place),
                        in_markdown(data.identity));
  text += fmt::format("- **workspace**: `{}`, {}, {}\n", terms.workspace.hash.text(),
                      prose::counted(terms.workspace.files, "file"), prose::bytes_text(terms.workspace.bytes));
  text += fmt::format("- **jobs at a time**: {}\n", terms.jobs);
  return text;
}

std::string reproduction_section(const ReportInput& input) {
  std::string text = "\n## Run it again\n\n";
  text +=
      input.study.spec.captured()
          ? "Nothing was registered, so there is nothing that `etude reproduce` could run again and compare: a study "
            "whose hypotheses say what was seen here can be. "
      : input.study.spec.code
          ? "`etude reproduce DIR`, with the folder that holds this report, runs the versions of the code that were "
            "confirmed once more, on the registered seeds, and says of every claim whether it held. Models wrote them, "
            "so the search itself is not run again from here; in the home that has its journal, `etude run STUDY.yaml "
            "--agents replay:ID` follows it. "
          : "`etude reproduce DIR`, with the folder that holds this report, runs the registered design with the "
            "same code and seeds, and says of every claim whether it held. ";
  text += "`etude check DIR` verifies that nothing in the folder was changed.\n\n";
  text += fmt::format(
      "Head of the study's event chain (trace/events.jsonl), to be kept elsewhere as a seal:\n\n```\n{}\n```\n\n",
      input.head);
  return text +
         fmt::format("Written by etude {} from the events up to that head; no sentence comes from anywhere else.\n",
                     input.tool_version);
}

std::string written_section(const kernel::Journal& journal) {
  std::string text;
  for (const std::string& name : kernel::section_names())
    for (const kernel::Section& section : journal.thinking.sections)
      if (section.name == name) text += fmt::format("\n### {}\n\n{}", title_of(name), quotation(section.text));
  if (text.empty()) return "";
  return fmt::format(
             "\n## In the agent's words\n\nA language model ({}) wrote what follows. Its numbers are the record's, and "
             "where it "
             "gives a direction, a verdict shows it; what they mean is its opinion.\n",
             in_markdown(journal.thinking.sections.front().by)) +
         text;
}

std::string references_section(const Study& study) {
  std::string text;
  for (const kernel::CitedWork& cited : kernel::cited_works(study)) {
    const kernel::Work& work = *cited.work;
    text += fmt::format("- **{}**: {}.", in_markdown("[@" + work.key + "]"), in_markdown(kernel::described(work)));
    if (!work.doi.empty()) text += " DOI " + in_code(work.doi) + ".";
    if (work.doi.empty() && !work.arxiv.empty()) text += " arXiv " + in_code(work.arxiv) + ".";
    if (work.doi.empty() && work.arxiv.empty() && !work.url.empty()) text += " " + in_code(work.url) + ".";
    text += "\n";
  }
  return text.empty() ? "" : "\n## References\n\n" + text;
}

std::string requirements_section(const Study& study) {
  const std::vector<kernel::StudyRequirement>& all = study.thinking.requirements;
  if (all.empty()) return "";
  PlainTable table;
  table.header = {"", "Of the", "Required", "Where", "Found"};
  for (const kernel::StudyRequirement& one : all)
    table.rows.push_back({one.id, subject_of(one), one.text,
                          one.file.empty() ? "" : fmt::format("{}:{}-{}", one.file, one.from, one.to),
                          judged_words(study, one)});
  return "\n## What the question required\n\nDrawn by agents; those of the method were confirmed by another, from the "
         "source alone, before anything was registered.\n\n" +
         markdown_table(table);
}

}  // namespace artifacts
