#include "apps/cli/views/study_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/table.h"
#include "apps/cli/views/gate_text.h"
#include "apps/cli/views/model_lines.h"
#include "apps/cli/views/study_parts.h"
#include "apps/cli/views/text_page.h"
#include "kernel/views/models_shape.h"
#include "prose/numbers.h"

namespace cli {

using nlohmann::json;

namespace {

/// `algorithm=quick n=1000`; `–` for an empty cell.
std::string cell_text(const json& cell) {
  std::string text;
  for (const auto& [factor, level] : cell.items())
    text += (text.empty() ? "" : " ") + factor + "=" + (level.is_string() ? level.get<std::string>() : level.dump());
  return text.empty() ? unknown : text;
}

std::string margin_text(const json& hypothesis, const std::string& unit) {
  const json& margin = hypothesis.at("margin");
  if (margin.is_null()) return "";
  if (margin.contains("relative")) return ", margin " + prose::percent(margin.at("relative").get<double>());
  return ", margin " + with_unit(figure(margin.at("absolute")), unit);
}

std::string test_text(const json& h, const std::string& unit) {
  const std::string where = h.at("where").empty() ? "" : " where " + cell_text(h.at("where"));
  if (h.at("kind") == "slope")
    return fmt::format("slope of {} along {} ({}){}{}: {} {}{}", text_at(h, "metric"), text_at(h, "along"),
                       text_at(h, "scale"), h.at("treatment").empty() ? "" : " for " + cell_text(h.at("treatment")),
                       where, text_at(h, "direction"), figure(h.at("value")), margin_text(h, ""));
  return fmt::format("{} of {} against {}{}: {}{}", text_at(h, "metric"), cell_text(h.at("treatment")),
                     cell_text(h.at("control")), where, text_at(h, "direction"), margin_text(h, unit));
}

std::string pair_text(const json& pair) {
  return pair.is_array() && pair.size() == 2 ? pair[0].dump() + " and " + pair[1].dump() : unknown;
}

/// "; unit: block (6 blocks)" if these are the units.
std::string blocks_text(const json& h) {
  const json blocks = h.value("blocks", json());
  if (!blocks.is_object()) return "";
  return fmt::format("; unit: block ({} blocks)", blocks.value("tested", 0));
}

std::string result_text(const json& study, const json& h, const std::string& unit) {
  const ShownEstimate effect = estimate(h.at("effect"), h.at("interval"));
  std::string text = "effect " + with_unit(effect.value, unit);
  text +=
      effect.interval == unknown ? ", no interval" : fmt::format(" {} at {}", effect.interval, level(h.at("level")));
  if (!h.at("effect_relative").is_null()) {
    const ShownEstimate ratio = estimate_percent(h.at("effect_relative"), h.value("interval_relative", json()));
    text += fmt::format(", relative {}", ratio.value) + (ratio.interval == unknown ? "" : " " + ratio.interval);
  }
  const json power = h.value("power", json());
  return text + fmt::format("; p {}, {} {}; n {}, failed {}; power {}", probability(h.at("p")),
                            corrected_name(study) == "p corrected" ? "corrected" : "q (FDR)",
                            probability(h.at("p_corrected")),
                            (text_at(h, "kind") == "slope" ? sizes_text(h) : pair_text(h.at("n"))) + blocks_text(h),
                            pair_text(h.at("failed")),
                            power.is_number() ? fmt::format("{:.2f}", power.get<double>()) : "not known");
}

/// The effect in each setting that it averages over, if one line can hold them.
std::string settings_text(const json& h, const std::string& unit) {
  constexpr std::size_t most = 8;
  const json settings = h.value("settings", json());
  if (!settings.is_array() || settings.empty() || settings.size() > most) return "";
  if (std::ranges::none_of(settings, [](const json& one) { return one.at("effect").is_number(); })) return "";
  std::string text;
  for (const json& one : settings) {
    const ShownEstimate effect = estimate(one.at("effect"), one.at("interval"));
    text +=
        fmt::format("{}{} {}{}", text.empty() ? "by setting (95 %, not tested): " : "; ", cell_text(one.at("levels")),
                    with_unit(effect.value, unit), effect.interval == unknown ? "" : " " + effect.interval);
  }
  return text;
}

void put_hypothesis(const json& study, const json& h, TextPage& page) {
  const std::string spaces(TextPage::indent, ' ');
  const std::string verdict = verdict_of(h);
  page.line(verdict_head(h, page.screen().colour), text_at(h, "statement"), TextStyle::strong);
  const std::string unit = unit_of(study, h);
  page.line(spaces, test_text(h, unit), TextStyle::dim);
  if (h.at("verdict").is_null()) {
    if (!h.at("experiment").is_null() && study.at("state") != "ended")
      page.line(spaces, "withheld until " + text_at(h, "experiment") + " is analysed");
    return;
  }
  if (verdict != "withdrawn") page.line(spaces, result_text(study, h, unit));
  if (const std::string settings = settings_text(h, unit); !settings.empty()) page.line(spaces, settings);
  page.line(spaces, text_at(h, "reason"));
  for (const json& sentence : h.value("reading", json::object()).value("text", json::array()))
    page.line(spaces, sentence.get<std::string>(), TextStyle::dim);
  for (const json& warning : cautions_of(h))
    page.line(spaces, "caution: " + warning.get<std::string>(), TextStyle::inconclusive);
}

/// "✓1 ✗2", of the `verdicts` of a listed study.
std::string tally(const json& verdicts) {
  static constexpr std::pair<const char*, const char*> marks[] = {
      {"supported", "✓"}, {"refuted", "✗"}, {"no_relevant_effect", "≈"}, {"inconclusive", "~"}, {"exploratory", "○"},
      {"withdrawn", "–"}, {"open", "·"}};
  std::string text;
  for (const auto& [verdict, mark] : marks)
    if (const int count = verdicts.value(verdict, 0))
      text += fmt::format("{}{}{}", text.empty() ? "" : " ", mark, count);
  return text.empty() ? unknown : text;
}

/// In a search over code: each version, its origin and its number of runs.
void put_versions(const json& study, TextPage& page) {
  const json search = study.value("search", json());
  if (!search.is_object() || !search.contains("code")) return;
  std::string label = "versions";
  for (const json& version : search.at("code").at("versions")) {
    if (!version.contains("step")) continue;
    std::string parents;
    for (const json& parent : version.at("parents"))
      parents += (parents.empty() ? "" : " and ") + parent.get<std::string>();
    const int failed = version.value("failed", 0), runs = version.value("n", 0) + failed;
    page.field(label, fmt::format("{} ({} of {}), {} runs{}: {}", text_at(version, "version"),
                                  text_at(version, "operator"), parents, runs,
                                  failed > 0 ? fmt::format(", {} failed", failed) : "", text_at(version, "why")));
    label.clear();
  }
  if (const std::string over = text_at(search.at("code"), "over"); !over.empty()) page.field("", "ended: " + over);
}

/// How long the runs of each experiment were expected to take, and how long they took.
void put_predictions(const json& predictions, TextPage& page) {
  std::string label = "predicted";
  for (const json& one : predictions) {
    const json& wall = one.at("wall_s");
    std::string text = text_at(one, "experiment") + ": ";
    const std::string runs = prose::counted(one.at("runs").get<int>(), "run");
    if (wall.is_null())
      text += runs + ", and none before them";
    else
      text += fmt::format("{} for {} ({} to {})", duration(wall.at("expected")), runs, duration(wall.at("low")),
                          duration(wall.at("high")));
    if (!one.at("took_s").is_null()) text += "; they took " + duration(one.at("took_s"));
    if (!wall.is_null()) text += "; " + text_at(one, "basis");
    page.field(label, text);
    label.clear();
  }
}

/// What each model was used for and cost, who answered, whether that was another model, what answers cost before the
/// study, and whose use is understated.
void put_models(const json& ledger, TextPage& page) {
  std::string label = "models";
  for (const json& use : ledger.value("models", json::array())) {
    page.field(label, model_line(use));
    for (const std::string& answer : answer_lines(use)) page.field("", "answered by " + answer);
    label.clear();
  }
  for (const json& other : ledger.value("other_models", json::array())) page.field("", other.get<std::string>());
  label = "answers";
  for (const std::string& words : kernel::paid_answers_words(ledger.value("answers", json::array()))) {
    page.field(label, words + ", paid before the study");
    label.clear();
  }
  for (const json& words : ledger.value("understated", json::array())) page.field("", words.get<std::string>());
}

/// Digests are shown by their beginning.
std::string short_digests(std::string text) {
  constexpr std::string_view mark = "sha256:";
  constexpr std::size_t digits = 12;
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
    at += mark.size();
    std::size_t end = at;
    while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end]))) ++end;
    if (end > at + digits) text.erase(at + digits, end - at - digits);
  }
  return text;
}

