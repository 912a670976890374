#include "artifacts/find/questions.h"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "artifacts/find/folded_words.h"
#include "artifacts/find/word_search.h"
#include "artifacts/read/references.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

/// A passage is about a topic if it has this share of its words, by weight.
constexpr double about = 0.5;

using Names = std::initializer_list<std::string_view>;

constexpr std::array<std::string_view, 10> statuses{"supported", "refuted",   "hypothesis", "untested", "testing",
                                                    "weakened",  "withdrawn", "retired",    "unproven", "inconclusive"};

std::string with_article(std::string_view noun) {
  const bool vowel = !noun.empty() && std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", noun);
}

bool is_node(const ArtifactPassage& passage) {
  return passage.file == "trace/exploration_tree.yaml";
}

bool is_claim(const ArtifactPassage& passage) {
  return passage.kind == "claim";
}

/// Whether the text names the id or the path.
bool names(std::string_view text, const std::string& address) {
  if (address.find('/') != address.npos) return text.find(address) != text.npos;
  return std::ranges::any_of(references_in(text, 0), [&](const Reference& one) { return one.text == address; });
}

class Questioning {
 public:
  Questioning(const Artifact& artifact, const std::vector<ArtifactPassage>& passages, std::string_view question)
      : artifact_(artifact), passages_(passages), search_(passages), question_(question) {
    for (const FoldedWord& word : folded_words(question)) {
      said_.insert(word.text);
      written_.insert(folded(question.substr(word.begin, word.end - word.begin)));
    }
    find_subjects();
  }

  Answered answered() {
    if (!subjects_.empty())
      about_subjects();
    else
      about_topic();
    return std::move(result_);
  }

 private:
  // What the question says.

  /// Whether one of the words stands in the question; they are then no part of its topic.
  bool says(Names words) {
    bool any = false;
    for (const std::string_view word : words)
      for (const FoldedWord& one : folded_words(word)) {
        if (!said_.contains(one.text)) continue;
        any = true;
        cues_.insert(one.text);
      }
    return any;
  }

  void find_subjects() {
    const std::string all = folded(question_);
    for (const ArtifactPassage& passage : passages_) {
      const std::string address = folded(passage.address);
      const bool path = address.find('/') != address.npos;
      bool named = false;
      for (auto at = all.find(address); !named && at != all.npos && !address.empty(); at = all.find(address, at + 1)) {
        const std::size_t end = at + address.size();
        const bool begins = at == 0 || !(is_alnum(all[at - 1]) || all[at - 1] == '/');
        const bool ends = end == all.size() || !(is_alnum(all[end]) || all[end] == '-' || all[end] == '#');
        // "PAPER.md" and ids of entries; the address of a section only with its heading.
        named = begins && ends;
        if (named) place_ = std::min(place_, at);
      }
      if (!named) continue;
      if (passage.kind == "paper" && !path && passage.address.find(".md") == std::string::npos) continue;
      subjects_.push_back(&passage);
      for (const FoldedWord& word : folded_words(passage.address)) cues_.insert(word.text);
    }
  }

  /// The words that say what the question is about.
  std::string topic() const {
    static const std::set<std::string> empty_words = [] {
      std::set<std::string> words;
      for (const FoldedWord& word : folded_words(
               "what which who why how does did is are was were there anything something everything thing artifact "
               "paper study author tell show list give me please say work claim claims node nodes experiment "
               "experiments evidence"))
        words.insert(word.text);
      return words;
    }();
    std::string words;
    for (const std::string& word : wanted_words(question_))
      if (!cues_.contains(word) && !empty_words.contains(word)) words += (words.empty() ? "" : " ") + word;
    return words;
  }

  // Answers.

  Answer& add(const ArtifactPassage& passage, std::string why) {
    const auto there = std::ranges::find(result_.answers, &passage, &Answer::passage);
    if (there != result_.answers.end()) return *there;
    return result_.answers.emplace_back(Answer{&passage, std::move(why), {}});
  }

  static void quote(Answer& answer, Names fields) {
    for (const std::string_view field : fields)
      for (const PassageText& one : answer.passage->texts)
        if (same_word(one.field, field) && std::ranges::none_of(answer.quotes, [&](const Quote& said) {
              return said.line == one.line && said.field == one.field;
            }))
          answer.quotes.push_back({one.field, excerpt_around(one.text, 0, longest_quote), one.line});
  }

  /// The first of the fields that there is; else the line that says most of the topic.
  void quote_best(Answer& answer, Names fields, const std::string& topic_words) {
    for (const std::string_view field : fields) {
      quote(answer, {field});
      if (!answer.quotes.empty()) return;
    }
    const WordHit found = search_.quoted(*answer.passage, wanted_words(topic_words));
    if (!found.quote.empty()) answer.quotes.push_back({found.field, found.quote, found.line});
  }

