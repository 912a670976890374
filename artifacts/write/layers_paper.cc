#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "artifacts/text/escaping.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/layers.h"
#include "artifacts/write/paper_words.h"
#include "kernel/views/finding.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Study;

namespace {

std::string claim_summary(const Study& study, const kernel::Claim& claim) {
  const std::string status = claim.status == "hypothesis" ? "undecided" : claim.status;
  const kernel::HypothesisRecord* record = study.hypothesis(claim.hypothesis);
  if (shows_sizes(study) && record && record->result)
    return fmt::format("{} ({}): {}", claim.id, status, kernel::answer_words(study.spec, *record, study.wording));
  return fmt::format("{}: {} ({})", claim.id, without_stop(claim.title), status);
}

std::string front_matter(const Study& study, const std::string& tool_version) {
  YAML::Emitter out;
  const auto put = [&](const char* key, const std::string& value) {
    out << YAML::Key << key << YAML::Value << YAML::DoubleQuoted << printable(value);
  };
  const auto list = [&](const char* key, const std::vector<std::string>& values) {
    out << YAML::Key << key << YAML::Value << YAML::BeginSeq;
    for (const std::string& value : values) out << YAML::DoubleQuoted << printable(value);
    out << YAML::EndSeq;
  };
  out << YAML::BeginMap;
  put("title", study.spec.title);
  list("authors", author_names(study.spec, tool_version));
  out << YAML::Key << "year" << YAML::Value << kernel::iso8601(study.opened_ms).substr(0, 4);
  put("venue", "not published");
  put("doi", "none");
  put("ara_version", "1.0");
  put("domain", "computational experiment");
  list("keywords", keywords(study.spec));
  std::vector<std::string> claims;
  for (const kernel::Claim& claim : study.claims) claims.push_back(claim_summary(study, claim));
  list("claims_summary", claims);
  put("abstract", abstract_of(study));
  if (shows_sizes(study) && !study.spec.publication.license.empty()) put("license", study.spec.publication.license);
  out << YAML::EndMap;
  return std::string("---\n") + out.c_str() + "\n---\n";
}

struct LayerSection {
  const char* title;
  const char* folder;  ///< Empty for the root.
};
constexpr LayerSection sections[] = {{"Cognitive Layer (`/logic`)", "logic/"},
                                     {"Physical Layer (`/src`)", "src/"},
                                     {"Exploration Graph (`/trace`)", "trace/"},
                                     {"Evidence (`/evidence`)", "evidence/"},
                                     {"Data (`/data`)", "data/"},
                                     {"Staging (`/staging`)", "staging/"},
                                     {"Root", ""}};

bool belongs(const std::string& path, const std::string& folder) {
  return folder.empty() ? path.find('/') == std::string::npos : path.starts_with(folder);
}

std::string row(const std::string& path, const std::string& shown, const std::string& description) {
  return fmt::format("| [{}]({}) | {} |\n", shown, path, in_markdown(description));
}

/// The workspaces in which a person's commands ran.
std::set<std::string> folders_by_hand(const Study& study) {
  std::set<std::string> folders;
  for (const auto& [run, order] : study.thinking.orders)
    if (order.by_hand() && order.workspace.hash != study.workspace.hash)
      folders.insert("src/workspace/" + order.workspace.hash + "/");
  return folders;
}

std::string index_of(const Study& study, const Staging& folder) {
  const std::string workspace = "src/workspace/" + study.workspace.hash + "/";
  const std::set<std::string> by_hand = folders_by_hand(study);
  std::string text;
  for (const LayerSection& section : sections) {
    std::string rows;
    long long copied = 0;
    std::map<std::string, long long> in_folder;
    const std::string below = section.folder;
    for (const auto& [path, file] : folder.files()) {
      if (!belongs(path, below)) continue;
      if (path.starts_with(workspace))
        ++copied;
      else if (const auto one =
                   std::ranges::find_if(by_hand, [&p = path](const std::string& f) { return p.starts_with(f); });
               one != by_hand.end())
        ++in_folder[*one];
      else
        rows += row(path, path.substr(below.size()), file.about.description);
    }
    if (copied)
      rows += row(workspace, workspace.substr(below.size()),
                  fmt::format("The workspace that ran, byte for byte ({}), indexed by src/artifacts.md",
                              prose::counted(copied, "file")));
    for (const auto& [place, files] : in_folder)
      rows += row(place, place.substr(below.size()),
                  fmt::format("What a person's commands ran on, byte for byte ({})", prose::counted(files, "file")));
    if (below.empty()) {
      rows +=
          row("etude.json", "etude.json", "Machine-readable record: registrations, results, runs, hashes, chain head");
      rows += row("report.html", "report.html", "The report, self-contained");
      rows += row("report.md", "report.md", "The report as Markdown");
    }
    if (!rows.empty())
      text += fmt::format("\n### {}\n| File | Description |\n|------|-------------|\n{}", section.title, rows);
  }
  return text;
}

}  // namespace

long long headings(const std::string& page, const std::string& prefix) {
  long long n = page.starts_with(prefix) ? 1 : 0;
  for (std::size_t at = 0; (at = page.find("\n" + prefix, at)) != std::string::npos; ++at) ++n;
  return n;
}

namespace {

/// PAPER.md of wordings before 5, after the overview.
std::string earlier_paper(const Study& study, const Staging& folder) {
  if (study.spec.captured())
    return "\nA person's work, captured while it was done: nothing was registered beforehand, so nothing here is a "
           "claim. Every command with its code, output and metrics stands in evidence/results/by_hand.csv, what was "
           "noted in staging/observations.yaml, and the journey in trace/exploration_tree.yaml.\n\n## Layer Index\n" +
           index_of(study, folder);
  return "\nEvery hypothesis was registered before its runs existed; the verdicts were computed from the runs by rule. "
         "The report (report.html) shows them with figures; logic/claims.md states them one by one with their "
         "sources. `etude reproduce` on this folder runs the registered design again.\n\n## Layer Index\n" +
         index_of(study, folder);
}

}  // namespace

std::string paper_page(const Study& study, const std::string& tool_version, const Staging& folder) {
  std::string page = front_matter(study, tool_version);
  page += "\n# " + in_markdown(study.spec.title) + "\n\n## Overview\n\n";
  page += "**Question.** " + in_markdown(study.spec.question) + "\n\n**Answer.**";
  const std::vector<std::string> sentences = answer(study);
  for (const std::string& sentence : sentences)
    page += (shows_sizes(study) && &sentence != &sentences.front() ? "\n- " : " ") + in_markdown(sentence) +
            (shows_sizes(study) && &sentence == &sentences.front() && sentences.size() > 1 ? "\n" : "");
  page += "\n";
  for (const std::string& caution : cautions(study)) page += "\n**Caution.** " + in_markdown(caution) + "\n";
  if (!study.spec.extends.empty())
    page += fmt::format("\n**Builds on.** {} ({}), see logic/related_work.md.\n", in_markdown(study.spec.extends.title),
                        in_code(study.spec.extends.id));
  if (!shows_sizes(study) || study.spec.captured()) return page + earlier_paper(study, folder);
  return page + paper_sections(study) + "\n## Layer Index\n" + index_of(study, folder);
}

}  // namespace artifacts
