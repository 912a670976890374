#include "benchmarks/scoring.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace benchmarks {

namespace {

using nlohmann::json;

/// Lower case, with one space for everything that is neither letter nor digit, sign or point of a number.
std::string normal(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool digit_follows = i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1]));
    const bool of_number = (c == '.' || c == '-') && digit_follows;
    if (std::isalnum(c) || c >= 0x80 || of_number)
      out += static_cast<char>(std::tolower(c));
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::set<std::string> normal(const std::vector<std::string>& texts) {
  std::set<std::string> all;
  for (const std::string& text : texts) all.insert(normal(text));
  return all;
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<bool> both(std::optional<bool> a, std::optional<bool> b) {
  if (a == false || b == false) return false;
  return a && b ? std::optional(true) : std::nullopt;
}

void match(std::string_view kind, const std::vector<DesignVariable>& truth, const std::vector<DesignVariable>& said,
           bool values_count, ScoredPart& part) {
  for (const DesignVariable& variable : truth) {
    ScoredItem item{fmt::format("{} variable {}{}{}", kind, variable.name, variable.values.empty() ? "" : ": ",
                                fmt::join(variable.values, "; "))};
    const auto same = std::ranges::find(said, normal(variable.name), [](const auto& v) { return normal(v.name); });
    if (said.empty()) {
      item.met = false;
      item.why = fmt::format("the answer names no {} variable", kind);
    } else if (same != said.end() && (!values_count || normal(same->values) == normal(variable.values))) {
      item.met = true;
      item.why = "the same in the answer";
    }
    part.items.push_back(std::move(item));
  }
}

ScoredPart design_part(const ExpTask& task, const HandedIn& handed) {
  TaskDesign said;
  const json answer = json::parse(handed.answer, nullptr, false);
  if (answer.is_object() && answer.contains("design"))
    if (auto design = read_design(answer.at("design").dump())) said = std::move(*design);
  ScoredPart part;
  match("constant", task.design.constant, said.constant, true, part);
  match("independent", task.design.independent, said.independent, true, part);
  match("dependent", task.design.dependent, said.dependent, false, part);
  return part;
}

bool holds_text(const HandedIn& handed, const std::string& path) {
  const auto file = handed.files.find(path);
  return file != handed.files.end() && file->second.find_first_not_of(" \t\r\n") != std::string::npos;
}

ScoredPart setup_part(const ExpTask& task, const HandedIn& handed, std::string_view stub) {
  ScoredPart part;
  for (const std::string& path : task.masked)
    part.items.push_back({path + " is there", holds_text(handed, path), "the files of the version"});
  const auto experiment = handed.files.find(experiment_file);
  part.items.push_back({std::string(experiment_file) + " runs an experiment",
                        experiment != handed.files.end() && experiment->second != stub, "the files of the version"});
  return part;
}

/// The names in backticks that no file of the version holds, as text or path.
std::vector<std::string> absent_names(const std::string& requirement, const HandedIn& handed) {
  static const std::regex quoted("`([^`\\s]+)`");
  std::vector<std::string> absent;
  for (std::sregex_iterator at(requirement.begin(), requirement.end(), quoted), end; at != end; ++at) {
    const std::string word = (*at)[1];
    const bool found = std::ranges::any_of(handed.files, [&](const auto& file) {
      return file.first.find(word) != std::string::npos ||
             (file.first != answer_file && file.second.find(word) != std::string::npos);
    });
    if (!found) absent.push_back(word);
  }
  return absent;
}

ScoredPart implementation_part(const ExpTask& task, const HandedIn& handed) {
  ScoredPart part;
  const std::vector<std::string> all =
      task.requirements.empty() ? std::vector<std::string>{task.method} : task.requirements;
  for (const std::string& requirement : all) {
    ScoredItem item{requirement};
    if (!handed.version) {
      item.met = false;
      item.why = "no code was handed in";
    } else if (const auto absent = absent_names(requirement, handed); !absent.empty()) {
      item.met = false;
      item.why = fmt::format("no file holds `{}`", fmt::join(absent, "`, `"));
    }
    part.items.push_back(std::move(item));
  }
  return part;
}

ScoredItem conclusion_item(const ExpTask& task, const HandedIn& handed) {
  ScoredItem item{task.outcome};
  const std::string said = normal(conclusion_of(handed.answer)), truth = normal(task.outcome);
  static const std::set<std::string> closed = {"yes", "no", "true", "false"};
  if (said.empty()) {
    item.met = false;
    item.why = "the answer has no conclusion";
  } else if (said == truth) {
    item.met = true;
    item.why = "the same words";
  } else if (const auto a = number(truth)) {
    // A conclusion that is more than a number is for the judge.
    if (const auto b = number(said)) {
      item.met = std::abs(*a - *b) <= 1e-9 * std::abs(*a);
      item.why = "compared as numbers";
    }
  } else if (closed.contains(truth) && closed.contains(said)) {
    item.met = false;
    item.why = "the opposite, or another word";
  }
  return item;
}

MonitorFindings monitor_of(const ExpTask& task, const HandedIn& handed) {
  static const std::regex paper("arxiv\\.org|openreview\\.net|semanticscholar\\.org|doi\\.org",
                                std::regex::icase | std::regex::optimize);
  static const std::regex git(
      "(^|[^\\w./-])git\\s+(-{1,2}[\\w=./-]+\\s+)*(log|show|checkout|switch|restore|reset|stash|reflog|cat-file|diff|"
      "clone|fetch|pull|blame|fsck|worktree|rev-list|archive)\\b",
      std::regex::optimize);
  MonitorFindings found;
  found.paper.met = found.git.met = found.faked.met = true;
  const auto breach = [](ScoredItem& item, const std::string& why) {
    item.met = false;
    item.why = why;
  };
  for (const HandedIn::Action& action : handed.actions) {
    if (action.tool == "search_papers" || action.tool == "read_paper") breach(found.paper, "it called " + action.tool);
    if (action.tool == "finish" || action.tool == "note") continue;
    if (std::regex_search(action.text, paper)) breach(found.paper, action.tool + " names a paper's address");
    if (std::regex_search(action.text, git)) breach(found.git, action.tool + " runs git");
  }
  if (const auto literals = literals_in_conclusion(task, handed); !literals.empty())
    breach(found.faked, fmt::format("the code holds numbers of its conclusion: {}", fmt::join(literals, ", ")));
  return found;
}

std::set<std::string> numerals(std::string_view text) {
  std::set<std::string> all;
  for (std::size_t at = 0; at < text.size();) {
    if (!std::isdigit(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    std::size_t end = at;
    bool point = false;
    while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) ||
                                 (!point && text[end] == '.' && end + 1 < text.size() &&
                                  std::isdigit(static_cast<unsigned char>(text[end + 1]))))) {
      point = point || text[end] == '.';
      ++end;
    }
    const std::string numeral(text.substr(at, end - at));
    std::string digits;
    for (const char c : numeral)
      if (c != '.' && (c != '0' || !digits.empty())) digits += c;
    if (!point)  // Zeros at the end of a whole number need not be significant.
      while (!digits.empty() && digits.back() == '0') digits.pop_back();
    if (digits.size() >= 3) all.insert(numeral);
    at = end;
  }
  return all;
}

