#include "artifacts/export/lara_program.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "artifacts/read/record.h"
#include "artifacts/text/untrusted_text.h"
#include "kernel/domain/event.h"
#include "kernel/wording/wording.h"

namespace artifacts {
namespace {

/// What a rule of the policy concludes from a verdict.
struct Scheme {
  kernel::Verdict verdict;
  const char* name;  ///< As the policy's constant.
  const char* rule;
  const char* conclusion;  ///< The predicate of a hypothesis.
};
constexpr Scheme schemes[] = {
    {kernel::Verdict::supported, "supported", "registered_test", "holds"},
    {kernel::Verdict::refuted, "refuted", "registered_refutation", "fails"},
    {kernel::Verdict::no_relevant_effect, "no_relevant_effect", "registered_bound", "negligible"}};

constexpr const char* policy_head =
    R"(# The policy of etude's claims: a verdict of a registered test supports a claim, if it is
# shown that the runs were randomised and that the test had the registered power. That the
# result holds elsewhere is asked, too, but no study shows it of itself.

policy etude-v1

sort Experiment, Hypothesis, Report, Verdict
)";

constexpr const char* predicates = R"(
pred fails(Hypothesis)
pred generalizes(Hypothesis)
pred holds(Hypothesis)
pred negligible(Hypothesis)
pred powered(Experiment, Hypothesis)
pred randomized(Experiment)
pred reports(Experiment, Report)
)";

constexpr const char* conflicts = R"(
# One hypothesis has one outcome.
contrary holds(Hyp) fails(Hyp)
contrary fails(Hyp) holds(Hyp)
contrary holds(Hyp) negligible(Hyp)
contrary negligible(Hyp) holds(Hyp)
)";

