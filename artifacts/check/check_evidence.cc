#include <fmt/format.h>

#include "artifacts/check/rule_groups.h"
#include "artifacts/read/references.h"
#include "artifacts/text/english.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

class EvidenceCheck {
 public:
  EvidenceCheck(const Artifact& artifact, const KnownIds& known, const SafeRoot& root, Findings& findings)
      : artifact_(artifact), known_(known), root_(root), findings_(findings), references_(artifact, known, findings) {}

  void all() {
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

void check_evidence(const Artifact& artifact, const KnownIds& known, const SafeRoot& root, Findings& findings) {
  EvidenceCheck(artifact, known, root, findings).all();
}

}  // namespace artifacts
