// `etude ara add`, `edit` and `link`: one change in one place of an artifact.
#include <algorithm>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "agents/thinking/workspace/unified_diff.h"
#include "apps/cli/terminal/terminal_text.h"
#include "apps/cli/verbs/artifacts/artifact_verbs.h"
#include "artifacts/check/check.h"
#include "artifacts/edit/edit_verbs.h"
#include "base/utf8.h"

namespace cli {

namespace {

struct EditOptions {
  std::string artifact, kind, name, to, type, parent, title, id, body;
  std::vector<std::string> set;
  bool dry_run = false, strict = false;
  artifacts::published::ConfigurationChoice configuration;
};

/// A value as given, the content of a file for `@FILE`, of standard input for `@-`; `@@x` is `@x`.
kernel::Result<std::string> value_of(const std::string& given) {
  if (!given.starts_with('@')) return given;
  if (given.starts_with("@@")) return given.substr(1);
  std::string text;
  if (given == "@-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    std::ifstream in(given.substr(1), std::ios::binary);
    if (!in)
      return kernel::Problem{"", 0, printable(given), "the file cannot be read", "name a file, or begin with @@"};
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

/// `KEY=VALUE`; a JSON list of texts becomes a list.
kernel::Result<artifacts::GivenFields> given_fields(const std::vector<std::string>& entries) {
  artifacts::GivenFields fields;
  for (const std::string& entry : entries) {
    const auto equals = entry.find('=');
    const kernel::Problem problem{"", 0, "--set " + printable(entry), "it is not of the form FIELD=VALUE",
                                  "such as --set status=supported"};
    if (equals == entry.npos || equals == 0) return problem;
    const auto text = value_of(entry.substr(equals + 1));
    if (!text) return text.problem();
    if (!kernel::valid_utf8(*text))
      return kernel::Problem{"", 0, "--set " + printable(entry.substr(0, equals)), "the value is not UTF-8", ""};
    artifacts::FieldValue value = *text;
    if (text->starts_with('[')) {
      const auto list = nlohmann::json::parse(*text, nullptr, false);
      if (list.is_array() && std::ranges::all_of(list, [](const nlohmann::json& one) { return one.is_string(); }))
        value = list.get<std::vector<std::string>>();
    }
    const std::string name = entry.substr(0, equals);
    const auto there = std::ranges::find(fields, name, &artifacts::GivenFields::value_type::first);
    if (there != fields.end())
      return kernel::Problem{"", 0, "--set " + printable(name), "it is given twice", "give a list: '[\"a\", \"b\"]'"};
    fields.emplace_back(name, std::move(value));
  }
  return fields;
}

std::string diff_of(const artifacts::FileChange& change) {
  return agents::diff_of(change.file, change.created ? std::nullopt : std::optional(change.before), change.after);
}

/// Judges the draft, and writes or shows it.
int finish(const Context& context, const EditOptions& options, const artifacts::ArtifactDraft& draft,
           const kernel::Result<std::string>& address) {
  if (!address) return fail(bad_input, address.problem());
  const std::vector<artifacts::FileChange> changes = draft.changes();
  const std::vector<artifacts::Finding> findings = draft.introduced();
  const bool refused = std::ranges::any_of(findings, [&](const artifacts::Finding& one) {
    return one.severity >= artifacts::Severity::error || options.strict;
  });
  const bool writes = !refused && !options.dry_run && !changes.empty();
  if (writes)
    if (const auto problem = draft.write()) return fail(environment, *problem);
  if (context.json) {
    for (const artifacts::FileChange& one : changes)
      print_json_line({{"file", one.file}, {"line", one.line}, {"created", one.created}, {"diff", diff_of(one)}});
    nlohmann::json last{{"artifact", options.artifact}, {"address", *address}, {"written", writes}};
    last["findings"] = nlohmann::json::array();
    for (const artifacts::Finding& one : findings) last["findings"].push_back(artifacts::to_json(one));
    print_json_line(last);
  } else if (!refused) {
    for (const artifacts::FileChange& one : changes) {
      if (options.dry_run)
        fmt::print("{}", ::isatty(STDOUT_FILENO) ? printable(diff_of(one)) : diff_of(one));
      else
        fmt::print("{}  {}:{}\n", printable(*address), printable(one.file), one.line);
    }
    if (changes.empty()) fmt::print("{}: it already has this value; nothing was changed\n", printable(*address));
  }
  for (const artifacts::Finding& one : findings)
    fmt::print(stderr, "etude: {} {}:{}: {} {}\n", artifacts::name_of(one.severity), printable(one.file), one.line,
               one.rule, printable(one.message));
  if (refused)
    return fail(bad_input, "the edit", "the published rules would refuse the artifact for it", "nothing was written");
  return ok;
}

int add(const Context& context, const EditOptions& options) {
  using artifacts::AddedKind;
  static const std::vector<std::pair<std::string, AddedKind>> kinds{{"node", AddedKind::node},
                                                                    {"claim", AddedKind::claim},
                                                                    {"experiment", AddedKind::experiment},
                                                                    {"heuristic", AddedKind::heuristic},
                                                                    {"related-work", AddedKind::related_work},
                                                                    {"concept", AddedKind::concept_term},
                                                                    {"evidence", AddedKind::evidence}};
  auto draft = artifacts::ArtifactDraft::open(options.artifact, options.configuration);
  if (!draft) return fail(bad_input, draft.problem());
  const auto fields = given_fields(options.set);
  if (!fields) return fail(bad_input, fields.problem());
  const auto body = value_of(options.body);
  if (!body) return fail(bad_input, body.problem());
  artifacts::Addition addition;
  addition.kind = std::ranges::find(kinds, options.kind, &std::pair<std::string, AddedKind>::first)->second;
  addition.id = options.name.empty() ? options.id : options.name;
  addition.title = options.title;
  addition.type = options.type;
  addition.parent = options.parent;
  addition.body = *body;
  addition.now = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  addition.fields = *fields;
  const auto address = artifacts::add_to(*draft, addition);
  return finish(context, options, *draft, address);
}

int edit(const Context& context, const EditOptions& options) {
  auto draft = artifacts::ArtifactDraft::open(options.artifact, options.configuration);
  if (!draft) return fail(bad_input, draft.problem());
  const auto fields = given_fields(options.set);
  if (!fields) return fail(bad_input, fields.problem());
  const auto address = artifacts::edit_in(*draft, options.name, *fields);
  return finish(context, options, *draft, address);
}

int link(const Context& context, const EditOptions& options) {
  auto draft = artifacts::ArtifactDraft::open(options.artifact, options.configuration);
  if (!draft) return fail(bad_input, draft.problem());
  const auto address = artifacts::link_in(*draft, options.name, options.to);
  return finish(context, options, *draft, address);
}

}  // namespace

void add_ara_edits(CLI::App& ara, Context& context) {
  const auto editing = [&](const std::string& name, const std::string& what,
                           int (*act)(const Context&, const EditOptions&)) {
    const auto [verb, options] = add_verb(ara, context, name, what, act);
    verb->add_option("ARA", options->artifact, "the artifact's folder")->required();
    verb->add_flag("--dry-run", options->dry_run, "print the change as a diff, and write nothing");
    verb->add_flag("--strict", options->strict, "also refuse an edit that causes a warning of the published rules");
    verb->add_flag("--no-config", options->configuration.ignored, "no .ara-check.toml");
    return std::pair(verb, options);
  };
  const auto setting = [](CLI::App* verb, const std::shared_ptr<EditOptions>& options) {
    return verb
        ->add_option("--set", options->set,
                     "a field; @FILE and @- read the value, @@ begins with an @; may be repeated")
        ->type_name("FIELD=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  {
    const auto [verb, options] = editing("add", "a node, claim, experiment, … with the next free id", add);
    verb->add_option("KIND", options->kind, "node, claim, experiment, heuristic, related-work, concept or evidence")
        ->required()
        ->check(CLI::IsMember({"node", "claim", "experiment", "heuristic", "related-work", "concept", "evidence"}));
    verb->add_option("NAME", options->name, "of evidence: FOLDER/NAME, such as tables/table9");
    verb->add_option("--title", options->title, "its title");
    verb->add_option("--id", options->id, "its id, instead of the next free one");
    verb->add_option("--type", options->type, "of a node: question, experiment, decision, dead_end, pivot, insight");
    verb->add_option("--parent", options->parent, "of a node: the node above it");
    verb->add_option("--body", options->body, "of evidence: Markdown below the fields, or @FILE");
    setting(verb, options);
  }
  {
    const auto [verb, options] = editing("edit", "a field of an entry", edit);
    verb->add_option("ADDRESS", options->name, "such as C03, N05 or evidence/tables/table1.md")->required();
    setting(verb, options)->required();
  }
  {
    const auto [verb, options] = editing("link", "record that one entry rests on another", link);
    verb->add_option("FROM", options->name, "a claim, node, experiment or related work")->required();
    verb->add_option("TO", options->to, "what it rests on: a claim, experiment, node or page of evidence")->required();
  }
}

}  // namespace cli
