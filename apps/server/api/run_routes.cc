#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/server/api/run_query.h"
#include "apps/session/watch/failures.h"
#include "apps/session/watch/public_view.h"
#include "kernel/domain/enum_names.h"
#include "kernel/measure/curves.h"
#include "kernel/measure/measure.h"
#include "memory/files/blobs.h"

namespace server {

namespace {

/// `cursor`: the number of the last run listed; if they are sorted, how many were listed.
void list_runs(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  const std::string id = request.matches[1];
  const auto study = study_or_404(reader, id, response);
  if (!study) return;
  const session::Withheld withheld(*study);
  memory::RunQuery query = run_query_in(request, withheld);
  read_order(request, query);
  if (refused_unknown_name(reader, id, query, response)) return;
  const bool sorted = query.order != memory::RunOrder::number;
  if (sorted) std::swap(query.before, query.beyond);
  json items = json::array();
  reader.runs(id, query, [&](std::string_view document) { items.push_back(withheld.shown(json::parse(document))); });
  json cursor;
  if (static_cast<int>(items.size()) == query.most)
    cursor = sorted ? std::to_string(query.before + query.most) : items.back().at("number").dump();
  const bool first = number_in(request, "cursor", 0) == 0;
  answer(
      response,
      {{"items", std::move(items)}, {"cursor", cursor}, {"total", first ? json(reader.run_count(id, query)) : json()}});
}

void list_failures(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  if (const auto study = study_or_404(reader, request.matches[1], response))
    answer(response, list_of(request, session::failures_shape(reader, *study)));
}

void show_run(Api& api, const Request& request, Response& response) {
  if (const auto found = run_or_404(api, request, response)) answer(response, found->run);
}

void show_usage(Api& api, const Request& request, Response& response) {
  const auto found = run_or_404(api, request, response);
  if (!found) return;
  const auto blob = found->run.at("blobs").find("usage");
  response.set_content(
      blob == found->run.at("blobs").end() ? std::string() : memory::Blobs(api.session.home().blobs()).get(*blob),
      "text/csv");
}

/// A word of the query, or the first of the words if it is missing. Throws BadParameter.
template <typename T>
T one_of(const Request& request, const char* name, const std::vector<std::pair<std::string, T>>& words) {
  const std::string asked = request.get_param_value(name);
  std::string wanted;
  for (const auto& [word, value] : words) {
    if (asked == word || asked.empty()) return value;
    wanted += (wanted.empty() ? "`" : " or `") + word + "`";
  }
  throw BadParameter{name, wanted};
}

constexpr int fewest_curve_points = 10, most_curve_points = 2000;
/// Points of all curves of one answer, which bounds its memory; the answer ends with the run that exceeds it.
constexpr std::size_t most_points_of_curves = 4'000'000;

int curve_points_in(const Request& request) {
  constexpr const char* wanted = "an even number from 10 to 2000";
  const int points = number_in(request, "points", 400, wanted);
  if (points < fewest_curve_points || points > most_curve_points || points % 2 != 0)
    throw BadParameter{"points", wanted};
  return points;
}

using Columns = std::vector<std::vector<kernel::CurveTable::Cell>>;

/// As kernel::number_json; its header cannot follow answers.h.
json shown_number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

/// Null where the run has no value; NaN and infinities are texts.
json columns_shape(const Columns& columns) {
  json list = json::array();
  for (const auto& column : columns) {
    json& values = list.emplace_back(json::array());
    for (const kernel::CurveTable::Cell& cell : column)
      values.push_back(cell.there ? shown_number(cell.value) : json());
  }
  return list;
}

/// The curves of one answer, and of which runs they are.
struct CurveList {
  std::vector<kernel::Curve> curves;
  std::vector<json> runs;
  std::vector<std::string> metrics;  ///< With curves in any of the runs.
  std::size_t points = 0;
  int seen = 0, withheld = 0, last = 0;

