#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/table.h"
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

std::string count(const json& value) {
  return value.dump();
}

/// Relative hypotheses have relative effects: "−62 % [−64 %, −61 %]".
ShownEstimate shown_effect(const json& h) {
  if (!h.at("interval_relative").is_null() && !h.at("effect_relative").is_null()) {
    const auto percent = [](const json& value) { return value.is_number() ? json(value.get<double>() * 100) : value; };
    ShownEstimate shown =
        estimate(percent(h.at("effect_relative")),
                 json::array({percent(h.at("interval_relative").at(0)), percent(h.at("interval_relative").at(1))}));
    shown.value += " %";
    shown.interval += " %";
    return shown;
  }
  return estimate(h.at("effect"), h.at("interval"));
}

}  // namespace

std::string corrected_name(const json& study) {
  return study.value("correction", "") == "benjamini_hochberg" ? "q (FDR)" : "p corrected";
}

std::string verdict_of(const json& hypothesis) {
  if (!text_at(hypothesis, "withdrawn").empty()) return "withdrawn";
  return hypothesis.at("verdict").is_null() ? "open" : text_at(hypothesis, "verdict");
}

std::string verdict_table(const json& study) {
  Table table({{""},
               {"verdict"},
               {"hypothesis", Column::Align::left, 24},
               {"effect", Column::Align::right},
               {"interval"},
               {corrected_name(study), Column::Align::right},
               {"n", Column::Align::right}});
  for (const json& h : study.at("hypotheses")) {
    const std::string verdict = verdict_of(h);
    const bool judged = verdict != "open" && verdict != "withdrawn";
    ShownEstimate effect{unknown, ""};
    if (judged) effect = shown_effect(h);
    const json n = judged ? h.at("n") : json();
    table.add({{text_at(h, "id"), TextStyle::strong},
               {verdict_mark(verdict), verdict_style(verdict)},
               {text_at(h, "statement")},
               {effect.value},
               {effect.interval},
               {h.at("p_corrected").is_null() ? unknown : probability(h.at("p_corrected"))},
               {n.is_array() ? fmt::format("{}/{}", n.at(0).get<int>(), n.at(1).get<int>()) : unknown}});
  }
  return table.text(standard_screen());
}

std::string ledger_line(const json& study) {
  const json& ledger = study.at("ledger");
  std::string line =
      fmt::format("runs {} · wall {}", spent_of(ledger.at("runs"), count), spent_of(ledger.at("wall_s"), duration));
  const auto spent = [&](const char* what, std::string (*show)(const json&)) {
    const json entry = ledger.value(what, json());
    if (entry.is_object() && (entry.at("spent") > 0 || !entry.at("limit").is_null()))
      line += fmt::format(" · {} {}", what, spent_of(entry, show));
  };
  spent("tokens", count);
  spent("usd", dollars);
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

std::string ending_text(const json& study) {
  std::string text;
  const std::string state = text_at(study, "state");
  if (study.contains("agents_code")) text += "\n" + one_line(text_at(study["agents_code"], "text")) + "\n";
  for (const json& aa : study.value("aa", json::array())) text += "\n" + one_line(text_at(aa, "text")) + "\n";
  for (const json& found : study.value("integrity", json::array()))
    text += "\nintegrity: " + one_line(text_at(found, "message")) + "\n";
  text += "\n" + verdict_table(study);
  for (const json& h : study.at("hypotheses"))
    if (const std::string verdict = verdict_of(h); verdict != "supported" && verdict != "refuted" && verdict != "open")
      text += fmt::format("  {}: {}\n", text_at(h, "id"), one_line(text_at(h, "reason")));
  for (const json& cause : study.value("failures", json::array()))
    text += fmt::format("  {}\n", one_line(failure_text(cause)));
  text += "\n";
  if (state == "paused") {
    text += fmt::format("paused    {}{}\n", text_at(study, "reason"),
                        study.at("detail").is_null() ? "" : " (" + text_at(study, "detail") + ")");
    if (text_at(study, "reason") == "seed")
      text +=
          fmt::format("mend it   let the code take its seed, then etude amend {} --why \"…\"\n", text_at(study, "id"));
    if (text_at(study, "reason") == "looks")
      text +=
          fmt::format("end it    etude cancel {}: no further look at the test data is left\n", text_at(study, "id"));
    else
      text += fmt::format("go on     {}etude resume {}{}\n",
                          text_at(study, "reason") == "disk" ? "make room, then " : "", text_at(study, "id"),
                          text_at(study, "reason") == "budget" ? " --budget " + raised_words(study) : "");
  } else if (state == "ended") {
    text += fmt::format("outcome   {}{}\n", text_at(study, "outcome"),
                        study.at("detail").is_null() ? "" : ": " + one_line(text_at(study, "detail")));
    if (const auto search = study.find("search"); search != study.end() && search->contains("advice"))
      for (const auto& advice : search->at("advice"))
        text += fmt::format("advice    {}\n", one_line(advice.get<std::string>()));
  } else {
    text += fmt::format("left      jobs go on under their supervisors; `etude resume {}` takes them over\n",
                        text_at(study, "id"));
  }
  text += fmt::format("ledger    {}\n", ledger_line(study));
  text += fmt::format("head      {}\n", text_at(study, "head"));
  if (!study.at("report").is_null()) text += fmt::format("report    {}\n", one_line(text_at(study, "report")));
  if (!study.at("artifact").is_null()) text += fmt::format("artifact  {}\n", one_line(text_at(study, "artifact")));
  return text;
}

}  // namespace cli
