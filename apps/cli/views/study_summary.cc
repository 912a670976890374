// A study on one screen: the short form of study_text.cc.

#include <algorithm>
#include <cctype>
#include <set>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/views/gate_text.h"
#include "apps/cli/views/study_parts.h"
#include "apps/cli/views/study_text.h"
#include "apps/cli/views/text_page.h"

namespace cli {

using nlohmann::json;

namespace {

/// "cost: -59.6 % [-60.1, -59.2] % at 95 %, p corrected < 0.0001, n 6/6"
std::string size_text(const json& study, const json& h) {
  const ShownEstimate effect = shown_effect(study, h);
  std::string text = (h.at("kind") == "slope" ? "slope of " : "") + text_at(h, "metric") + ": " + effect.value;
  if (effect.interval != unknown) text += fmt::format(" {} at {}", effect.interval, level(h.at("level")));
  if (!h.at("p_corrected").is_null())
    text += fmt::format(", {} {}", corrected_name(study), probability(h.at("p_corrected")));
  if (const std::string n = sizes_text(h); n != unknown) text += ", n " + n;
  return text;
}

/// Without the end of what a run printed, which the failures show.
std::string why_undecided(const json& h) {
  const std::string reason = text_at(h, "reason");
  return reason.substr(0, reason.find("; the end of its stderr"));
}

void put_finding(const json& study, const json& h, TextPage& page) {
  const std::string spaces(TextPage::indent, ' ');
  const std::string verdict = verdict_of(h);
  page.line(verdict_head(h, page.screen().colour), text_at(h, "statement"), TextStyle::strong);
  if (verdict == "open") {
    if (!h.at("experiment").is_null() && study.at("state") != "ended")
      page.line(spaces, "withheld until " + text_at(h, "experiment") + " is analysed");
    return;
  }
  if (verdict != "withdrawn") page.line(spaces, size_text(study, h));
  if (verdict != "supported" && verdict != "refuted") page.line(spaces, why_undecided(h));
}

/// More findings would not fit one screen.
constexpr std::size_t most_findings = 5;

/// Those on the primary metric first, of these the decided ones; all in the file's order if they are few.
std::vector<const json*> in_order(const json& study) {
  std::vector<const json*> found;
  for (const json& h : study.at("hypotheses")) found.push_back(&h);
  if (found.size() <= most_findings) return found;
  std::set<std::string> primary;
  for (const json& metric : study.value("metrics", json::array()))
    if (metric.value("primary", false)) primary.insert(text_at(metric, "name"));
  const auto rank = [&](const json* h) {
    const std::string verdict = verdict_of(*h);
    const bool is_decided = verdict != "inconclusive" && verdict != "open" && verdict != "withdrawn";
    return (primary.contains(text_at(*h, "metric")) ? 0 : 2) + (is_decided ? 0 : 1);
  };
  std::ranges::stable_sort(found, {}, rank);
  return found;
}

std::string verdict_words(std::string verdict) {
  std::ranges::replace(verdict, '_', ' ');
  return verdict;
}

/// "H6, H7: supported; H9: refuted"
std::string verdicts_of(std::span<const json* const> hypotheses) {
  std::vector<std::pair<std::string, std::string>> groups;
  for (const json* h : hypotheses) {
    const auto known = std::ranges::find(groups, verdict_of(*h), &std::pair<std::string, std::string>::first);
    if (known == groups.end())
      groups.emplace_back(verdict_of(*h), text_at(*h, "id"));
    else
      known->second += ", " + text_at(*h, "id");
  }
  std::string text;
  for (const auto& [verdict, ids] : groups)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", ids, verdict_words(verdict));
  return text;
}

void put_findings(const json& study, TextPage& page) {
  const std::vector<const json*> all = in_order(study);
  const std::span shown = std::span(all).first(std::min(all.size(), most_findings));
  for (const json* h : shown) put_finding(study, *h, page);
  if (shown.size() < all.size()) page.line("", verdicts_of(std::span(all).subspan(shown.size())));
}

/// More cautions would push the findings off the screen.
constexpr std::size_t most_cautions = 8;

struct Caution {
  std::string text, kind;
  std::string ids;       ///< Of the hypotheses with this text.
  std::string likewise;  ///< Of those with other numbers in it.
};

/// What a caution says without its numbers, runs and parentheses.
std::string kind_of(const std::string& text) {
  std::string kind;
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    const bool is_word = depth == 0 && (std::isalpha(static_cast<unsigned char>(c)) || c == ' ' || c == ':');
    if (is_word && !(c == ' ' && kind.ends_with(' '))) kind += c;
    if (c == ')') --depth;
  }
  // "r193 (…), r200 (…)" counts as one run.
  for (std::size_t at = 0; (at = kind.find(" r r")) != kind.npos;) kind.erase(at, 2);
  return kind;
}

/// Each kind of caution once, with the hypotheses that it concerns.
void put_cautions(const json& study, TextPage& page) {
  std::vector<Caution> cautions;
  const auto add = [](std::string& list, const std::string& id) { list += (list.empty() ? "" : ", ") + id; };
  for (const json& h : study.at("hypotheses"))
    for (const json& warning : cautions_of(h)) {
      const std::string text = warning.get<std::string>(), kind = kind_of(text), id = text_at(h, "id");
      const auto known = std::ranges::find(cautions, kind, &Caution::kind);
      if (known == cautions.end())
        cautions.push_back({text, kind, id, ""});
      else
        add(known->text == text ? known->ids : known->likewise, id);
    }
  const std::string head = paint("caution   ", TextStyle::inconclusive, page.screen().colour);
  const std::size_t shown = cautions.size() > most_cautions ? most_cautions - 1 : cautions.size();
  for (const Caution& one : std::span(cautions).first(shown))
    page.line(head,
              one.ids + ": " + one.text + (one.likewise.empty() ? "" : "; with other numbers also " + one.likewise),
              TextStyle::plain, 10);
  if (shown < cautions.size())
    page.line(head, fmt::format("{} more: etude show {} --all", cautions.size() - shown, text_at(study, "id")));
}

/// "1 supported, 2 refuted"; empty without hypotheses.
std::string verdicts_text(const json& hypotheses) {
  std::string text;
  for (const char* verdict : {"supported", "refuted", "no_relevant_effect", "inconclusive", "withdrawn", "open"}) {
    const auto count = std::ranges::count(hypotheses, verdict, verdict_of);
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, verdict_words(verdict));
  }
  return text;
}

}  // namespace

