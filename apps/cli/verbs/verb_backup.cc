#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/home/home.h"
#include "memory/store/backup.h"
#include "prose/numbers.h"

namespace cli {

namespace {

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
               bytes(backup->bytes), printable(backup->file));
  return ok;
}

}  // namespace

void add_backup(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "backup", "one file to restore the home from; also while a kernel runs", back_up);
  verb->add_option("FILE", options->file, "the file to make, a tar archive")->required();
  verb->add_flag("--force", options->force, "replace FILE if it exists");
}

}  // namespace cli
