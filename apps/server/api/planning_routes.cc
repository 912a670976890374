// Study files before they run: their plan, templates to start from, and what a gate allows.
#include <filesystem>

#include "apps/cli/draft/drafted_text.h"
#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/server/protocol/protocol.h"
#include "apps/session/plan/gate_plan.h"
#include "apps/session/plan/new_folder.h"
#include "apps/session/plan/planned_study.h"
#include "apps/session/plan/simulation.h"
#include "apps/session/watch/waiting_gates.h"
#include "config/config.h"
#include "kernel/domain/enum_names.h"
#include "programs/run_program.h"

namespace server {

namespace {

namespace fs = std::filesystem;

constexpr int most_simulated_gpus = 64;

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

/// The body of `plan`, and "gpus", "jobs", "type" and "usd_per_gpu_hour".
void simulate(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  session::PoolQuery pools;
  pools.gpus = integer_in(*body, "gpus", 1, most_simulated_gpus);
  pools.jobs = integer_in(*body, "jobs", 1, 4096);
  pools.type = text_in(*body, "type");
  if (const auto usd = body->find("usd_per_gpu_hour"); usd != body->end() && !usd->is_null()) {
    if (!usd->is_number() || *usd < 0 || *usd > 1e6) throw BadMember{"usd_per_gpu_hour", "a number from 0 to 1000000"};
    pools.usd_per_gpu_hour = usd->get<double>();
  }
  const auto parsed = study_file_in(api, *body);
  if (!parsed) return refuse(response, parsed.problem());
  const auto configured_price = [&](const std::string& type) -> kernel::Result<std::optional<double>> {
    const auto config = config::load(api.session.config(), programs::own_environment());
    if (!config) return config.problem();
    const auto known = config->gpu_prices.find(type);
    return known == config->gpu_prices.end() ? std::nullopt : std::optional(known->second);
  };
  const auto simulation = session::simulated(*parsed, parsed->spec.file, pools, api.session.home().root,
                                             api.session.backend(), configured_price);
  if (!simulation) return refuse(response, simulation.problem());
  answer(response, session::simulation_shape(*simulation));
}

/// The body of `plan`. An answer, not a refusal, also for a file with an error.
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

void list_templates(Api&, const Request& request, Response& response) {
  json items = json::array();
  const auto add = [&items](const std::string& name, bool example) {
    const auto files = session::template_named(name);
    json names = json::array();
    for (const auto& [path, bytes] : *files) names.push_back(path);
    items.push_back(
        {{"name", name}, {"text", files->at("study.yaml")}, {"files", std::move(names)}, {"example", example}});
  };
  for (const std::string& name : session::template_names()) add(name, false);
  for (const std::string& name : session::example_names()) add(name, true);
  answer(response, list_of(request, std::move(items)));
}

/// {"command","workspace"}: the text of a study file in the folder, as `etude init --from` makes it. Throws BadMember.
kernel::Result<std::string> draft_in(const Api& api, const json& body, const std::string& folder) {
  const std::string workspace = text_in(body, "workspace");
  std::error_code error;
  if (!fs::path(workspace).is_absolute() || workspace.find('\0') != workspace.npos ||
      !fs::is_directory(workspace, error))
    throw BadMember{"workspace", "the absolute path of the folder in which the command works"};
  const auto variables = environment_in(body).value_or(programs::own_environment());
  auto text = cli::drafted_text(text_in(body, "command"),
                                {fs::canonical(workspace).string(), fs::weakly_canonical(folder).string(),
                                 programs::variable(variables, "VIRTUAL_ENV", "")},
                                api.session.home().root);
  if (text) return text;
  kernel::Problem problem = text.problem();
  if (problem.what == "--from") problem.what = "command";
  return problem;
}

std::string absolute_in(const json& body, const char* name, const char* wanted) {
  std::string path = text_in(body, name);
  if (!fs::path(path).is_absolute() || path.find('\0') != path.npos) throw BadMember{name, wanted};
  return path;
}

std::string study_file_of(const std::string& folder) {
  return (fs::path(folder) / "study.yaml").lexically_normal().string();
}

/// {"command", "workspace", "folder", "environment"}: a study file for a command that somebody runs already. It is not
/// written; relative paths in it are relative to `folder`.
void draft_study_file(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const std::string folder = absolute_in(*body, "folder", "the absolute path of the folder for the study file");
  const auto text = draft_in(api, *body, folder);
  if (!text) return refuse(response, text.problem());
  answer(
      response,
      {{"folder", folder}, {"study", study_file_of(folder)}, {"text", *text}, {"decide", cli::lines_to_decide(*text)}});
}

/// {"folder"} and "template", or what a draft is made of: makes a new folder with a study to start from.
void begin_folder(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const std::string name = text_in(*body, "template");
  const std::string folder = absolute_in(*body, "folder", "the absolute path of a new or empty folder");
  const bool drafts = body->contains("command");
  if (drafts && !name.empty()) throw BadMember{"template", "for a command, from which the study is made"};
  if (const auto problem = session::in_the_way(folder)) return refuse(response, *problem, 409);
  kernel::Result<std::map<std::string, std::string>> files = std::map<std::string, std::string>{};
  if (drafts) {
    auto text = draft_in(api, *body, folder);
    if (!text) return refuse(response, text.problem());
    files->emplace("study.yaml", std::move(*text));
  } else {
    files = session::template_named(name.empty() ? "minimal" : name);
  }
  if (!files) return refuse(response, files.problem());
  session::write_new_folder(folder, *files, session::kinds_of_scripts(*files));
  json names = json::array();
  for (const auto& [path, bytes] : *files) names.push_back(path);
  answer(response,
         {{"folder", folder},
          {"study", study_file_of(folder)},
          {"text", files->at("study.yaml")},
          {"files", std::move(names)}},
         201);
}

void list_waiting_gates(Api& api, const Request& request, Response& response) {
  answer(response, page_of(request, session::waiting_gates(memory::Reader(api.session.home().root))));
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
  return {
      {"POST", "/plan", "the design of a study file; starts nothing", plan},
      {"POST", "/simulate", "how long the runs of a study file would take on pools of several sizes; starts nothing",
       simulate},
      {"POST", "/validate", "whether a study file can be read, and its first error; starts nothing", validate},
      {"GET", "/templates", "studies to start from", list_templates, paging},
      creating({"POST", "/folders", "a new folder with a study to start from", begin_folder}),
      {"POST", "/drafts", "a study file for a command, with what is left to decide; writes nothing", draft_study_file},
      {"GET", "/gates", "where studies wait for a person", list_waiting_gates, paging},
      {"GET", "/gates/{id}", "a gate, and what approving it allows", show_gate}};
}

}  // namespace server
