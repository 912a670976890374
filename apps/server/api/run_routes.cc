#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/session/watch/public_view.h"
#include "kernel/domain/enum_names.h"
#include "kernel/measure/measure.h"
#include "memory/files/blobs.h"

namespace server {

namespace {

struct FoundRun {
  json study, run;
};

/// None if there is no such run; then the refusal was sent.
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

/// `where`: FACTOR=LEVEL; `state` and `numbers`: several between commas.
memory::RunQuery query_of(const Request& request) {
  memory::RunQuery query;
  query.beyond = number_in(request, "cursor", 0);
  query.most = page_limit(request);
  query.experiment = kernel::ExperimentId(request.get_param_value("experiment"));
  query.newest_first = newest_first(request);
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
  return query;
}

/// `cursor`: the number of the last run listed.
void list_runs(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  const std::string id = request.matches[1];
  const auto study = study_or_404(reader, id, response);
  if (!study) return;
  const memory::RunQuery query = query_of(request);
  const session::Withheld withheld(*study);
  json items = json::array();
  reader.runs(id, query, [&](std::string_view document) { items.push_back(withheld.shown(json::parse(document))); });
  const json cursor = static_cast<int>(items.size()) == query.most ? json(items.back().at("number").dump()) : json();
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

/// httplib handles byte ranges; a log that still grows is sent as it is at the moment.
void show_log(Api& api, const Request& request, Response& response) {
  const auto found = run_or_404(api, request, response);
  if (!found) return;
  const std::string stream = request.has_param("stream") ? request.get_param_value("stream") : "stdout";
  if (stream != "stdout" && stream != "stderr") throw BadParameter{"stream", "`stdout` or `stderr`"};
  if (session::is_log_withheld(found->run)) return refuse_withheld(response, found->run, "the log");
  response.set_content(
      session::printed_by(api.session.home(), api.session.backend(), found->run,
                          stream == "stdout" ? executors::OutputStream::out : executors::OutputStream::err,
                          api.session.redactor()),
      "text/plain; charset=utf-8");
}

}  // namespace

std::vector<Route> run_routes() {
  std::vector<QueryParameter> choosing = paging;
  choosing.insert(choosing.end(), {{"order", "string", "oldest (the default) or newest first"},
                                   {"state", "string", "only in these states, between commas"},
                                   {"experiment", "string", "only of this experiment"},
                                   {"where", "string", "FACTOR=LEVEL; may be repeated"},
                                   {"numbers", "string", "only these, between commas"}});
  return {
      {"GET", "/studies/{id}/runs", "its runs, a page at a time", list_runs, choosing},
      {"GET", "/runs/{id}", "one run", show_run},
      {"GET", "/runs/{id}/metrics", "every value it reported, as JSON lines", show_metrics, {}, "application/jsonl"},
      {"GET", "/runs/{id}/log", "what it printed", show_log, {{"stream", "string", "stdout or stderr"}}, "text/plain"}};
}

}  // namespace server
