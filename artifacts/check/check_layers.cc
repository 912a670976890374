#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <set>

#include <fmt/format.h>

#include "artifacts/check/rule_groups.h"
#include "artifacts/read/references.h"
#include "artifacts/text/english.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

/// Statuses of a claim, including those of live capture.
constexpr std::array<std::string_view, 8> statuses{"hypothesis", "supported", "refuted",   "untested",
                                                   "testing",    "weakened",  "withdrawn", "inconclusive"};

/// Relations of a cited work to this one.
constexpr std::array<std::string_view, 5> relations{"imports", "bounds", "baseline", "extends", "refutes"};

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return is_digit(c); });
}

/// "10.1145/359619.359631": the prefix of a registrant with four digits or more, and any suffix.
bool is_doi(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (!text.starts_with("10.") || slash == text.npos || slash + 1 == text.size()) return false;
  const std::string_view registrant = text.substr(3, slash - 3);
  return all_digits(registrant.substr(0, std::min<std::size_t>(4, registrant.size()))) && registrant.size() >= 4;
}

/// "1512.03385v1", whose first four digits are a year and a month, or "hep-th/9901001" of before 2007.
bool is_arxiv(std::string_view text) {
  if (const std::size_t version = text.rfind('v'); version != text.npos && all_digits(text.substr(version + 1)))
    text = text.substr(0, version);
  const std::size_t slash = text.find('/');
  const std::string_view number = slash == text.npos ? text : text.substr(slash + 1);
  if (number.size() < 7 || !all_digits(number.substr(0, 4))) return false;
  const std::string_view month = number.substr(2, 2);
  if (month < "01" || month > "12") return false;
  if (slash != text.npos) return slash > 0 && number.size() == 7 && all_digits(number);
  return number[4] == '.' && (number.size() == 9 || number.size() == 10) && all_digits(number.substr(5));
}

/// The first word that should be a DOI or a number of arXiv, by what stands before it, and has not their form.
std::string malformed_identifier(std::string_view text) {
  constexpr std::string_view between = " \t\n,;[]<>`\"'|*";
  static constexpr std::string_view of_arxiv[] = {"arxiv.org/abs/", "arxiv.org/pdf/", "arxiv:"},
                                    of_doi[] = {"doi.org/", "doi:"};
  bool doi = false, arxiv = false;
  for (std::size_t at = text.find_first_not_of(between); at != text.npos; at = text.find_first_not_of(between, at)) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    std::string_view word = text.substr(at, end - at);
    at = end;
    while (word.starts_with('(')) word.remove_prefix(1);
    while (word.ends_with('.') || word.ends_with(')')) word.remove_suffix(1);
    std::string small(word);
    std::ranges::transform(small, small.begin(),
                           [](char c) { return static_cast<char>(c | (c >= 'A' && c <= 'Z' ? 32 : 0)); });
    const bool carried = (doi || arxiv) && std::ranges::any_of(word, is_digit);
    doi = doi && carried, arxiv = arxiv && carried;
    const auto after = [&](std::span<const std::string_view> marks, bool& kind) {
      for (const std::string_view mark : marks)
        if (const std::size_t found = small.find(mark); found != small.npos) {
          kind = true;
          word.remove_prefix(found + mark.size());
          return;
        }
    };
    after(of_doi, doi);
    if (!doi) after(of_arxiv, arxiv);
    if (word.empty()) continue;  // "doi: 10.1145/359619.359631"
    if (arxiv && word.ends_with(".pdf")) word.remove_suffix(4);
    if (doi || (word.starts_with("10.") &&
                (word.find('/') != word.npos || (word.size() >= 7 && all_digits(word.substr(3)))))) {
      if (!is_doi(word)) return std::string(word);
    } else if (arxiv && !is_arxiv(word)) {
      return std::string(word);
    }
    doi = arxiv = false;
  }
  return "";
}

class PageCheck {
 public:
  PageCheck(const Artifact& artifact, const KnownIds& known, const SafeRoot& root, Findings& findings)
      : artifact_(artifact), known_(known), root_(root), findings_(findings), references_(artifact, known, findings) {}

