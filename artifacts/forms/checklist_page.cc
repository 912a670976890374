#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "artifacts/export/sealed_record.h"
#include "artifacts/forms/reporting_checklist.h"
#include "artifacts/text/escaping.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::uint64_t most_of_page = 16u << 20;

const char* words_of(AnswerWord answer) {
  switch (answer) {
    case AnswerWord::yes:
      return "yes";
    case AnswerWord::partly:
      return "partly";
    case AnswerWord::no:
      return "no";
    case AnswerWord::not_applicable:
      return "not applicable";
    case AnswerWord::not_recorded:
      return "not recorded";
  }
  return "";
}

/// Which headings the pages of the artifact have.
class Headings {
 public:
  Headings(const SafeRoot& root, const Listing& files) : root_(root), files_(files) {}

  bool has(const RecordAddress& address) {
    const Entry* file = nullptr;
    for (const Entry& entry : files_.entries)
      if (entry.path == address.path && entry.kind == FileKind::regular) file = &entry;
    if (!file || address.heading.empty()) return file != nullptr;
    const auto [known, fresh] = of_.try_emplace(address.path);
    if (fresh) read(address.path, known->second);
    return std::ranges::any_of(known->second, [&](const std::string& one) { return one.starts_with(address.heading); });
  }

 private:
  void read(const std::string& path, std::vector<std::string>& headings) const {
    const FileBytes page = root_.read(path, most_of_page);
    bool fenced = false;
    for (const std::string_view line : lines_of(page.bytes)) {
      if (line.starts_with("```")) fenced = !fenced;
      if (!fenced && line.starts_with('#'))
        headings.emplace_back(trimmed(line.substr(std::min(line.find_first_not_of('#'), line.size()))));
    }
  }

  const SafeRoot& root_;
  const Listing& files_;
  std::map<std::string, std::vector<std::string>> of_;
};

/// The addresses that this artifact has; of older artifacts without them, the event log.
std::string where_text(const ChecklistAnswer& answer, Headings& headings) {
  if (answer.answer == AnswerWord::not_recorded) return "none";
  std::string text;
  for (const RecordAddress& address : answer.where) {
    if (!headings.has(address)) continue;
    if (!text.empty()) text += "; ";
    text += in_code(address.path);
    if (!address.heading.empty()) text += ", " + in_markdown(address.heading);
  }
  return text.empty() ? in_code(log_file) : text;
}

std::string items_text(const std::vector<ChecklistItem>& items, bool modules, const AnsweredFrom& from,
                       Headings& headings) {
  std::string text, module;
  for (const ChecklistItem& item : items) {
    if (modules && item.module != module) text += fmt::format("\n### {}\n", item.module);
    module = item.module;
    const ChecklistAnswer answer = item.answer(from);
    text += modules ? fmt::format("\n#### {}\n", item.id) : fmt::format("\n### {}. {}\n", item.id, item.module);
    text += fmt::format("\n{}\n\n- **Answer**: {}\n- **Justification**: {}\n- **Where**: {}\n", in_markdown(item.text),
                        words_of(answer.answer), in_markdown(answer.why), where_text(answer, headings));
  }
  return text;
}

/// How many items have each answer.
std::string tally_row(const std::string& name, const std::vector<ChecklistItem>& items, const AnsweredFrom& from) {
  std::map<AnswerWord, int> counts;
  for (const ChecklistItem& item : items) ++counts[item.answer(from).answer];
  std::vector<std::string> cells = {name, std::to_string(items.size())};
  for (const AnswerWord answer :
       {AnswerWord::yes, AnswerWord::partly, AnswerWord::no, AnswerWord::not_applicable, AnswerWord::not_recorded})
    cells.push_back(std::to_string(counts[answer]));
  return markdown_row(cells) + "\n";
}

}  // namespace

kernel::Result<std::string> checklist_page(const SafeRoot& root, const Listing& files) {
  long long voided = 0;
  const auto record = sealed_record(root, [&](const kernel::Study*, const kernel::Event& event, int) {
    voided += std::holds_alternative<kernel::RunRequeued>(event.body) ? 1 : 0;
  });
  if (!record) return record.problem();
  const kernel::Study& study = record->log.study;
  const std::vector<ExperimentFlow> flows = run_flows(study);
  const AnsweredFrom from{study, files, flows};
  Headings headings(root, files);
  std::string page = fmt::format("# Reporting checklists: {}\n\n", in_markdown(study.spec.title));
  page += fmt::format(
      "Answered by a program from the record alone, whose event log ends with the head `{}`. Addresses are files of "
      "the "
      "artifact and headings in them. `not recorded` means that the record does not hold the answer: nothing was "
      "inferred, and an author has to complete it.\n\n",
      record->log.head);
  page +=
      "| Checklist | Items | yes | partly | no | not applicable | not recorded "
      "|\n|---|---:|---:|---:|---:|---:|---:|\n";
  page += tally_row("REFORMS", reforms_items(), from) + tally_row("NeurIPS", neurips_items(), from);
  page += flow_section(study, flows, voided);
  page +=
      "\n## REFORMS\n\nRecommendations for machine-learning-based science (Kapoor et al., Science Advances 10, 2024), "
      "32 items. For a study without machine learning, “model” is what its arms compare.\n";
  page += items_text(reforms_items(), true, from, headings);
  page +=
      "\n## NeurIPS paper checklist\n\n16 items, as of 2025. For the form of NeurIPS, `not applicable` and `not "
      "recorded` are NA.\n";
  page += items_text(neurips_items(), false, from, headings);
  return page;
}

}  // namespace artifacts
