// `etude ara find` and `ask`: what stands where in an artifact.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/terminal_text.h"
#include "apps/cli/verbs/artifacts/artifact_verbs.h"
#include "apps/cli/work/lookup.h"
#include "artifacts/find/questions.h"
#include "artifacts/find/word_search.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/read/unpack.h"

namespace cli {

namespace {

struct FindOptions {
  std::string artifact, kind;
  std::vector<std::string> words;
  std::size_t limit = 10;
};

/// An artifact with its passages.
struct Searched {
  artifacts::Artifact artifact;
  std::vector<artifacts::ArtifactPassage> passages;
};

kernel::Result<Searched> searched(const Context& context, const std::string& name) {
  const auto path = artifact_named(context, name);
  if (!path) return path.problem();
  const auto arrived = artifacts::Arrived::open(*path);
  if (!arrived) return arrived.problem();
  const auto root = artifacts::SafeRoot::open(arrived->folder());
  if (!root) return root.problem();
  artifacts::Findings unused;
  Searched all{artifacts::read_artifact(*root, unused), {}};
  all.passages = artifacts::passages_of(all.artifact, *root);
  if (all.passages.empty())
    return kernel::Problem{"", 0, printable(*path), "it has no page to search", "give the path of an artifact"};
  return all;
}

nlohmann::json place_of(const artifacts::ArtifactPassage& passage) {
  return {{"address", passage.address}, {"kind", passage.kind}, {"title", passage.title}, {"file", passage.file}};
}

std::string heading_of(const artifacts::ArtifactPassage& passage) {
  const bool said = passage.title.empty() || passage.address.ends_with("#" + passage.title);
  return one_line(passage.address + "  " + passage.kind + (said ? "" : "  " + passage.title));
}

std::string quote_line(const std::string& file, int line, const std::string& field, const std::string& quote) {
  // A text that quotes somebody has marks of its own.
  const bool quoted = quote.starts_with("“");
  return one_line(fmt::format("{}:{}  {}{}{}{}{}", file, line, field, field.empty() ? "" : ": ", quoted ? "" : "“",
                              quote, quoted ? "" : "”"));
}

std::string sentence(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

int find(const Context& context, const FindOptions& options) {
  const auto all = searched(context, options.artifact);
  if (!all) return fail(bad_input, all.problem());
  std::vector<artifacts::WordHit> found = artifacts::WordSearch(all->passages).find(sentence(options.words));
  if (!options.kind.empty())
    std::erase_if(found, [&](const artifacts::WordHit& one) { return one.passage->kind != options.kind; });
  if (found.size() > options.limit) found.resize(options.limit);
  if (found.empty()) fmt::print(stderr, "nothing in {} has these words\n", printable(options.artifact));
  for (const artifacts::WordHit& one : found) {
    if (context.json) {
      nlohmann::json line = place_of(*one.passage);
      line.update({{"line", one.line}, {"field", one.field}, {"quote", one.quote}, {"score", one.score}});
      print_json_line(line);
    } else {
      fmt::print("{}\n  {}\n", heading_of(*one.passage), quote_line(one.passage->file, one.line, one.field, one.quote));
    }
  }
  return found.empty() ? wanting : ok;
}

int ask(const Context& context, const FindOptions& options) {
  const auto all = searched(context, options.artifact);
  if (!all) return fail(bad_input, all.problem());
  const std::string question = sentence(options.words);
  const artifacts::Answered answered = artifacts::answer_question(all->artifact, all->passages, question);
  const std::size_t shown = std::min(answered.answers.size(), options.limit);
  if (context.json)
    print_json_line({{"question", question}, {"read_as", answered.read_as}, {"answers", answered.answers.size()}});
  else
    fmt::print("{}: {}\n", one_line(answered.read_as),
               answered.answers.empty()          ? "nothing in this artifact answers that"
               : shown < answered.answers.size() ? fmt::format("{} of {}", shown, answered.answers.size())
                                                 : fmt::format("{}", shown));
  for (const artifacts::Answer& one : std::span(answered.answers).first(shown)) {
    if (context.json) {
      nlohmann::json quotes = nlohmann::json::array();
      for (const artifacts::Quote& quote : one.quotes)
        quotes.push_back({{"line", quote.line}, {"field", quote.field}, {"quote", quote.text}});
      nlohmann::json line = place_of(*one.passage);
      line.update({{"line", one.passage->line}, {"why", one.why}, {"quotes", std::move(quotes)}});
      print_json_line(line);
      continue;
    }
    fmt::print("{}\n  {}\n", heading_of(*one.passage), one_line(one.why));
    for (const artifacts::Quote& quote : one.quotes)
      fmt::print("  {}\n", quote_line(one.passage->file, quote.line, quote.field, quote.text));
  }
  return answered.answers.empty() ? wanting : ok;
}

}  // namespace

void add_ara(CLI::App& app, Context& context) {
  CLI::App* ara = app.add_subcommand("ara", "search, edit and merge any artifact");
  ara->require_subcommand(1, 1);
  const auto reading = [&](const std::string& name, const std::string& what,
                           int (*act)(const Context&, const FindOptions&), const std::string& words) {
    const auto [verb, options] = add_verb(*ara, context, name, what, act);
    verb->add_option("ARA", options->artifact, "the artifact's folder, a zip of it, or its study")->required();
    verb->add_option("WORDS", options->words, words)->required();
    verb->add_option("--limit", options->limit, "the most results to print")->check(CLI::Range(1, 1000));
    return std::pair(verb, options);
  };
  const auto [verb, options] =
      reading("find", "words, wherever they stand", find, "words to search for, or an address");
  verb->add_option("--type", options->kind, "only claim, experiment, dead_end, table, …");
  reading("ask", "a question, answered with addresses and quotes", ask,
          "such as “what failed?” or “which claims rest on E02?”");
  add_ara_edits(*ara, context);
  add_ara_merge(*ara, context);
}

}  // namespace cli
