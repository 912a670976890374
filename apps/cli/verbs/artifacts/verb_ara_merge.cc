// `etude ara merge`: two artifacts become one; or one page of them, as Git asks a merge driver to.
#include <algorithm>
#include <ctime>
#include <filesystem>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "apps/cli/terminal/terminal_text.h"
#include "apps/cli/verbs/artifacts/artifact_verbs.h"
#include "artifacts/check/check.h"
#include "artifacts/export/export.h"
#include "artifacts/merge/merge_artifacts.h"
#include "artifacts/merge/tree_merge.h"
#include "artifacts/read/unpack.h"
#include "artifacts/text/new_file.h"
#include "base/shell_text.h"

namespace cli {

namespace {

namespace fs = std::filesystem;

struct MergeOptions {
  std::vector<std::string> sources;
  std::string output, path;
};

constexpr std::size_t shown_lines = 6;

void print_side(std::string_view name, const std::string& text) {
  std::size_t lines = 0;
  std::string_view rest = text;
  if (rest.empty()) fmt::print("  {:<7} (not there)\n", name);
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    if (++lines > shown_lines) {
      fmt::print("          …\n");
      return;
    }
    fmt::print("  {:<7} {}\n", lines == 1 ? name : "", one_line(std::string(rest.substr(0, end))));
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
}

void print_conflict(const Context& context, const std::string& file, const artifacts::MergeConflict& one) {
  if (context.json) {
    print_json_line(
        {{"conflict", one.where}, {"file", file}, {"base", one.base}, {"ours", one.ours}, {"theirs", one.theirs}});
    return;
  }
  fmt::print("conflict  {}  {}\n", printable(file), printable(one.where));
  print_side("ours", one.ours);
  print_side("theirs", one.theirs);
}

std::string_view word_of(artifacts::Taken::How how) {
  using How = artifacts::Taken::How;
  return how == How::added ? "added" : how == How::changed ? "changed" : "deleted";
}

void print_taken(const Context& context, const artifacts::MergePlan& plan) {
  for (const artifacts::MergedEntry& one : plan.entries) {
    if (context.json)
      print_json_line(
          {{"address", one.taken.address}, {"file", one.file}, {"how", word_of(one.taken.how)}, {"was", one.was}});
    else
      fmt::print("{:<9} {}  {}{}\n", word_of(one.taken.how), printable(one.taken.address), printable(one.file),
                 one.was.empty() ? "" : "  (theirs: " + printable(one.was) + ")");
  }
  for (const artifacts::MergedFile& one : plan.files) {
    if (context.json)
      print_json_line({{"file", one.path}, {"how", one.deleted ? "deleted" : "taken"}, {"was", one.was}});
    else
      fmt::print("{:<9} {}{}\n", one.deleted ? "deleted" : "taken", printable(one.path),
                 one.was.empty() ? "" : "  (theirs: " + printable(one.was) + ")");
  }
}

/// Writes the merged artifact next to its place and moves it there in one step.
void write_artifact(const std::string& ours, const artifacts::MergePlan& plan, const fs::path& output) {
  const auto arrived = artifacts::Arrived::open(ours);
  auto root = artifacts::SafeRoot::open(arrived.value().folder());
  auto files = artifacts::files_to_export(root.value());
  std::erase_if(files.value().entries, [&](const artifacts::Entry& one) { return plan.left_out.contains(one.path); });
  files->added = plan.written;
  const fs::path unfinished = output.parent_path() / fmt::format(".{}.etude-{}", output.filename().string(), getpid());
  try {
    artifacts::export_folder(*root, *files, unfinished.string());
    fs::rename(unfinished, output);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(unfinished, ignored);
    throw;
  }
}

int merge_artifacts(const Context& context, const MergeOptions& options) {
  const std::vector<std::string>& given = options.sources;
  if (options.output.empty())
    return fail(bad_input, "-o", "the folder of the merged artifact is not given", "give -o OUT");
  const fs::path output = fs::absolute(options.output).lexically_normal();
  const fs::path place = output.has_filename() ? output : output.parent_path();
  if (fs::exists(fs::symlink_status(place)))
    return fail(bad_input, printable(place.string()), "it already exists", "give another place");
  if (!fs::is_directory(place.parent_path()))
    return fail(bad_input, printable(place.string()), "its parent folder does not exist", "make the folder first");
  artifacts::MergeSources sources;
  if (given.size() == 3) sources.base = given[0];
  sources.ours = given.size() == 3 ? given[1] : given[0];
  if (given.size() > 1) sources.theirs = given.back();
  const auto plan =
      artifacts::plan_merge(sources, fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))));
  if (!plan) return fail(bad_input, plan.problem());
  write_artifact(sources.ours, *plan, place);
  print_taken(context, *plan);
  for (const artifacts::FileConflict& one : plan->conflicts) print_conflict(context, one.file, one.conflict);
  const auto before = artifacts::check(sources.ours), after = artifacts::check(place.string());
  const std::size_t errors = after ? after->errors : 0;
  const bool worse = before && errors > before->errors;
  if (context.json)
    print_json_line({{"artifact", options.output},
                     {"entries", plan->entries.size()},
                     {"files", plan->files.size()},
                     {"aside", plan->aside},
                     {"conflicts", plan->conflicts.size()},
                     {"errors", errors}});
  else
    fmt::print("merged    {}: {} conflict{}\n", printable(options.output), plan->conflicts.size(),
               plan->conflicts.size() == 1 ? "" : "s");
  if (worse)
    return fail(wanting, printable(options.output), "the merged artifact breaks rules that ours keeps",
                "see `etude check " + kernel::shell_word(options.output) + "`");
  return plan->conflicts.empty() ? ok : wanting;
}