  void layers() {
    for (const Layer* layer : {&artifact_.problem, &artifact_.claims, &artifact_.experiments, &artifact_.heuristics,
                               &artifact_.related_work})
      unique_ids(*layer);
    for (const Block& block : artifact_.claims.blocks)
      if (!block.id.empty()) claim(block);
    for (const Block& block : artifact_.experiments.blocks)
      if (!block.id.empty()) experiment(block);
    for (const Block& block : artifact_.heuristics.blocks)
      if (!block.id.empty()) heuristic(block);
    for (const Block& block : artifact_.related_work.blocks)
      if (!block.id.empty()) related_work(block);
    for (const Block& block : artifact_.concepts.blocks)
      if (block.level == 2) {
        need(artifact_.concepts, block, {{"Definition"}});
        may_need(artifact_.concepts, block, {{"Notation"}, {"Boundary conditions"}});
      }
    for (const Block& block : artifact_.problem.blocks) problem(block);
    problem_part("Key Insight", "insight");
    problem_part("Assumptions", "assumption");
  }

  void evidence() {
    for (const Layer& page : artifact_.evidence) {
      if (!page.present) continue;
      references(page);
      const auto lies_in = [&](std::string_view folder) { return page.file.starts_with(folder); };
      if (lies_in("evidence/tables/"))
        table(page);
      else if (lies_in("evidence/figures/"))
        figure(page);
      else if (lies_in("evidence/proofs/"))
        need(page, missing_fields(page.blocks, {{"Source"}}));
    }
  }

 private:
  using Fields = std::initializer_list<FieldNames>;

  void unique_ids(const Layer& layer) {
    std::map<std::string_view, int> seen;
    for (const Block& block : layer.blocks) {
      if (block.id.empty()) continue;
      const auto [first, added] = seen.emplace(block.id, block.line);
      if (!added)
        findings_.add(RuleId::duplicate_id, layer.file, block.line,
                      fmt::format("the id {} is already used in line {}", quote(block.id), first->second));
    }
  }

  void need(const Layer& layer, const Block& block, Fields fields, Severity severity = Severity::warning) {
    const std::string missing = missing_fields({&block, 1}, fields);
    if (!missing.empty())
      findings_.add_as(severity, RuleId::missing_field, layer.file, block.line,
                       fmt::format("{} lacks {}", block.id.empty() ? quote(block.heading) : block.id, missing));
  }

  /// Fields that are optional but useful to a reader.
  void may_need(const Layer& layer, const Block& block, Fields fields) { need(layer, block, fields, Severity::info); }

  /// The claims that a field names.
  void claims_in(const Layer& layer, const Block& block, std::string_view name, Severity severity = Severity::error) {
    if (const Field* field = block.field(name))
      for (const Reference& id : ids_in(field->text, "C", field->text_line))
        references_.claim(id.text, layer.file, id.line, fmt::format("{} of {}", name, block.id), severity);
  }

  /// The paths in a field that begin with `start`. `folders`: as in path().
  void paths_in(const Layer& layer, const Block& block, std::string_view name, std::string_view start,
                std::initializer_list<std::string_view> folders, Severity severity) {
    if (const Field* field = block.field(name))
      for (const Reference& r : references_in(field->text, field->text_line))
        if (r.kind == Reference::Kind::path && r.text.starts_with(start))
          path(r, folders, layer.file, fmt::format("{} of {}", name, block.id), severity);
  }

  void claim(const Block& block) {
    const std::string& file = artifact_.claims.file;
    need(artifact_.claims, block, {{"Statement"}, {"Status"}, {"Falsification criteria", "Falsification"}, {"Proof"}});
    const Field* status = block.field("Status");
    const std::string_view state = status ? first_word(status->text) : std::string_view();
    if (!state.empty() && std::ranges::none_of(statuses, [&](std::string_view s) { return same_word(s, state); }))
      findings_.add(
          RuleId::unknown_value, file, status->line,
          fmt::format("{} has the status {}; hypothesis, supported and refuted are known", block.id, quote(state)));
    may_need(artifact_.claims, block, {{"Conditions"}, {"Sources"}, {"Evidence basis"}, {"Dependencies"}});
    claims_in(artifact_.claims, block, "Dependencies");
    if (const Field* proof = block.field("Proof")) check_proof(block, *proof, state);
  }