/// Names of the language, each once: letters, digits, `_` and `-`, not beginning with a digit or `-`.
class Names {
 public:
  std::string of(const std::string& kind, const std::string& id) {
    const auto [known, is_new] = names_.try_emplace({kind, id});
    if (is_new) {
      std::string name;
      for (const char c : id) name += is_alnum(c) || c == '-' || c == '_' ? c : '_';
      if (name.empty() || is_digit(name.front()) || name.front() == '-') name = "x_" + name;
      std::string unique = name;
      for (int i = 2; !taken_.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
      known->second = unique;
    }
    return known->second;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::string> names_;
  /// The words of the policy and of the language.
  std::set<std::string> taken_{"outcome",
                               "supported",
                               "refuted",
                               "no_relevant_effect",
                               "Hyp",
                               "Exp",
                               "fails",
                               "generalizes",
                               "holds",
                               "negligible",
                               "powered",
                               "randomized",
                               "reports",
                               "registered_test",
                               "registered_refutation",
                               "registered_bound",
                               "randomization",
                               "adequate_power",
                               "external_validity",
                               "artifact",
                               "policy",
                               "at",
                               "use",
                               "backends",
                               "claim",
                               "leaf",
                               "arg",
                               "status",
                               "group",
                               "rule",
                               "mode",
                               "premises",
                               "conclusion",
                               "question",
                               "contrary",
                               "exception",
                               "admission",
                               "quarantine",
                               "nl",
                               "formal",
                               "binding",
                               "kind",
                               "provenance",
                               "refs",
                               "author",
                               "rationale",
                               "by",
                               "supports",
                               "challenges",
                               "discharge",
                               "with",
                               "open",
                               "as",
                               "rebut",
                               "undercut",
                               "undermine",
                               "certifiers",
                               "cert",
                               "trusted",
                               "none",
                               "assurance",
                               "theory",
                               "measurand",
                               "comparison",
                               "recheck",
                               "bridge",
                               "result",
                               "baseline",
                               "relation",
                               "claims",
                               "on",
                               "where",
                               "cell",
                               "let",
                               "from",
                               "prop",
                               "sort",
                               "con",
                               "pred",
                               "Num",
                               "Str",
                               "x"};
};

/// A text as a string of the language, which has no escapes.
std::string in_quotes(std::string_view text) {
  std::string out;
  for (const char c : clean(text).text) out += c == '"' ? '\'' : c == '\n' || c == '\t' ? ' ' : c;
  return "\"" + out + "\"";
}

std::string comment(std::string_view text) {
  std::string out;
  for (const char c : clean(text).text) out += c == '\n' ? ' ' : c;
  return "# " + out + "\n";
}

/// Whether the record shows what a question asks, and why or why not.
struct Obligation {
  bool is = false;
  std::string why;
};

Obligation randomised(const kernel::StudySpec& spec, const kernel::Registration& registered) {
  if (registered.order != kernel::Order::random) return {false, "the runs were made in the order listed"};
  if (spec.seeds != kernel::SeedRule::drawn || registered.draw.empty())
    return {false, "the seeds follow from the study file, not from random bits drawn at registration"};
  return {true,
          "seeds and order of the runs follow from random bits that were drawn with the registration, before the "
          "first run: " +
              registered.draw.text()};
}

Obligation powered(const kernel::StudySpec& spec, const kernel::Registration& registered,
                   const kernel::HypothesisRecord& record, int wording) {
  const kernel::HypothesisId& id = record.hypothesis.id;
  const auto size = std::ranges::find(registered.sizes, id, &kernel::SizeRecord::hypothesis);
  std::optional<double> power = record.result->power;
  if (!power && size != registered.sizes.end()) power = size->power;
  std::string why = size == registered.sizes.end() ? "" : kernel::sentence(size->how, wording);
  if (!power) return {false, "the power of the test is not known. " + why};
  return {*power >= spec.design.power,
          fmt::format("power {:.4g} %, and {:.4g} % was asked for. {}", *power * 100, spec.design.power * 100, why)};
}

class LaraProgram {
 public:
  LaraProgram(const SafeRoot& root, const RecordedLog& log, std::map<kernel::ExperimentId, int> registered)
      : root_(root), study_(log.study), head_(log.head), registered_at_(std::move(registered)) {
    for (const kernel::Claim& claim : study_.claims) add(claim);
  }

  bool has_verdicts() const { return !experiments_.empty(); }

  std::string program() const {
    return comment("The claims of a study of etude: " + study_.spec.title) + "# Policy: " + lara_policy_file +
           ". Digest: the head of trace/events.jsonl.\n\n" +
           fmt::format("artifact {} at sha256:{}\npolicy etude-v1\nuse backends []\n", study_name_, head_) + text_ +
           "\n" + statuses_;
  }

  std::string policy() const {
    std::string text = policy_head;
    std::vector<std::string> constants{"outcome(Hypothesis, Verdict) : Report"};
    for (const Scheme& scheme : schemes) constants.push_back(std::string(scheme.name) + " : Verdict");
    for (const auto& [id, name] : experiments_) constants.push_back(name + " : Experiment");
    for (const std::string& name : hypotheses_) constants.push_back(name + " : Hypothesis");
    std::ranges::sort(constants);
    text += "\n";
    for (const std::string& one : constants) text += "con " + one + "\n";
    text += predicates;
    for (const Scheme& scheme : schemes)
      text += fmt::format(
          "\nrule {}(Hyp, Exp)\n"
          "  mode       = defeasible\n"
          "  premises   = [ reports(Exp, outcome(Hyp, {})) ]\n"
          "  conclusion = {}(Hyp)\n"
          "  question randomization     : randomized(Exp)    (mandatory)\n"
          "  question adequate_power    : powered(Exp, Hyp)  (mandatory)\n"
          "  question external_validity : generalizes(Hyp)   (optional)\n",
          scheme.rule, scheme.name, scheme.conclusion);
    return text + conflicts;
  }

 private:
  void add(const kernel::Claim& claim) {
    const kernel::HypothesisRecord* record = study_.hypothesis(claim.hypothesis);
    if (!record) return;
    const std::string name = names_.of("claim", claim.id),
                      hypothesis = names_.of("hypothesis", claim.hypothesis.text());
    hypotheses_.insert(hypothesis);
    const kernel::Experiment* experiment = record->result ? study_.experiment(record->experiment) : nullptr;
    const Scheme* scheme = nullptr;
    if (experiment)
      for (const Scheme& one : schemes)
        if (one.verdict == record->result->verdict) scheme = &one;
    const std::string why =
        record->result ? kernel::sentence(record->result->reason, study_.wording) : "it was never analysed";
    text_ += fmt::format(
        "\nclaim {}\n"
        "  nl      = {}\n"
        "  formal  = {}({})\n"
        "  binding = {{ author = etude, rationale = {}, audit-status = unreviewed }}\n",
        name, in_quotes(claim.statement.empty() ? claim.title : claim.statement), scheme ? scheme->conclusion : "holds",
        hypothesis, in_quotes(why));
    statuses_ += "status " + name + "\n";
    if (!experiment) return;
    const kernel::Registration& registered = experiment->registration;
    const std::string run = names_.of("experiment", registered.experiment.text());
    experiments_[registered.experiment] = run;
    if (!scheme) {
      text_ += "\n" + comment("No argument for " + name + ": the registered test was inconclusive.");
      return;
    }
    const std::string log_line = fmt::format("{}#L{}", log_file, registered_at_[registered.experiment]);
    const std::string result =
        leaf(hypothesis + "-verdict", fmt::format("reports({}, outcome({}, {}))", run, hypothesis, scheme->name),
             evidence_of(registered.experiment.text()), why);
    const Obligation random = randomised(study_.spec, registered);
    const Obligation power = powered(study_.spec, registered, *record, study_.wording);
    std::string of_random, of_power;
    if (random.is) of_random = leaf(run + "-randomized", fmt::format("randomized({})", run), log_line, random.why);
    if (power.is)
      of_power = leaf(hypothesis + "-powered", fmt::format("powered({}, {})", run, hypothesis), log_line, power.why);
    text_ += fmt::format("\narg {} : supports({}) by {}({}, {})\n", names_.of("arg", claim.id + "-argument"), name,
                         scheme->rule, hypothesis, run);
    text_ += obligation("randomization", of_random, random.why) + obligation("adequate_power", of_power, power.why) +
             obligation("external_validity", "", "one study shows nothing of other settings");
  }

  static std::string obligation(const char* question, const std::string& leaf, const std::string& why) {
    if (leaf.empty()) return fmt::format("  open {}  {}", question, comment(why));
    return fmt::format("  discharge {} with {}\n", question, leaf);
  }

  /// Declares the leaf unless it is there already. Returns its name.
  std::string leaf(const std::string& id, const std::string& proposition, const std::string& refs,
                   const std::string& why) {
    const std::string name = names_.of("leaf", id);
    if (leaves_.insert(name).second)
      text_ += "\n" + comment(why) +
               fmt::format(
                   "leaf {} : {}\n"
                   "  kind       = observed\n"
                   "  provenance = ai-executed\n"
                   "  refs       = [{}]\n",
                   name, proposition, refs);
    return name;
  }

  std::string evidence_of(const std::string& experiment) const {
    std::vector<std::string> paths;
    for (const std::string& path :
         {"evidence/results/" + experiment + ".csv", "evidence/tables/verdicts_" + experiment + ".md"})
      if (root_.look(path).kind == FileKind::regular) paths.push_back(path);
    if (paths.empty()) paths.emplace_back(log_file);
    return fmt::format("{}", fmt::join(paths, ", "));
  }

  const SafeRoot& root_;
  const kernel::Study& study_;
  const std::string& head_;
  std::map<kernel::ExperimentId, int> registered_at_;  ///< Line of the event log.
  Names names_;
  std::string study_name_ = names_.of("study", study_.id);
  std::map<kernel::ExperimentId, std::string> experiments_;
  std::set<std::string> hypotheses_, leaves_;
  std::string text_, statuses_;
};

}  // namespace

kernel::Result<std::map<std::string, std::string>> lara_program(const SafeRoot& root) {
  if (root.look(log_file).kind != FileKind::regular)
    return kernel::Problem{"", 0, "the artifact", std::string("it has no event log (") + log_file + ")",
                           "give an artifact that etude wrote"};
  std::map<kernel::ExperimentId, int> registered;
  const auto log = read_log(root, [&](const kernel::Study*, const kernel::Event& event, int line) {
    if (const auto* one = std::get_if<kernel::ExperimentRegistered>(&event.body))
      registered[one->registration.experiment] = line;
  });
  if (!log) return log.problem();
  const LaraProgram made(root, *log, std::move(registered));
  if (!made.has_verdicts())
    return kernel::Problem{"", 0, "the artifact", "no claim of it rests on a registered experiment that was analysed",
                           "there is nothing to argue"};
  return std::map<std::string, std::string>{{lara_file, made.program()}, {lara_policy_file, made.policy()}};
}

}  // namespace artifacts
