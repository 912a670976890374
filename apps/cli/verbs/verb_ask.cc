// `ask`: a model answers the items of a file, which a study then has as data.
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "apps/cli/ask/ask_items.h"
#include "apps/cli/verbs/verbs.h"
#include "base/shell_text.h"
#include "config/config.h"
#include "programs/run_program.h"
#include "prose/numbers.h"

namespace cli {

namespace {

struct AskOptions {
  std::string items, model, instruction, output;
  std::vector<std::string> budget;
};

kernel::Result<std::string> instruction_of(const std::string& path) {
  if (path.empty()) return std::string();
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in.is_open() || in.bad() || text.empty())
    return kernel::Problem{path, 0, "the instruction", "cannot be read, or is empty", "name a file with text"};
  return text;
}

/// What is wrong with the budget for this model.
std::optional<kernel::Problem> read_limits(const std::vector<std::string>& entries, Questioning& asked) {
  kernel::Budget budget;
  for (const std::string& entry : entries)
    if (auto problem = read_budget(entry, budget)) return problem;
  if (budget.runs || budget.wall_s || budget.gpu_hours)
    return kernel::Problem{"", 0, "--budget", "answers cost money and tokens only", "write usd=5 or tokens=100000"};
  if (budget.usd && !asked.entry.price)
    return kernel::Problem{"", 0, "--budget usd", "the price of " + asked.name + " is not known",
                           "write `prices` in the configuration, or --budget tokens=100000"};
  asked.most_usd = budget.usd;
  asked.most_tokens = budget.tokens;
  return std::nullopt;
}

void print_end(const Context& context, const AskOptions& options, const AskingEnd& end, std::size_t items) {
  const std::size_t answers = end.kept + end.answered;
  if (context.json) {
    print_json({{"items", items},
                {"answers", answers},
                {"asked_now", end.answered},
                {"unanswered", end.without},
                {"tokens", end.tokens},
                {"usd", end.usd ? nlohmann::json(*end.usd) : nlohmann::json()},
                {"complete", answers == items},
                {"file", options.output}});
    return;
  }
  fmt::print("answers   {} of {}, {} of them asked now{}\n", answers,
             prose::counted(static_cast<long long>(items), "item"), end.answered,
             end.without > 0 ? fmt::format("; {} without an answer", end.without) : "");
  fmt::print("used      {} tokens{}\n", end.tokens,
             end.usd ? fmt::format(" for ${:.2g}", *end.usd) : ", at a price that is not known");
  fmt::print("file      {}\n", options.output);
}

int ask_them(const Context& context, const AskOptions& options) {
  const auto items = read_items(options.items);
  if (!items) return fail(bad_input, items.problem());
  const auto instruction = instruction_of(options.instruction);
  if (!instruction) return fail(bad_input, instruction.problem());
  const auto variables = programs::own_environment();
  const auto config = config::load(context.config_option, variables);
  if (!config) return fail(bad_input, config.problem());
  const auto model = config::ready(*config, options.model, variables);
  if (!model) return fail(bad_input, model.problem());
  const config::ModelEntry& entry = config->models.at(options.model);
  if (entry.embeds) return fail(bad_input, options.model, "only turns texts into vectors", "name another model");
  Questioning asked{options.model, entry, *model, *instruction, options.output};
  if (const auto problem = read_limits(options.budget, asked)) return fail(bad_input, *problem);
  const bool shows = ::isatty(STDERR_FILENO) != 0 && !context.json;
  const auto end = ask_items(*items, asked, [&](std::size_t answers) {
    if (shows) fmt::print(stderr, "\r{} of {} items answered", answers, items->size());
  });
  if (shows) fmt::print(stderr, "\r\033[K");
  if (!end) return fail(bad_input, end.problem());
  print_end(context, options, *end, items->size());
  if (end->kind == AskingEnd::Kind::complete) return ok;
  const bool spent = end->kind == AskingEnd::Kind::budget;
  return fail(spent ? budget : environment, "model " + options.model, end->why,
              spent ? "ask again with a larger --budget: what is answered is kept"
                    : fmt::format("try `etude doctor --model {}`, then ask again: what is answered is kept",
                                  kernel::shell_word(options.model)));
}

}  // namespace

void add_ask(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "ask", "let a model answer the items of a file, as data for a study", ask_them);
  verb->add_option("ITEMS", options->items, "JSON lines with `id` and `question`; other members are not sent")
      ->required();
  verb->add_option("--model", options->model, "a model of the configuration")->required();
  verb->add_option("-o,--output", options->output, "the answers; if it exists, only what it lacks is asked")
      ->required();
  verb->add_option("--instruction", options->instruction, "a file with what the model is told before each question");
  verb->add_option("--budget", options->budget, "the most that all answers may cost: usd=5, tokens=100000");
}

}  // namespace cli