  void check_proof(const Block& block, const Field& proof, std::string_view state) {
    const std::string& file = artifact_.claims.file;
    const std::string by = fmt::format("Proof of {}", block.id);
    const bool settled = same_word(state, "supported") || same_word(state, "refuted");
    bool any = false;
    std::set<std::string> seen;
    for (const Reference& r : references_in(proof.text, proof.text_line)) {
      if (!seen.insert(r.text).second) continue;
      if (r.kind == Reference::Kind::id && is_id(r.text, "E")) {
        references_.experiment(r.text, file, r.line, by);
        any = true;
      } else if (r.kind == Reference::Kind::path) {
        path(r, {"", "evidence", "logic"}, file, by, Severity::error);
        any = true;
      } else if (same_word(r.text, "pending") && !settled) {
        any = true;
      }
    }
    if (!any && settled)
      findings_.add(RuleId::no_proof, file, proof.line,
                    fmt::format("{} is {}, but its Proof names no experiment and no file", block.id, state));
  }

  void experiment(const Block& block) {
    const Layer& layer = artifact_.experiments;
    need(layer, block, {{"Verifies"}, {"Setup"}, {"Procedure"}, {"Expected outcome", "Expected results"}});
    may_need(layer, block, {{"Evidence"}, {"Run"}, {"Metrics"}, {"Baselines"}});
    for (const std::string_view name : {"Expected outcome", "Expected results"})
      if (const Field* outcome = block.field(name)) directional(block, *outcome);
    claims_in(layer, block, "Verifies");
    if (const Field* dependencies = block.field("Dependencies"))
      for (const Reference& id : ids_in(dependencies->text, "E", dependencies->text_line))
        references_.experiment(id.text, layer.file, id.line, fmt::format("Dependencies of {}", block.id));
    paths_in(layer, block, "Evidence", "", {"", "evidence", "logic"}, Severity::error);
    // A run may also be a command or a path in another repository; only paths in src/ can be checked.
    paths_in(layer, block, "Run", "src/", {"", "logic"}, Severity::warning);
  }

  /// An expected outcome must be a direction; a number would mean that the result was known before.
  void directional(const Block& block, const Field& outcome) {
    const std::string_view number = predicted_number(outcome.text);
    if (number.empty()) return;
    const auto before = std::count(outcome.text.data(), number.data(), '\n');
    findings_.add(RuleId::expected_numbers, artifact_.experiments.file, outcome.text_line + static_cast<int>(before),
                  fmt::format("{} expects {}, which is more than a direction", block.id, quote(number)));
  }

  void heuristic(const Block& block) {
    const Layer& layer = artifact_.heuristics;
    need(layer, block, {{"Rationale"}, {"Sensitivity"}, {"Bounds"}});
    paths_in(layer, block, "Code ref", "", {"", "src", "logic/solution"}, Severity::error);
  }

  void related_work(const Block& block) {
    const Layer& layer = artifact_.related_work;
    need(layer, block, {{"Type"}, {"Delta"}});
    const Field* type = block.field("Type");
    const std::string_view relation = type ? first_word(type->text) : std::string_view();
    if (!relation.empty() &&
        std::ranges::none_of(relations, [&](std::string_view r) { return same_word(r, relation); }))
      findings_.add(RuleId::unknown_value, layer.file, type->line,
                    fmt::format("{} has the type {}; imports, bounds, baseline, extends and refutes are known",
                                block.id, quote(relation)));
    if (const Field* doi = block.field("DOI"))
      if (const std::string wrong = malformed_identifier(doi->text); !wrong.empty())
        findings_.add(RuleId::bad_identifier, layer.file, doi->line,
                      fmt::format("{} is neither a DOI nor a number of arXiv", quote(wrong)));
    claims_in(layer, block, "Claims affected", Severity::warning);
  }

  void problem(const Block& block) {
    const Layer& layer = artifact_.problem;
    if (!block.id.empty()) need(layer, block, {{"Statement"}});
    for (const std::string_view name : {"Caused by", "Derived from"})
      if (const Field* field = block.field(name))
        for (const Reference& r : references_in(field->text, field->text_line))
          if (r.kind == Reference::Kind::id && (is_id(r.text, "O") || is_id(r.text, "G")) &&
              !known_.observations.contains(r.text))
            findings_.add(
                RuleId::unknown_observation, layer.file, r.line,
                fmt::format("{} refers to {}, which is neither an observation nor a gap", name, quote(r.text)));
  }

