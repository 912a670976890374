#include "apps/server/api/run_query.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "apps/session/watch/looks.h"
#include "kernel/domain/commands.h"
#include "kernel/domain/enum_names.h"
#include "studyfile/yaml/scalars.h"

namespace server {

namespace {

/// "loss<0.5". Throws BadParameter.
memory::MetricCondition condition_in(const std::string& text) {
  using Sign = memory::MetricCondition::Sign;
  static const std::vector<std::pair<std::string_view, Sign>> signs = {{"<=", Sign::at_most}, {">=", Sign::at_least},
                                                                       {"!=", Sign::unequal}, {"<", Sign::less},
                                                                       {">", Sign::greater},  {"=", Sign::equal}};
  const std::size_t at = text.find_first_of("<>=!");
  for (const auto& [written, sign] : signs) {
    if (at == 0 || at == text.npos || text.compare(at, written.size(), written) != 0) continue;
    const std::string number = text.substr(at + written.size());
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(value)) break;
    return {text.substr(0, at), sign, value};
  }
  throw BadParameter{"measured", "METRIC, a sign (= != < <= > >=) and a number"};
}

}  // namespace

std::optional<RunOfStudy> run_or_404(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  const std::string id = request.matches[1];
  const auto document = kernel::run_number(id) > 0 ? reader.run(id) : std::nullopt;
  if (!document) {
    refuse(response, 404, "there is no run " + id);
    return std::nullopt;
  }
  json study = json::parse(reader.study(kernel::run_study(id)).value());
  json run = session::Withheld(study).shown(json::parse(*document));
  return RunOfStudy{std::move(study), std::move(run)};
}

void refuse_withheld(Response& response, const json& run, const std::string& what) {
  refuse(response, ProblemType::withheld,
         what + " of run " + run.at("id").get<std::string>() + " is withheld until experiment " +
             run.at("experiment").get<std::string>() + " is analysed",
         "with `look=true` it is shown, and the study records that a person looked");
}

bool record_look(Api& api, const json& run, const std::string& what, Response& response) {
  if (api.look_policy == LookPolicy::recorded_before) return true;
  if (api.look_policy == LookPolicy::refused) {
    refuse_withheld(response, run, what);
    return false;
  }
  const kernel::Node look = session::look_at(run, what);
  const std::string study = run.at("study");
  const std::lock_guard one_at_a_time(api.looking);
  if (api.looks.contains(look.title)) return true;
  if (!session::is_recorded(memory::Reader(api.session.home().root), study, look) &&
      !obey(response, [&](kernel::Answer answered) {
        return api.session.tell({study, kernel::person_actor, kernel::RecordNode{look}}, std::move(answered));
      }))
    return false;
  api.looks.insert(look.title);
  return true;
}

void read_order(const Request& request, memory::RunQuery& query) {
  using memory::RunOrder;
  static const std::map<std::string, RunOrder> orders = {
      {"", RunOrder::number},   {"number", RunOrder::number},  {"state", RunOrder::state},   {"seed", RunOrder::seed},
      {"wall", RunOrder::wall}, {"factor:", RunOrder::factor}, {"metric:", RunOrder::metric}};
  const std::string asked = request.get_param_value("sort");
  const std::size_t end = asked.find(':') == asked.npos ? asked.size() : asked.find(':') + 1;
  const auto found = orders.find(asked.substr(0, end));
  query.order_name = asked.substr(end);
  const bool names = end > 0 && asked[end - 1] == ':';
  const auto breaks_path = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\\'; };
  if (found == orders.end() || names == query.order_name.empty() || std::ranges::any_of(query.order_name, breaks_path))
    throw BadParameter{"sort", "`number`, `state`, `seed`, `wall`, `factor:NAME` or `metric:NAME`"};
  query.order = found->second;
}

memory::RunQuery run_query_in(const Request& request, const session::Withheld& withheld) {
  memory::RunQuery query;
  query.open = withheld.open_experiments();
  query.beyond = number_in(request, "cursor", 0);
  query.most = page_limit(request);
  query.experiment = kernel::ExperimentId(request.get_param_value("experiment"));
  query.descending = newest_first(request);
  for (const std::string& state : words_in(request, "state")) {
    if (!kernel::named<kernel::RunState>(state)) throw BadParameter{"state", "a state of runs"};
    query.states.push_back(state);
  }
  for (const std::string& number : words_in(request, "numbers")) {
    const int wanted = std::atoi(number.c_str());
    if (std::to_string(wanted) != number || wanted < 1) throw BadParameter{"numbers", "a list of numbers of runs"};
    query.numbers.push_back(wanted);
  }
  for (const std::string& where : values_of(request, "where")) {
    const std::size_t sign = where.find('=');
    if (sign == 0 || sign == where.npos || where.find('"') < sign) throw BadParameter{"where", "FACTOR=LEVEL"};
    query.levels[where.substr(0, sign)] = where.substr(sign + 1);
  }
  const std::vector<std::string> measured = values_of(request, "measured");
  if (measured.size() > memory::most_metric_conditions) throw BadParameter{"measured", "given at most 32 times"};
  for (const std::string& condition : measured) query.measured.push_back(condition_in(condition));
  return query;
}

bool refused_unknown_name(const memory::Reader& reader, const std::string& study, const memory::RunQuery& query,
                          Response& response) {
  const auto unknown = reader.unknown_name(study, query);
  if (!unknown) return false;
  const char* kind = unknown->metric ? "metric" : "factor";
  refuse(response,
         kernel::Problem{"", 0, std::string(kind) + " `" + unknown->name + "`", "no run of study " + study + " has it",
                         "name one of " + studyfile::listed(unknown->known)},
         400);
  return true;
}

std::string metric_in(const Request& request, const json& study) {
  if (std::string asked = request.get_param_value("metric"); !asked.empty()) return asked;
  for (const json& metric : study.at("metrics"))
    if (metric.at("primary") == true) return metric.at("name");
  return study.at("metrics").empty() ? std::string() : study.at("metrics")[0].at("name").get<std::string>();
}

}  // namespace server
