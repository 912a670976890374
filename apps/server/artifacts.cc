#include "apps/server/answers.h"
#include "apps/server/page.h"
#include "apps/server/routes.h"
#include "apps/server/start.h"
#include "apps/session/reproduction.h"
#include "artifacts/audit.h"
#include "artifacts/check.h"

namespace server {

namespace {

namespace fs = std::filesystem;

void show_file(Api& api, const Request& request, Response& response, const char* member, const char* type) {
  const auto study = study_or_404(memory::Reader(api.session.home().root), request.matches[1], response);
  if (!study) return;
  const json& path = study->at(member);
  std::ifstream file(path.is_string() ? path.get<std::string>() : std::string(), std::ios::binary);
  if (!path.is_string() || !file)
    return refuse(response, 404, std::string("study has no ") + member + (path.is_string() ? " any more" : " yet"));
  std::ostringstream text;
  text << file.rdbuf();
  response.set_content(text.str(), type);
}

void show_report(Api& api, const Request& request, Response& response) {
  show_file(api, request, response, "report", "text/html; charset=utf-8");
  response.set_header("Content-Security-Policy", report_policy);
}

/// Where it lies, and what it holds.
void show_artifact(Api& api, const Request& request, Response& response) {
  const auto study = study_or_404(memory::Reader(api.session.home().root), request.matches[1], response);
  if (!study) return;
  if (!study->at("artifact").is_string()) return refuse(response, 404, "the study has no artifact yet");
  const fs::path root = study->at("artifact").get<std::string>();
  std::error_code error;
  json files = json::array();
  for (fs::recursive_directory_iterator entry(root, error), end; !error && entry != end; entry.increment(error))
    if (entry->is_regular_file(error)) files.push_back(fs::relative(entry->path(), root, error).string());
  std::sort(files.begin(), files.end());
  answer(response, {{"path", root.string()}, {"files", std::move(files)}});
}

std::string artifact_in(const json& body) {
  std::string path = text_in(body, "path");
  if (fs::path(path).is_relative()) throw BadMember{"path", "an absolute path"};
  return path;
}

bool flag_in(const json& body, const char* member) {
  const auto found = body.find(member);
  if (found == body.end()) return false;
  if (!found->is_boolean()) throw BadMember{member, "true or false"};
  return *found;
}

template <typename Report>
void answer_findings(const Report& report, Response& response) {
  if (!report) return refuse(response, report.problem());
  answer(response, artifacts::to_json(*report));
}

/// {"path", "strict"}
void check(Api&, const Request& request, Response& response) {
  if (const auto body = body_of(request, response))
    answer_findings(artifacts::check(artifact_in(*body), {flag_in(*body, "strict")}), response);
}

/// {"path", "strict", "head"}
void audit(Api&, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  artifacts::AuditOptions options;
  options.strict = flag_in(*body, "strict");
  options.head = text_in(*body, "head");
  options.tool_version = ETUDE_VERSION;
  answer_findings(artifacts::audit(artifact_in(*body), options), response);
}

/// {"path", "name", "despite_errors"}
void take_in(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const auto taken = api.session.import({artifact_in(*body), text_in(*body, "name"), flag_in(*body, "despite_errors")});
  if (!taken) return refuse(response, taken.problem());
  answer(response, session::import_shape(*taken));
}

/// {"path"}, and what POST /studies takes beside the study itself; gives the id of the study that runs it again.
void reproduce(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const std::string path = artifact_in(*body);
  const auto recorded = artifacts::read_recorded(path);
  if (!recorded) return refuse(response, recorded.problem());
  session::StartRequest start;
  start.spec = recorded->spec;
  start.text = session::study_text(*recorded);
  start.output = session::reproduction_output(api.session.home(), *recorded);
  start.reproduces = fs::path(recorded->artifact).lexically_normal();
  start_for(api, *body, std::move(start), response);
}

}  // namespace

std::vector<Route> artifact_routes() {
  return {{"GET", "/studies/{id}/artifact", "where its artifact lies, and its files", show_artifact},
          {"GET", "/studies/{id}/report", "its report, as HTML", show_report, {}, "text/html"},
          {"POST", "/artifacts/check", "is the artifact well formed and unchanged?", check},
          {"POST", "/artifacts/audit", "does it say what its own record gives?", audit},
          {"POST", "/artifacts/import", "take it into the memory, with its files", take_in},
          {"POST", "/artifacts/reproduce", "run its registered design again", reproduce, {}, "application/json", 201},
          {"GET", "/reproductions/{id}", "not available yet", not_yet}};
}

}  // namespace server
