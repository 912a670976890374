#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/verbs/verbs.h"
#include "kernel/domain/literature.h"
#include "memory/store/reader.h"

namespace cli {

namespace {

struct RecallOptions {
  std::string words;
  std::vector<std::string> where;
  int limit = 10;
};

/// On one line.
std::string line_of(const kernel::Recollection& one, const std::string& words) {
  constexpr std::size_t most = 160;
  std::string text = one.title;
  if (!one.text.empty()) text += (text.empty() ? "" : ": ") + kernel::excerpt(one.text, words, most);
  std::string line;
  for (const char c : text) {
    const bool blank = c == '\n' || c == '\t' || c == '\r' || c == ' ' || c == '\f';
    if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : c;
  }
  return line;
}

int recall(const Context& context, const RecallOptions& options) {
  kernel::RecallQuery query;
  query.words = options.words;
  query.most = options.limit;
  for (const std::string& where : options.where)
    if (const auto problem = kernel::narrow(query, where)) return fail(bad_input, *problem);
  const std::vector<kernel::Recollection> found = memory::Reader(context.home()).recall(query);
  if (context.json) {
    print_json(kernel::recollections_shape(found, query.words));
    return ok;
  }
  if (found.empty()) fmt::print(stderr, "nothing in the memory of {} matches\n", printable(context.home()));
  for (const kernel::Recollection& one : found)
    fmt::print("{}  {}{}  {}\n", printable(one.address), one.kind, one.verdict.empty() ? "" : ", " + one.verdict,
               printable(line_of(one, query.words)) + (one.from.empty() ? "" : "  [" + printable(one.from) + "]"));
  return ok;
}

}  // namespace

void add_recall(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "recall", "search earlier studies and imported artifacts", recall);
  verb->add_option("WORDS", options->words, "words to search for; without words, the newest entries")->required(false);
  verb->add_option("--where", options->where, "study=ID (or ara:NAME), kind=KIND or verdict=VERDICT; may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("--limit", options->limit, "the most results to print")->check(CLI::Range(1, 1000));
}

}  // namespace cli
