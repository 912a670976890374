#include "tests/artifacts/audit/injected.h"

#include <algorithm>
#include <sstream>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/read/references.h"
#include "artifacts/text/english.h"
#include "artifacts/text/untrusted_text.h"

using artifacts::Block;
using artifacts::Field;
using artifacts::TreeNodeType;

namespace {

constexpr const char* claims_file = "logic/claims.md";
constexpr const char* experiments_file = "logic/experiments.md";

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string statement_of(const Block& claim) {
  const Field* field = claim.field("Statement");
  return field ? field->text : claim.title;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return std::string(artifacts::trimmed(text));
}

std::string without_stop(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string lowered(std::string text) {
  if (text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a') text[0] = static_cast<char>(text[0] + 32);
  return text;
}

std::string phantom_proof(const Ground& ground) {
  const Block* claim = ground.claim(true);
  if (!claim) return {};
  const bool experiments = ground.said().experiments.present;
  const std::string gone = "evidence/tables/table" + std::to_string(50 + ground.pick(40)) + "_final.md";
  const Field* proof = claim->field("Proof");
  const std::string now = proof ? one_line(proof->text) : "";
  switch (ground.pick(experiments ? 7 : 4)) {
    case 0:
      ground.field(*claim, "Proof", gone);
      return "a page that is not there";
    case 1:
      ground.field(*claim, "Proof", now + ", " + gone);
      return "a page that is not there, beside what is";
    case 2:
      ground.field(*claim, "Proof", ground.pick({"pending", "none", "", "see the appendix", "to be added"}));
      return "nothing";
    case 3:
      ground.field(*claim, "Proof", "", true);
      return "no Proof at all";
    case 4:
      ground.field(*claim, "Proof", "[" + ground.unused('E') + "]");
      return "an experiment that is not there";
    case 5:
      ground.field(*claim, "Proof", now + ", [" + ground.unused('E') + "]");
      return "an experiment that is not there, beside one that is";
    default: {
      std::vector<std::string> others;
      for (const Block& e : ground.said().experiments.blocks)
        if (const Field* verifies = e.field("Verifies"); !e.id.empty() && verifies)
          if (verifies->text.find(claim->id) == std::string::npos) others.push_back(e.id);
      if (others.empty()) return {};
      ground.field(*claim, "Proof", "[" + ground.pick(others) + "]");
      return "an experiment that verifies another claim";
    }
  }
}

std::string no_criterion(const Ground& ground) {
  const Block* claim = ground.claim(false);
  if (!claim || !claim->field("Falsification criteria")) return {};
  const auto put = [&](const std::string& text) { ground.field(*claim, "Falsification criteria", text); };
  switch (ground.pick(4)) {
    case 0:
      ground.field(*claim, "Falsification criteria", "", true);
      return "left out";
    case 1:
      put(ground.pick({"", "TBD", "none", "n/a", "To be determined.", "-", "Not applicable."}));
      return "a place holder";
    case 2:
      put(ground.pick({"The claim is false.", claim->id + " does not hold.",
                       "Evidence shows the statement to be wrong.",
                       "If the opposite of this claim is found to be true.", "Any result that refutes the claim.",
                       "The hypothesis turns out to be incorrect.", "Contrary evidence.",
                       "Observations that disprove the above."}));
      return "that the claim is false";
    default:
      put("It is not the case that " + lowered(without_stop(one_line(statement_of(*claim)))) + ".");
      return "the statement again, denied";
  }
}

std::string orphan(const Ground& ground) {
  if (!ground.said().experiments.present || !ground.claim(false)) return {};
  const std::string id = ground.unused('E');
  const auto block = [&](const std::string& verifies) {
    return "\n## " + id + ": Ablation of the last stage\n- **Verifies**: " + verifies +
           "\n- **Setup**: as before\n- **Procedure**: The last stage is left out.\n- **Metrics**: the same\n"
           "- **Expected outcome**: The effect shrinks.\n- **Baselines**: the full pipeline\n- **Dependencies**: "
           "none\n";
  };
  switch (ground.pick(4)) {
    case 0:
      ground.append(experiments_file, block(ground.claim(false)->id));
      return "one more, which names a claim that does not name it";
    case 1:
      ground.append(experiments_file, block("none"));
      return "one more, which verifies nothing";
    case 2:
      ground.write("evidence/results/" + id + ".md",
                   "# " + id + ": runs\n\n**Claim**: none\n\n| run | v |\n|--|--|\n| 1 | 2 |\n");
      ground.append("evidence/README.md", "\n## More\n| File | Source |\n|------|--------|\n| [results/" + id +
                                              ".md](results/" + id + ".md) | " + id + " |\n");
      return "results of one that is not described";
    default: {
      std::vector<std::string> ids;
      for (const Block& e : ground.said().experiments.blocks)
        if (!e.id.empty()) ids.push_back(e.id);
      if (ids.size() < 2) return {};
      // All that the claims say of it they now say of another.
      const std::string lost = ids[ground.pick(ids.size())];
      const std::string other = lost == ids.front() ? ids.back() : ids.front();
      std::string text = ground.text(claims_file);
      bool any = false;
      for (std::size_t at = 0; (at = text.find(lost, at)) != std::string::npos; any = true)
        text.replace(at, lost.size(), other);
      if (!any) return {};
      ground.write(claims_file, text);
      return "one that the claims no longer name";
    }
  }
}

std::string overclaimed(const Ground& ground) {
  const Block* claim = ground.claim(true);
  if (!claim || !claim->field("Statement")) return {};
  const std::string statement = without_stop(one_line(statement_of(*claim)));
  const auto put = [&](const std::string& text) {
    ground.field(*claim, "Statement", text);
    return text.size() > statement.size() + 2 && text.starts_with(statement)
               ? "…" + text.substr(statement.size())
               : text.substr(0, text.find(lowered(statement).substr(0, 12))) + "…";
  };
  static const std::vector<std::string> after{
      ". This holds for all inputs and settings.", ", regardless of the data, the model or the hardware.",
      " without exception.", " under all conditions.", ", and no other approach can match it.", ". It never fails.",
      ", and this generalises to every domain.", ". It completely eliminates the problem.",
      ". It outperforms all existing methods.", ", no matter how large the system is.",
      ". The same is true of any workload.", ", always.", " across every deployment.",
      // What no list of words holds.
      ", which settles the question once and for good.", ". Larger scales will behave the same way.",
      ". Nobody needs to look further."};
  static const std::vector<std::string> before{
      "It is always true that ", "In every setting, ", "On any workload, ", "It is guaranteed that ",
      "This proves that ",       "Invariably, ",       "Universally, ",     "For all practical purposes and users, ",
      "As a law of nature, "};
  switch (ground.pick(8)) {
    case 0:
      if (!claim->field("Conditions")) return {};
      ground.field(*claim, "Conditions", ground.pick({"none", "n/a", ""}));
      return "Conditions that bound nothing";
    case 1:
      ground.heading(*claim,
                     without_stop(claim->title) + ground.pick({" in all cases", ", always", " on every input"}));
      return "a title without bounds";
    case 2: {
      // A number of the statement, made more impressive.
      std::string text = statement;
      for (const artifacts::NumberInText& n : artifacts::numbers_of(text)) {
        if (n.decimals == 0) continue;
        std::string grown = std::to_string(n.value * 1.37 + 0.013);
        grown.resize(grown.find('.') + 1 + static_cast<std::size_t>(n.decimals));
        text.replace(text.find(n.text), n.text.size(), grown);
        put(text + ".");
        return "a number that grew";
      }
      return {};
    }
    case 3:
    case 4:
    case 5:
      return put(ground.pick(before) + lowered(statement) + ".");
    default:
      return put(statement + ground.pick(after));
  }
}

/// The same in other words: some left out, some exchanged, some in another form.
std::string paraphrased(const Ground& ground, const std::string& text) {
  static const std::vector<std::pair<std::string, std::string>> synonyms{{"sufficient", "enough"},
                                                                         {"efficiently", "quickly"},
                                                                         {"experts", "specialists"},
                                                                         {"existing", "current"},
                                                                         {"together", "jointly"},
                                                                         {"capture", "reflect"},
                                                                         {"extract", "obtain"},
                                                                         {"more", "additional"},
                                                                         {"much", "far"},
                                                                         {"might", "may"},
                                                                         {"evaluation", "assessment"},
                                                                         {"takes", "needs"},
                                                                         {"alone", "by themselves"},
                                                                         {"papers", "publications"},
                                                                         {"time", "duration"},
                                                                         {"explains", "accounts for"}};
  std::istringstream in(text);
  std::string result, word;
  while (in >> word) {
    const bool stop = word.back() == '.' || word.back() == ';';
    if (!stop && word.size() > 3 && ground.pick(100) < 10) continue;
    for (const auto& [from, to] : synonyms)
      if (word == from && ground.pick(2) == 0) word = to;
    if (word.size() > 4 && word.back() == 's' && ground.pick(100) < 15) word.pop_back();
    result += (result.empty() ? "" : " ") + word;
  }
  return result;
}

std::string rejected_branch(const Ground& ground) {
  const Block* claim = ground.claim(true);
  if (!claim || !claim->field("Statement")) return {};
  std::vector<std::string> branches;
  for (const artifacts::TreeNode& node : ground.said().tree.nodes) {
    const auto value = [&](const char* key) {
      const artifacts::YamlValue* found = node.field(key);
      return found ? artifacts::flat(*found) : std::string();
    };
    if (node.type == TreeNodeType::dead_end)
      branches.push_back(value("hypothesis").empty() ? node.title : value("hypothesis"));
    if (node.type == TreeNodeType::pivot && !value("prior_direction").empty())
      branches.push_back(value("prior_direction"));
  }
  if (branches.empty()) return {};
  const std::string branch = without_stop(one_line(ground.pick(branches)));
  std::string said = paraphrased(ground, branch);
  const bool sentence = branch.size() > 45;
  if (sentence)
    said = ground.pick({"", "Our results show that ", "It turns out that ", "As the runs confirm, "}) + lowered(said);
  else
    said = ground.pick({"", "The best choice is ", "We recommend ", "The results favour "}) + lowered(said) +
           ground.pick({"", " as the way to go", ", which works best", ", which improves the outcome"});
  switch (ground.pick(3)) {
    case 0:
      ground.field(*claim, "Statement", said + ".");
      break;
    case 1:
      ground.field(*claim, "Statement", without_stop(one_line(statement_of(*claim))) + ". " + said + ".");
      break;
    default:
      ground.append(claims_file, "\n## " + ground.unused('C') + ": What to do\n- **Statement**: " + said +
                                     ".\n- **Status**: supported\n- **Falsification criteria**: A run of the same kind "
                                     "in which the effect is absent.\n- **Proof**: [E01]\n- **Dependencies**: none\n");
  }
  return said;
}

}  // namespace

Ground::Ground(const Scratch& scratch, std::mt19937& random) : scratch_(scratch), random_(random) {
  const auto root = artifacts::SafeRoot::open(scratch.path().string());
  REQUIRE(root);
  artifacts::Findings unused_findings;
  artifact_ = artifacts::read_artifact(*root, unused_findings);
}

const Block* Ground::claim(bool supported) const {
  std::vector<const Block*> found;
  for (const Block& block : artifact_.claims.blocks)
    if (artifacts::is_id(block.id, "C") && (!supported || artifacts::is_supported(block))) found.push_back(&block);
  return found.empty() ? nullptr : found[pick(found.size())];
}

std::string Ground::unused(char kind) const {
  return kind + std::to_string(61 + pick(30));
}

void Ground::field(const Block& claim, std::string_view name, const std::string& text, bool gone) const {
  std::vector<std::string> lines = lines_in(scratch_.text(claims_file));
  int end = static_cast<int>(lines.size()) + 1;
  for (const Block& block : artifact_.claims.blocks)
    if (block.line > claim.line) end = std::min(end, block.line);
  const Field* field = claim.field(name);
  int first = claim.line + 1, last = first;
  if (field) {
    first = field->line;
    last = end;
    for (const Field& other : claim.fields)
      if (other.line > first) last = std::min(last, other.line);
  }
  std::string result;
  for (int i = 1; i < first; ++i) result += lines[static_cast<std::size_t>(i) - 1] + "\n";
  if (!gone) result += "- **" + std::string(name) + "**: " + text + "\n";
  if (last == end && field) result += "\n";
  for (int i = last; i <= static_cast<int>(lines.size()); ++i) result += lines[static_cast<std::size_t>(i) - 1] + "\n";
  scratch_.write(claims_file, result);
}

void Ground::heading(const Block& claim, const std::string& title) const {
  std::vector<std::string> lines = lines_in(scratch_.text(claims_file));
  lines[static_cast<std::size_t>(claim.line) - 1] = "## " + claim.id + ": " + title;
  std::string result;
  for (const std::string& line : lines) result += line + "\n";
  scratch_.write(claims_file, result);
}

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all{
      {"phantom proof",
       95,
       {"unknown-experiment", "missing-file", "no-proof", "missing-field", "one-sided-proof"},
       phantom_proof},
      {"removed falsification criterion",
       95,
       {"missing-field", "no-falsification", "tautological-falsification"},
       no_criterion},
      {"orphan experiment", 95, {"orphan-experiment"}, orphan},
      {"over-claimed statement", 80, {"unbounded-claim", "unsourced-number"}, overclaimed},
      {"rejected branch advocated", 80, {"rejected-branch"}, rejected_branch},
  };
  return all;
}
