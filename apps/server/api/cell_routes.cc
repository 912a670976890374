#include <algorithm>
#include <utility>
#include <vector>

#include "apps/server/api/api.h"
#include "apps/server/api/run_query.h"
#include "stats/basics/descriptive.h"

namespace server {

namespace {

/// What the values of one cell are like; `sd` is null for a single one.
json cell_shape(const std::string& factors, std::vector<double> values) {
  std::ranges::sort(values);
  const auto sd = stats::standard_deviation(values);
  json quartiles = json::array();
  for (const double q : {0.0, 0.25, 0.5, 0.75, 1.0}) quartiles.push_back(stats::sorted_quantile(values, q));
  return {{"factors", json::parse(factors)},
          {"n", values.size()},
          {"mean", stats::mean(values).value_or(values.front())},
          {"sd", sd ? json(*sd) : json()},
          {"quartiles", std::move(quartiles)}};
}

/// One query over all runs, so that a study of any size has its means.
void list_cells(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  const std::string id = request.matches[1];
  const auto study = study_or_404(reader, id, response);
  if (!study) return;
  memory::RunQuery query;
  query.order = memory::RunOrder::metric;
  query.order_name = metric_in(request, *study);
  query.open = session::Withheld(*study).open_experiments();
  if (refused_unknown_name(reader, id, query, response)) return;
  json cells = json::array();
  std::string cell;
  std::vector<double> values;
  const auto end_cell = [&] {
    if (!values.empty()) cells.push_back(cell_shape(cell, std::exchange(values, {})));
  };
  reader.values_by_cell(id, query, [&](std::string_view factors, double value) {
    if (factors != cell) {
      end_cell();
      cell = factors;
    }
    values.push_back(value);
  });
  end_cell();
  json list = list_of(request, std::move(cells));
  list["metric"] = query.order_name;
  list["cells"] = list.at("items");  // The older name of the list.
  answer(response, list);
}

}  // namespace

std::vector<Route> cell_routes() {
  std::vector<QueryParameter> query = paging;
  query.push_back({"metric", "string", "the primary metric by default"});
  return {{"GET", "/studies/{id}/cells", "a metric of its registered runs by cell", list_cells, query}};
}

}  // namespace server
