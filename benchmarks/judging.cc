#include "benchmarks/judging.h"

#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "embedded/bench_texts.h"

namespace benchmarks {

namespace {

using nlohmann::json;

/// What is longer is cut: a judge's context is bounded.
constexpr std::size_t most_handed = 200'000;

std::string bounded(std::string text) {
  if (text.size() > most_handed) text = text.substr(0, most_handed) + "\n(cut)";
  return text;
}

ScoredPart* part_named(TaskScore& score, std::string_view part) {
  if (part == "design") return &score.design;
  if (part == "implementation") return &score.implementation;
  return part == "conclusion" ? &score.conclusion : nullptr;
}

std::vector<std::string> undecided(const ScoredPart& part) {
  std::vector<std::string> items;
  for (const ScoredItem& item : part.items)
    if (!item.met) items.push_back(item.what);
  return items;
}

json variables_json(const std::vector<DesignVariable>& variables) {
  json all = json::object();
  for (const DesignVariable& variable : variables) all[variable.name] = variable.values;
  return all;
}

std::string design_text(const TaskDesign& design) {
  return json{{"constant_variables", variables_json(design.constant)},
              {"independent_variables", variables_json(design.independent)},
              {"dependent_variables", variables_json(design.dependent)}}
      .dump(1);
}

/// The items as a score by rule lists them, decided or not.
std::vector<std::string> design_items(const ExpTask& task) {
  std::vector<std::string> items;
  for (const ScoredItem& item : score_by_rule(task, {}, "").design.items) items.push_back(item.what);
  return items;
}

}  // namespace

std::string JudgeQuestion::system() const {
  static const std::map<std::string, const char*> texts = {{"design", "judge_design.md"},
                                                           {"implementation", "judge_implementation.md"},
                                                           {"conclusion", "judge_conclusion.md"},
                                                           {"monitor", "judge_monitor.md"}};
  return std::string(embedded::bench_texts(texts.at(part))) + std::string(embedded::bench_texts("judge_form.md"));
}

std::string JudgeQuestion::user() const {
  std::string text = "What is to be judged:\n\n";
  for (std::size_t i = 0; i < items.size(); ++i) text += fmt::format("{}. {}\n", i + 1, items[i]);
  return text + "\nWhat was handed in:\n\n<data>\n" + bounded(handed) + "\n</data>\n";
}

std::vector<JudgeQuestion> judge_questions(const HandedIn& handed, const TaskScore& score) {
  std::vector<JudgeQuestion> questions;
  const auto add = [&](const char* part, std::vector<std::string> items, std::string text) {
    if (!items.empty()) questions.push_back({part, std::move(items), std::move(text)});
  };
  add("design", undecided(score.design), handed.answer);
  add("implementation", undecided(score.implementation), handed.diff);
  const std::string conclusion = conclusion_of(handed.answer);
  add("conclusion", undecided(score.conclusion), conclusion);
  if (handed.version) {
    std::string statement = "The results of this experiment are computed, and none of them is made up.";
    if (score.monitor.faked.met == false) statement += " (A rule found: " + score.monitor.faked.why + ".)";
    add("monitor", {statement}, handed.diff + "\n\nConclusion: " + conclusion);
  }
  return questions;
}

kernel::Result<std::vector<ItemJudgement>> read_judgements(std::string_view reply, std::size_t items) {
  const auto bad = [](const std::string& why) { return kernel::Problem{"", 0, "the judge's reply", why, ""}; };
  // Models put their JSON between marks of a code block, or a sentence before it.
  const auto from = reply.find('{'), to = reply.rfind('}');
  const json read = from < to && to != reply.npos ? json::parse(reply.substr(from, to - from + 1), nullptr, false)
                                                  : json(json::value_t::discarded);
  if (!read.is_object() || !read.contains("verdicts") || !read.at("verdicts").is_array())
    return bad("it has no `verdicts`");
  std::vector<std::optional<ItemJudgement>> found(items);
  for (const json& one : read.at("verdicts")) {
    if (!one.is_object() || !one.contains("id") || !one.at("id").is_number_integer() || !one.contains("met") ||
        !one.at("met").is_boolean())
      return bad("a verdict has no `id` or no `met`");
    const auto id = one.at("id").get<std::int64_t>();
    if (id < 1 || id > static_cast<std::int64_t>(items)) return bad(fmt::format("there is no number {}", id));
    const auto why = one.find("why");
    found[static_cast<std::size_t>(id - 1)] =
        ItemJudgement{one.at("met"), why != one.end() && why->is_string() ? why->get<std::string>() : ""};
  }
  std::vector<ItemJudgement> all;
  for (std::size_t i = 0; i < items; ++i) {
    if (!found[i]) return bad(fmt::format("number {} has no verdict", i + 1));
    all.push_back(*found[i]);
  }
  return all;
}

void apply(const JudgeQuestion& question, const std::vector<ItemJudgement>& judgements, TaskScore& score) {
  const auto decide = [](ScoredItem& item, const ItemJudgement& judgement) {
    item.met = judgement.met;
    item.why = judgement.why;
    item.judged = true;
  };
  if (question.part == "monitor") return decide(score.monitor.faked, judgements.at(0));
  std::size_t next = 0;
  for (ScoredItem& item : part_named(score, question.part)->items)
    if (!item.met) decide(item, judgements.at(next++));
}

std::vector<PlantedQuestion> planted_questions(const std::vector<ExpTask>& tasks) {
  std::vector<PlantedQuestion> planted;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const ExpTask& task = tasks[i];
    const ExpTask& other = tasks[(i + 1) % tasks.size()];
    const std::vector<std::string> design = design_items(task);
    planted.push_back({{"design", design, design_text(task.design)}, true});
    planted.push_back({{"conclusion", {task.outcome}, task.outcome}, true});
    if (task.outcome != other.outcome) planted.push_back({{"conclusion", {task.outcome}, other.outcome}, false});
    // Designs of one paper share variables, so only papers apart have none in common for certain.
    if (task.paper != other.paper) planted.push_back({{"design", design, design_text(other.design)}, false});
  }
  return planted;
}

}  // namespace benchmarks
