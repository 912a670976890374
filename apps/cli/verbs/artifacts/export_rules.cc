#include "apps/cli/verbs/artifacts/export_rules.h"

#include <fmt/format.h>
#include <unistd.h>

#include "apps/cli/terminal/terminal_text.h"
#include "apps/server/api/shared_page.h"
#include "apps/session/collect/packager.h"
#include "artifacts/export/export.h"
#include "artifacts/write/package.h"
#include "kernel/study/gates.h"
#include "prose/numbers.h"

namespace cli {

namespace fs = std::filesystem;

std::optional<kernel::Problem> refused_secrets(const session::HomePaths& home, const kernel::Study& study) {
  const auto secrets = session::undecided_secrets(home, study);
  if (secrets.empty()) return std::nullopt;
  const auto& [path, what] = *secrets.begin();
  const kernel::GateRecord* gate = kernel::gate_of_secrets(study);
  return kernel::Problem{
      "", 0, "study " + study.id,
      fmt::format(
          "{} waits for a person to allow `{}` ({}){}", gate ? "gate " + gate->gate.id : "its artifact",
          printable(path), printable(what),
          secrets.size() > 1 ? " and " + prose::counted(static_cast<long long>(secrets.size()) - 1, "more file") : ""),
      gate ? fmt::format("`etude approve {0}` publishes what looks like a secret, `etude reject {0} --why \"…\"` "
                         "leaves it out",
                         gate->gate.id)
           : "--allow-secrets publishes what looks like a secret"};
}

Unfinished::Unfinished(const fs::path& target)
    : target_(target),
      path_(target.parent_path() / fmt::format(".{}.etude-{}", target.filename().string(), getpid())) {}

Unfinished::~Unfinished() {
  std::error_code error;
  fs::remove_all(path_, error);
}

void Unfinished::finish() const {
  if (fs::is_directory(path_) && fs::exists(target_))
    artifacts::swap_in(path_, target_);  // The old content is deleted afterwards.
  else
    fs::rename(path_, target_);
}

std::optional<kernel::Problem> unusable_target(const fs::path& target, const fs::path& source, bool force) {
  const kernel::Problem problem{"", 0, printable(target.string()), "", ""};
  std::error_code error;
  if (!source.empty()) {
    const fs::path within = fs::weakly_canonical(target, error).lexically_relative(fs::weakly_canonical(source, error));
    if (!within.empty() && *within.begin() != "..")
      return kernel::Problem{"", 0, problem.what, "it lies within the artifact", "give a place outside of it"};
  }
  if (!fs::is_directory(target.parent_path()))
    return kernel::Problem{"", 0, problem.what, "its parent folder does not exist",
                           "make " + printable(target.parent_path().string()) + " first"};
  if (!fs::exists(fs::symlink_status(target))) return std::nullopt;
  const bool is_export =
      fs::exists(target / artifacts::crate_file) || server::is_shared_page(target.string()) || fs::is_empty(target);
  if (fs::is_directory(target) && !is_export)
    return kernel::Problem{"", 0, problem.what, "it is a folder that holds something else", "give another place"};
  if (!force) return kernel::Problem{"", 0, problem.what, "it already exists", "--force replaces it"};
  return std::nullopt;
}

}  // namespace cli
