// A study at an earlier moment, and the list of such moments.
#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/session/watch/public_view.h"
#include "kernel/codec/json_types.h"
#include "kernel/views/shapes.h"

namespace server {

namespace {

constexpr std::size_t longest_title = 200;

/// The first of these pointers that the payload has, as text; "" if it has none.
std::string text_at(const json& payload, std::initializer_list<const char*> pointers) {
  for (const char* pointer : pointers)
    if (const json::json_pointer at(pointer);
        payload.contains(at) && payload.at(at).is_string() && payload.at(at) != "")
      return payload.at(at);
  return "";
}

json moment_of(const kernel::StoredEvent& event) {
  json payload = json::parse(event.payload);
  kernel::put_in_words(payload, kernel::wording_version);
  const std::string id = text_at(payload, {"/hypothesis/id", "/node/id", "/claim/id", "/registration/experiment",
                                           "/gate/id", "/experiment", "/hypothesis", "/gate"});
  const std::string title = text_at(
      payload, {"/node/title", "/hypothesis/statement", "/claim/title", "/gate/what", "/text", "/why", "/reason"});
  return {{"seq", event.seq},
          {"time", kernel::iso8601(event.time)},
          {"actor", event.actor},
          {"type", event.type},
          {"id", id.empty() ? json() : json(id)},
          {"title", title.empty() ? json() : json(title.substr(0, longest_title))}};
}

/// `cursor`: the `seq` of the last one listed.
void list_moments(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  const std::string id = request.matches[1];
  if (!study_or_404(reader, id, response)) return;
  const auto limit = static_cast<std::size_t>(page_limit(request));
  json items = json::array();
  for (const kernel::StoredEvent& event : reader.moments(id, number_in(request, "cursor", 0), limit))
    items.push_back(moment_of(event));
  const json cursor = items.size() == limit ? json(items.back().at("seq").dump()) : json();
  const bool first = number_in(request, "cursor", 0) == 0;
  answer(response,
         {{"items", std::move(items)}, {"cursor", cursor}, {"total", first ? json(reader.moment_count(id)) : json()}});
}

/// From the first event; it never changes.
void show_opening(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  const std::string id = request.matches[1];
  const auto opened = reader.moments(id, 0, 1);
  if (opened.empty()) return refuse(response, 404, "there is no study " + id);
  const json payload = json::parse(opened.front().payload);
  json shown = json::object();
  for (const char* member : {"spec", "text", "data", "jobs"}) shown[member] = payload.value(member, json());
  shown["workspace"] = payload.value("/workspace/hash"_json_pointer, json());
  // What the machine and its programs are; not the variables that were passed on.
  for (const char* member : {"machine", "programs", "libraries"})
    shown["environment"][member] = payload.value(json::json_pointer(std::string("/environment/") + member), json());
  answer(response, shown);
}

constexpr int most_runs = 200;  ///< The last ones.

json runs_then(const kernel::Study& then, const json& study, const session::Withheld& now) {
  const session::Withheld before(study);
  json runs = json::array();
  const std::size_t first = then.runs.size() - std::min<std::size_t>(then.runs.size(), most_runs);
  for (std::size_t i = first; i < then.runs.size(); ++i)
    runs.push_back(now.covers(kernel::run_shape(then, then.runs[i]))
                       ? now.shown(kernel::run_shape(then, then.runs[i]))
                       : before.shown(kernel::run_shape(then, then.runs[i])));
  return runs;
}

/// `at`: the `seq` of an event of any study, since they are numbered together.
void show_past(Api& api, const Request& request, Response& response) {
  const std::string id = request.matches[1];
  const auto today = study_or_404(memory::Reader(api.session.home().root), id, response);
  if (!today) return;
  if (request.get_param_value("at").empty()) throw BadParameter{"at", "given: the `seq` of an event"};
  const int at = number_in(request, "at", 0);
  const bool there = api.history.show(id, at, [&](const HistoryCache::View& then) {
    json shown = {{"at", then.seq}, {"study", kernel::study_shape(then.study, then.head)}};
    shown["runs"] = runs_then(then.study, shown["study"], session::Withheld(*today));
    shown["nodes"] = std::move(kernel::graph_shape(then.study)["nodes"]);
    answer(response, shown);
  });
  if (!there) refuse(response, 404, "study " + id + " was not there at event " + std::to_string(at));
}

}  // namespace

std::vector<Route> history_routes() {
  return {{"GET", "/studies/{id}/moments", "its events without those of runs and model calls, a page at a time",
           list_moments, paging},
          {"GET", "/studies/{id}/opening", "its settings, its code and its data, as it was opened", show_opening},
          {"GET",
           "/studies/{id}/past",
           "the study and its graph as they were after an event",
           show_past,
           {{"at", "integer", "the event's `seq`"}}}};
}

}  // namespace server
