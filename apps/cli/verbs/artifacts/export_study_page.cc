#include "apps/cli/verbs/artifacts/export_study_page.h"

#include <cerrno>
#include <ctime>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/verbs/artifacts/export_rules.h"
#include "apps/cli/work/lookup.h"
#include "apps/server/api/shared_page.h"
#include "apps/server/page/page_files.h"
#include "apps/session/home/placed_artifact.h"
#include "base/fd.h"
#include "memory/store/reader.h"
#include "prose/numbers.h"

namespace cli {

namespace fs = std::filesystem;

namespace {

void write_whole(const fs::path& path, const std::string& content) {
  const kernel::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file || !kernel::write_all(file.get(), content) || ::fsync(file.get()) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot write " + path.string());
}

long long write_files(const server::SharedPage& page, const fs::path& target) {
  const Unfinished unfinished(target);
  fs::create_directory(unfinished.path());
  long long total = 0;
  for (const auto& [name, content] : page.files) {
    write_whole(unfinished.path() / name, content);
    total += static_cast<long long>(content.size());
  }
  unfinished.finish();
  return total;
}

}  // namespace

int export_study_page(const Context& context, const PageExport& options) {
  const memory::Reader reader(context.home());
  const auto of_artifact = session::study_of_artifact(reader, options.study);
  const auto id = of_artifact ? kernel::Result<std::string>(*of_artifact) : find_study(options.study, reader.ids());
  if (!id && options.study.find('/') != std::string::npos)
    return fail(bad_input, "--to page", "`" + options.study + "` is no study, nor the artifact of one in this home",
                "name one, such as s1; `--to html` writes an artifact as one page");
  if (!id) return fail(bad_input, id.problem());
  fs::path target = fs::absolute(options.output).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();  // It was written with a slash at its end.
  if (const auto problem = unusable_target(target, "", options.force)) return fail(bad_input, *problem);
  if (server::page_file("page.js").empty())
    return fail(environment, "the page", "this program was built without it", "build it with `make page`");
  if (!options.allow_secrets) {
    const kernel::State state = reader.load(*id);
    if (const auto refused = refused_secrets(session::HomePaths{context.home()}, *state.study(*id)))
      return fail(bad_input, *refused);
  }
  const auto session = session::Session::for_reading(context.home(), *context.backend, context.config_option);
  server::Api api(*session);
  api.look_policy = server::LookPolicy::refused;  // This process only reads.
  const server::SharedPage page =
      server::shared_page(api, *id, fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))));
  const long long total = write_files(page, target);
  if (context.json) {
    print_json({{"study", *id},
                {"to", "page"},
                {"path", target.string()},
                {"files", page.files.size()},
                {"bytes", total},
                {"left_out", page.left_out}});
    return ok;
  }
  fmt::print("page      {}\nholds     {}, {}\n", printable((target / "index.html").string()),
             prose::counted(static_cast<long long>(page.files.size()), "file"), bytes(total));
  for (const std::string& what : page.left_out) fmt::print("left out  {}\n", what);
  return ok;
}

}  // namespace cli