  using Wanted = std::function<bool(const ArtifactPassage&)>;

  /// The wanted passages about the topic, the best first; without a topic all, in the order of the artifact.
  std::vector<const ArtifactPassage*> chosen(const std::string& topic_words, const Wanted& wanted) const {
    std::vector<const ArtifactPassage*> list;
    if (topic_words.empty()) {
      for (const ArtifactPassage& passage : passages_)
        if (wanted(passage)) list.push_back(&passage);
    } else {
      for (const WordHit& one : search_.find(topic_words))
        if (wanted(*one.passage) && one.share >= about) list.push_back(one.passage);
    }
    return list;
  }

  std::string with_topic(std::string_view what, const std::string& topic_words) const {
    return topic_words.empty() ? std::string(what) : fmt::format("{}, about “{}”", what, topic_words);
  }

  // Questions about an entry.

  void about_subjects() {
    const ArtifactPassage& subject = *subjects_.front();
    const std::string& id = subject.address;
    if (says({"support", "prove", "proof", "back", "believe", "confirm", "verify", "evidence"}) && is_claim(subject)) {
      result_.read_as = "what supports " + id;
      return supports(subject);
    }
    if (says({"refute", "contradict", "falsify", "falsification", "against", "disprove", "wrong"}) &&
        is_claim(subject)) {
      result_.read_as = "what would refute or speaks against " + id;
      return contradicts(subject);
    }
    if (says({"rest", "rely", "depend", "dependencies", "based", "build", "cite", "use", "refer", "name", "need"})) {
      if (subject_first()) {
        result_.read_as = "what " + id + " rests on";
        return rests_on(subject);
      }
      result_.read_as = "what rests on " + id;
      return dependents(subject);
    }
    if (says({"condition", "limit", "bound", "hold", "assume", "when", "where"})) {
      result_.read_as = "the limits of " + id;
      Answer& answer = add(subject, "its limits");
      quote(answer, {"Conditions", "Boundary conditions", "Bounds", "Falsification criteria"});
      if (answer.quotes.empty()) result_.answers.clear();
      return;
    }
    result_.read_as = "what " + id + " says";
    for (const ArtifactPassage* one : subjects_) {
      Answer& answer = add(*one, "the entry itself");
      for (const PassageText& text : one->texts)
        if (answer.quotes.size() < 12)
          answer.quotes.push_back({text.field, excerpt_around(text.text, 0, longest_quote), text.line});
    }
  }

  /// "What does C03 rest on?" and not "what rests on C03?".
  bool subject_first() const {
    const std::string all = folded(question_);
    for (const std::string_view cue :
         {"rest", "rely", "relies", "depend", "based", "build", "cite", "use", "refer", "name", "need"})
      if (const auto at = all.find(cue); at != all.npos && at < place_) return false;
    return true;
  }

  const ArtifactPassage* at(const std::string& address) const {
    const auto found = std::ranges::find(passages_, address, &ArtifactPassage::address);
    return found == passages_.end() ? nullptr : &*found;
  }

  /// The entries that a field names, each with a reason.
  void follow(const ArtifactPassage& from, Names fields, std::string_view why) {
    for (const std::string_view field : fields)
      for (const Reference& one : references_in(from.field(field), 0)) {
        const ArtifactPassage* there =
            at(one.kind == Reference::Kind::path && !one.target.empty() ? one.target : one.text);
        if (!there || there == &from) continue;
        Answer& answer = add(*there, fmt::format("{} {}", fmt::format(fmt::runtime(why), field), from.address));
        if (answer.quotes.empty())
          quote_best(answer, {"result", "Expected outcome", "Statement", "outcome", "Caption"}, from.title);
      }
  }

  void supports(const ArtifactPassage& claim) {
    quote(add(claim, "what the claim itself states"), {"Status", "Proof", "Evidence basis", "Sources"});
    follow(claim, {"Proof", "Evidence basis"}, "the {} names it:");
    for (const ArtifactPassage& one : passages_)
      if (one.kind == "experiment plan" && names(one.field("Verifies"), claim.address))
        quote_best(add(one, "it verifies " + claim.address), {"Expected outcome", "Evidence"}, claim.title);
    for (const ArtifactPassage& one : passages_)
      if (is_node(one) && names(one.field("evidence"), claim.address))
        quote_best(add(one, "its evidence names " + claim.address), {"result", "outcome", "lesson", "choice"},
                   claim.title);
    for (const IndexRow& row : artifact_.evidence_index)
      if (names(row.rest, claim.address))
        if (const auto path = joined("evidence", row.target))
          if (const ArtifactPassage* page = at(*path))
            quote_best(add(*page, "evidence/README.md lists it for " + claim.address), {"Caption", "Source"},
                       claim.title);
    follow(claim, {"Dependencies"}, "the {} name it:");
  }

