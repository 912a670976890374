// Looks after the home: `verify`, `gc` and `backup`.
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/home/garbage.h"
#include "apps/session/home/home.h"
#include "base/shell_text.h"
#include "memory/store/backup.h"
#include "memory/store/verify.h"
#include "prose/numbers.h"

namespace cli {

namespace {

int verify(const Context& context) {
  const memory::VerifyReport report = memory::verify(context.home());
  if (!report.store) return fail(bad_input, no_store(context));
  if (context.json) {
    fmt::print("{}\n", report.json());
    return report.ok() ? ok : wanting;
  }
  for (const std::string& problem : report.problems) fmt::print("problem: {}\n", printable(problem));
  const std::string seen = prose::counted(report.events, "event") + " and " + prose::counted(report.blobs, "blob");
  if (report.ok())
    fmt::print("ok: {}; every chain, read model, blob and workspace is as it was recorded\n", seen);
  else
    fmt::print("not ok: {} among {}\n", prose::counted(static_cast<long long>(report.problems.size()), "problem"),
               seen);
  return report.ok() ? ok : wanting;
}

struct Sum {
  long long count = 0;
  std::int64_t bytes = 0;
  std::string why;
};

void print_sums(const std::map<std::string_view, Sum>& sums, std::int64_t freed, bool deleted) {
  long long items = 0;
  for (const auto& [kind, sum] : sums) {
    fmt::print("{:<13} {:>6}  {:>9}  {}\n", kind, sum.count, bytes(sum.bytes), sum.why);
    items += sum.count;
  }
  if (items == 0)
    fmt::print("nothing to delete: everything here is needed\n");
  else if (deleted)
    fmt::print("deleted {}, {}\n", prose::counted(items, "item"), bytes(freed));
  else
    fmt::print("would delete {}, {}: `etude gc --delete` does, `--json` lists them\n", prose::counted(items, "item"),
               bytes(freed));
}

int gc(const Context& context, bool deleting) {
  const session::HomePaths home{context.home()};
  if (!memory::Reader(home.root).has_store()) return fail(bad_input, no_store(context));
  std::optional<session::HomeLock> lock;
  std::optional<session::HomeGuest> alone;
  if (deleting) {
    auto taken = session::HomeLock::take(home);
    if (!taken) return fail(environment, taken.problem());
    if (!*taken) return fail(environment, session::owned_problem(home));
    lock.emplace(std::move(**taken));
    auto only = session::HomeGuest::alone(home);
    if (!only) return fail(environment, "home " + home.root, "a `try` or a `backup` is using it", "wait for it to end");
    alone.emplace(std::move(*only));
  } else if (const auto owner = session::owner_of(home)) {
    fmt::print(stderr, "note: process {} owns this home; the list may have files that it is about to use\n", *owner);
  }

  if (const auto problem = context.backend->launches_of_another(home.root)) return fail(environment, *problem);
  const std::vector<executors::Elsewhere> elsewhere = context.backend->elsewhere(home.root);
  const std::vector<session::Garbage> found =
      session::collectable(home, *context.backend, session::leftovers(home, *context.backend, true));
  nlohmann::json items = nlohmann::json::array();
  std::map<std::string_view, Sum> sums;
  std::int64_t freed = 0;
  for (const session::Garbage& leftover : found) {
    const std::int64_t size = session::size_of(leftover, elsewhere);
    if (deleting) session::remove(leftover, *context.backend);
    std::error_code error;
    if (deleting && std::filesystem::exists(std::filesystem::symlink_status(leftover.path, error))) {
      fmt::print(stderr, "note: {} could not be deleted\n", printable(leftover.path));
      continue;
    }
    Sum& sum = sums[session::name(leftover.kind)];
    ++sum.count;
    sum.bytes += size;
    sum.why = leftover.why;
    freed += size;
    items.push_back(
        {{"kind", session::name(leftover.kind)}, {"path", leftover.path}, {"bytes", size}, {"why", leftover.why}});
  }
  if (context.json)
    print_json({{"deleted", deleting}, {"bytes", freed}, {"items", items}});
  else
    print_sums(sums, freed, deleting);
  return ok;
}

struct BackupOptions {
  std::string file;
  bool force = false;
};

int back_up(const Context& context, const BackupOptions& options) {
  const session::HomePaths home{context.home()};
  if (!std::filesystem::exists(home.database())) return fail(bad_input, no_store(context));
  const session::HomeGuest guest = session::HomeGuest::enter(home);
  const auto backup = memory::back_up(home.root, options.file, options.force);
  if (!backup) return fail(bad_input, backup.problem());
  if (context.json)
    print_json(
        {{"file", backup->file}, {"bytes", backup->bytes}, {"events", backup->events}, {"blobs", backup->blobs}});
  else
    fmt::print("backup    {}\nholds     {} and {}, {}\nrestore   mkdir HOME && tar -xf {} -C HOME\n",
               printable(backup->file), prose::counted(backup->events, "event"), prose::counted(backup->blobs, "blob"),
               bytes(backup->bytes), printable(kernel::shell_word(backup->file)));
  return ok;
}

}  // namespace

void add_verify(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("verify", "recompute the store's chains, read models, blobs and workspaces");
  verb->callback([&context] { context.action = [&context] { return verify(context); }; });
}

void add_gc(CLI::App& app, Context& context) {
  const auto [verb, deleting] =
      add_verb(app, context, "gc", "list files that the home no longer needs, or delete them", gc);
  verb->add_flag("--delete", *deleting, "delete the files instead of listing them");
  add_executor_option(*verb, context);
}

void add_backup(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "backup", "one file to restore the home from; also while a kernel runs", back_up);
  verb->add_option("FILE", options->file, "the file to make, a tar archive")->required();
  verb->add_flag("--force", options->force, "replace FILE if it exists");
}

}  // namespace cli
