
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/verbs/artifacts/artifact_verbs.h"
#include "apps/cli/verbs/artifacts/print_findings.h"
#include "apps/cli/work/send_command.h"
#include "artifacts/check/check.h"
#include "prose/numbers.h"

namespace cli {

namespace {

void show_import(const session::Import& done) {
  std::string items;
  for (const auto& [kind, count] : done.items) {
    if (kind == "artifact") continue;
    const std::string name = kind == "dead_end" ? "dead end" : kind == "evidence" ? "page of evidence" : kind;
    // The plural is "pages of evidence".
    items += (items.empty() ? "" : ", ") + (kind == "evidence" && count > 1 ? fmt::format("{} pages of evidence", count)
                                                                            : prose::counted(count, name));
  }
  fmt::print("{}  {}\n", done.id, done.title.empty() ? "(it has no title)" : printable(done.title));
  if (done.already)
    fmt::print("already   the same files were imported before; nothing was changed\n");
  else
    fmt::print("holds     {}\nkept      {}, {}\n", items.empty() ? "nothing that can be searched" : items,
               prose::counted(done.files, "file"), bytes(done.bytes));
  fmt::print("recall    etude recall WORDS --where study={}\n", done.id);
  if (done.errors + done.warnings > 0)
    fmt::print(stderr, "etude: {}: {} and {}: `etude check` lists them\n", done.id,
               prose::counted(done.errors, "error"), prose::counted(done.warnings, "warning"));
  for (const std::string& file : done.left_out) fmt::print(stderr, "etude: not kept: {}\n", printable(file));
}

int import_artifact(const Context& context, session::ImportRequest request) {
  // All findings are shown, because the author of the artifact can correct them.
  const auto report = artifacts::check(request.path);
  if (!report) return fail(bad_input, report.problem());
  if (!report->ok && !request.despite_errors) {
    const int code = print_findings(context, report, request.path);
    fail(wanting, printable(request.path), "was not imported: it has errors",
         "correct them, or import it unchanged with --despite-errors");
    return code;
  }
  request.path = absolute_path(request.path);
  const auto done = import_anywhere(context, request);
  if (!done) return fail(bad_input, done.problem());
  if (context.json)
    print_json(session::import_shape(*done));
  else
    show_import(*done);
  return ok;
}

}  // namespace

void add_import(CLI::App& app, Context& context) {
  const auto [verb, request] =
      add_verb(app, context, "import", "copy an artifact into the memory, where `recall` finds it", import_artifact);
  verb->add_option("ARA", request->path, "the artifact's folder")->required();
  verb->add_option("--as", request->name, "call it ara:NAME (default: after its folder)")->type_name("NAME");
  verb->add_flag("--despite-errors", request->despite_errors, "where `etude check` finds errors, too");
}

}  // namespace cli