int merge_file(const Context& context, const MergeOptions& options) {
  if (options.sources.size() != 3)
    return fail(bad_input, "ara merge", "files are merged with their base: BASE OURS THEIRS", "");
  const std::string base = artifacts::file_bytes(options.sources[0]), ours = artifacts::file_bytes(options.sources[1]),
                    theirs = artifacts::file_bytes(options.sources[2]);
  // The page's place in its artifact, which may lie anywhere in the repository.
  const auto is_page = [&](std::string_view page) { return ("/" + options.path).ends_with("/" + std::string(page)); };
  std::string page;
  for (const char* one : {"logic/claims.md", "logic/experiments.md", "logic/concepts.md",
                          "logic/solution/heuristics.md", "logic/related_work.md", "logic/problem.md"})
    if (is_page(one)) page = one;
  constexpr auto marks = artifacts::AtConflict::marks;
  artifacts::MergedPage merged;
  if (is_page("trace/exploration_tree.yaml")) {
    merged = artifacts::merge_tree(base, ours, theirs, marks);
  } else if (!page.empty()) {
    merged = artifacts::merge_page(base, ours, theirs, page, marks);
  } else {
    artifacts::MergedLines lines = artifacts::merge_lines(base, ours, theirs, marks);
    merged.text = std::move(lines.text);
    merged.conflicts = std::move(lines.conflicts);
  }
  const fs::path target = options.output.empty() ? options.sources[1] : options.output;
  const fs::path unfinished = target.parent_path() / fmt::format(".{}.etude-{}", target.filename().string(), getpid());
  {
    artifacts::NewFile file(unfinished.string(), 0644);
    file.add(merged.text);
    file.close();
  }
  fs::rename(unfinished, target);
  for (const artifacts::MergeConflict& one : merged.conflicts)
    print_conflict(context, options.path.empty() ? target.string() : options.path, one);
  return merged.conflicts.empty() ? ok : wanting;
}

int merge(const Context& context, const MergeOptions& options) {
  const bool files = fs::is_regular_file(options.sources.front()) && !options.sources.front().ends_with(".zip");
  return files ? merge_file(context, options) : merge_artifacts(context, options);
}

}  // namespace

void add_ara_merge(CLI::App& ara, Context& context) {
  const auto [verb, options] = add_verb(ara, context, "merge", "merge two artifacts, or two versions of a page", merge);
  verb->add_option("ARA", options->sources, "[BASE] OURS THEIRS; only OURS: a copy of it without its seal")
      ->required()
      ->expected(1, 3);
  verb->add_option("-o,--output", options->output, "where the merged artifact goes; of files: OURS, unless given");
  verb->add_option("--path", options->path, "of files: the page's path, as Git's %P");
}

}  // namespace cli
