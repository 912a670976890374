// Study files before they run: their plan, templates to start from, and what a gate allows.
#include <filesystem>

#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/server/protocol/protocol.h"
#include "apps/session/plan/gate_plan.h"
#include "apps/session/plan/new_folder.h"
#include "apps/session/plan/planned_study.h"
#include "kernel/domain/enum_names.h"

namespace server {

namespace {

namespace fs = std::filesystem;

session::PlanPlace place_of(Api& api) {
  return {api.session.home().root, api.session.backend(),
          [&api](const kernel::StudySpec& spec) { return api.session.missing_models(spec); }};
}

/// {"path"} or {"text","folder"}; also "agents" and "jobs".
void plan(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const int jobs = integer_in(*body, "jobs", 1, 4096);
  const auto parsed = study_file_in(api, *body);
  if (!parsed) return refuse(response, parsed.problem());
  const auto planned = session::planned_study(*parsed, parsed->spec.file, place_of(api), jobs);
  if (!planned) return refuse(response, planned.problem());
  answer(response, session::plan_shape(*planned));
}

/// The same body. An answer, not a refusal, also for a file with an error.
void validate(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const auto parsed = study_file_in(api, *body);
  const auto problem = parsed ? hypothesis_without_verdict(parsed->spec) : std::optional(parsed.problem());
  json problems = json::array(), warnings = json::array();
  if (problem) problems.push_back(problem_body(*problem, 422));
  if (parsed)
    for (const kernel::Problem& warning : parsed->warnings) warnings.push_back(warning.text());
  answer(response, {{"ok", !problem}, {"problems", std::move(problems)}, {"warnings", std::move(warnings)}});
}

void list_templates(Api&, const Request&, Response& response) {
  json items = json::array();
  for (const std::string& name : session::template_names()) {
    const auto files = session::template_named(name);
    json names = json::array();
    for (const auto& [path, bytes] : *files) names.push_back(path);
    items.push_back({{"name", name}, {"text", files->at("study.yaml")}, {"files", std::move(names)}});
  }
  answer(response, {{"items", std::move(items)}, {"cursor", nullptr}});
}

/// {"folder", "template"}: makes a new folder with a study to start from.
void begin_folder(Api&, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const std::string folder = text_in(*body, "folder"), name = text_in(*body, "template");
  if (!fs::path(folder).is_absolute() || folder.find('\0') != folder.npos)
    throw BadMember{"folder", "the absolute path of a new or empty folder"};
  if (const auto problem = session::in_the_way(folder)) return refuse(response, *problem, 409);
  const auto files = session::template_named(name.empty() ? "minimal" : name);
  if (!files) return refuse(response, files.problem());
  session::write_new_folder(folder, *files);
  json names = json::array();
  for (const auto& [path, bytes] : *files) names.push_back(path);
  const std::string study = (fs::path(folder) / "study.yaml").lexically_normal().string();
  answer(response,
         {{"folder", folder}, {"study", study}, {"text", files->at("study.yaml")}, {"files", std::move(names)}}, 201);
}

/// The gate, and while it waits for a person what approving it allows.
void show_gate(Api& api, const Request& request, Response& response) {
  const std::string gate = request.matches[1], study = gate.substr(0, gate.rfind("-g"));
  const memory::Reader reader(api.session.home().root);
  const auto document = reader.study(study);
  const json now = document ? json::parse(*document) : json::object();
  const json gates = now.value("gates", json::array());
  const auto known = std::ranges::find_if(gates, [&](const json& one) { return one.at("id") == gate; });
  if (known == gates.end()) return refuse(response, 404, "there is no gate " + gate);
  json shape = *known;
  shape["study"] = study;
  shape["allows"] = nullptr;
  const auto on = kernel::named<kernel::GateOn>(shape.at("on").get<std::string>());
  if (shape.at("decision").is_null() && on && now.at("state") != "ended") {
    const kernel::State state = reader.load_active(study);
    if (const kernel::Study* loaded = state.study(study))
      shape["allows"] = session::gate_plan_shape(*loaded, *on, place_of(api));
  }
  answer(response, shape);
}

}  // namespace

std::vector<Route> planning_routes() {
  return {{"POST", "/plan", "the design of a study file; starts nothing", plan},
          {"POST", "/validate", "whether a study file can be read, and its first error; starts nothing", validate},
          {"GET", "/templates", "studies to start from", list_templates},
          creating({"POST", "/folders", "a new folder with a study to start from", begin_folder}),
          {"GET", "/gates/{id}", "a gate, and what approving it allows", show_gate}};
}

}  // namespace server
