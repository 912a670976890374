#include "artifacts/write/paper_words.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include "artifacts/text/escaping.h"
#include "artifacts/text/json_text.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/words/result_tables.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/layers.h"
#include "artifacts/write/report.h"
#include "kernel/binding/known_facts.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/blocks.h"
#include "kernel/study/gates.h"
#include "kernel/views/agents_code.h"
#include "kernel/views/finding.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::HypothesisRecord;
using kernel::Study;

namespace {

constexpr std::size_t most_in_abstract = 4;

/// An identifier of the SPDX list, and no expression or license of one's own, which the formats would refuse.
bool is_listed_license(const std::string& license) {
  return !license.empty() && license.find_first_of(" ():") == license.npos && !license.starts_with("LicenseRef-");
}

std::string results(const Study& study) {
  PlainTable table;
  table.header = {"Claim", "The author's statement", "Verdict", "Effect", "Interval", corrected_name(study.spec), "n"};
  table.right = {false, false, false, true, false, true, true};
  for (const HypothesisRecord& record : study.hypotheses) {
    const std::string claim = claim_id(study, record.hypothesis.id);
    std::vector<std::string> row = {claim.empty() ? record.hypothesis.id.text() : claim,
                                    "“" + without_stop(record.hypothesis.statement) + "”", verdict_text(record)};
    if (record.result && record.withdrawn.empty()) {
      const ShownResult s = shown(study.spec, record);
      const kernel::MeasuredText measured = kernel::measured(study.spec, record, study.wording);
      for (const kernel::ShownNumber* number : {&measured.effect, &measured.interval, &s.p_corrected, &s.n})
        row.push_back(number->text);
    }
    row.resize(table.header.size());
    table.rows.push_back(std::move(row));
  }
  std::string text = "\n## Results\n\n";
  if (table.rows.empty()) return text + "No hypothesis was proposed.\n";
  return text + markdown_table(table) +
         "\nIntervals hold for the whole family of hypotheses at once. evidence/tables has the other numbers of each "
         "test, evidence/figures pictures, and evidence/results every run.\n";
}

std::string levels_of(const kernel::Factor& factor) {
  if (factor.range)
    return fmt::format("{} ({} to {})", in_markdown(factor.name), prose::rounded(factor.range->low),
                       prose::rounded(factor.range->high));
  return fmt::format("{} ({})", in_markdown(factor.name),
                     in_markdown(joined_text(factor.levels, ", ", &kernel::Level::name)));
}

std::string design_words(const Study& study, const kernel::Experiment& e) {
  const kernel::Registration& r = e.registration;
  const auto [least, most] = std::ranges::minmax(r.replicates.empty() ? std::vector{0} : r.replicates);
  std::string text =
      fmt::format("Experiment {} was registered on {} UTC, before its runs: {} in {}, with {} each.", r.experiment,
                  kernel::iso8601(e.registered_ms).substr(0, 16).replace(10, 1, " "),
                  prose::counted(std::ssize(r.hypotheses), r.hypotheses.size() == 1 ? "hypothesis" : "hypothese"),
                  prose::counted(std::ssize(r.cells), "cell"),
                  least == most ? prose::counted(most, "replicate") : fmt::format("{} to {} replicates", least, most));
  text += r.pairing == kernel::Pairing::seed ? " All cells of a replicate ran on the same seed, so that arms are "
                                               "compared in pairs."
                                             : " Each run had a seed of its own, so that nothing is paired.";
  if (kernel::in_blocks(study.spec))
    text += fmt::format(" The blocks are the {}.", in_markdown(kernel::blocks_words(study.spec)));
  text +=
      r.order == kernel::Order::random ? " The order of the runs was random." : " The runs followed the listed order.";
  return text + "\n";
}

std::string methods(const Study& study) {
  const kernel::StudySpec& spec = study.spec;
  std::string text = "\n## Methods\n\n";
  std::vector<std::string> factors;
  for (const kernel::Factor& factor : spec.factors) factors.push_back(levels_of(factor));
  text += fmt::format("The study varies {}. ", factors.empty() ? "nothing" : listed(factors));
  std::vector<std::string> metrics;
  for (const kernel::Metric& metric : spec.metrics)
    metrics.push_back(in_markdown(metric.name + in_brackets(metric.unit) + ", " +
                                  (metric.derived ? origin_text(metric) : summary_text(metric))));
  text += fmt::format("It measures {}.\n", joined_text(metrics, "; "));
  if (study.search)
    text += fmt::format(
        "\nSettings were selected first, by {}, whose runs are no evidence; what was selected was "
        "confirmed on fresh seeds.\n",
        study.search->plan.registered.experiment);
  for (const kernel::Experiment& e : study.experiments) text += "\n" + design_words(study, e);
  if (study.check && !study.check->skipped)
    text += "\nBefore the registration each factor and the seed were changed once, to see that each has an effect.\n";
  if (!study.experiments.empty())
    text +=
        spec.design.correction == kernel::Correction::holm
            ? "\nEach hypothesis was tested once, after the last run, with Holm's correction over the family. "
            : "\nEach hypothesis was tested once, after the last run; the false discovery rate of the batch is held "
              "(Benjamini and Hochberg). ";
  if (!study.experiments.empty())
    text +=
        "A hypothesis is supported if the whole interval lies inside the region that it claims, refuted if it lies "
        "wholly outside, and inconclusive otherwise. A failed run counts against its arm.\n";
  text += fmt::format(
      "\nThe runs used {}, up to {} at a time. src/environment.md has programs and versions, "
      "src/configs/parameters.md the whole design.\n",
      in_markdown(hardware_words(study)), prose::counted(study.jobs, "job"));
  return text;
}

/// Limits of every study of the kind, and the warnings of this one, each once.
std::string limitations(const Study& study) {
  std::string text = "\n## Limitations\n\n";
  for (const std::string& limit : limits(study)) text += "- " + in_markdown(limit) + "\n";
  std::vector<std::pair<std::string, std::vector<std::string>>> warnings;
  for (const HypothesisRecord& record : study.hypotheses) {
    if (!record.result || !record.withdrawn.empty()) continue;
    for (const std::string& warning : kernel::sentences(record.result->warnings, study.wording)) {
      auto known = std::ranges::find(warnings, warning, &std::pair<std::string, std::vector<std::string>>::first);
      if (known == warnings.end()) known = warnings.insert(warnings.end(), {warning, {}});
      known->second.push_back(record.hypothesis.id.text());
    }
  }
  for (const auto& [warning, of] : warnings)
    text += fmt::format("- {}: {}\n", listed(of), in_markdown(with_stop(warning, study.wording)));
  return text;
}

std::string changed_by_agents(const Study& study) {
  std::string text = "\n## What agents changed\n\n";
  const kernel::Reason code = kernel::agents_code(study);
  if (code.empty()) return text + "Nothing: all code that ran is a person's.\n";
  text += in_markdown(sentence(code, study.wording)) + "\n";
  if (const kernel::CodeAmendment* change = study.amendment())
    text += fmt::format("\nThe change is in src/amendment.diff, the original in src/workspace/{}.\n", change->original);
  return text;
}

std::string related(const Study& study) {
  const std::vector<kernel::CitedWork> cited = kernel::cited_works(study);
  std::string text = "\n## Related work\n\n";
  if (cited.empty() && study.spec.extends.empty() && study.reproduces.empty()) return text + "No work is cited.\n";
  for (const kernel::CitedWork& work : cited) text += "- " + in_markdown(kernel::described(*work.work)) + "\n";
  return text + (cited.empty() ? "" : "\n") + "logic/related_work.md says what each means for the claims.\n";
}

std::string license_words(const std::string& license) {
  return license.empty() ? "no license is stated" : "license " + in_markdown(license);
}

std::string availability(const Study& study) {
  const kernel::Publication& terms = study.spec.publication;
  std::string text = "\n## Data and code availability\n\n";
  text += fmt::format("- Code: src/workspace/{}, byte for byte ({}).\n", study.workspace.hash,
                      license_words(terms.code_license));
  if (const std::set<std::string> withheld = kernel::withheld_files(study); !withheld.empty()) {
    std::string named;
    for (const std::string& file : withheld) named += (named.empty() ? "" : ", ") + in_code(file);
    text += "- Not published, because a person kept back what looks like a secret: " + named + ".\n";
  }
  if (study.data.empty()) text += "- Data: no data set is declared; the code is the only input.\n";
  for (const kernel::DataRecord& data : study.data)
    text += fmt::format("- Data {}: {}, described in data/dataset.md ({}).\n", in_markdown(data.name),
                        in_markdown(data.identity), license_words(terms.data_license));
  text += fmt::format(
      "- Results and this text: every run in evidence/results, the whole event log in "
      "trace/events.jsonl ({}).\n",
      license_words(terms.license));
  text += study.spec.code ? "- `etude reproduce DIR` runs the confirmed versions of the code again.\n"
                          : "- `etude reproduce DIR` runs the registered design again and compares each claim.\n";
  return text;
}

std::string run_time_words(const Study& study) {
  const PurposeCounts counts = counts_of_purpose(study, kernel::Purpose::registered);
  return fmt::format("{} took {} of run time on {}, up to {} at a time", prose::counted(counts.total, "registered run"),
                     prose::duration_text(run_seconds(study)), hardware_words(study),
                     prose::counted(study.jobs, "job"));
}

/// Given and family name, as far as a written name tells: the last word is the family name.
std::pair<std::string, std::string> parts_of(const std::string& name) {
  const std::size_t space = name.rfind(' ');
  return space == name.npos ? std::pair("", name) : std::pair(name.substr(0, space), name.substr(space + 1));
}

}  // namespace

