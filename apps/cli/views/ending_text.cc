#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/table.h"
#include "apps/cli/views/study_parts.h"
#include "apps/cli/views/study_text.h"

namespace cli {

using nlohmann::json;

namespace {

std::string spent_of(const json& entry, std::string (*show)(const json&)) {
  const std::string spent = show(entry.at("spent"));
  return entry.at("limit").is_null() ? spent : spent + " of " + show(entry.at("limit"));
}

std::string dollars(const json& value) {
  return fmt::format("${:.4g}", value.get<double>());
}

std::string hours(const json& value) {
  return fmt::format("{:.3g}", value.get<double>());
}

std::string count(const json& value) {
  return value.dump();
}

/// Id, verdict, statement, effect with interval, corrected p, n: one row per hypothesis.
Table verdict_table(const json& study) {
  Table table({{""},
               {"verdict"},
               {.title = "hypothesis", .least = 24, .wraps = true},
               {"effect", Column::Align::right},
               {"interval"},
               {corrected_name(study), Column::Align::right},
               {"n", Column::Align::right}});
  for (const json& h : study.at("hypotheses")) {
    const std::string verdict = verdict_of(h);
    const bool judged = verdict != "open" && verdict != "withdrawn";
    ShownEstimate effect{unknown, ""};
    if (judged) effect = shown_effect(study, h);
    table.add({{text_at(h, "id"), TextStyle::strong},
               {verdict_mark(verdict), verdict_style(verdict)},
               {text_at(h, "statement")},
               {effect.value},
               {effect.interval},
               {h.at("p_corrected").is_null() ? unknown : probability(h.at("p_corrected"))},
               {judged ? sizes_text(h) : unknown}});
  }
  return table;
}

/// Serious findings of the manipulation check, if the study went on all the same. If it stopped there, what it prints
/// right above and its outcome say why.
std::string check_text(const json& study) {
  const auto is_tested = [](const json& h) { return !h.at("experiment").is_null(); };
  if (!study.contains("search") && std::ranges::none_of(study.at("hypotheses"), is_tested)) return "";
  std::string text;
  for (const json& found : study.value("manipulation_check", json::array()))
    if (found.at("serious") == true) text += "manipulation check: " + one_line(text_at(found, "message")) + "\n";
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string corrected_name(const json& study) {
  return study.value("correction", "") == "benjamini_hochberg" ? "q (FDR)" : "p corrected";
}

ShownEstimate shown_effect(const json& study, const json& h) {
  if (!h.at("interval_relative").is_null() && !h.at("effect_relative").is_null()) {
    const auto percent = [](const json& value) { return value.is_number() ? json(value.get<double>() * 100) : value; };
    ShownEstimate shown =
        estimate(percent(h.at("effect_relative")),
                 json::array({percent(h.at("interval_relative").at(0)), percent(h.at("interval_relative").at(1))}));
    shown.value += " %";
    shown.interval += " %";
    return shown;
  }
  ShownEstimate shown = estimate(h.at("effect"), h.at("interval"));
  shown.value = with_unit(shown.value, unit_of(study, h));
  return shown;
}

std::string sizes_text(const json& h) {
  const json& n = h.at("n");
  if (n.is_array() && text_at(h, "kind") == "slope") return n.at(0).dump();
  return n.is_array() ? fmt::format("{}/{}", n.at(0).get<int>(), n.at(1).get<int>()) : unknown;
}

std::string ledger_line(const json& study) {
  const json& ledger = study.at("ledger");
  std::string line =
      fmt::format("runs {} · wall {}", spent_of(ledger.at("runs"), count), spent_of(ledger.at("wall_s"), duration));
  const auto spent = [&](const char* member, const char* words, std::string (*show)(const json&)) {
    const json entry = ledger.value(member, json());
    if (entry.is_object() && (entry.at("spent") > 0 || !entry.at("limit").is_null()))
      line += fmt::format(" · {} {}", words, spent_of(entry, show));
  };
  spent("gpu_hours", "GPU hours", hours);
  spent("tokens", "tokens", count);
  spent("usd", "usd", dollars);
  return line;
}

std::string account_line(const json& account) {
  std::string line = fmt::format("{} · {}: runs {} · {} of jobs", text_at(account, "role"), text_at(account, "branch"),
                                 spent_of(account.at("runs"), count), duration(account.at("run_s")));
  if (account.at("gpu_hours").get<double>() > 0)
    line += fmt::format(" · {:.3g} GPU hours", account.at("gpu_hours").get<double>());
  if (account.value("calls", 0) > 0)
    line += fmt::format(" · {} calls, {} tokens, {}", account.at("calls").get<int>(), count(account.at("tokens")),
                        dollars(account.at("usd")));
  if (const json hit = account.value("cache_hit", json()); hit.is_number())
    line += fmt::format(" ({:.0f} % of the prompts from the cache)", 100 * hit.get<double>());
  const json& joules = account.at("energy_j").at("spent");
  return joules.is_null() ? line : line + fmt::format(" · {:.4g} J", joules.get<double>());
}

/// The option that raises the limit which stopped it.
std::string raised_words(const json& study) {
  const std::string limit = text_at(study, "limit");  // Not in stores of older programs.
  return limit.empty() ? "KEY=VALUE" : limit == "wall" ? "wall=T" : limit + "=N";
}

std::string ending_text(const json& study, const Screen& screen) {
  std::string text;
  const std::string state = text_at(study, "state");
  if (study.contains("agents_code")) text += "\n" + one_line(text_at(study["agents_code"], "text")) + "\n";
  for (const json& aa : study.value("aa", json::array())) text += "\n" + one_line(text_at(aa, "text")) + "\n";
  for (const json& found : study.value("integrity", json::array()))
    text += "\nintegrity: " + one_line(text_at(found, "message")) + "\n";
  text += check_text(study);
  const Table table = verdict_table(study);
  text += "\n";
  if (table.fits(screen)) {
    if (!table.empty()) text += table.text(screen);
    for (const json& h : study.at("hypotheses"))
      if (const std::string verdict = verdict_of(h);
          verdict != "supported" && verdict != "refuted" && verdict != "open")
        text += fmt::format("  {}: {}\n", text_at(h, "id"), one_line(text_at(h, "reason")));
  } else {
    text += findings_text(study, screen);
  }
  for (const json& cause : study.value("failures", json::array()))
    text += fmt::format("  {}\n", one_line(failure_text(cause)));
  if (const std::string again = again_text(study); !again.empty()) text += fmt::format("  again: {}\n", again);
  text += "\n";
  if (state == "paused") {
    text += fmt::format("paused    {}{}\n", text_at(study, "reason"),
                        study.at("detail").is_null() ? "" : " (" + text_at(study, "detail") + ")");
    if (text_at(study, "reason") == "seed")
      text +=
          fmt::format("to do     let the code take its seed, then etude amend {} --why \"…\"\n", text_at(study, "id"));
    if (text_at(study, "reason") == "looks")
      text +=
          fmt::format("end       etude cancel {}: no further look at the test data is left\n", text_at(study, "id"));
    else
      text += fmt::format("continue  {}etude resume {}{}\n",
                          text_at(study, "reason") == "disk" ? "make room, then " : "", text_at(study, "id"),
                          text_at(study, "reason") == "budget" ? " --budget " + raised_words(study) : "");
  } else if (state == "ended") {
    text += fmt::format("outcome   {}{}\n", text_at(study, "outcome"),
                        study.at("detail").is_null() ? "" : ": " + one_line(text_at(study, "detail")));
    if (const auto search = study.find("search"); search != study.end() && search->contains("advice"))
      for (const auto& advice : search->at("advice"))
        text += fmt::format("advice    {}\n", one_line(advice.get<std::string>()));
  } else {
    text += fmt::format("left      jobs continue under their supervisors; `etude resume {}` takes them over\n",
                        text_at(study, "id"));
  }
  text += fmt::format("ledger    {}\n", ledger_line(study));
  text += fmt::format("head      {}\n", text_at(study, "head"));
  if (!study.at("report").is_null()) text += fmt::format("report    {}\n", one_line(text_at(study, "report")));
  if (!study.at("artifact").is_null()) text += fmt::format("artifact  {}\n", one_line(text_at(study, "artifact")));
  return text;
}

}  // namespace cli
