// The artifact of a study in another form, as one file; forms of several files as a zip.
#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <system_error>

#include <fmt/chrono.h>
#include <sys/mman.h>
#include <unistd.h>

#include "apps/cli/views/graph_formats.h"
#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/server/api/shared_page.h"
#include "apps/server/page/page_files.h"
#include "apps/session/collect/packager.h"
#include "apps/session/home/blob_texts.h"
#include "artifacts/export/crate.h"
#include "artifacts/export/croissant.h"
#include "artifacts/export/lara_program.h"
#include "artifacts/export/paper_latex.h"
#include "artifacts/export/typeset.h"
#include "artifacts/forms/preregistration.h"
#include "artifacts/forms/reporting_checklist.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/transcripts/transcript_files.h"
#include "base/fd.h"
#include "kernel/study/state.h"
#include "memory/files/file.h"
#include "programs/run_program.h"

namespace server {

namespace {

struct ExportSource {
  artifacts::SafeRoot root;
  artifacts::Artifact artifact;
  std::string name;  ///< Of the artifact's folder.
  const session::Session& session;
};

using Bytes = kernel::Result<std::string>;
using Files = std::map<std::string, std::string>;

/// As `etude export --to html` writes it; without a drawing if there is no Graphviz or the graph is too large.
std::string page_of(const ExportSource& source) {
  constexpr std::size_t most_drawn = 2000;
  const artifacts::Tree& tree = source.artifact.tree;
  std::string drawing;
  if (!tree.nodes.empty() && tree.nodes.size() <= most_drawn)
    if (auto svg = cli::graph_svg(artifacts::graph_of(tree))) drawing = std::move(*svg);
  return artifacts::export_page(source.root, source.artifact, drawing);
}

/// Larger archives are a problem, since the answer is made in memory.
Bytes zip_of(const artifacts::SafeRoot& root, const artifacts::ExportFiles& files, const std::string& name) {
  const kernel::Fd file(::memfd_create("export", MFD_CLOEXEC));
  if (!file) throw std::system_error(errno, std::generic_category(), "cannot make an archive in memory");
  std::uint64_t bytes = 0;
  for (const artifacts::Entry& entry : files.entries) bytes += entry.size;
  for (const auto& [path, content] : files.added) bytes += content.size();
  if (bytes > static_cast<std::uint64_t>(largest_file))
    return kernel::Problem{"", 0, "the archive", "its files are larger than 64 MB", "use `etude export`"};
  artifacts::export_zip(root, files, name, file.get());
  ::lseek(file.get(), 0, SEEK_SET);
  std::string archive;
  if (!memory::read_parts(file.get(), [&](std::string_view part) { archive += part; }))
    throw std::system_error(errno, std::generic_category(), "cannot read the archive");
  return archive;
}

Bytes zip_of(const ExportSource& source, const artifacts::ExportFiles& files) {
  return zip_of(source.root, files, source.name);
}

Bytes zip_of(const ExportSource& source, kernel::Result<Files> files) {
  if (!files) return files.problem();
  return zip_of(source, artifacts::ExportFiles{{}, {}, std::move(*files)});
}

Bytes archive(const ExportSource& source) {
  const auto files = artifacts::files_to_export(source.root);
  return files ? zip_of(source, *files) : files.problem();
}

Bytes crate(const ExportSource& source) {
  auto files = artifacts::files_to_export(source.root);
  if (!files) return files.problem();
  artifacts::add_crate(*files, source.root, source.artifact, artifacts::RunProfile::v0_6, page_of(source));
  return zip_of(source, *files);
}

Bytes paper(const ExportSource& source) {
  artifacts::Typeset made =
      artifacts::typeset(artifacts::latex_paper(source.root, source.artifact).files,
                         programs::variable(programs::own_environment(), "PATH", "/usr/bin:/bin"));
  if (!made.pdf.empty()) return std::move(made.pdf);
  return kernel::Problem{"", 0, "the PDF", std::move(made.why), std::move(made.todo), true};
}

Bytes dataset(const ExportSource& source) {
  auto files = artifacts::files_to_export(source.root);
  if (!files) return files.problem();
  const auto record = artifacts::sealed_record(source.root);
  if (!record) return record.problem();
  const auto made = artifacts::croissant_dataset(source.root, source.artifact, *record, *files,
                                                 artifacts::published_on(record->seal, source.artifact.paper.year));
  return made ? zip_of(source, *made) : made.problem();
}

template <artifacts::TranscriptFormat format>
Bytes transcripts(const ExportSource& source) {
  return zip_of(source, artifacts::transcript_files(source.root, session::blob_texts(source.session.home()),
                                                    source.session.redactor(), format));
}

struct ExportForm {
  const char* name;
  const char* ending;
  Bytes (*make)(const ExportSource&);
};

constexpr ExportForm forms[] = {
    {"html", ".html", [](const ExportSource& source) { return Bytes(page_of(source)); }},
    {"zip", ".zip", archive},
    {"ro-crate", ".zip", crate},
    {"latex", ".zip",
     [](const ExportSource& source) {
       return zip_of(source, artifacts::latex_paper(source.root, source.artifact).files);
     }},
    {"pdf", ".pdf", paper},
    {"prereg", ".md", [](const ExportSource& source) { return artifacts::preregistration_page(source.root); }},
    {"checklist", ".md",
     [](const ExportSource& source) { return artifacts::checklist_page(source.root, source.artifact.files); }},
    {"croissant", ".zip", dataset},
    {"atif", ".zip", transcripts<artifacts::TranscriptFormat::atif>},
    {"oeb", ".zip", transcripts<artifacts::TranscriptFormat::oeb>},
    {"lara", ".zip", [](const ExportSource& source) { return zip_of(source, artifacts::lara_program(source.root)); }}};

/// The form that needs no artifact.
constexpr const char* page_form = "page";

/// "one of `html`, …"
std::string known_forms() {
  std::string known = "one of";
  for (const ExportForm& form : forms) known += std::string(&form == forms ? " `" : ", `") + form.name + "`";
  return known + ", `" + page_form + "`";
}

void send_export(const std::string& id, const std::string& to, const std::string& ending, std::string bytes,
                 Response& response) {
  response.set_header("Content-Disposition", "attachment; filename=\"" + id + "-" + to + ending + "\"");
  response.set_content(std::move(bytes), "application/octet-stream");
}

/// As `etude export STUDY --to page` writes it.
void export_page_of_study(Api& api, const std::string& id, bool with_secrets, Response& response) {
  const session::HomePaths& home = api.session.home();
  const memory::Reader reader(home.root);
  if (!study_or_404(reader, id, response)) return;
  if (page_file("page.js").empty())
    return refuse(response, kernel::Problem{"", 0, "the page", "this program was built without it",
                                            "build it with `make page`", true});
  if (!with_secrets) {
    const kernel::State state = reader.load(id);
    if (const auto secrets = session::undecided_secrets(home, *state.study(id)); !secrets.empty())
      return refuse(response, 409, "a person has not decided whether `" + secrets.begin()->first + "` may be published",
                    "it looks like " + secrets.begin()->second + "; with `allow_secrets=true` the page has it");
  }
  Api reading(api.session);
  reading.look_policy = LookPolicy::refused;
  const std::string made = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  const auto root = artifacts::SafeRoot::open(home.root);  // Nothing is read from it: all files are given.
  if (!root) return refuse(response, root.problem());
  const Bytes packed = zip_of(*root, artifacts::ExportFiles{{}, {}, shared_page(reading, id, made).files}, id);
  if (!packed) return refuse(response, packed.problem());
  send_export(id, page_form, ".zip", *packed, response);
}

void export_artifact(Api& api, const Request& request, Response& response) {
  const std::string id = request.matches[1], to = request.get_param_value("to");
  if (to == page_form) return export_page_of_study(api, id, asks_for(request, "allow_secrets"), response);
  if (request.has_param("allow_secrets")) throw BadParameter{"allow_secrets", "for this form, but only for `page`"};
  const auto* form = std::ranges::find_if(forms, [&](const ExportForm& one) { return to == one.name; });
  if (form == std::end(forms)) throw BadParameter{"to", known_forms()};
  const auto placed = artifact_or_404(memory::Reader(api.session.home().root), id, response);
  if (!placed) return;
  const std::filesystem::path folder = *placed;
  auto root = artifacts::SafeRoot::open(folder);
  if (!root) return refuse(response, root.problem(), 404);
  artifacts::Findings findings;
  artifacts::Artifact artifact = artifacts::read_artifact(*root, findings);
  const std::string name =
      folder.has_filename() ? folder.filename().string() : folder.parent_path().filename().string();
  const auto made = form->make({std::move(*root), std::move(artifact), name, api.session});
  if (!made) return refuse(response, made.problem());
  send_export(id, to, form->ending, *made, response);
}

}  // namespace

std::vector<Route> export_routes() {
  return {download({"GET",
                    "/studies/{id}/export",
                    "its artifact in another form, or its page for a browser without a server, as one file",
                    export_artifact,
                    {{"to", "string", known_forms()},
                     {"allow_secrets", "boolean",
                      "of page: also if files of the study look like secrets and no person "
                      "has decided on them"}},
                    "application/octet-stream"})};
}

}  // namespace server