/// Where the study's programs come from; empty for the system's.
std::string environment_text(const json& environment) {
  std::string all;
  if (!environment.is_object() || text_at(environment, "use") == "system") return all;
  for (const json& program : environment.at("programs")) {
    const std::string name = text_at(program, "name"), version = text_at(program, "version");
    if (name == "environment")
      all += (all.empty() ? "" : " · ") + short_digests(version) + " (" + text_at(program, "path") + ")";
    else if (!version.empty() || name.starts_with("module "))
      all += (all.empty() ? "" : " · ") +
             (name.starts_with("python") ? version : name + (version.empty() ? "" : " " + version));
  }
  return all;
}

}  // namespace

/// "forecasts of 12 runs: 9.8 % off (median), 0 exceeded; s1-r12: 1.1 GB expected, 1.0 GB taken"
std::string memory_text(const std::string& of, const json& errors) {
  const json& newest = errors.at("newest");
  return fmt::format("forecasts of {}{}: {:.2g} % off (median), {} exceeded; {}: {} expected, {} taken",
                     prose::counted(errors.at("runs").get<int>(), "run"), of == "device" ? " on devices" : "",
                     100 * errors.at("median_error").get<double>(), errors.at("exceeded").get<int>(),
                     text_at(newest, "run"), bytes(newest.at("forecast_bytes")), bytes(newest.at("peak_bytes")));
}