  void add(const json& run, const std::vector<kernel::MetricPoint>& reported, const std::string& metric,
           kernel::CurveAxis axis) {
    for (std::string& name : kernel::curve_names(reported))
      if (std::ranges::find(metrics, name) == metrics.end()) metrics.push_back(std::move(name));
    kernel::Curve curve = kernel::curve_of(reported, metric, axis, run.value("/usage/wall_s"_json_pointer, 0.0));
    if (curve.x.size() < 2) return;
    points += curve.x.size();
    curves.push_back(std::move(curve));
    runs.push_back(run);
  }
  json column(const char* member) const {
    json values = json::array();
    for (const json& run : runs) values.push_back(run.at(member));
    return values;
  }
  json factors() const {
    json columns = json::object();
    for (std::size_t i = 0; i < runs.size(); ++i)
      for (const auto& [factor, level] : runs[i].at("factors").items()) {
        json& column = columns[factor];
        if (column.is_null()) column = json::array_t(runs.size());
        column[i] = level;
      }
    return columns;
  }
};

/// The filters and pages are those of `list_runs`. One query; the points are in blobs.
void show_curves(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  const std::string id = request.matches[1];
  const auto study = study_or_404(reader, id, response);
  if (!study) return;
  const session::Withheld withheld(*study);
  const memory::RunQuery query = run_query_in(request, withheld);
  if (refused_unknown_name(reader, id, query, response)) return;
  const auto axis =
      one_of<kernel::CurveAxis>(request, "x", {{"step", kernel::CurveAxis::step}, {"time", kernel::CurveAxis::time}});
  const auto spacing = one_of<kernel::CurveSpacing>(
      request, "spacing", {{"linear", kernel::CurveSpacing::linear}, {"log", kernel::CurveSpacing::log}});
  const int points = curve_points_in(request);
  const std::string metric = metric_in(request, *study);
  const memory::Blobs blobs(api.session.home().blobs());
  CurveList list;
  bool full = false;
  reader.runs(id, query, [&](std::string_view document) {
    if (full) return;
    const json run = withheld.shown(json::parse(document));
    ++list.seen;
    list.last = run.at("number");
    const json& blob = run.at("blobs").at("metrics");
    if (run.at("points") < 2 || !blob.is_string()) return;
    if (run.at("withheld") == true)
      ++list.withheld;
    else
      list.add(run, kernel::points_from_jsonl(blobs.get(blob)), metric, axis);
    full = list.points > most_points_of_curves;
  });
  const kernel::CurveTable table = kernel::table_of(list.curves, static_cast<std::size_t>(points), spacing);
  json sizes = json::array();
  for (const kernel::Curve& curve : list.curves) sizes.push_back(curve.x.size());
  answer(response, {{"metric", metric},
                    {"metrics", list.metrics},
                    {"axis", axis == kernel::CurveAxis::step ? "step" : "time"},
                    {"reduced", table.reduced ? json("extremes") : json()},
                    {"withheld", list.withheld},
                    {"runs",
                     {{"id", list.column("id")},
                      {"experiment", list.column("experiment")},
                      {"purpose", list.column("purpose")},
                      {"state", list.column("state")},
                      {"evidence", list.column("evidence")},
                      {"seed", list.column("seed")},
                      {"factors", list.factors()},
                      {"points", std::move(sizes)}}},
                    {"x", table.x},
                    {"y", columns_shape(table.y)},
                    {"mean_x", table.mean_x},
                    {"mean", columns_shape(table.mean)},
                    {"cursor", full || list.seen == query.most ? json(std::to_string(list.last)) : json()}});
}

/// [{"path", "sha256", "bytes"}]; none if there is no such run or it is withheld; then the refusal was sent.
std::optional<json> files_or_refusal(Api& api, const Request& request, Response& response) {
  const auto found = run_or_404(api, request, response);
  if (!found) return std::nullopt;
  if (found->run.at("withheld") == true) {
    refuse_withheld(response, found->run, "what was written");
    return std::nullopt;
  }
  json files = json::array();
  for (const kernel::OutputFile& file :
       memory::Reader(api.session.home().root).outputs(found->run.at("study"), found->run.at("number")))
    files.push_back({{"path", file.path}, {"sha256", file.blob.sha256}, {"bytes", file.blob.bytes}});
  return std::optional(std::move(files));
}

void list_run_files(Api& api, const Request& request, Response& response) {
  if (const auto files = files_or_refusal(api, request, response)) answer(response, list_of(request, *files));
}

void send_run_file(Api& api, const Request& request, Response& response) {
  const std::string path = request.get_param_value("path");
  if (path.empty()) throw BadParameter{"path", "given: a path of the list of files"};
  const auto files = files_or_refusal(api, request, response);
  if (!files) return;
  const auto file = std::ranges::find_if(*files, [&](const json& one) { return one.at("path") == path; });
  const memory::Blobs blobs(api.session.home().blobs());
  if (file == files->end() || !blobs.exists(file->at("sha256")))
    return refuse(response, 404, "the run has no file " + path);
  if (file->at("bytes") > largest_file)
    return refuse(response, 413, "the file is larger than 64 MB",
                  "it lies in the home: " + blobs.path(file->at("sha256")));
  answer_file(response, blobs.get(file->at("sha256")), path);
}

}  // namespace

std::vector<Route> run_routes() {
  std::vector<QueryParameter> choosing = paging;
  choosing.insert(choosing.end(), {{"order", "string", known_directions},
                                   {"state", "string", "only in these states, between commas"},
                                   {"experiment", "string", "only of this experiment"},
                                   {"where", "string", "FACTOR=LEVEL; may be repeated"},
                                   {"measured", "string", "METRIC<NUMBER, also with = != <= > >=; may be repeated"},
                                   {"numbers", "string", "only these, between commas"}});
  std::vector<QueryParameter> of_curves = choosing;
  std::vector<QueryParameter> of_runs = choosing;
  of_runs.push_back({"sort", "string", "number (the default), state, seed, wall, factor:NAME or metric:NAME"});
  of_curves.insert(
      of_curves.end(),
      {{"metric", "string", "the primary metric by default; undeclared ones too"},
       {"x", "string", "step (the default) or time: seconds, by dividing the run's wall time by its steps"},
       {"points", "integer", "about that many values of x at most: 10 to 2000, even; 400 by default"},
       {"spacing", "string", "of these: linear (the default) or log"}});
  return {
      {"GET", "/studies/{id}/runs", "its runs, a page at a time", list_runs, of_runs},
      {"GET", "/studies/{id}/curves", "one metric of many runs, as columns over one x", show_curves, of_curves},
      {"GET", "/studies/{id}/failures", "why its runs failed, by cause, the most frequent first", list_failures,
       paging},
      {"GET", "/runs/{id}", "one run", show_run},
      download(
          {"GET", "/runs/{id}/usage", "its processor time and memory over time, as CSV", show_usage, {}, "text/csv"}),
      {"GET", "/runs/{id}/files", "the outputs that it left and that are kept", list_run_files, paging},
      download({"GET",
                "/runs/{id}/file",
                "one of these outputs",
                send_run_file,
                {{"path", "string", "as in the list"}},
                "application/octet-stream"})};
}

}  // namespace server
