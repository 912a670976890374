// Confirmations of the improvements that somebody's search has recorded: the folder for one, and what it says.
#include <filesystem>

#include "apps/cli/confirm/confirm_folder.h"
#include "apps/cli/confirm/confirm_setup.h"
#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "histories/confirm/words.h"
#include "kernel/study/state.h"
#include "programs/run_program.h"

namespace server {

namespace {

namespace fs = std::filesystem;

constexpr int most_improvements = 200;

/// An absolute path; empty if the member is missing. Throws BadMember.
std::string path_in(const json& body, const char* name) {
  std::string path = text_in(body, name);
  if (!path.empty() && (!fs::path(path).is_absolute() || path.find('\0') != path.npos))
    throw BadMember{name, "an absolute path"};
  return path;
}

std::string word_in(const json& body, const char* name, const std::vector<std::string>& known, const char* wanted) {
  std::string word = text_in(body, name);
  if (!word.empty() && std::ranges::find(known, word) == known.end()) throw BadMember{name, wanted};
  return word;
}

/// The options of `etude confirm`, by their names; `folder` is that of -o.
cli::ConfirmOptions options_in(const json& body) {
  cli::ConfirmOptions options;
  options.path = path_in(body, "path");
  if (options.path.empty()) throw BadMember{"path", "the absolute path of a history"};
  options.output = path_in(body, "folder");
  options.run = text_in(body, "run");
  options.folder = path_in(body, "in");
  options.metric = text_in(body, "metric");
  options.goal = word_in(body, "goal", {"minimize", "maximize"}, "minimize or maximize");
  options.pattern = text_in(body, "pattern");
  options.study = text_in(body, "study");
  options.baseline = text_in(body, "baseline");
  if (const int top = integer_in(body, "top", 1, most_improvements); top > 0)
    options.top = static_cast<std::size_t>(top);
  options.skip = texts_in(body, "skip");
  if (auto against = word_in(body, "against", {"baseline", "before", "both"}, "baseline, before or both");
      !against.empty())
    options.against = std::move(against);
  options.replicates = text_in(body, "replicates");
  options.data = texts_in(body, "data");
  for (const std::string& one : options.data)
    if (const std::size_t sign = one.find('='); sign != one.npos && fs::path(one.substr(sign + 1)).is_relative())
      throw BadMember{"data", "a list of NAME=PATH with absolute paths"};
  options.resources = texts_in(body, "resource");
  options.budget = texts_in(body, "budget");
  const auto variables = environment_in(body).value_or(programs::own_environment());
  options.virtual_environment = programs::variable(variables, "VIRTUAL_ENV", "");
  return options;
}

/// Makes the folder with the study that confirms a history, as `etude confirm --no-run` does.
void make_confirmation(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const cli::ConfirmOptions options = options_in(*body);
  const std::string folder = options.output.empty() ? cli::default_confirm_folder(options.path) : options.output;
  if (const auto problem = cli::confirm_folder_in_the_way(folder)) return refuse(response, *problem, 409);
  const auto made = cli::confirm_folder(options, folder);
  if (!made) {
    kernel::Problem problem = made.problem();
    if (problem.what.starts_with("--")) problem.what.erase(0, 2);  // Members have the names of options.
    return refuse(response, problem);
  }
  if (const auto problem = cli::write_confirm_folder(api.session.home().root, *made, folder))
    return refuse(response, *problem);
  json names = json::array();
  for (const auto& [path, bytes] : made->files) names.push_back(path);
  answer(response,
         {{"folder", folder},
          {"study", folder + "/study.yaml"},
          {"text", made->files.at("study.yaml")},
          {"files", std::move(names)},
          {"notes", made->notes}},
         201);
}

/// What the study of such a folder says so far, as `etude confirm FOLDER --json` prints it.
void show_confirmation(Api& api, const Request& request, Response& response) {
  const std::string id = request.matches[1];
  const memory::Reader reader(api.session.home().root);
  if (!study_or_404(reader, id, response)) return;
  const kernel::State state = reader.load(id);
  const kernel::Study& study = *state.study(id);
  const std::string folder = fs::path(study.spec.file).parent_path().string();
  std::error_code error;
  if (!fs::is_regular_file(cli::confirm_record_in(folder), error))
    return refuse(response, 404, "study " + id + " confirms no history, or its folder is gone");
  const auto confirmation = cli::read_confirm_record(folder);
  if (!confirmation) return refuse(response, confirmation.problem());
  json shape = histories::told_json(*confirmation, study, histories::tell(*confirmation, study));
  shape["folder"] = folder;
  shape["file"] = study.spec.file;
  answer(response, shape);
}

}  // namespace

std::vector<Route> confirm_routes() {
  return {creating({"POST", "/confirmations",
                    "a folder with the study that re-runs somebody's improvements; starts nothing", make_confirmation}),
          {"GET", "/confirmations/{id}", "which of the improvements hold, by the study that re-runs them",
           show_confirmation}};
}

}  // namespace server
