// When and on what the runs of a study ran, and what each took, as columns for charts of many runs.
#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/session/watch/public_view.h"
#include "apps/session/watch/study_trace.h"

namespace server {

namespace {

constexpr int most_timed_runs = 5000;

struct Column {
  const char* name;
  json::json_pointer place;  ///< In a `run` document.
};

const std::vector<Column>& columns() {
  using Pointer = json::json_pointer;
  static const std::vector<Column> all = {{"number", Pointer("/number")},
                                          {"experiment", Pointer("/experiment")},
                                          {"purpose", Pointer("/purpose")},
                                          {"state", Pointer("/state")},
                                          {"seed", Pointer("/seed")},
                                          {"started", Pointer("/started")},
                                          {"ended", Pointer("/ended")},
                                          {"node", Pointer("/node")},
                                          {"cpus", Pointer("/lease/cpus")},
                                          {"gpus", Pointer("/lease/gpus")},
                                          {"cpu_s", Pointer("/usage/cpu_s")},
                                          {"wall_s", Pointer("/usage/wall_s")},
                                          {"rss_peak_bytes", Pointer("/usage/rss_peak_bytes")},
                                          {"gpu_utilisation", Pointer("/usage/gpu/utilisation_mean")},
                                          {"gpu_memory_bytes", Pointer("/usage/gpu/memory_peak_bytes")},
                                          {"energy_j", Pointer("/usage/energy/joules")}};
  return all;
}

/// Runs that started and that this kernel executed. `cursor`: the number of the last run that was read.
void show_timeline(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  const std::string id = request.matches[1];
  const auto study = study_or_404(reader, id, response);
  if (!study) return;
  memory::RunQuery query;
  query.beyond = number_in(request, "cursor", 0);
  query.most = number_in(request, "limit", most_timed_runs);
  if (query.most < 1 || query.most > most_timed_runs) throw BadParameter{"limit", "a number from 1 to 5000"};
  query.descending = newest_first(request);
  const session::Withheld withheld(*study);
  json runs = json::object(), factors = json::object();
  for (const Column& column : columns()) runs[column.name] = json::array();
  int read = 0, last = 0, listed = 0;
  reader.runs(id, query, [&](std::string_view document) {
    const json run = withheld.shown(json::parse(document));
    ++read;
    last = run.at("number");
    if (run.at("started").is_null() || !run.at("cached_from").is_null()) return;
    for (const Column& column : columns())
      runs[column.name].push_back(run.contains(column.place) ? run.at(column.place) : json());
    for (const auto& [factor, level] : run.at("factors").items()) {
      json& levels = factors[factor];
      if (levels.is_null()) levels = json::array();
      while (static_cast<int>(levels.size()) < listed) levels.push_back(nullptr);
      levels.push_back(level);
    }
    ++listed;
  });
  for (json& levels : factors)
    while (static_cast<int>(levels.size()) < listed) levels.push_back(nullptr);
  runs["factors"] = std::move(factors);
  answer(response, {{"opened", study->at("opened")},
                    {"runs", std::move(runs)},
                    {"cursor", read == query.most ? json(std::to_string(last)) : json()}});
}

struct TooLarge {};

/// The file that `etude trace` writes.
void send_trace(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  const std::string id = request.matches[1];
  if (!study_or_404(reader, id, response)) return;
  std::string trace;
  try {
    session::write_trace(reader, id, [&](std::string_view bytes) {
      trace += bytes;
      if (static_cast<std::int64_t>(trace.size()) > largest_file) throw TooLarge{};
    });
  } catch (const TooLarge&) {
    return refuse(response, ProblemType::too_large, "the trace is larger than 64 MB",
                  "`etude trace` writes it to a file");
  }
  response.set_header("Content-Disposition", "attachment; filename=\"" + id + "-trace.json\"");
  response.set_content(std::move(trace), "application/json");
}

}  // namespace

std::vector<Route> timeline_routes() {
  return {download(
              {"GET", "/studies/{id}/trace", "what ran when, as a file for Perfetto (Trace Event Format)", send_trace}),
          {"GET",
           "/studies/{id}/timeline",
           "when and on what its runs ran, and what each took, as columns",
           show_timeline,
           {{"limit", "integer", "the most runs, up to 5000"},
            {"cursor", "string", "the `cursor` of the previous page"},
            {"order", "string", known_directions}}}};
}

}  // namespace server
