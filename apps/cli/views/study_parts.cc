#include "apps/cli/views/study_parts.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "kernel/domain/enum_names.h"
#include "prose/numbers.h"

namespace cli {

using nlohmann::json;

void put_question(const json& study, TextPage& page) {
  page.line("", text_at(study, "title"), TextStyle::strong, 0);
  page.line("", text_at(study, "question"), TextStyle::plain, 0);
  if (study.contains("agents_code")) page.line("", text_at(study["agents_code"], "text"), TextStyle::refuted);
  for (const json& aa : study.value("aa", json::array()))
    page.line("", text_at(aa, "text"), aa.at("differs") == true ? TextStyle::refuted : TextStyle::plain);
  for (const json& found : study.value("integrity", json::array()))
    page.line("integrity: ", text_at(found, "message"), TextStyle::refuted);
  for (const json& found : study.value("manipulation_check", json::array()))
    if (found.at("serious") == true) page.line("manipulation check: ", text_at(found, "message"), TextStyle::refuted);
  if (const std::string head = text_at(study, "reproduces"); !head.empty())
    page.line("",
              "A reproduction: it runs again the runs of the study whose log ends with " + head.substr(0, 12) + ".");
  for (const json& advice : study.value("search", json::object()).value("advice", json::array()))
    page.line("advice: ", advice.get<std::string>());
}

void put_state(const json& study, TextPage& page) {
  page.field("study", text_at(study, "id"));
  const std::string detail = text_at(study, "detail"), stage = text_at(study, "stage");
  page.field("state", state_text(study) + (stage.empty() || study.at("state") == "ended" ? "" : ", " + stage) +
                          (detail.empty() ? "" : ": " + detail));
  for (const json& one : study.value("waiting", json::array()))
    if (one.contains("line"))  // Else the state says it.
      page.field("waits", text_at(one, "line") + ": " + text_at(one, "why") +
                              (one.contains("since") ? " (since " + when(one.at("since")) + ")" : ""));
  if (state_text(study) == "stopped") page.field("continue", "etude resume " + text_at(study, "id"));
  if (study.at("state") == "paused" && study.at("reason") == "looks")
    page.field("end", "etude cancel " + text_at(study, "id"));
  else if (study.at("state") == "paused")
    page.field(
        "continue",
        (study.at("reason") == "disk" ? "make room, then etude resume " : "etude resume ") + text_at(study, "id") +
            (study.at("reason") == "budget" ? " --budget KEY=VALUE"
             : study.at("reason") == "disk" ? "; while `etude serve` runs, it resumes by itself once there is room"
                                            : ""));
}

void put_requirements(const json& study, TextPage& page) {
  for (const json& one : study.value("requirements", json::array())) {
    if (one.at("of") == "question" || one.at("judged") == "met") continue;
    const std::string why = text_at(one, one.at("judged") == "unmet" ? "why" : "unmet");
    page.field("required", fmt::format("{} {}: {}{}", text_at(one, "id"), text_at(one, "text"),
                                       one.at("judged").is_null() && why.empty() ? "not judged yet" : "not met",
                                       why.empty() ? "" : ", " + why));
  }
}

void put_remarks(const json& study, TextPage& page) {
  const json remarks = study.value("remarks", json::array());
  constexpr std::size_t most = 8;
  std::string label = "by hand";
  for (std::size_t i = remarks.size() - std::min(remarks.size(), most); i < remarks.size(); ++i) {
    const std::string type = text_at(remarks[i], "type");
    page.field(label, fmt::format("{} {}: {}", text_at(remarks[i], "id"),
                                  type == "insight"    ? "note"
                                  : type == "dead_end" ? "dead end"
                                                       : type,
                                  text_at(remarks[i], "title")));
    label.clear();
  }
}

namespace {

/// Runs that have no usable result.
int failed_runs(const json& runs) {
  int failed = 0;
  for (const kernel::RunState one : kernel::enumerators<kernel::RunState>())
    if (kernel::is_bad_end(one)) failed += runs.value(std::string(name(one)), 0);
  return failed;
}

/// "concluded", and what is not well: "concluded, 1 of 2 inconclusive".
std::string concluded_text(const json& study) {
  int inconclusive = 0, judged = 0;
  const json counts = study.value("verdicts", json::object());  // Of a list, which has no hypotheses.
  for (const auto& [verdict, count] : counts.items()) {
    if (verdict == "withdrawn" || verdict == "exploratory") continue;
    judged += count.get<int>();
    if (verdict == "open" || verdict == "inconclusive") inconclusive += count.get<int>();
  }
  for (const json& h : study.value("hypotheses", json::array())) {
    if (!text_at(h, "withdrawn").empty() || h.at("status") == "exploratory") continue;
    ++judged;
    if (h.at("verdict").is_null() || h.at("verdict") == "inconclusive") ++inconclusive;
  }
  if (inconclusive > 0) return fmt::format("concluded, {} of {} inconclusive", inconclusive, judged);
  const int failed = failed_runs(study.value("runs", json::object()));
  if (judged == 0 && failed == 0) return "concluded without a verdict";
  return failed > 0 ? fmt::format("concluded, {} failed", prose::counted(failed, "run")) : "concluded";
}

bool waits_for_a_person(const json& study) {
  return std::ranges::any_of(study.value("gates", json::array()),
                             [](const json& gate) { return gate.at("decision").is_null(); });
}

bool waits_on(const json& study, const char* what) {
  return std::ranges::any_of(study.value("waiting", json::array()),
                             [what](const json& one) { return text_at(one, "on") == what; });
}

}  // namespace

bool is_stopped(const json& study) {
  return study.at("state") == "running" && study.contains("owner") && study["owner"].is_null();
}

bool was_at_work(kernel::RunState state) {
  return state == kernel::RunState::starting || state == kernel::RunState::running;
}

std::string state_text(const json& study) {
  const std::string state = text_at(study, "state");
  if (state == "ended" && study.at("outcome") == "concluded") return concluded_text(study);
  if (state == "ended") return study.at("outcome").is_null() ? "ended" : text_at(study, "outcome");
  if (waits_for_a_person(study)) return "waiting for approval";
  if (state == "paused" && study.at("reason").is_string()) return "paused (" + text_at(study, "reason") + ")";
  if (is_stopped(study)) return "stopped";
  if (waits_on(study, "provider")) return "paused for a provider";
  if (waits_on(study, "batch")) return "waiting for a batch";
  if (state == "running" && text_at(study, "stage") == "capturing") return "open";
  return state;
}

std::string tags_text(const json& study) {
  std::string text;
  for (const json& tag : study.value("tags", json::array()))
    text += (text.empty() ? "" : " ") + one_line(tag.get<std::string>());
  if (study.value("archived", false)) text += text.empty() ? "(archived)" : " (archived)";
  return text;
}

std::string runs_text(const json& study) {
  const json& runs = study.at("runs");
  const bool stopped = is_stopped(study);
  std::string text = runs.at("total").dump() + ": ";
  bool first = true;
  auto states = kernel::enumerators<kernel::RunState>();
  // Ended states come first; the others follow, the most advanced first.
  std::reverse(states.begin(), std::partition_point(states.begin(), states.end(), std::not_fn(kernel::is_end)));
  std::stable_partition(states.begin(), states.end(), kernel::is_end);
  for (const kernel::RunState state : states) {
    const int count = runs.value(std::string(name(state)), 0);
    if (count == 0) continue;
    const bool may_have_ended = stopped && was_at_work(state);
    text += fmt::format("{}{} {}{}", first ? "" : ", ", count, may_have_ended ? (count == 1 ? "was " : "were ") : "",
                        kernel::words_of(state));
    if (may_have_ended) text += " when the kernel stopped";
    first = false;
  }
  if (first) return "none yet";
  const int search = runs.value("search", 0), checks = runs.value("scratch", 0);
  if (search > 0) text += fmt::format("; {} of the search", search);
  if (checks > 0)
    text += fmt::format("{} {} not evidence (smoke, pilot, A/A, repeats, scratch)", search > 0 ? "," : ";",
                        checks == 1 ? "1 is" : fmt::format("{} are", checks));
  return text;
}

std::string artifact_text(const json& study) {
  return text_at(study, study.contains("artifact_replaced") ? "artifact_replaced" : "artifact");
}

std::string when(const json& time) {
  if (!time.is_string() || time.get<std::string>().size() < 16) return unknown;
  std::string text = time.get<std::string>().substr(0, 16);
  text[10] = ' ';
  return text + " UTC";
}

std::string unit_of(const json& study, const json& hypothesis) {
  if (hypothesis.at("kind") == "slope") return "";
  for (const json& metric : study.value("metrics", json::array()))
    if (metric.at("name") == hypothesis.at("metric")) return text_at(metric, "unit");
  return "";
}

std::string verdict_of(const json& hypothesis) {
  if (!text_at(hypothesis, "withdrawn").empty()) return "withdrawn";
  return hypothesis.at("verdict").is_null() ? "open" : text_at(hypothesis, "verdict");
}

json cautions_of(const json& hypothesis) {
  const json n = hypothesis.value("n", json());
  const bool on_nothing = n.is_array() && std::ranges::all_of(n, [](const json& units) { return units == 0; });
  return on_nothing ? json::array() : hypothesis.value("warnings", json::array());
}

std::string verdict_head(const json& h, bool colour) {
  const std::string verdict = verdict_of(h);
  const std::string mark = verdict_mark(verdict) + (h.at("status") == "exploratory" ? ", exploratory" : "");
  return paint(one_line(text_at(h, "id")), TextStyle::strong, colour) + "  " +
         paint(mark, verdict_style(verdict), colour) + "  ";
}

std::string left_text(const json& left) {
  const json& wall = left.at("wall_s");
  const std::int64_t least = left.at("runs").at(0), most = left.at("runs").at(1);
  const std::string runs =
      least == most ? prose::counted(most, "run") : fmt::format("{} to {}", least, prose::counted(most, "run"));
  std::string text =
      (wall.is_null() ? "time not known before a run has ended" : "about " + expected_words(wall)) + ", " + runs;
  if (const json& hours = left.at("gpu_hours"); hours.is_number() && hours.get<double>() > 0)
    text += fmt::format(", {:.3g} GPU hours", hours.get<double>());
  if (left.contains("gpu_usd")) text += fmt::format(" for ${:.2f}", left.at("gpu_usd").get<double>());
  if (left.at("open") == true) text += "; and runs whose number is not known yet";
  return text;
}

}  // namespace cli