std::vector<std::string> author_names(const kernel::StudySpec& spec, const std::string& tool_version) {
  std::vector<std::string> names;
  for (const kernel::Author& author : spec.publication.authors) names.push_back(author.name);
  if (names.empty()) names.push_back("etude " + tool_version + " (" + spec.agents + " agents)");
  return names;
}

std::string abstract_of(const Study& study) {
  std::string abstract = study.spec.question;
  const std::vector<std::string> sentences = answer(study);
  const std::size_t most = shows_sizes(study) ? 1 + most_in_abstract : sentences.size();
  for (std::size_t i = 0; i < sentences.size() && i < most; ++i) abstract += " " + sentences[i];
  if (sentences.size() > most) abstract += fmt::format(" {} more in PAPER.md.", sentences.size() - most);
  return abstract;
}

std::string paper_sections(const Study& study) {
  return results(study) + methods(study) + limitations(study) + changed_by_agents(study) + related(study) +
         availability(study);
}

std::string readme_page(const Study& study, const std::string& head) {
  std::string page = "# " + in_markdown(study.spec.title) + "\n\n";
  page += in_markdown(study.spec.question) + "\n\n";
  page += "This folder is an Agent-Native Research Artifact (ARA): claims, code, raw evidence and the way to them.\n\n";
  page += "## Look\n\n";
  page +=
      "- [PAPER.md](PAPER.md): the answer with its sizes, methods, limitations, and an index of all files.\n"
      "- [report.html](report.html): the same with figures, for a browser.\n"
      "- [logic/claims.md](logic/claims.md): each claim with its conditions and sources.\n"
      "- [evidence/README.md](evidence/README.md): tables, figures and every run.\n"
      "- [trace/exploration_tree.yaml](trace/exploration_tree.yaml): what was tried, dead ends included.\n\n";
  page += "## Check and run\n\n```sh\netude check .          # format and seal\netude audit . --head " + head +
          "   # every number against the event log\n";
  if (!study.spec.captured())
    page +=
        "etude reproduce . --sample 10   # some runs again, to try it out\netude reproduce .      # the whole design "
        "again\n";
  page += "```\n\n";
  if (!study.spec.captured()) page += fmt::format("The {}.\n\n", in_markdown(run_time_words(study)));
  page +=
      "Take the head from where it was published, not from this file: who changes the folder can change this "
      "line, too.\n\n";
  page += "## Terms\n\n";
  const kernel::Publication& terms = study.spec.publication;
  page +=
      fmt::format("Results and text: {}. Code: {}. Data: {}. How to cite it: [CITATION.cff](CITATION.cff).\n",
                  license_words(terms.license), license_words(terms.code_license), license_words(terms.data_license));
  return page;
}

