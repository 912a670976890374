#include <cstdlib>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/draft/drafted_text.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/session/plan/new_folder.h"
#include "base/shell_text.h"

namespace cli {

namespace {

namespace fs = std::filesystem;

struct InitOptions {
  std::string folder, template_name, from;
  bool has_from = false;
};

using Files = std::map<std::string, std::string>;

kernel::Result<Files> from_command(const InitOptions& options, const std::string& home) {
  const char* venv = std::getenv("VIRTUAL_ENV");
  const std::string here = fs::canonical(fs::current_path()).string();
  const std::string study_folder = fs::weakly_canonical(fs::absolute(options.folder)).string();
  auto text = drafted_text(options.from, {here, study_folder, venv ? venv : ""}, home);
  if (!text) return text.problem();
  return Files{{"study.yaml", std::move(*text)}};
}

int init(const Context& context, const InitOptions& options) {
  if (options.has_from && !options.template_name.empty())
    return fail(bad_input, "init", "--template and --from exclude each other", "give one of them");
  if (const auto problem = session::in_the_way(options.folder)) return fail(bad_input, *problem);
  const auto files = options.has_from
                         ? from_command(options, context.home())
                         : session::template_named(options.template_name.empty() ? "minimal" : options.template_name);
  if (!files) return fail(bad_input, files.problem());
  session::write_new_folder(options.folder, *files, session::kinds_of_scripts(*files));
  const std::string study = (fs::path(options.folder) / "study.yaml").lexically_normal().string();
  if (context.json) {
    nlohmann::json names = nlohmann::json::array();
    for (const auto& [path, bytes] : *files) names.push_back(path);
    print_json(
        {{"folder", absolute_path(options.folder)}, {"study", absolute_path(study)}, {"files", std::move(names)}});
    return ok;
  }
  for (const auto& [path, bytes] : *files)
    fmt::print("wrote {}\n", printable((fs::path(options.folder) / path).lexically_normal().string()));
  const std::string word = printable(kernel::shell_word(study));
  fmt::print("\n{0}  etude plan {1}\n  etude try {1}\n  etude run {1}\n",
             options.has_from ? "Edit the lines marked DECIDE, then\n" : "", word);
  return ok;
}

}  // namespace

void add_init(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("init", "a study to start from");
  auto options = std::make_shared<InitOptions>();
  verb->add_option("DIR", options->folder, "a new or empty folder")->required();
  verb->add_option("--template", options->template_name,
                   fmt::format("one of: {} (default minimal); or an example: {}",
                               fmt::join(session::template_names(), ", "), fmt::join(session::example_names(), ", ")));
  CLI::Option* from = verb->add_option(
      "--from", options->from, "the command to make a study from, as one argument: \"python train.py --lr 3e-4\"");
  verb->callback([&context, options, from] {
    options->has_from = from->count() > 0;
    context.action = [&context, options] { return init(context, *options); };
  });
}

}  // namespace cli
