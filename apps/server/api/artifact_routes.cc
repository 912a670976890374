#include <algorithm>
#include <random>

#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/server/api/opened_artifact.h"
#include "apps/session/collect/packager.h"
#include "apps/session/prepare/reproduction_request.h"
#include "artifacts/audit/audit.h"
#include "artifacts/check/check.h"
#include "kernel/study/state.h"

namespace server {

namespace {

namespace fs = std::filesystem;

/// A report has its own style and needs nothing else.
constexpr char report_policy[] =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'";

void show_report(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  const auto folder = artifact_or_404(reader, request.matches[1], response);
  if (!folder) return;
  std::ifstream file(fs::path(*folder) / "report.html", std::ios::binary);
  if (!file) return refuse(response, 404, "the study's artifact has no report any more");
  std::ostringstream text;
  text << file.rdbuf();
  response.set_content(text.str(), "text/html; charset=utf-8");
  response.set_header("Content-Security-Policy", report_policy);
}

/// The artifact's path and content.
void show_artifact(Api& api, const Request& request, Response& response) {
  const auto folder = artifact_or_404(memory::Reader(api.session.home().root), request.matches[1], response);
  if (!folder) return;
  const fs::path root = *folder;
  std::error_code error;
  json files = json::array();
  for (fs::recursive_directory_iterator entry(root, error), end; !error && entry != end; entry.increment(error))
    if (entry->is_regular_file(error)) files.push_back(fs::relative(entry->path(), root, error).string());
  std::sort(files.begin(), files.end());
  answer(response, {{"path", root.string()}, {"files", std::move(files)}});
}

/// Packages a study that has ended again, to where its artifact belongs.
void package(Api& api, const Request& request, Response& response) {
  const session::HomePaths& home = api.session.home();
  const memory::Reader reader(home.root);
  const auto document = study_or_404(reader, request.matches[1], response);
  if (!document) return;
  const std::string id = document->at("id");
  const kernel::State state = reader.load(id);
  const kernel::Study& study = *state.study(id);
  if (study.state != kernel::StudyState::ended || !study.outcome)
    return refuse(response, 409, "study " + id + " has not ended");
  if (const auto secrets = session::undecided_secrets(home, study); !secrets.empty())
    return refuse(response, 409, "a person has not decided whether `" + secrets.begin()->first + "` may be published",
                  "it looks like " + secrets.begin()->second);
  if (const auto usable = artifacts::may_replace(study.output); !usable) return refuse(response, usable.problem(), 409);
  const std::lock_guard one_at_a_time(api.packaging);
  const session::HomeGuest guest = session::HomeGuest::enter(home);  // So that nothing of it is deleted as garbage.
  const auto packaged = session::package_study(home, id, study.sealed_head, study.output);
  if (!packaged) return refuse(response, packaged.problem(), 409);
  answer(response,
         {{"study", id}, {"artifact", packaged->path}, {"report", packaged->report}, {"head", packaged->head}});
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

void answer_findings(kernel::Result<artifacts::CheckReport> report, const json& body, Response& response) {
  if (!report) return refuse(response, report.problem());
  // The files of an import lay in a temporary folder.
  if (const std::string name = text_in(body, "path"); name.starts_with(kernel::foreign)) report->artifact = name;
  answer(response, artifacts::to_json(*report));
}

/// The path that the body names, or an imported artifact, whose files lie in `opened`. None: the refusal was sent.
std::optional<std::string> path_to_look_at(Api& api, const json& body, std::optional<OpenedArtifact>& opened,
                                           Response& response) {
  const std::string name = text_in(body, "path");
  if (!name.starts_with(kernel::foreign)) return artifact_in(body);
  opened = OpenedArtifact::open(api, name, response);
  return opened ? std::optional(opened->folder()) : std::nullopt;
}

/// {"path", "strict"}
void check(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  std::optional<OpenedArtifact> opened;
  if (const auto path = path_to_look_at(api, *body, opened, response))
    answer_findings(artifacts::check(*path, {flag_in(*body, "strict")}), *body, response);
}

/// {"path", "strict", "head"}
void audit(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  std::optional<OpenedArtifact> opened;
  const auto path = path_to_look_at(api, *body, opened, response);
  if (!path) return;
  artifacts::AuditOptions options;
  options.strict = flag_in(*body, "strict");
  options.head = text_in(*body, "head");
  options.tool_version = ETUDE_VERSION;
  options.redraw = true;
  answer_findings(artifacts::audit(*path, options), *body, response);
}

/// {"path", "name", "despite_errors"}
void take_in(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const auto taken = api.session.import({artifact_in(*body), text_in(*body, "name"), flag_in(*body, "despite_errors")});
  if (!taken) return refuse(response, taken.problem());
  answer(response, session::import_shape(*taken));
}

std::vector<std::string> claims_in(const json& body) {
  if (!body.contains("claims")) return {};
  const json& claims = body.at("claims");
  const auto text = [](const json& claim) { return claim.is_string(); };
  if (!claims.is_array() || !std::ranges::all_of(claims, text)) throw BadMember{"claims", "a list of claims' ids"};
  return claims.get<std::vector<std::string>>();
}

artifacts::ReproductionChoice choice_in(const json& body) {
  artifacts::ReproductionChoice choice;
  choice.claims = claims_in(body);
  const std::string seeds = text_in(body, "seeds");
  if (!seeds.empty() && seeds != "same" && seeds != "fresh") throw BadMember{"seeds", "same or fresh"};
  choice.fresh = seeds == "fresh";
  if (body.contains("sample") && body.at("sample") != 0) choice.sample = integer_in(body, "sample", 1, 1'000'000);
  const auto seed = body.find("seed");
  if (seed != body.end() && !seed->is_number_unsigned()) throw BadMember{"seed", "a whole number, not below 0"};
  choice.seed = seed == body.end() ? std::random_device()() : seed->get<std::uint64_t>();
  return choice;
}

void set(kernel::Budget& budget, const kernel::Budget& own) {
  if (own.wall_s) budget.wall_s = own.wall_s;
  if (own.runs) budget.runs = own.runs;
  if (own.usd) budget.usd = own.usd;
  if (own.tokens) budget.tokens = own.tokens;
  if (own.gpu_hours) budget.gpu_hours = own.gpu_hours;
}

/// {"path", "claims", "seeds", "sample", "seed", "budget"}, and the options of POST /studies. Returns the id of the
/// study that reproduces the artifact.
void reproduce(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const auto read = [&]() -> kernel::Result<session::StartRequest> {
    const std::string path = artifact_in(*body);
    const artifacts::ReproductionChoice choice = choice_in(*body);
    auto recorded = artifacts::read_recorded(path);
    if (!recorded) return recorded.problem();
    if (const auto problem = artifacts::choose(*recorded, choice)) return *problem;
    set(recorded->spec.budget, budget_in(*body));
    session::StartRequest start = session::reproduction_request(api.session.home(), *recorded);
    if (const std::string output = text_in(*body, "output"); !output.empty()) start.output = output;
    return start;
  };
  start_for(api, request, *body, read, response);
}

/// The result of the reproduction so far.
void show_reproduction(Api& api, const Request& request, Response& response) {
  const std::string id = request.matches[1];
  const std::string head = memory::Reader(api.session.home().root).head(id);
  if (auto known = api.comparisons.find(id, head)) return answer_text(response, std::move(*known));
  const auto report = session::reproduction_report(api.session.home(), id);
  if (!report) return refuse(response, report.problem(), 404);
  json shape = artifacts::to_json(*report);
  if (const auto study = study_or_404(memory::Reader(api.session.home().root), id, response)) {
    shape["state"] = study->at("state");
    answer(response, shape);
    // Stored under the head that was read first; if the study goes on, the report is of that moment or later.
    std::string text = response.body;
    text.pop_back();
    api.comparisons.keep(id, head, std::move(text));
  }
}

/// What the chosen part took when it was recorded. The body of `reproduce`; starts nothing.
void show_cost(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const int asked = integer_in(*body, "jobs", 1, 4096);
  const artifacts::ReproductionChoice choice = choice_in(*body);
  auto recorded = artifacts::read_recorded(artifact_in(*body));
  if (!recorded) return refuse(response, recorded.problem());
  if (const auto problem = artifacts::choose(*recorded, choice)) return refuse(response, *problem);
  set(recorded->spec.budget, budget_in(*body));
  const artifacts::ReproductionCost cost = artifacts::forecast(*recorded);
  const int jobs = asked > 0 ? asked : session::default_jobs(api.session.backend().cores(), recorded->spec);
  json claims = json::array(), notes = recorded->notes, untrue = json::array();
  for (const kernel::Claim& claim : recorded->study.claims)
    claims.push_back({{"id", claim.id}, {"title", claim.title}, {"hypothesis", claim.hypothesis.text()}});
  for (const kernel::Untrue& one : recorded->terms.untrue) untrue.push_back(one.what);
  const kernel::Budget& budget = recorded->spec.budget;
  answer(response, {{"claims", std::move(claims)},
                    {"runs", cost.runs},
                    {"of", cost.of},
                    {"run_s", cost.run_seconds},
                    {"longest_s", cost.longest_s},
                    {"wall_s", cost.wall_s(jobs)},
                    {"gpu_hours", cost.gpu_seconds / 3600},
                    {"jobs", jobs},
                    {"budget",
                     {{"runs", budget.runs ? json(*budget.runs) : json()},
                      {"wall_s", budget.wall_s ? json(*budget.wall_s) : json()}}},
                    {"notes", std::move(notes)},
                    {"untrue", std::move(untrue)}});
}

}  // namespace

std::vector<Route> artifact_routes() {
  return {{"GET", "/studies/{id}/artifact", "where its artifact lies, and its files", show_artifact},
          download({"GET", "/studies/{id}/report", "its report, as HTML", show_report, {}, "text/html"}),
          {"POST", "/studies/{id}/package", "write its artifact again, where it belongs", package},
          {"POST", "/artifacts/check", "is the artifact well formed and unchanged?", check},
          {"POST", "/artifacts/audit", "do all numbers and pages follow from its event log?", audit},
          {"POST", "/artifacts/import", "copy it and its files into the memory", take_in},
          {"POST", "/artifacts/cost", "what running its design again would take; starts nothing", show_cost},
          creating({"POST", "/artifacts/reproduce", "run its registered design again", reproduce}),
          {"GET", "/reproductions/{id}", "the report of a reproduction, so far", show_reproduction}};
}

}  // namespace server