std::string citation_file(const Study& study, const std::string& tool_version, const std::string& head) {
  YAML::Emitter out;
  const auto put = [&](const char* key, const std::string& value) {
    out << YAML::Key << key << YAML::Value << YAML::DoubleQuoted << clean(value).text;
  };
  out << YAML::BeginMap;
  put("cff-version", "1.2.0");
  put("message", "If you use these results, please cite this artifact.");
  put("type", "dataset");
  put("title", study.spec.title);
  put("abstract", abstract_of(study));
  out << YAML::Key << "authors" << YAML::Value << YAML::BeginSeq;
  for (const kernel::Author& author : study.spec.publication.authors) {
    const auto [given, family] = parts_of(author.name);
    out << YAML::BeginMap;
    if (!given.empty()) put("given-names", given);
    put("family-names", family);
    if (!author.orcid.empty()) put("orcid", "https://orcid.org/" + author.orcid);
    out << YAML::EndMap;
  }
  if (study.spec.publication.authors.empty()) {
    out << YAML::BeginMap;
    put("name", author_names(study.spec, tool_version).front());
    out << YAML::EndMap;
  }
  out << YAML::EndSeq;
  put("date-released", kernel::iso8601(study.opened_ms).substr(0, 10));
  if (const std::string& license = study.spec.publication.license; is_listed_license(license)) put("license", license);
  put("version", head.substr(0, 12));
  out << YAML::Key << "keywords" << YAML::Value << YAML::BeginSeq;
  for (const std::string& word : keywords(study.spec)) out << YAML::DoubleQuoted << clean(word).text;
  out << YAML::EndSeq << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

std::string codemeta_file(const Study& study, const std::string& tool_version, const std::string& head) {
  nlohmann::ordered_json codemeta = {{"@context", "https://w3id.org/codemeta/3.0"},
                                     {"@type", "SoftwareSourceCode"},
                                     {"name", study.spec.title},
                                     {"description", abstract_of(study)},
                                     {"dateCreated", kernel::iso8601(study.opened_ms).substr(0, 10)},
                                     {"version", head.substr(0, 12)},
                                     {"keywords", keywords(study.spec)}};
  nlohmann::ordered_json authors = nlohmann::ordered_json::array();
  for (const kernel::Author& author : study.spec.publication.authors) {
    const auto [given, family] = parts_of(author.name);
    nlohmann::ordered_json person = {{"@type", "Person"}, {"familyName", family}};
    if (!given.empty()) person["givenName"] = given;
    if (!author.orcid.empty()) person["@id"] = "https://orcid.org/" + author.orcid;
    authors.push_back(std::move(person));
  }
  if (authors.empty())
    authors.push_back({{"@type", "Organization"}, {"name", author_names(study.spec, tool_version).front()}});
  codemeta["author"] = std::move(authors);
  if (const std::string& license = study.spec.publication.code_license; is_listed_license(license))
    codemeta["license"] = "https://spdx.org/licenses/" + license;
  nlohmann::ordered_json programs = nlohmann::ordered_json::array();
  for (const kernel::ProgramRecord& program : study.environment.programs)
    programs.push_back(program.version.empty() ? program.name : program.version);
  if (!programs.empty()) codemeta["softwareRequirements"] = std::move(programs);
  if (const std::string os = value_in(study.environment.machine, "os"); !os.empty()) codemeta["operatingSystem"] = os;
  codemeta["processorRequirements"] = hardware_words(study);
  return codemeta.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace artifacts
