#include "apps/cli/work/lookup.h"

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/work/find_id.h"
#include "apps/session/watch/public_view.h"
#include "memory/files/home_folder.h"
#include "memory/store/store.h"

namespace cli {

using nlohmann::json;

kernel::Result<json> study_named(const memory::Reader& reader, const std::string& wanted) {
  const auto id = find_study(wanted, reader.ids());
  if (!id) return id.problem();
  return json::parse(reader.study(*id).value());
}

kernel::Result<NamedRun> run_named(const memory::Reader& reader, const std::string& wanted) {
  const auto run_name = read_run_name(wanted);
  if (!run_name) return run_name.problem();
  auto study = study_named(reader, run_name->study);
  if (!study) return study.problem();
  const std::string id = text_at(*study, "id");
  const auto run = reader.run(id + "-r" + std::to_string(run_name->number));
  if (!run)
    return kernel::Problem{"", 0, "run `" + wanted + "`",
                           "study " + id + " has " + study->at("runs").at("total").dump() + " runs",
                           "`etude runs " + id + "` lists them"};
  json shown = session::Withheld(*study).shown(json::parse(*run));
  return NamedRun{std::move(*study), std::move(shown)};
}

kernel::Problem no_store(const Context& context) {
  if (memory::without_store(context.home()) == memory::Storeless::lost)
    return {"", 0, memory::database_path(context.home()), memory::store_lost, "", true};
  return {"", 0, context.home(), "there is no store here", "`etude run STUDY.yaml` makes one; --home names another"};
}

}  // namespace cli
