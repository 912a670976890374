#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/read/references.h"
#include "artifacts/text/english.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

/// The share of a rejected sentence that a claim must repeat, weighted by how rare its words are in this artifact.
constexpr double enough = 0.55;
/// If a refuted claim is nearer to the rejected branch, that claim was what was rejected, and the supported one is only
/// similar, unless it repeats this much.
constexpr double all_of_it = 0.7;
/// Claims usually have a few dozen sentences; the limit is for hostile artifacts.
constexpr std::size_t most_sentences = 2000;

struct Rejected {
  const TreeNode* node;
  std::string text;
  std::vector<std::string> stems;
  bool denied;
  int comparison;
};

/// One sentence of a claim.
struct Said {
  const Block* claim;
  bool denied;
  int comparison;
};

class Branches {
 public:
  Branches(const Artifact& artifact, Findings& findings) : artifact_(artifact), findings_(findings) {
    for (const Block& claim : artifact.claims.blocks)
      if (is_id(claim.id, "C")) read(claim);
    for (const TreeNode& node : artifact.tree.nodes) {
      std::string all = node.title;
      for (const NodeField& field : node.fields) all += " " + flat(field.value);
      count(all);
      reject(node);
    }
  }

  void judge() const {
    for (const Rejected& branch : rejected_) {
      const Block* nearest = nullptr;
      double best = 0, fallen = 0;
      for (const auto& [sentence, score] : repeated(branch)) {
        const Block& claim = *said_[sentence].claim;
        if (!is_supported(claim)) {
          fallen = std::max(fallen, score);
        } else if (score > best) {
          best = score;
          nearest = &claim;
        }
      }
      if (nearest && best >= enough && (fallen < enough || best > fallen || best >= all_of_it)) say(*nearest, branch);
    }
  }

 private:
  void count(std::string_view text) {
    ++texts_;
    for (const std::string& stem : stems_in(text)) ++in_texts_[stem];
  }

  void read(const Block& claim) {
    const Field* statement = claim.field("Statement");
    const std::string text = claim.title + "\n" + (statement ? statement->text : "");
    count(text);
    for (const std::string_view sentence : sentences_in(text)) {
      for (const std::string& stem : stems_in(sentence)) in_said_[stem].push_back(said_.size());
      said_.push_back({&claim, denies(sentence), comparison_in(sentence)});
    }
  }

  /// Adds what was tried and given up: a dead end's hypothesis, else its title; a pivot's former direction.
  void reject(const TreeNode& node) {
    std::string text;
    if (node.type == TreeNodeType::dead_end) {
      const YamlValue* hypothesis = node.field("hypothesis");
      text = hypothesis && !says_nothing(flat(*hypothesis)) ? flat(*hypothesis) : node.title;
    } else if (node.type == TreeNodeType::pivot) {
      if (const YamlValue* before = node.field("prior_direction")) text = flat(*before);
    }
    // A long hypothesis explains itself; a claim may repeat any of its sentences.
    for (const std::string_view sentence : sentences_in(text)) {
      std::vector<std::string> stems = stems_in(sentence);
      if (stems.size() < 2) continue;
      rejected_.push_back({&node, std::string(sentence), std::move(stems), denies(sentence), comparison_in(sentence)});
    }
  }

  double weight(const std::string& stem) const {
    const auto found = in_texts_.find(stem);
    const double n = found == in_texts_.end() ? 1 : static_cast<double>(found->second);
    return std::log(1 + static_cast<double>(texts_) / n);
  }

  /// The sentences that repeat part of the branch and do not deny it, with the share that they repeat.
  std::map<std::size_t, double> repeated(const Rejected& branch) const {
    std::map<std::size_t, std::pair<double, std::size_t>> shared;
    double all = 0;
    for (const std::string& stem : branch.stems) {
      const double w = weight(stem);
      all += w;
      const auto found = in_said_.find(stem);
      // A word that is in nearly every sentence says nothing, and many of them would take long.
      if (found == in_said_.end() || found->second.size() > most_sentences) continue;
      for (const std::size_t sentence : found->second) {
        shared[sentence].first += w;
        ++shared[sentence].second;
      }
    }
    const std::size_t needed = std::min<std::size_t>(branch.stems.size() < 5 ? 2 : 3, branch.stems.size());
    std::map<std::size_t, double> scores;
    for (const auto& [sentence, share] : shared) {
      const Said& said = said_[sentence];
      // A sentence that denies the branch or states the opposite direction supports something else.
      if (share.second < needed || said.denied != branch.denied || said.comparison * branch.comparison < 0) continue;
      scores[sentence] = share.first / all;
    }
    return scores;
  }

  void say(const Block& claim, const Rejected& branch) const {
    findings_.add(RuleId::rejected_branch, artifact_.claims.file, claim.line,
                  fmt::format("{} is supported and advocates what {} {} of {}:{} rejected: {}", claim.id,
                              name_of(branch.node->type), quote(branch.node->id), artifact_.tree.file,
                              branch.node->line, quote(branch.text)));
  }

  const Artifact& artifact_;
  Findings& findings_;
  std::vector<Rejected> rejected_;
  std::vector<Said> said_;
  std::unordered_map<std::string, std::vector<std::size_t>> in_said_;  ///< Stem → sentences.
  std::unordered_map<std::string, std::size_t> in_texts_;
  std::size_t texts_ = 0;
};

}  // namespace

void audit_branches(const Artifact& artifact, Findings& findings) {
  Branches(artifact, findings).judge();
}

}  // namespace artifacts