std::string findings_text(const json& study, const Screen& screen) {
  TextPage page(screen);
  for (const json& h : study.at("hypotheses")) put_finding(study, h, page);
  return page.take();
}

std::string study_summary(const json& study, const Screen& screen) {
  TextPage page(screen);
  put_question(study, page);
  for (const char* warnings : {"other_models", "understated"})
    for (const json& words : study.at("ledger").value(warnings, json::array()))
      page.line("", words.get<std::string>(), TextStyle::inconclusive);
  page.gap();
  put_findings(study, page);
  if (!study.at("hypotheses").empty()) page.gap();
  put_cautions(study, page);
  put_state(study, page);
  put_gates(study, page);
  put_requirements(study, page);
  page.field("verdicts", verdicts_text(study.at("hypotheses")));
  page.field("tags", tags_text(study));
  put_remarks(study, page);
  page.field("runs", runs_text(study));
  for (const json& cause : study.value("failures", json::array()))
    page.line("          ", failure_text(cause), TextStyle::bad, 10);
  page.field("again", again_text(study));
  if (study.contains("left")) page.field("left", left_text(study["left"]));
  page.field("cost", ledger_line(study));
  page.field("report", text_at(study, "report"));
  page.field("artifact", artifact_text(study));
  page.field("more", "etude show " + text_at(study, "id") + " --all");
  return page.take();
}

}  // namespace cli