  void contradicts(const ArtifactPassage& claim) {
    quote(add(claim, "what would refute it"), {"Status", "Falsification criteria", "Conditions"});
    for (const ArtifactPassage& one : passages_)
      if ((one.kind == "dead_end" || one.kind == "pivot") && names(one.field("evidence"), claim.address))
        quote_best(add(one, with_article(one.kind) + " whose evidence names " + claim.address),
                   {"failure_mode", "why_failed", "reason", "lesson"}, claim.title);
    for (const ArtifactPassage& one : passages_)
      if (one.kind == "related work" && same_word(trimmed(one.field("Type")), "refutes") &&
          names(one.field("Claims affected"), claim.address))
        quote_best(add(one, "a work that refutes " + claim.address), {"Delta"}, claim.title);
  }

  void rests_on(const ArtifactPassage& entry) {
    quote(add(entry, "what it names"), {"Proof", "Dependencies", "Evidence basis", "evidence", "also_depends_on",
                                        "Verifies", "Evidence", "Claims affected"});
    if (result_.answers.back().quotes.empty()) result_.answers.clear();
    follow(entry, {"Proof", "Dependencies", "Evidence basis", "evidence", "also_depends_on", "Verifies", "Evidence"},
           "the {} names it:");
  }

  void dependents(const ArtifactPassage& entry) {
    const bool only_claims = written_.contains("claim") || written_.contains("claims");
    const bool only_nodes = written_.contains("node") || written_.contains("nodes");
    const auto asked = [&](const ArtifactPassage& one) {
      return only_claims ? is_claim(one) : only_nodes ? is_node(one) : true;
    };
    constexpr std::array<std::string_view, 9> naming{"Proof",    "Dependencies",    "Evidence basis",
                                                     "Sources",  "evidence",        "also_depends_on",
                                                     "Verifies", "Claims affected", "Evidence"};
    std::vector<std::pair<const ArtifactPassage*, const ArtifactPassage*>> found;  // With what it rests on.
    const auto resting_on = [&](const ArtifactPassage& what, Names fields) {
      for (const ArtifactPassage& one : passages_) {
        if (&one == &entry || std::ranges::find(found, &one, &decltype(found)::value_type::first) != found.end())
          continue;
        for (const PassageText& text : one.texts)
          if ((fields.size() == 0 ? is_one_of(naming, text.field)
                                  : std::ranges::any_of(fields, [&](auto f) { return same_word(f, text.field); })) &&
              names(text.text, what.address)) {
            found.emplace_back(&one, &what);
            break;
          }
      }
    };
    resting_on(entry, {});
    const std::size_t direct = found.size();
    // Claims rest on what the claims that they depend on rest on.
    for (std::size_t i = 0; i < found.size(); ++i)
      if (is_claim(*found[i].first)) resting_on(*found[i].first, {"Dependencies"});
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto& [one, by] = found[i];
      if (!asked(*one)) continue;
      Answer& answer = add(*one, i < direct ? "it names " + entry.address : "by way of " + by->address);
      for (const PassageText& text : one->texts)
        if (is_one_of(naming, text.field) && names(text.text, by->address))
          answer.quotes.push_back({text.field, excerpt_around(text.text, 0, longest_quote), text.line});
    }
  }

  // Questions about a topic.

  void about_topic() {
    for (const std::string_view status : statuses)
      if (written_.contains(std::string(status)) && (written_.contains("claims") || written_.contains("claim")) &&
          !written_.contains("what"))
        return with_status(status);
    if (says({"fail", "failed", "failure", "fails", "dead end", "refuted", "abandoned", "rejected", "negative", "wrong",
              "unsuccessful"}) ||
        (written_.contains("not") && says({"work", "worked"})))
      return failures();
    if (says({"tried", "try", "attempt", "attempted", "explored", "tested", "test"})) return attempts();
    if (says({"rest", "rely", "depend", "based"})) return claims_resting_on_words();
    if (says({"support", "prove", "proof", "believe", "evidence"})) return supported_claim();
    if (says({"decide", "decided", "decision", "choose", "chose", "chosen", "alternative", "alternatives", "why"}))
      return by_kind("what was decided", {"decision", "pivot"}, {"choice", "new_direction", "rationale", "reason"});
    if (says({"pivot", "change", "changed", "switch", "switched", "direction"}))
      return by_kind("what changed direction", {"pivot"}, {"new_direction", "reason", "prior_direction", "lesson"});
    if (says({"open", "unanswered", "next", "future", "unresolved", "unknown", "gap", "gaps", "missing"}))
      return open_questions();
    if (says({"limit", "limitation", "limits", "assume", "assumption", "assumptions", "constraint", "constraints",
              "condition", "conditions", "caveat", "caveats", "threat", "threats"}))
      return limits();
    if (says({"reproduce", "rerun", "environment", "hardware", "install", "seed", "seeds", "machine", "dependencies",
              "version", "versions"}) ||
        (written_.contains("how") && says({"run"})))
      return running();
    if (says({"related", "prior", "cite", "cites", "cited", "literature", "baseline", "baselines"}))
      return by_kind("related work", {"related work"}, {"Delta", "Type", "Adopted elements"});
    if (says({"define", "definition", "mean", "meaning", "means"}) ||
        (written_.contains("what") && (written_.contains("is") || written_.contains("are"))))
      if (definitions()) return;
    if (says({"found", "find", "result", "results", "conclude", "conclusion", "main", "answer", "finding", "findings",
              "claim", "claims"}))
      return by_kind("what was found", {"claim"}, {"Statement"});
    words();
  }

  void by_kind(std::string_view what, Names kinds, Names fields) {
    const std::string topic_words = topic();
    result_.read_as = with_topic(what, topic_words);
    for (const ArtifactPassage* one : chosen(topic_words, [&](const ArtifactPassage& passage) {
           return std::ranges::find(kinds, std::string_view(passage.kind)) != kinds.end();
         }))
      quote_best(add(*one, with_article(one->kind)), fields, topic_words);
  }

  void with_status(std::string_view status) {
    says({status, "claim", "claims", "status"});
    const std::string topic_words = topic();
    result_.read_as = with_topic(fmt::format("claims whose Status is {}", status), topic_words);
    for (const ArtifactPassage* one : chosen(topic_words, is_claim))
      if (folded(one->field("Status")).find(status) != std::string::npos)
        quote(add(*one, fmt::format("its Status is {}", status)), {"Statement", "Status"});
  }

  void failures() {
    const std::string topic_words = topic();
    result_.read_as = with_topic("what failed", topic_words);
    const auto has_failed = [](const ArtifactPassage& one) {
      if (one.kind == "dead_end") return true;
      const std::string state = folded(is_claim(one)  ? one.field("Status")
                                       : is_node(one) ? one.field("status") + " " + one.field("outcome")
                                                      : std::string());
      return std::ranges::any_of(std::array{"refuted", "withdrawn", "retired", "weakened", "failed", "failure"},
                                 [&](std::string_view word) { return state.find(word) != state.npos; });
    };
    for (const ArtifactPassage* one : chosen(topic_words, has_failed)) {
      Answer& answer = add(*one, one->kind == "dead_end" ? "a dead end" : "its status says so");
      quote(answer, {"failure_mode", "why_failed", "lesson", "Status", "status", "outcome"});
      if (answer.quotes.empty()) quote_best(answer, {"hypothesis", "description"}, topic_words);
    }
  }

  void attempts() {
    const std::string topic_words = topic();
    result_.read_as = with_topic("what was tried", topic_words);
    for (const ArtifactPassage* one : chosen(topic_words, [](const ArtifactPassage& passage) {
           return (is_node(passage) && passage.kind != "question") || passage.kind == "experiment plan";
         }))
      quote_best(add(*one, with_article(one->kind)),
                 {"result", "outcome", "failure_mode", "why_failed", "choice", "new_direction", "lesson", "Setup"},
                 topic_words);
  }

  void claims_resting_on_words() {
    says({"claim", "claims"});
    const std::string topic_words = topic();
    result_.read_as = fmt::format("claims whose proof or sources say “{}”", topic_words);
    const std::vector<std::string> wanted = wanted_words(topic_words);
    for (const ArtifactPassage& one : passages_) {
      if (!is_claim(one) || topic_words.empty()) continue;
      for (const PassageText& text : one.texts) {
        if (!is_one_of(std::array<std::string_view, 4>{"Proof", "Evidence basis", "Sources", "Dependencies"},
                       text.field))
          continue;
        std::set<std::string> there;
        for (FoldedWord& word : folded_words(text.text)) there.insert(std::move(word.text));
        if (!std::ranges::all_of(wanted, [&](const std::string& word) { return there.contains(word); })) continue;
        add(one, fmt::format("its {} says so", text.field))
            .quotes.push_back({text.field,
                               search_.quoted({one.address, one.kind, {}, one.file, one.line, {text}}, wanted).quote,
                               text.line});
      }
    }
  }

  void supported_claim() {
    const std::string topic_words = topic();
    result_.read_as = with_topic("what supports a claim", topic_words);
    const std::vector<const ArtifactPassage*> claims =
        topic_words.empty() ? std::vector<const ArtifactPassage*>{} : chosen(topic_words, is_claim);
    if (claims.empty()) return;
    result_.read_as = fmt::format("what supports {} ({})", claims.front()->address, claims.front()->title);
    supports(*claims.front());
  }

  void open_questions() {
    const std::string topic_words = topic();
    result_.read_as = with_topic("what is open", topic_words);
    for (const ArtifactPassage* one : chosen(topic_words, [](const ArtifactPassage& passage) {
           const std::string state = folded(passage.field("status"));
           if (is_claim(passage)) {
             const std::string status = folded(passage.field("Status"));
             return status.find("hypothesis") != status.npos || status.find("untested") != status.npos ||
                    status.find("testing") != status.npos;
           }
           if (is_node(passage)) return state.find("open") != state.npos || state.find("pending") != state.npos;
           return passage.file == "logic/problem.md" && passage.address.starts_with("G");
         }))
      quote_best(add(*one, is_claim(*one)  ? "a claim that is not decided"
                           : is_node(*one) ? "a node that is open"
                                           : "a gap"),
                 {"Statement", "description", "status", "Status"}, topic_words);
  }

  void limits() {
    const std::string topic_words = topic();
    result_.read_as = with_topic("limits and assumptions", topic_words);
    for (const ArtifactPassage* one : chosen(topic_words, [](const ArtifactPassage& passage) {
           if (passage.file == "logic/solution/constraints.md") return true;
           const std::string title = folded(passage.title);
           if (title.find("limitation") != title.npos || title.find("assumption") != title.npos) return true;
           return is_claim(passage) && !passage.field("Conditions").empty();
         }))
      quote_best(add(*one, is_claim(*one) ? "the conditions of a claim" : "limits"), {"Conditions"}, topic_words);
  }

  void running() {
    says({"run", "again"});
    const std::string topic_words = topic();
    result_.read_as = with_topic("how it was run", topic_words);
    for (const ArtifactPassage* one : chosen(topic_words, [](const ArtifactPassage& passage) {
           return passage.file == "src/environment.md" || passage.file == "README.md" ||
                  (passage.kind == "experiment plan" &&
                   !(passage.field("Run").empty() && passage.field("Setup").empty()));
         })) {
      Answer& answer = add(*one, "how it was run");
      quote(answer, {"Run", "Setup", "Hardware", "Runtime", "Seeds", "Random seeds"});
      if (answer.quotes.empty()) quote_best(answer, {}, topic_words);
    }
  }

  /// False if no concept has the words of the topic in its title.
  bool definitions() {
    const std::vector<std::string> wanted = wanted_words(topic());
    for (const ArtifactPassage& one : passages_) {
      if (one.kind != "concept") continue;
      std::set<std::string> title;
      for (FoldedWord& word : folded_words(one.title)) title.insert(std::move(word.text));
      if (wanted.empty() || !std::ranges::all_of(wanted, [&](const auto& word) { return title.contains(word); }))
        continue;
      result_.read_as = "the definition of " + one.title;
      quote_best(add(one, "a concept"), {"Definition", "Notation"}, one.title);
    }
    return !result_.answers.empty();
  }

  void words() {
    const std::string topic_words = topic();
    result_.read_as = fmt::format("what is said about “{}”", topic_words);
    if (topic_words.empty()) return;
    for (const WordHit& one : search_.find(topic_words))
      if (one.share >= about) add(*one.passage, "it has the words").quotes.push_back({one.field, one.quote, one.line});
  }

  const Artifact& artifact_;
  const std::vector<ArtifactPassage>& passages_;
  WordSearch search_;
  std::string_view question_;
  std::set<std::string> said_;     ///< Stems of the question's words.
  std::set<std::string> written_;  ///< The words themselves, folded.
  std::set<std::string> cues_;     ///< Stems of the words that say what kind of question it is.
  std::vector<const ArtifactPassage*> subjects_;
  std::size_t place_ = std::string::npos;  ///< Of the first subject in the question.
  Answered result_;
};

}  // namespace

Answered answer_question(const Artifact& artifact, const std::vector<ArtifactPassage>& passages,
                         std::string_view question) {
  return Questioning(artifact, passages, question).answered();
}

}  // namespace artifacts
