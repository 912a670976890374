// Looks at studies: `ls`, `show` and `graph`.
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <sstream>

#include <fmt/format.h>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/terminal_text.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/views/graph_formats.h"
#include "apps/cli/views/study_text.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/home/placed_artifact.h"
#include "apps/session/prepare/run_history.h"
#include "config/config.h"
#include "config/prices.h"
#include "programs/run_program.h"

namespace cli {

namespace {

/// Adds to `left` what its GPU hours cost, where the configuration has a price for the study's GPUs.
void price_left(const Context& context, const memory::Reader& reader, std::span<nlohmann::json> studies) {
  std::optional<std::map<std::string, double>> prices;
  for (nlohmann::json& study : studies) {
    const auto left = study.find("left");
    if (left == study.end() || !left->at("gpu_hours").is_number() || left->at("gpu_hours") == 0) continue;
    if (!prices) {
      // A wrong configuration is the matter of other verbs.
      const auto configuration = config::load(context.config_option, programs::own_environment());
      prices = configuration ? configuration->gpu_prices : std::map<std::string, double>();
    }
    const nlohmann::json environment = environment_of(reader, text_at(study, "id"));
    const std::string gpus = environment.is_null() ? "" : text_at(environment.at("machine"), "gpu");
    // With GPUs of several models it is not known which of them run.
    if (gpus.find(", ") != gpus.npos) continue;
    if (const auto price = config::gpu_price(*prices, gpus))
      (*left)["gpu_usd"] = *price * left->at("gpu_hours").get<double>();
  }
}

struct ListOptions {
  std::string words, sort;
  std::vector<std::string> tags, states;
  bool archived = false, all = false;
};

const std::map<std::string, memory::StudyOrder> orders = {{"opened", memory::StudyOrder::opened},
                                                          {"title", memory::StudyOrder::title},
                                                          {"runs", memory::StudyOrder::runs},
                                                          {"usd", memory::StudyOrder::usd},
                                                          {"wall", memory::StudyOrder::wall}};

memory::StudyQuery query_of(const ListOptions& options) {
  memory::StudyQuery query;
  query.most = std::numeric_limits<int>::max();
  if (!options.sort.empty()) query.order = orders.at(options.sort);
  std::istringstream words(options.words);
  for (std::string word; words >> word;) query.words.push_back(std::move(word));
  query.states = options.states;
  query.tags = options.tags;
  if (!options.all) query.archived = options.archived;
  return query;
}

/// The whole documents of listed studies, without the lists that `show` has.
std::vector<nlohmann::json> whole_documents(const memory::Reader& reader, const std::vector<nlohmann::json>& listed) {
  std::vector<nlohmann::json> studies;
  for (const nlohmann::json& one : listed) {
    nlohmann::json study = nlohmann::json::parse(reader.study(text_at(one, "id")).value());
    for (const char* list : {"hypotheses", "metrics"}) study.erase(list);
    study["verdicts"] = one.at("verdicts");
    studies.push_back(std::move(study));
  }
  return studies;
}

int ls(const Context& context, const ListOptions& options) {
  const memory::StudyQuery query = query_of(options);
  if (query.words.size() > memory::most_query_words || query.tags.size() > memory::most_query_words)
    return fail(bad_input, "ls", fmt::format("more than {} words or tags", memory::most_query_words), "name fewer");
  const memory::Reader reader(context.home());
  if (!reader.has_store()) {
    // An empty list is right for an unused home, but not for one that lost its store.
    const kernel::Problem problem = no_store(context);
    if (problem.machine) return fail(environment, problem);
    if (context.json)
      print_json(nlohmann::json::array());
    else
      fmt::print(stderr, "etude: {}\n", printable(problem.text()));
    return ok;
  }
  std::vector<nlohmann::json> found;
  reader.studies(query, [&](std::string_view document) { found.push_back(nlohmann::json::parse(document)); });
  if (context.json) found = whole_documents(reader, found);
  name_owners(context.home(), found);
  price_left(context, reader, found);
  const nlohmann::json studies = std::move(found);
  if (context.json) {
    print_json(studies);
  } else if (studies.empty() && reader.ids().empty()) {
    fmt::print(stderr, "no studies in {}; start one with `etude run STUDY.yaml`\n", printable(context.home()));
  } else if (studies.empty()) {
    fmt::print(stderr, "no study matches{}\n", options.all ? "" : "; --all also lists archived ones");
  } else {
    print_text(study_list(studies, standard_screen()));
  }
  return ok;
}

struct ShowOptions {
  std::string study;
  bool all = false;
};

int show(const Context& context, const ShowOptions& options) {
  const memory::Reader reader(context.home());
  auto study = study_named(reader, options.study);
  if (!study) return fail(bad_input, study.problem());
  name_owners(context.home(), {&*study, 1});
  price_left(context, reader, {&*study, 1});
  if (const auto replaced = session::artifact_replaced(reader, *study)) {
    for (const char* place : {"artifact", "report"}) (*study)[place] = nullptr;
    (*study)["artifact_replaced"] = *replaced;
  }
  (*study)["failures"] = failures_of(reader, *study);
  (*study)["environment"] = environment_of(reader, text_at(*study, "id"));
  (*study)["predictions"] = session::predictions_shape(context.home(), text_at(*study, "id"));
  if (context.json) {
    print_json(*study);
    return ok;
  }
  add_allowed(context, reader, *study);
  print_text(options.all ? study_text(*study, standard_screen()) : study_summary(*study, standard_screen()));
  return ok;
}

struct GraphOptions {
  std::string study, format = "text";
};

int graph(const Context& context, const GraphOptions& options) {
  const memory::Reader reader(context.home());
  const auto study = study_named(reader, options.study);
  if (!study) return fail(bad_input, study.problem());
  const nlohmann::json nodes = nlohmann::json::parse(reader.graph(text_at(*study, "id")));
  if (context.json || options.format == "json") {
    print_json(nodes);
  } else if (options.format == "svg") {
    const auto svg = graph_svg(nodes);
    if (!svg) return fail(environment, svg.problem());
    fmt::print("{}", *svg);
  } else if (options.format == "text") {
    print_text(graph_text(nodes, standard_screen().colour));
  } else {
    fmt::print("{}", options.format == "dot" ? graph_dot(nodes) : graph_mermaid(nodes));
  }
  return ok;
}

}  // namespace

void add_ls(CLI::App& app, Context& context) {
  const auto [verb, options] = add_verb(app, context, "ls", "the studies of this home, oldest first", ls);
  verb->add_option("WORDS", options->words, "only with each of these words in the id, the title or the question");
  const auto several = [verb = verb](const char* name, std::vector<std::string>& values, const char* what) {
    CLI::Option* option = verb->add_option(name, values, what)->expected(1)->allow_extra_args(false);
    return option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  several("--tag", options->tags, "only with this tag; may be repeated")->type_name("TAG");
  several("--state", options->states, "only in this state or with this outcome; may be repeated")
      ->check(CLI::IsMember({"running", "paused", "ended", "concluded", "failed", "cancelled", "waiting"}));
  verb->add_option("--sort", options->sort, "by opened (default), title, runs, usd or wall; the greatest last")
      ->check(CLI::IsMember({"opened", "title", "runs", "usd", "wall"}));
  CLI::Option* archived = verb->add_flag("--archived", options->archived, "only archived studies");
  verb->add_flag("--all", options->all, "archived studies, too")->excludes(archived);
}

void add_show(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "show", "one study: what was found, what it needs from you, what it cost", show);
  verb->add_option("ID", options->study, "the study, or the beginning of its id")->required();
  verb->add_flag("--all", options->all, "everything: tests, settings, versions, forecasts, costs, models");
}

void add_graph(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "graph", "how the study went: question, decisions, experiments, dead ends", graph);
  verb->add_option("ID", options->study, "the study, or the beginning of its id")->required();
  verb->add_option("--format", options->format, "text (default), dot, svg, mermaid or json")
      ->check(CLI::IsMember({"text", "dot", "svg", "mermaid", "json"}));
}

}  // namespace cli
