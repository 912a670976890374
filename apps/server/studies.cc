#include <filesystem>

#include "apps/server/answers.h"
#include "apps/server/routes.h"
#include "apps/server/start.h"
#include "kernel/json_types.h"
#include "kernel/shapes.h"
#include "studyfile/load.h"

namespace server {

namespace {

/// `cursor` is how many studies were listed before: they are only ever added.
void list_studies(Api& api, const Request& request, Response& response) {
  const int from = number_in(request, "cursor", 0);
  const int limit = page_limit(request);
  json items = json::array();
  int position = 0;
  memory::Reader(api.session.home().root).studies([&](std::string_view document) {
    if (position++ < from || static_cast<int>(items.size()) >= limit) return;
    json study = json::parse(document);
    for (const char* list : {"hypotheses", "integrity", "metrics"}) study.erase(list);
    items.push_back(std::move(study));
  });
  const int next = from + static_cast<int>(items.size());
  answer(response, {{"items", std::move(items)}, {"cursor", next < position ? json(std::to_string(next)) : json()}});
}

kernel::Result<studyfile::Parsed> parse(const json& body) {
  const std::string path = text_in(body, "path");
  if (!path.empty() && std::filesystem::path(path).is_relative()) throw BadMember{"path", "an absolute path"};
  const std::string agents = text_in(body, "agents");
  if (!body.contains("text")) return studyfile::read(path, studyfile::Use::study, agents);
  const std::string folder = text_in(body, "folder");
  const std::string file = path.empty() ? folder + "/study.yaml" : path;
  if (std::filesystem::path(file).is_relative()) throw BadMember{"folder", "an absolute path"};
  return studyfile::read_text(text_in(body, "text"), file, std::filesystem::path(file).parent_path().string(),
                              studyfile::Use::study, agents);
}

/// {"path"} or {"text","folder"}; also "agents", "output", and what `start_for` reads.
void start_study(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const auto parsed = parse(*body);
  if (!parsed) return refuse(response, parsed.problem());
  session::StartRequest start;
  start.spec = parsed->spec;
  start.text = parsed->text;
  start.output = text_in(*body, "output");
  if (start.output.empty()) start.output = session::default_output(start.spec.file);
  start_for(api, *body, std::move(start), response);
}

void show_study(Api& api, const Request& request, Response& response) {
  if (auto study = study_or_404(memory::Reader(api.session.home().root), request.matches[1], response))
    answer(response, *study);
}

/// One member of the study's document.
template <const char* const& member>
void show_member(Api& api, const Request& request, Response& response) {
  if (auto study = study_or_404(memory::Reader(api.session.home().root), request.matches[1], response))
    answer(response, study->at(member));
}

constexpr const char* ledger = "ledger";
constexpr const char* gates = "gates";

void show_graph(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  if (study_or_404(reader, request.matches[1], response))
    answer(response, json::parse(reader.graph(request.matches[1])));
}

void show_hypotheses(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  if (study_or_404(reader, request.matches[1], response))
    answer(response, json::parse(reader.hypotheses(request.matches[1])));
}

void show_claims(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  if (study_or_404(reader, request.matches[1], response))
    answer(response, json::parse(reader.claims(request.matches[1])));
}

void show_experiments(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  const std::string id = request.matches[1];
  if (!study_or_404(reader, id, response)) return;
  const kernel::State state = reader.load(id);
  json experiments = json::array();
  for (const kernel::Experiment& e : state.study(id)->experiments)
    experiments.push_back({{"id", e.registration.experiment},
                           {"hash", e.hash},
                           {"registered", kernel::iso8601(e.registered_ms)},
                           {"analysed", e.analysed},
                           {"pending", e.pending},
                           {"registration", e.registration}});
  answer(response, experiments);
}

}  // namespace

std::vector<Route> study_routes() {
  return {{"GET", "/studies", "studies, oldest first, a page at a time", list_studies, paging},
          {"POST", "/studies", "start a study", start_study, {}, "application/json", 201},
          {"GET", "/studies/{id}", "one study", show_study},
          {"GET", "/studies/{id}/graph", "its exploration graph", show_graph},
          {"GET", "/studies/{id}/hypotheses", "its hypotheses with their results", show_hypotheses},
          {"GET", "/studies/{id}/experiments", "its registrations", show_experiments},
          {"GET", "/studies/{id}/claims", "its claims", show_claims},
          {"GET", "/studies/{id}/ledger", "what it spent and may spend", show_member<ledger>},
          {"GET", "/studies/{id}/gates", "where it waits, or waited, for a person", show_member<gates>}};
}

}  // namespace server