std::string failure_text(const json& cause) {
  const int runs = cause.at("runs");
  return fmt::format("{}{}: {}", text_at(cause, "first"), runs > 1 ? fmt::format(" and {} more", runs - 1) : "",
                     text_at(cause, "reason"));
}

std::string again_text(const json& study) {
  const json causes = study.value("failures", json::array());
  return causes.empty() ? "" : "etude try --run " + text_at(causes[0], "first");
}

void name_owner(json& study, std::optional<int> owner) {
  study["owner"] = study.at("state") == "running" && owner ? json(*owner) : json();
}

std::string study_text(const json& study, const Screen& screen) {
  TextPage page(screen);
  put_question(study, page);
  page.gap();
  for (const json& hypothesis : study.at("hypotheses")) put_hypothesis(study, hypothesis, page);
  if (!study.at("hypotheses").empty()) page.gap();
  for (const json& found : study.value("manipulation_check", json::array()))
    if (found.at("serious") == false) page.field("check", text_at(found, "message"));
  put_state(study, page);
  put_gates(study, page);
  if (study.contains("priority")) page.field("priority", study.at("priority").dump());
  page.field("tags", tags_text(study));
  put_versions(study, page);
  put_requirements(study, page);
  put_remarks(study, page);
  page.field("programs", environment_text(study.value("environment", json())));
  page.field("runs", runs_text(study));
  for (const json& cause : study.value("failures", json::array())) page.field("", failure_text(cause));
  put_predictions(study.value("predictions", json::array()), page);
  if (study.contains("left")) page.field("left", left_text(study["left"]));
  const json memory = study.value("memory", json::object());
  for (const auto& [of, errors] : memory.items()) page.field("memory", memory_text(of, errors));
  page.field("ledger", ledger_line(study));
  for (const json& account : study.at("ledger").value("accounts", json::array())) page.field("", account_line(account));
  put_models(study.at("ledger"), page);
  page.field("opened", when(study.value("opened", json())));
  if (study.value("ended", json()).is_string()) page.field("ended", when(study.at("ended")));
  page.field("file", text_at(study, "study_file"));
  page.field("report", text_at(study, "report"));
  page.field("artifact", artifact_text(study));
  page.field("head", text_at(study, "head"));
  return page.take();
}

std::string study_list(const json& studies, const Screen& screen) {
  const bool any_left = std::ranges::any_of(studies, [](const json& study) { return study.contains("left"); });
  const bool any_tags = std::ranges::any_of(studies, [](const json& study) { return !tags_text(study).empty(); });
  std::vector<Column> columns = {{"id"},
                                 {.title = "state", .least = 14, .wraps = true},
                                 {.title = "verdicts", .least = 8, .wraps = true},
                                 {"runs", Column::Align::right}};
  if (any_left) columns.push_back({.title = "left", .align = Column::Align::right, .leaves = 1});
  columns.push_back({.title = "opened", .leaves = 3});
  if (any_tags) columns.push_back({.title = "tags", .least = 8, .leaves = 2});
  columns.push_back({"title", Column::Align::left, 16});
  Table table(std::move(columns));
  for (const json& study : studies) {
    std::vector<TableCell> row = {{text_at(study, "id"), TextStyle::strong},
                                  state_text(study),
                                  tally(study.at("verdicts")),
                                  study.at("runs").at("total").dump()};
    if (any_left) {
      const json wall = study.value("left", json::object()).value("wall_s", json());
      row.push_back(wall.is_object() ? duration(wall.at("expected")) : unknown);
    }
    row.push_back(when(study.value("opened", json())));
    if (any_tags) row.push_back(tags_text(study));
    row.push_back((text_at(study, "reproduces").empty() ? "" : "reproduction: ") + text_at(study, "title"));
    table.add(std::move(row));
  }
  return table.text(screen);
}

}  // namespace cli
