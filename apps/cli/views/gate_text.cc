#include "apps/cli/views/gate_text.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/views/study_parts.h"
#include "prose/numbers.h"

namespace cli {

using nlohmann::json;

namespace {

struct Range {
  std::int64_t least = 0, most = 0;

  bool operator==(const Range&) const = default;
};

Range range_of(const json& count) {
  return {count.at("min").get<std::int64_t>(), count.at("max").get<std::int64_t>()};
}

std::string range_words(Range range) {
  return range.least == range.most ? std::to_string(range.most) : fmt::format("{} to {}", range.least, range.most);
}

/// "4 cells × 6 replicates = 24 registered; manipulation check 3, repeats 2; 29 in all"
std::string runs_words(const json& allowed) {
  const auto cells = allowed.at("cells").get<std::int64_t>();
  const Range replicates = range_of(allowed.at("replicates")), all = range_of(allowed.at("runs"));
  Range registered;
  std::string others;
  for (const json& part : allowed.at("parts")) {
    if (part.at("purpose") == "registered")
      registered = range_of(part.at("runs"));
    else
      others += (others.empty() ? "" : ", ") + text_at(part, "purpose") + " " + range_words(range_of(part.at("runs")));
  }
  const Range product{cells * replicates.least, cells * replicates.most};
  std::string text = fmt::format("{} × {} {}{} {} registered", prose::counted(cells, "cell"), range_words(replicates),
                                 replicates.most == 1 ? "replicate" : "replicates", product == registered ? " =" : ";",
                                 range_words(registered));
  if (!others.empty()) text += fmt::format("; {}; {} in all", others, range_words(all));
  return text;
}

std::string time_words(const json& cost) {
  const json& wall = cost.at("wall_s");
  if (wall.is_null()) return "not known: " + text_at(cost, "basis");
  std::string text = "about " + expected_words(wall);
  if (const json& hours = cost.at("gpu_hours"); hours.is_object() && hours.at("high").get<double>() > 0)
    text += fmt::format(", {:.3g} GPU hours", hours.at("expected").get<double>());
  const int jobs = cost.at("jobs");
  return text + (jobs == 1 ? ", one run at once" : fmt::format(", {} runs at once", jobs));
}

std::string money_words(const json& study) {
  const json& usd = study.at("ledger").at("usd");
  const double used = usd.value("spent", 0.0) + usd.value("reserved", 0.0);
  if (usd.at("limit").is_number())
    return fmt::format("{} of {} USD used", prose::rounded(used), prose::rounded(usd.at("limit").get<double>()));
  if (study.at("ledger").contains("models")) return prose::rounded(used) + " USD used, and no limit is set";
  return "none: no model has been asked";
}

/// Cut, not rounded: 0.9995 is not certainty.
std::string power_words(const json& power) {
  const auto one = [](const json& value) { return fmt::format("{:.2f}", std::floor(100 * value.get<double>()) / 100); };
  if (!power.at("min").is_number() || !power.at("max").is_number()) return "not known";
  const std::string least = one(power["min"]), most = one(power["max"]);
  return least == most ? least : least + " to " + most;
}

/// "H1, H2 0.93; H3 not known"
std::string powers_words(const json& hypotheses) {
  std::vector<std::pair<std::string, std::string>> groups;
  for (const json& h : hypotheses) {
    const std::string power = power_words(h.at("power")), id = text_at(h, "id");
    const auto known = std::ranges::find(groups, power, &std::pair<std::string, std::string>::first);
    if (known == groups.end())
      groups.emplace_back(power, id);
    else
      known->second += ", " + id;
  }
  std::string text;
  for (const auto& [power, ids] : groups) text += (text.empty() ? "" : "; ") + ids + " " + power;
  return text;
}

std::string command_words(const json& command) {
  return command.is_string() ? command.get<std::string>()
                             : fmt::format("{}", fmt::join(command.get<std::vector<std::string>>(), " "));
}

/// What an agent changed of the code that the runs use.
std::string changed_words(const json& study) {
  const json changed = study.value("agents_code", json());
  std::string text;
  if (!changed.is_object()) return text;
  for (const json& file : changed.value("files", json::array()))
    text += (text.empty() ? "" : ", ") + file.get<std::string>();
  return text.empty() ? text : text + ", by " + text_at(changed, "by");
}

std::string answer_words(const json& gate) {
  const std::string id = text_at(gate, "id");
  if (gate.at("on") == "question") return "etude approve " + id + " --why \"…\", with the answer";
  return "etude approve " + id + ", or etude reject " + id + " --why \"…\"";
}

using Put = std::function<void(const char* name, const std::string& text)>;

void put_design(const json& gate, const Put& put) {
  const json allowed = gate.value("allows", json());
  if (!allowed.is_object()) return;
  put("runs", runs_words(allowed));
  put("time", time_words(allowed.at("cost")));
  put("command", command_words(allowed.at("command")));
}

void put_open(const json& study, const json& gate, const Put& put) {
  const json allowed = gate.value("allows", json());
  const std::string on = text_at(gate, "on");
  put_design(gate, put);
  if (on == "spend" && study.contains("left")) put("left", left_text(study["left"]));
  if (allowed.is_object() || on == "spend") put("money", money_words(study));
  if (allowed.is_object()) {
    put("power", powers_words(allowed.at("hypotheses")));
    put("budget", text_at(allowed, "shortfall"));
  }
  if (on != "tool" && on != "question") put("changed", changed_words(study));
  if (on == "tool" || on == "secrets") put(on == "tool" ? "arguments" : "files", text_at(gate, "arguments"));
  put("answer", answer_words(gate));
}

}  // namespace

std::string gate_text(const json& study, const json& gate, const Screen& screen) {
  TextPage page(screen);
  const bool waits = gate.at("decision").is_null();
  const std::string on = text_at(gate, "on"), why = text_at(gate, "why");
  page.line("",
            fmt::format("{}  {}  {}{}  {}", text_at(gate, "id"), on, text_at(gate, "what"), on == "question" ? "" : "?",
                        waits ? "waits" : text_at(gate, "decision") + (why.empty() ? "" : ": " + why)));
  const Put put = [&](const char* name, const std::string& text) {
    if (!text.empty())
      page.line("  " + paint(fmt::format("{:<10}", name), TextStyle::dim, screen.colour), text, TextStyle::plain, 12);
  };
  if (waits)
    put_open(study, gate, put);
  else if (on == "tool")
    put("arguments", text_at(gate, "arguments"));
  return page.take();
}

void put_gates(const json& study, TextPage& page) {
  for (const json& gate : study.value("gates", json::array())) {
    if (!gate.at("decision").is_null()) continue;
    page.field("asks you", text_at(gate, "what"));
    // The page has other lines of these names.
    put_design(gate,
               [&](const char* name, const std::string& text) { page.field("", std::string(name) + ": " + text); });
    if (const json& wall = study.at("ledger").at("wall_s");
        wall.at("limit").is_number() && study.at("state") == "running")
      page.field("", "the time until the answer counts toward budget.wall, " + duration(wall.at("limit")));
    page.field("answer", answer_words(gate));
  }
}

}  // namespace cli
