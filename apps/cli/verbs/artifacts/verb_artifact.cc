#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/verbs/verbs.h"
#include "apps/cli/work/find_id.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/collect/packager.h"
#include "artifacts/write/package.h"
#include "memory/store/reader.h"

namespace cli {

namespace {

int artifact(const Context& context, const std::string& wanted, const std::string& output_option) {
  const memory::Reader reader(context.home());
  const auto id = find_study(wanted, reader.ids());
  if (!id) return fail(bad_input, id.problem());
  const kernel::State state = reader.load(*id);
  const std::string output = std::filesystem::absolute(output_option).lexically_normal().string();
  if (const auto replaceable = artifacts::may_replace(output); !replaceable)
    return fail(bad_input, replaceable.problem());
  const auto packaged = session::package_study(session::HomePaths{context.home()}, *state.study(*id), output);
  if (!packaged) return fail(bad_input, packaged.problem());
  if (context.json)
    print_json({{"study", *id}, {"artifact", packaged->path}, {"report", packaged->report}, {"head", packaged->head}});
  else
    fmt::print("artifact  {}\nreport    {}\nhead      {}\n", printable(packaged->path), printable(packaged->report),
               packaged->head);
  return ok;
}

}  // namespace

void add_artifact(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("artifact", "package a concluded study as an artifact");
  auto id = std::make_shared<std::string>();
  auto output = std::make_shared<std::string>();
  verb->add_option("ID", *id, "the study")->required();
  verb->add_option("-o,--output", *output, "the artifact's folder")->required();
  verb->callback(
      [&context, id, output] { context.action = [&context, id, output] { return artifact(context, *id, *output); }; });
}

}  // namespace cli