  /// Accepts a section of the page or a field of that name.
  void problem_part(std::string_view name, std::string_view word) {
    const Layer& layer = artifact_.problem;
    const auto says = [&](std::string_view heading) {
      const std::vector<std::string> words = words_in(heading);
      return std::ranges::any_of(words, [&](const std::string& w) { return w.starts_with(word); });
    };
    for (const Block& block : layer.blocks)
      if (says(block.heading) ||
          std::ranges::any_of(block.fields, [&](const Field& field) { return says(field.name); }))
        return;
    if (layer.present)
      findings_.add_as(Severity::info, RuleId::missing_field, layer.file, 1,
                       fmt::format("there is no section {}", quote(name)));
  }

  /// `folders`: where the path may start.
  void path(const Reference& r, std::initializer_list<std::string_view> folders, std::string_view file,
            std::string_view by, Severity severity) {
    std::vector<PathFrom> readings;
    for (const std::string_view folder : folders) readings.push_back({folder, r.text});
    for (const std::string_view folder : folders) readings.push_back({folder, r.target});
    require_path(find_path(root_, readings), r.text, file, r.line, by, severity, findings_);
  }

  void references(const Layer& page) {
    for (const Block& block : page.blocks) {
      for (const std::string_view name : {"Claim", "Claims"})
        if (const Field* field = block.field(name))
          for (const Reference& id : ids_in(field->text, "C", field->text_line))
            references_.claim(id.text, page.file, id.line, name, Severity::warning);
      if (const Field* node = block.field("Trace node"); node && artifact_.tree.readable)
        for (const Reference& id : ids_in(node->text, "N", node->text_line))
          if (!known_.nodes.contains(id.text))
            findings_.add_as(Severity::warning, RuleId::unknown_node, page.file, id.line,
                             fmt::format("Trace node refers to {}, which is no node of the tree", quote(id.text)));
    }
  }

  void table(const Layer& page) {
    // A subset of another table needs no picture of its own.
    const Field* type = field(page, "Extraction type");
    const bool derived = field(page, "Derived from") || (type && type->text.starts_with("derived"));
    if (derived) return need(page, missing_fields(page.blocks, {{"Source"}, {"Caption"}, {"Extraction type"}}));
    need(page, missing_fields(page.blocks, {{"Source"}, {"Caption"}, {"Extraction type"}, {"Screenshot"}}));
    picture(page);
  }

  void figure(const Layer& page) {
    need(
        page,
        missing_fields(
            page.blocks,
            {{"Source"}, {"Caption"}, {"Figure type"}, {"Extraction method"}, {"Reading confidence"}, {"Screenshot"}}));
    picture(page);
  }

  void need(const Layer& page, const std::string& missing) {
    if (!missing.empty()) findings_.add(RuleId::missing_field, page.file, 1, "the page lacks " + missing);
  }

  /// The picture must be next to the page with its data, under the same name.
  void picture(const Layer& page) {
    const Field* screenshot = field(page, "Screenshot");
    if (!screenshot) return;
    const std::string wanted = page.file.substr(0, page.file.size() - 2) + "png";
    if (const Entry* file = artifact_.file(wanted); file && file->kind == FileKind::regular) return;
    const std::string_view text = trimmed(screenshot->text);
    if (says_nothing(text) || same_word(text.substr(0, 4), "not ")) return;
    const std::string_view folder = folder_of(page.file);
    for (const Reference& r : references_in(text, screenshot->text_line))
      if (r.kind == Reference::Kind::path &&
          !require_path(find_path(root_, {{folder, r.text}, {folder, r.target}, {"", r.text}, {"", r.target}}), r.text,
                        page.file, r.line, "Screenshot", Severity::warning, findings_))
        return;
    findings_.add(RuleId::missing_field, page.file, screenshot->line,
                  fmt::format("the picture {} is missing beside the page", quote(wanted)));
  }

  static const Field* field(const Layer& page, std::string_view name) {
    for (const Block& block : page.blocks)
      if (const Field* found = block.field(name)) return found;
    return nullptr;
  }

  const Artifact& artifact_;
  const KnownIds& known_;
  const SafeRoot& root_;
  Findings& findings_;
  ReferenceCheck references_;
};

}  // namespace

void check_layers(const Artifact& artifact, const KnownIds& known, const SafeRoot& root, Findings& findings) {
  PageCheck(artifact, known, root, findings).layers();
}

void check_evidence(const Artifact& artifact, const KnownIds& known, const SafeRoot& root, Findings& findings) {
  PageCheck(artifact, known, root, findings).evidence();
}

}  // namespace artifacts
