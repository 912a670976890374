#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/session/home/placed_artifact.h"
#include "apps/session/prepare/read_study.h"
#include "apps/session/prepare/run_history.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/package.h"
#include "base/digest.h"
#include "kernel/codec/json_types.h"
#include "kernel/domain/client_request.h"
#include "kernel/domain/enum_names.h"
#include "kernel/views/plan.h"
#include "programs/run_program.h"

namespace server {

namespace {

constexpr std::array orders = {std::pair{"opened", memory::StudyOrder::opened},
                               std::pair{"title", memory::StudyOrder::title},
                               std::pair{"runs", memory::StudyOrder::runs}, std::pair{"usd", memory::StudyOrder::usd},
                               std::pair{"wall", memory::StudyOrder::wall}};
constexpr const char* known_orders = "`opened`, `title`, `runs`, `usd` or `wall`";

/// None: archived or not.
std::optional<bool> archived_in(const Request& request) {
  const std::string archived = request.get_param_value("archived");
  if (archived == "all") return std::nullopt;
  if (!archived.empty() && archived != "true" && archived != "false")
    throw BadParameter{"archived", "`true`, `false` or `all`"};
  return archived == "true";
}

memory::StudyQuery study_query(const Request& request) {
  memory::StudyQuery query;
  query.before = number_in(request, "cursor", 0);
  query.most = page_limit(request);
  query.descending = newest_first(request);
  const std::string order = request.get_param_value("sort");
  const auto* known = std::ranges::find_if(orders, [&](const auto& one) { return order == one.first; });
  if (!order.empty() && known == orders.end()) throw BadParameter{"sort", known_orders};
  if (!order.empty()) query.order = known->second;
  std::istringstream words(request.get_param_value("q"));
  for (std::string word; words >> word;) query.words.push_back(std::move(word));
  query.tags = words_in(request, "tag");
  for (const auto& [name, list] : {std::pair{"q", &query.words}, std::pair{"tag", &query.tags}})
    if (list->size() > memory::most_query_words)
      throw BadParameter{name, fmt::format("a list of at most {} words", memory::most_query_words)};
  query.archived = archived_in(request);
  for (const std::string& state : words_in(request, "state")) {
    if (state != "waiting" && !kernel::named<kernel::StudyState>(state) && !kernel::named<kernel::StudyOutcome>(state))
      throw BadParameter{"state", "a list of states or outcomes of studies, or `waiting`"};
    query.states.push_back(state);
  }
  for (const std::string& verdict : words_in(request, "verdict")) {
    if (!kernel::named<kernel::Verdict>(verdict)) throw BadParameter{"verdict", "a list of verdicts"};
    query.verdicts.push_back(verdict);
  }
  return query;
}

/// `cursor`: number of studies listed before. In the order of opening this is stable because studies are only ever
/// added, with the newest first.
void list_studies(Api& api, const Request& request, Response& response) {
  const memory::StudyQuery query = study_query(request);
  std::string items;
  int listed = 0;
  const int all = memory::Reader(api.session.home().root).studies(query, [&](std::string_view document) {
    items += listed++ ? "," : "";
    items += document;
  });
  const int seen = query.before + listed;
  answer_text(response, "{\"items\":[" + items + "],\"total\":" + std::to_string(all) + ",\"cursor\":" +
                            (seen < all && listed > 0 ? "\"" + std::to_string(seen) + "\"" : std::string("null")) +
                            "}");
}

/// {"path"} or {"text","folder"}; also "agents", "output", and the options of `start_for`.
void start_study(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const auto read = [&]() -> kernel::Result<session::StartRequest> {
    const auto parsed = study_file_in(api, *body);
    if (!parsed) return parsed.problem();
    session::StartRequest start;
    start.spec = parsed->spec;
    start.text = parsed->text;
    start.output = text_in(*body, "output");
    if (start.output.empty()) start.output = session::default_output(start.spec.file);
    return start;
  };
  start_for(api, request, *body, read, response);
}

void show_study(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  auto study = study_or_404(reader, request.matches[1], response);
  if (!study) return;
  if (session::artifact_replaced(reader, *study))
    for (const char* place : {"artifact", "report"}) (*study)[place] = nullptr;
  answer(response, *study);
}

/// The whole list, as the first clients of version 1 know it, or a page of it.
void answer_list(const Request& request, json list, Response& response) {
  answer(response, asks_for_page(request) ? page_of(request, std::move(list)) : list);
}

void show_ledger(Api& api, const Request& request, Response& response) {
  if (auto study = study_or_404(memory::Reader(api.session.home().root), request.matches[1], response))
    answer(response, study->at("ledger"));
}

void list_gates(Api& api, const Request& request, Response& response) {
  if (auto study = study_or_404(memory::Reader(api.session.home().root), request.matches[1], response))
    answer_list(request, std::move(study->at("gates")), response);
}

/// Computed anew from the runs of this study and of earlier ones, so it is no member of the study's document.
void show_predictions(Api& api, const Request& request, Response& response) {
  const std::string& home = api.session.home().root;
  const std::string id = request.matches[1];
  if (study_or_404(memory::Reader(home), id, response))
    answer_list(request, session::predictions_shape(home, id), response);
}

void show_graph(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  if (study_or_404(reader, request.matches[1], response)) answer_text(response, reader.graph(request.matches[1]));
}

/// A list of the study's own that the store holds as text.
template <std::string (memory::Reader::*list)(const std::string&) const>
void show_list(Api& api, const Request& request, Response& response) {
  const memory::Reader reader(api.session.home().root);
  if (!study_or_404(reader, request.matches[1], response)) return;
  std::string text = (reader.*list)(request.matches[1]);
  if (asks_for_page(request)) return answer(response, page_of(request, json::parse(text)));
  answer_text(response, std::move(text));
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
  kernel::put_in_words(experiments, kernel::wording_version);
  answer_list(request, std::move(experiments), response);
}

/// Variables count by their names, since their values may be secrets.
std::string fingerprint_of(const Request& request, json body) {
  if (const auto variables = body.find("environment"); variables != body.end() && variables->is_object()) {
    json names = json::array();
    for (const auto& [name, value] : variables->items()) names.push_back(name);
    *variables = std::move(names);
  }
  return kernel::sha256_hex(request.path + "\n" + body.dump(-1, ' ', false, json::error_handler_t::replace));
}

/// The member "request"; empty without it. Throws BadMember.
kernel::ClientRequest client_request_in(const Request& request, const json& body) {
  constexpr std::size_t longest = 200;
  const std::string token = text_in(body, "request");
  if (token.empty()) return {};
  if (token.size() > longest || std::ranges::any_of(token, [](unsigned char c) { return c < ' ' || c == 0x7f; }))
    throw BadMember{"request", "a text of at most 200 bytes without control characters"};
  return {token, fingerprint_of(request, body)};
}

/// Answers with the study that an earlier request with this token started, if it had the same body.
void answer_again(Api& api, const std::string& id, const kernel::ClientRequest& asked, Response& response) {
  const auto events = memory::Reader(api.session.home().root).moments(id, 0, 1, "StudyOpened");
  const std::string known =
      events.empty() ? ""
                     : kernel::client_request(json::parse(events.front().payload).value("request", "")).fingerprint;
  if (!known.empty() && known != asked.fingerprint)
    return refuse(response, ProblemType::request_reused,
                  "request `" + asked.token + "` has started study " + id + " with another body",
                  "send the same body to get that study, or another `request` to start a new one");
  answer_opened(api, id, response);
}

}  // namespace

kernel::Result<studyfile::Parsed> study_file_in(const Api& api, const json& body, studyfile::Use use) {
  const std::string& home = api.session.home().root;
  const std::string path = text_in(body, "path");
  if (!path.empty() && std::filesystem::path(path).is_relative()) throw BadMember{"path", "an absolute path"};
  const std::string agents = text_in(body, "agents");
  if (!body.contains("text") && path.empty()) throw BadMember{"path", "given: name the study file, or send its `text`"};
  if (!body.contains("text")) return session::read_study(home, path, use, agents);
  const std::string folder = text_in(body, "folder");
  const std::string file = path.empty() ? folder + "/study.yaml" : path;
  if (std::filesystem::path(file).is_relative()) throw BadMember{"folder", "an absolute path"};
  return session::read_study_text(home, text_in(body, "text"), file, std::filesystem::path(file).parent_path().string(),
                                  use, agents);
}

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

std::optional<kernel::Problem> hypothesis_without_verdict(const kernel::StudySpec& spec) {
  for (const kernel::PlannedHypothesis& h : kernel::plan_of(spec).hypotheses)
    if (h.refused)
      return kernel::Problem{spec.file, h.hypothesis.line, "hypothesis " + h.hypothesis.id,
                             artifacts::without_stop(h.note), "see `etude plan`"};
  return std::nullopt;
}

void start_for(Api& api, const Request& request, const json& body, const ReadStart& read, Response& response) {
  const kernel::ClientRequest asked = client_request_in(request, body);
  std::shared_ptr<const RequestTurns::Turn> turn;
  if (!asked.token.empty()) {
    turn = api.requests.turn(asked.token);
    if (!turn) return refuse(response, ProblemType::unavailable, "the same request is being answered", "ask again");
    const auto study = memory::Reader(api.session.home().root).opened_by(asked.token);
    if (study) return answer_again(api, *study, asked, response);
  }
  auto start = read();
  if (!start) return refuse(response, start.problem());
  if (const auto other = another_executor(api, body)) return refuse(response, *other);
  start->jobs = integer_in(body, "jobs", 1, 4096);
  start->priority = priority_in(body).value_or(0);
  start->environment = environment_in(body).value_or(programs::own_environment());
  start->request = kernel::recorded_request(asked);
  if (const auto usable = artifacts::may_replace(start->output); !usable) return refuse(response, usable.problem());
  if (const auto problem = hypothesis_without_verdict(start->spec)) return refuse(response, *problem);
  const auto open = [&](kernel::Answer answered) {
    // The turn lasts until the kernel has answered, also if this thread no longer waits for it.
    return api.session.start(
        *start, [turn, answered = std::move(answered)](const kernel::CommandOutcome& outcome) { answered(outcome); });
  };
  if (const auto id = opened_by(response, open, 422)) answer_opened(api, *id, response);
}

void answer_opened(Api& api, const std::string& id, Response& response) {
  const memory::Reader reader(api.session.home().root);
  if (const auto study = study_or_404(reader, id, response)) answer(response, *study, 201);
}

std::vector<Route> study_routes() {
  std::vector<QueryParameter> listing = paging;
  listing.insert(
      listing.end(),
      {{"order", "string", known_directions},
       {"sort", "string", std::string(known_orders) + " (the default is opened)"},
       {"q", "string", "words, each in the id, the title or the question"},
       {"state", "string", "only in these states or outcomes, between commas; waiting: for a person"},
       {"verdict", "string", "only with one of these verdicts, between commas"},
       {"tag", "string", "only with each of these tags, between commas"},
       {"archived", "string", "true: only archived studies; all: these, too; false (the default): none of them"}});
  return {{"GET", "/studies", "studies, a page at a time", list_studies, listing},
          creating({"POST", "/studies", "start a study", start_study}),
          {"GET", "/studies/{id}", "one study", show_study},
          {"GET", "/studies/{id}/graph", "its exploration graph", show_graph},
          {"GET", "/studies/{id}/hypotheses", "its hypotheses with their results",
           show_list<&memory::Reader::hypotheses>, paging},
          {"GET", "/studies/{id}/experiments", "its registrations", show_experiments, paging},
          {"GET", "/studies/{id}/claims", "its claims", show_list<&memory::Reader::claims>, paging},
          {"GET", "/studies/{id}/ledger", "budget used, and its limits", show_ledger},
          {"GET", "/studies/{id}/predictions", "how long its experiments were expected to take, and took",
           show_predictions, paging},
          {"GET", "/studies/{id}/gates", "where it waits, or waited, for a person", list_gates, paging}};
}

}  // namespace server
