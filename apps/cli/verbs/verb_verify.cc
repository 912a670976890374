#include <fmt/format.h>

#include "apps/cli/verbs/verbs.h"
#include "apps/cli/work/lookup.h"
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

}  // namespace

void add_verify(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("verify", "recompute the store's chains, read models, blobs and workspaces");
  verb->callback([&context] { context.action = [&context] { return verify(context); }; });
}

}  // namespace cli
