#include "artifacts/write/package.h"

#include <stdexcept>

#include "artifacts/text/html_page.h"
#include "artifacts/write/compose.h"
#include "artifacts/write/etude_json.h"
#include "artifacts/write/package_target.h"

namespace artifacts {

namespace fs = std::filesystem;
namespace {

void write_reproduction(Staging& folder, const ReproductionPages& pages) {
  folder.write("reproduction.json", pages.json, {"What running the artifact again came to, for machines", "", {}});
  folder.write("reproduction.md", pages.markdown, {"The same as Markdown", "", {}});
  folder.write("reproduction.html", html_page({"Reproduction of " + pages.artifact, pages.markdown, {}, {}}),
               {"The same, self-contained", "", {}});
}

std::vector<std::string> build(const PackageInput& input, const std::string& into) {
  Staging folder(into);
  Drawings all = drawings_of(input.study);
  // In parallel with the pages, because gnuplot takes longer.
  all.drawn = std::async(std::launch::async, [wanted = all.to_draw()] { return draw(wanted); }).share();
  std::string record = recorded_beginning(input);
  const long long events = compose(folder, input, all);
  if (input.reproduction) write_reproduction(folder, *input.reproduction);
  folder.write("etude.json", etude_json(std::move(record), input.head, folder, events), {});
  folder.sync();
  const std::string& trouble = all.drawn.get().trouble;
  if (trouble.empty()) return {};
  return {"some figures were left out: " + trouble};
}

}  // namespace

kernel::Result<Packaged> package(const PackageInput& input, const std::string& output_folder) {
  if (!input.study.outcome) throw std::logic_error("packaging a study that has not concluded");
  if (const auto allowed = may_replace(output_folder); !allowed) return allowed.problem();
  const fs::path target = placed(output_folder);
  const fs::path made = target.parent_path() / ("." + target.filename().string() + ".etude-new");
  fs::create_directories(target.parent_path());
  fs::remove_all(made);
  fs::create_directory(made);
  Packaged packaged;
  try {
    packaged.warnings = build(input, made.string());
    swap_in(made, target);
  } catch (const fs::filesystem_error& error) {
    std::error_code ignored;
    fs::remove_all(made, ignored);
    throw std::system_error(error.code(), "cannot write " + error.path1().string());
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(made, ignored);
    throw;
  }
  packaged.path = target.string();
  packaged.report_html = (target / "report.html").string();
  return packaged;
}

}  // namespace artifacts
