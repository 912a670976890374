// The verbs `artifact`, which packages a study, and `export`, which converts an artifact to another form.
#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/verbs/artifacts/artifact_verbs.h"
#include "apps/cli/verbs/artifacts/export_rules.h"
#include "apps/cli/verbs/artifacts/export_study_page.h"
#include "apps/cli/views/graph_formats.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/collect/packager.h"
#include "apps/session/control/redact_commands.h"
#include "apps/session/home/blob_texts.h"
#include "artifacts/export/crate.h"
#include "artifacts/export/croissant.h"
#include "artifacts/export/export.h"
#include "artifacts/export/lara_program.h"
#include "artifacts/export/paper_latex.h"
#include "artifacts/export/typeset.h"
#include "artifacts/forms/preregistration.h"
#include "artifacts/forms/reporting_checklist.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/transcripts/transcript_files.h"
#include "artifacts/write/etude_json.h"
#include "artifacts/write/package.h"
#include "base/fd.h"
#include "kernel/study/gates.h"
#include "memory/store/reader.h"
#include "programs/run_program.h"
#include "prose/numbers.h"

namespace cli {

namespace {

struct ArtifactOptions {
  std::string study, output;
  bool allow_secrets = false;
};

int artifact(const Context& context, const ArtifactOptions& options) {
  const memory::Reader reader(context.home());
  const auto id = find_study(options.study, reader.ids());
  if (!id) return fail(bad_input, id.problem());
  const kernel::State state = reader.load(*id);
  const std::string output = absolute_path(options.output);
  if (const auto replaceable = artifacts::may_replace(output); !replaceable)
    return fail(bad_input, replaceable.problem());
  const kernel::Study& study = *state.study(*id);
  if (!study.outcome) return fail(bad_input, {"", 0, "study " + *id, "has not concluded", "resume it first"});
  const session::HomePaths home{context.home()};
  if (!options.allow_secrets || kernel::gate_of_secrets(study))
    if (const auto refused = refused_secrets(home, study)) return fail(bad_input, *refused);
  const auto packaged = session::package_study(home, *id, study.sealed_head, output);
  if (!packaged) return fail(bad_input, packaged.problem());
  if (context.json)
    print_json({{"study", *id}, {"artifact", packaged->path}, {"report", packaged->report}, {"head", packaged->head}});
  else
    fmt::print("artifact  {}\nreport    {}\nhead      {}\n", printable(packaged->path), printable(packaged->report),
               packaged->head);
  return ok;
}

namespace fs = std::filesystem;

struct ExportOptions {
  std::string artifact, to, output, profile = "0.6";
  bool force = false, allow_secrets = false;
};

/// The content of an export, before it is written.
struct Source {
  artifacts::SafeRoot root;
  artifacts::Artifact artifact;
  artifacts::ExportFiles files;
  std::string name;  ///< Name of the artifact's folder.
};

std::string graph_picture(const artifacts::Tree& tree) {
  constexpr std::size_t most_drawn = 2000;
  if (tree.nodes.empty() || tree.nodes.size() > most_drawn) return "";
  const auto svg = graph_svg(artifacts::graph_of(tree));
  if (!svg) fmt::print(stderr, "etude: the exploration graph is listed, not drawn: {}\n", svg.problem().why);
  return svg ? *svg : "";
}

std::string page_of(const Source& source) {
  return artifacts::export_page(source.root, source.artifact, graph_picture(source.artifact.tree));
}

/// Makes what is answered from the record of etude: a document, or the files of a data set.
std::optional<kernel::Problem> add_from_record(const std::string& to, Source& source, std::string& document) {
  if (to == "prereg" || to == "checklist") {
    auto page = to == "prereg" ? artifacts::preregistration_page(source.root)
                               : artifacts::checklist_page(source.root, source.artifact.files);
    if (!page) return page.problem();
    document = std::move(*page);
  }
  if (to == "croissant") {
    const auto record = artifacts::sealed_record(source.root);
    if (!record) return record.problem();
    auto dataset = artifacts::croissant_dataset(source.root, source.artifact, *record, source.files,
                                                artifacts::published_on(record->seal, source.artifact.paper.year));
    if (!dataset) return dataset.problem();
    source.files = std::move(*dataset);
  }
  return std::nullopt;
}

artifacts::Exported write_folder(const Source& source, const fs::path& target) {
  const Unfinished unfinished(target);
  const artifacts::Exported done = artifacts::export_folder(source.root, source.files, unfinished.path().string());
  unfinished.finish();
  return done;
}

template <typename Write>
artifacts::Exported write_file(const fs::path& target, Write write) {
  const Unfinished unfinished(target);
  const int fd = ::open(unfinished.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "cannot create " + unfinished.path().string());
  artifacts::Exported done;
  try {
    done = write(fd);
  } catch (...) {
    ::close(fd);
    throw;
  }
  const bool synced = ::fsync(fd) == 0;
  if (::close(fd) != 0 || !synced)
    throw std::system_error(errno, std::generic_category(), "cannot write " + target.string());
  unfinished.finish();
  return done;
}

artifacts::Exported write_bytes(const std::string& bytes, int fd) {
  if (!kernel::write_all(fd, bytes)) throw std::system_error(errno, std::generic_category(), "cannot write the file");
  return {1, static_cast<long long>(bytes.size())};
}

int export_artifact(const Context& context, ExportOptions options) {
  if (options.to == "page")
    return export_study_page(context, {options.artifact, options.output, options.force, options.allow_secrets});
  const auto named = artifact_named(context, options.artifact);
  if (!named) return fail(bad_input, named.problem());
  options.artifact = *named;
  auto root = artifacts::SafeRoot::open(options.artifact);
  if (!root) return fail(bad_input, root.problem());
  const fs::path folder = fs::absolute(options.artifact).lexically_normal();
  const fs::path target = fs::absolute(options.output).lexically_normal();
  if (const auto problem = unusable_target(target, folder, options.force)) return fail(bad_input, *problem);
  artifacts::Findings findings;
  artifacts::Artifact artifact = artifacts::read_artifact(*root, findings);
  if (!artifact.paper.body.present && !artifact.claims.present && !artifact.tree.present)
    return fail(bad_input, printable(options.artifact), "it has no PAPER.md, no claims and no exploration tree",
                "give the path of an artifact's directory");
  auto files = artifacts::files_to_export(*root);
  if (!files) return fail(bad_input, files.problem());
  const fs::path name = folder.has_filename() ? folder.filename() : folder.parent_path().filename();
  Source source{std::move(*root), std::move(artifact), std::move(*files), name.string()};
  if (source.name.empty()) source.name = "artifact";
  if (options.to == "ro-crate")
    artifacts::add_crate(source.files, source.root, source.artifact,
                         options.profile == "0.5" ? artifacts::RunProfile::v0_5 : artifacts::RunProfile::v0_6,
                         page_of(source));
  std::string document;  // Of the formats that are one file.
  if (options.to == "html") document = page_of(source);
  if (options.to == "latex" || options.to == "pdf") {
    artifacts::LatexPaper paper = artifacts::latex_paper(source.root, source.artifact);
    if (!paper.trouble.empty()) fmt::print(stderr, "etude: figures as pixels: {}\n", printable(paper.trouble));
    source.files = {{}, {}, std::move(paper.files)};
  }
  if (options.to == "pdf") {
    artifacts::Typeset typeset = artifacts::typeset(
        source.files.added, programs::variable(programs::own_environment(), "PATH", "/usr/bin:/bin"));
    if (typeset.pdf.empty())
      return fail(environment, {"", 0, "the PDF", std::move(typeset.why), std::move(typeset.todo)});
    document = std::move(typeset.pdf);
  }
  if (const auto problem = add_from_record(options.to, source, document)) return fail(bad_input, *problem);
  if (options.to == "atif" || options.to == "oeb") {
    auto made = artifacts::transcript_files(
        source.root, session::blob_texts({context.home()}), session::redactor_for(context.config_option),
        options.to == "oeb" ? artifacts::TranscriptFormat::oeb : artifacts::TranscriptFormat::atif);
    if (!made) return fail(bad_input, made.problem());
    source.files = {{}, {}, std::move(*made)};
  }
  if (options.to == "lara") {
    auto made = artifacts::lara_program(source.root);
    if (!made) return fail(bad_input, made.problem());
    source.files = {{}, {}, std::move(*made)};
  }
  const bool zipped = options.to == "zip" || (options.to == "ro-crate" && target.extension() == ".zip");
  const artifacts::Exported done =
      !document.empty() ? write_file(target, [&](int fd) { return write_bytes(document, fd); })
      : zipped          ? write_file(target,
                                     [&](int fd) { return artifacts::export_zip(source.root, source.files, source.name, fd); })
                        : write_folder(source, target);
  if (!document.empty()) source.files.left_out.clear();
  if (context.json) {
    print_json({{"artifact", options.artifact},
                {"to", options.to},
                {"path", target.string()},
                {"files", done.files},
                {"bytes", done.bytes},
                {"left_out", source.files.left_out}});
    return ok;
  }
  fmt::print("{:<9} {}\nholds     {}, {}\n", options.to, printable(target.string()), prose::counted(done.files, "file"),
             bytes(done.bytes));
  for (const std::string& path : source.files.left_out) fmt::print("left out  {}\n", printable(path));
  return ok;
}

}  // namespace

void add_artifact(CLI::App& app, Context& context) {
  const auto [verb, options] = add_verb(app, context, "artifact", "package a concluded study as an artifact", artifact);
  verb->add_option("ID", options->study, "the study")->required();
  verb->add_option("-o,--output", options->output, "the artifact's folder")->required();
  verb->add_flag("--allow-secrets", options->allow_secrets,
                 "also publish files that look like secrets, if no gate asked about them");
}

void add_export(CLI::App& app, Context& context) {
  const auto [verb, options] = add_verb(app, context, "export",
                                        "an artifact as a page, an archive, a crate, a paper, a form or a data set; "
                                        "a study as the page of `serve`",
                                        export_artifact);
  verb->add_option("ARA", options->artifact, "the artifact's folder, or its study")->required();
  verb->add_option("--to", options->to,
                   "html, zip, ro-crate, latex, pdf, prereg, checklist, croissant, atif, oeb or lara; or page: what "
                   "`etude serve` shows of a study, in a folder that a browser opens without a server")
      ->required()
      ->check(CLI::IsMember({"ro-crate", "html", "zip", "latex", "pdf", "prereg", "checklist", "croissant", "atif",
                             "oeb", "lara", "page"}));
  verb->add_option(
          "-o,--output", options->output,
          "a file; of page, latex, croissant, atif, oeb and lara a folder; of ro-crate a folder, or a file that ends "
          "in .zip")
      ->required();
  verb->add_option("--profile", options->profile, "for ro-crate: version of the run profiles, 0.6 or 0.5")
      ->check(CLI::IsMember({"0.6", "0.5"}));
  verb->add_flag("--force", options->force, "replace what is there");
  verb->add_flag("--allow-secrets", options->allow_secrets,
                 "for page: export even if files look like secrets and no person has decided on them");
}

}  // namespace cli
