#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/session/prepare/read_study.h"
#include "apps/session/prepare/run_history.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/package.h"
#include "kernel/codec/json_types.h"
#include "kernel/views/plan.h"
#include "programs/run_program.h"
#include "studyfile/load.h"

namespace server {

namespace {

/// `cursor`: number of studies listed before. This is stable because studies are only ever added, with the newest
/// first.
void list_studies(Api& api, const Request& request, Response& response) {
  const int from = number_in(request, "cursor", 0);
  const int limit = page_limit(request);
  const bool newest = newest_first(request);
  std::string items;
  int listed = 0;
  bool more = false;
  // One study beyond the page shows whether there is another page.
  memory::Reader(api.session.home().root).studies_after(from, limit + 1, newest, [&](std::string_view document) {
    more = listed == limit;
    if (more) return;
    items += listed++ ? "," : "";
    items += document;
  });
  answer_text(response, "{\"items\":[" + items + "],\"cursor\":" +
                            (more ? "\"" + std::to_string(from + listed) + "\"" : std::string("null")) + "}");
}

kernel::Result<studyfile::Parsed> parse(const std::string& home, const json& body) {
  const std::string path = text_in(body, "path");
  if (!path.empty() && std::filesystem::path(path).is_relative()) throw BadMember{"path", "an absolute path"};
  const std::string agents = text_in(body, "agents");
  if (!body.contains("text")) return session::read_study(home, path, studyfile::Use::study, agents);
  const std::string folder = text_in(body, "folder");
  const std::string file = path.empty() ? folder + "/study.yaml" : path;
  if (std::filesystem::path(file).is_relative()) throw BadMember{"folder", "an absolute path"};
  return session::read_study_text(home, text_in(body, "text"), file, std::filesystem::path(file).parent_path().string(),
                                  agents);
}

/// {"path"} or {"text","folder"}; also "agents", "output", and the options of `start_for`.
void start_study(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const auto parsed = parse(api.session.home().root, *body);
  if (!parsed) return refuse(response, parsed.problem());
  session::StartRequest start;
  start.spec = parsed->spec;
  start.text = parsed->text;
  start.output = text_in(*body, "output");
  if (start.output.empty()) start.output = session::default_output(start.spec.file);
  start_for(api, *body, std::move(start), response);
}

void show_study(Api& api, const Request& request, Response& response) {
  const std::string id = request.matches[1];
  const auto study = memory::Reader(api.session.home().root).study(id);
  if (!study) return refuse(response, 404, "there is no study " + id);
  answer_text(response, *study);
}

/// One member of the study's document.
template <const char* const& member>
void show_member(Api& api, const Request& request, Response& response) {
  if (auto study = study_or_404(memory::Reader(api.session.home().root), request.matches[1], response))
    answer(response, study->at(member));
}

constexpr const char* ledger = "ledger";
constexpr const char* gates = "gates";

/// Computed anew from the runs of this study and of earlier ones, so it is no member of the study's document.
void show_predictions(Api& api, const Request& request, Response& response) {
  const std::string& home = api.session.home().root;
  const std::string id = request.matches[1];
  if (study_or_404(memory::Reader(home), id, response)) answer(response, session::predictions_shape(home, id));
}

/// A document of the study's own that the store holds as text.
template <std::string (memory::Reader::*document)(const std::string&) const>
void show_document(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  if (study_or_404(reader, request.matches[1], response)) answer_text(response, (reader.*document)(request.matches[1]));
}

/// From the events that made them; the study's state would need its whole history.
void show_experiments(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  const std::string id = request.matches[1];
  if (!study_or_404(reader, id, response)) return;
  constexpr std::size_t all = 100'000;
  std::set<kernel::ExperimentId> analysed;
  for (const kernel::StoredEvent& event : reader.moments(id, 0, all, "ExperimentAnalysed"))
    analysed.insert(std::get<kernel::ExperimentAnalysed>(event.decoded().body).experiment);
  const std::map<kernel::ExperimentId, int> pending = reader.pending(id);
  json experiments = json::array();
  for (const kernel::StoredEvent& event : reader.moments(id, 0, all, "ExperimentRegistered")) {
    const auto registered = std::get<kernel::ExperimentRegistered>(event.decoded().body);
    const kernel::ExperimentId& name = registered.registration.experiment;
    const auto waiting = pending.find(name);
    experiments.push_back({{"id", name},
                           {"hash", registered.hash},
                           {"registered", kernel::iso8601(event.time)},
                           {"analysed", analysed.contains(name)},
                           {"pending", waiting == pending.end() ? 0 : waiting->second},
                           {"registration", registered.registration}});
  }
  answer(response, experiments);
}

}  // namespace

std::optional<kernel::Problem> another_executor(const Api& api, const json& body) {
  const std::string asked = text_in(body, "executor"), own = api.session.backend().name();
  if (asked.empty() || asked == own) return std::nullopt;
  return kernel::Problem{"",
                         0,
                         "executor " + asked,
                         fmt::format("the kernel that owns this home (process {}) runs jobs by `{}`", ::getpid(), own),
                         "say --executor " + own + ", or end that kernel first",
                         true};
}

void start_for(Api& api, const json& body, session::StartRequest start, Response& response) {
  if (const auto other = another_executor(api, body)) return refuse(response, *other);
  start.jobs = integer_in(body, "jobs", 1, 4096);
  start.priority = priority_in(body).value_or(0);
  start.environment = environment_in(body).value_or(programs::own_environment());
  start.request = text_in(body, "request");
  if (const auto usable = artifacts::may_replace(start.output); !usable) return refuse(response, usable.problem());
  for (const kernel::PlannedHypothesis& h : kernel::plan_of(start.spec).hypotheses)
    if (h.refused)
      return refuse(response, kernel::Problem{start.spec.file, 0, "hypothesis " + h.hypothesis.id,
                                              artifacts::without_stop(h.note), "see `etude plan`"});
  const auto id = opened_by(
      response, [&](kernel::Answer answered) { return api.session.start(start, std::move(answered)); }, 422);
  if (id) answer_opened(api, *id, response);
}

void answer_opened(Api& api, const std::string& id, Response& response) {
  const memory::Reader reader(api.session.home().root);
  if (const auto study = study_or_404(reader, id, response)) answer(response, *study, 201);
}

std::vector<Route> study_routes() {
  std::vector<QueryParameter> listing = paging;
  listing.push_back({"order", "string", "oldest (the default) or newest first"});
  return {{"GET", "/studies", "studies, a page at a time", list_studies, listing},
          creating({"POST", "/studies", "start a study", start_study}),
          {"GET", "/studies/{id}", "one study", show_study},
          {"GET", "/studies/{id}/graph", "its exploration graph", show_document<&memory::Reader::graph>},
          {"GET", "/studies/{id}/hypotheses", "its hypotheses with their results",
           show_document<&memory::Reader::hypotheses>},
          {"GET", "/studies/{id}/experiments", "its registrations", show_experiments},
          {"GET", "/studies/{id}/claims", "its claims", show_document<&memory::Reader::claims>},
          {"GET", "/studies/{id}/ledger", "what it spent and may spend", show_member<ledger>},
          {"GET", "/studies/{id}/predictions", "how long its experiments were expected to take, and took",
           show_predictions},
          {"GET", "/studies/{id}/gates", "where it waits, or waited, for a person", show_member<gates>}};
}

}  // namespace server