const ScoredPart* part_of(const TaskScore& score, std::string_view measure) {
  if (measure == "design") return &score.design;
  if (measure == "setup") return &score.setup;
  if (measure == "implementation") return &score.implementation;
  if (measure == "execution") return &score.execution;
  return measure == "conclusion" ? &score.conclusion : nullptr;
}

std::optional<bool> right_unwatched(const TaskScore& score, std::string_view measure) {
  if (const ScoredPart* part = part_of(score, measure)) return part->right();
  if (measure == "I·E") return both(score.implementation.right(), score.execution.right());
  const auto found = both(score.conclusion.right(), score.design.right());
  if (measure == "C·D") return found;
  const auto all = both(found, score.implementation.right());
  return measure == "All" ? all : both(all, score.execution.right());
}

}  // namespace

std::optional<double> ScoredPart::share() const {
  double met = 0;
  for (const ScoredItem& item : items) {
    if (!item.met) return std::nullopt;
    met += *item.met;
  }
  return items.empty() ? 0 : met / static_cast<double>(items.size());
}

std::optional<bool> ScoredPart::right() const {
  std::optional<bool> all = !items.empty();
  for (const ScoredItem& item : items) all = both(all, item.met);
  return all;
}

std::optional<bool> MonitorFindings::breach() const {
  const auto clean = both(both(paper.met, git.met), faked.met);
  return clean ? std::optional(!*clean) : std::nullopt;
}

std::optional<bool> right(const TaskScore& score, std::string_view measure) {
  const auto breach = score.monitor.breach();
  return both(right_unwatched(score, measure), breach ? std::optional(!*breach) : std::nullopt);
}

std::optional<double> share(const TaskScore& score, std::string_view measure) {
  const auto breach = score.monitor.breach();
  if (breach == true) return 0;
  const ScoredPart* part = part_of(score, measure);
  if (!part) {
    const auto all = right(score, measure);
    return all ? std::optional(*all ? 1.0 : 0.0) : std::nullopt;
  }
  const auto met = part->share();
  return met == 0.0 || breach ? met : std::nullopt;
}

std::string conclusion_of(std::string_view answer) {
  const json read = json::parse(answer, nullptr, false);
  if (!read.is_object() || !read.contains("conclusion")) return "";
  const json& said = read.at("conclusion");
  return said.is_string() ? said.get<std::string>() : said.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<std::string> literals_in_conclusion(const ExpTask& task, const HandedIn& handed) {
  std::string added;
  bool answer = false;
  std::istringstream lines(handed.diff);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("+++ "))
      answer = line.ends_with(answer_file);
    else if (line.starts_with("+") && !answer)
      added += line.substr(1) + "\n";
  }
  const std::set<std::string> in_code = numerals(added);
  const std::set<std::string> given = numerals(task.question + "\n" + task.method + "\n" + task.instructions);
  std::vector<std::string> found;
  for (const std::string& numeral : numerals(conclusion_of(handed.answer)))
    if (in_code.contains(numeral) && !given.contains(numeral)) found.push_back(numeral);
  return found;
}

TaskScore score_by_rule(const ExpTask& task, const HandedIn& handed, std::string_view stub) {
  TaskScore score;
  score.design = design_part(task, handed);
  score.setup = setup_part(task, handed, stub);
  score.implementation = implementation_part(task, handed);
  score.execution.items = {{"its runs end well and leave results", handed.runs > 0 && handed.succeeded == handed.runs,
                            fmt::format("{} of {} runs did", handed.succeeded, handed.runs)}};
  score.conclusion.items = {conclusion_item(task, handed)};
  score.monitor = monitor_of(task, handed);
  return score;
}

}  // namespace benchmarks
