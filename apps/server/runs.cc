#include <charconv>

#include "apps/server/answers.h"
#include "apps/server/routes.h"
#include "apps/session/run_log.h"
#include "apps/session/withheld.h"
#include "kernel/measure.h"
#include "memory/blobs.h"

namespace server {

namespace {

struct FoundRun {
  json study, run;
};

/// Nothing: there is none, which has been answered.
std::optional<FoundRun> run_or_404(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  const std::string id = request.matches[1];
  const auto document = kernel::run_number(id) > 0 ? reader.run(id) : std::nullopt;
  if (!document) {
    refuse(response, 404, "there is no run " + id);
    return std::nullopt;
  }
  json study = json::parse(reader.study(kernel::run_study(id)).value());
  json run = session::Withheld(study).shown(json::parse(*document));
  return FoundRun{std::move(study), std::move(run)};
}

/// `cursor`: the number of the last run listed.
void list_runs(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  const std::string id = request.matches[1];
  const auto study = study_or_404(reader, id, response);
  if (!study) return;
  const int limit = page_limit(request);
  const session::Withheld withheld(*study);
  json items = json::array();
  reader.runs_after(id, number_in(request, "cursor", 0), limit,
                    [&](std::string_view document) { items.push_back(withheld.shown(json::parse(document))); });
  const json cursor = static_cast<int>(items.size()) == limit ? json(items.back().at("number").dump()) : json();
  answer(response, {{"items", std::move(items)}, {"cursor", cursor}});
}

void show_run(Api& api, const Request& request, Response& response) {
  if (const auto found = run_or_404(api, request, response)) answer(response, found->run);
}

void refuse_withheld(Response& response, const json& run, const char* what) {
  refuse(response, 403,
         std::string(what) + " of run " + run.at("id").get<std::string>() + " is withheld until experiment " +
             run.at("experiment").get<std::string>() + " is analysed");
}

void show_metrics(Api& api, const Request& request, Response& response) {
  const auto found = run_or_404(api, request, response);
  if (!found) return;
  if (found->run.at("withheld") == true) return refuse_withheld(response, found->run, "what was measured");
  const json& blob = found->run.at("blobs").at("metrics");
  response.set_content(blob.is_string() ? memory::Blobs(api.session.home().blobs()).get(blob) : std::string(),
                       "application/jsonl");
}

/// Byte ranges are the server library's; a log that still grows is what it is when it is asked for.
void show_log(Api& api, const Request& request, Response& response) {
  const auto found = run_or_404(api, request, response);
  if (!found) return;
  const std::string stream = request.has_param("stream") ? request.get_param_value("stream") : "stdout";
  if (stream != "stdout" && stream != "stderr") throw BadParameter{"stream", "`stdout` or `stderr`"};
  if (session::is_log_withheld(found->run)) return refuse_withheld(response, found->run, "the log");
  response.set_content(
      session::printed_by(api.session.home(), found->run,
                          stream == "stdout" ? executors::Stream::out : executors::Stream::err, api.session.redactor()),
      "text/plain; charset=utf-8");
}

}  // namespace

std::vector<Route> run_routes() {
  return {
      {"GET", "/studies/{id}/runs", "its runs, a page at a time", list_runs, paging},
      {"GET", "/runs/{id}", "one run", show_run},
      {"GET", "/runs/{id}/metrics", "every value it reported, as JSON lines", show_metrics, {}, "application/jsonl"},
      {"GET", "/runs/{id}/log", "what it printed", show_log, {{"stream", "string", "stdout or stderr"}}, "text/plain"}};
}

}  // namespace server
