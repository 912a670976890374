#include "artifacts/write/package.h"

#include <cerrno>
#include <cstring>
#include <future>
#include <map>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "artifacts/read/record.h"
#include "artifacts/read/safe_root.h"
#include "artifacts/text/html_page.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/write/compose.h"
#include "artifacts/write/etude_json.h"
#include "artifacts/write/evidence.h"
#include "base/digest.h"
#include "base/fd.h"
#include "base/scratch_folder.h"
#include "kernel/wording/wording.h"

namespace artifacts {

namespace fs = std::filesystem;
using kernel::Reason;
using kernel::ReasonCode;
using nlohmann::json;

namespace {

Unplaced cannot_use(const fs::path& folder, const Reason& why, const std::string& todo) {
  return {{"", 0, folder.string(), kernel::newest_words(why), todo},
          {ReasonCode::artifact_not_placed, {{"folder", folder.string()}, {"why", std::vector{why}}}}};
}

/// The etude.json of a study's artifact; null if there is none.
json seal_of(const SafeRoot& root) {
  const FileBytes read = root.read(etude_json_file, largest_etude_json);
  if (!read.whole()) return nullptr;
  json seal = json::parse(read.bytes, nullptr, false);
  if (!seal.is_object() || seal.value("etude", json()) != etude_json_version) return nullptr;
  for (const char* key : {"study", "workspace", "events", "files", "pages"})
    if (!seal.contains(key) || !seal[key].is_object()) return nullptr;
  for (const json& hash : {seal["events"].value("head", json()), seal["workspace"].value("hash", json())})
    if (!hash.is_string() || hash.get_ref<const std::string&>().size() != 64) return nullptr;
  if (!seal["files"].contains(log_file)) return nullptr;
  return seal;
}

/// What replacing the folder would delete; empty if the artifact has only generated files.
Reason would_be_lost(const fs::path& folder) {
  const auto root = SafeRoot::open(folder.string());
  if (!root) return {ReasonCode::artifact_folder_unread};
  const json seal = seal_of(*root);
  if (seal.is_null()) return {ReasonCode::artifact_folder_foreign};
  const Listing listing = root->list();
  const std::string workspace = workspace_path(seal["workspace"]["hash"]) + "/";
  for (const Entry& entry : listing.entries) {
    if (entry.path == etude_json_file || (entry.kind == FileKind::directory && !entry.link)) continue;
    if (seal["files"].contains(entry.path)) continue;
    if (entry.link && entry.path.starts_with(workspace))
      continue;  // A link to a folder, or a dangling one, is in no list.
    const auto page = seal["pages"].find(entry.path);
    if (page == seal["pages"].end()) return {ReasonCode::artifact_holds_foreign, {{"file", printable(entry.path)}}};
    const FileBytes read = root->read(entry.path, largest_etude_json);
    if (!read.whole() || *page != kernel::sha256_hex(read.bytes))
      return {ReasonCode::artifact_annotated, {{"file", printable(entry.path)}}};
  }
  return listing.complete ? Reason{} : Reason{ReasonCode::artifact_too_large};
}

/// Tries what packaging will do, and cleans up. Returns why it cannot be done; empty if it can.
Reason why_unusable(const fs::path& target) {
  std::vector<fs::path> missing, made;
  std::error_code error;
  fs::path above = target.parent_path();
  for (; !fs::exists(above, error) && above.has_relative_path(); above = above.parent_path()) missing.push_back(above);
  const auto no_folder = [](const fs::path& in) {
    return Reason{ReasonCode::artifact_without_folder, {{"folder", in.string()}, {"error", std::strerror(errno)}}};
  };
  Reason why;
  for (auto folder = missing.rbegin(); folder != missing.rend() && why.empty(); ++folder) {
    if (::mkdir(folder->c_str(), 0777) == 0)
      made.push_back(*folder);
    else
      why = no_folder(folder->parent_path());
  }
  if (why.empty()) {
    // The name is as long as the one under which the artifact is built.
    const kernel::ScratchFolder draft((target.parent_path() / ("." + target.filename().string() + ".etu")).string());
    if (!draft) why = no_folder(target.parent_path());
  }
  for (auto folder = made.rbegin(); folder != made.rend(); ++folder) ::rmdir(folder->c_str());
  return why;
}

bool is_mount(const fs::path& folder) {
  struct statx status {};
  return ::statx(AT_FDCWD, folder.c_str(), 0, STATX_TYPE, &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

void flush_entry(const fs::path& folder) {
  const kernel::Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) ::fsync(fd.get());
}

void exchange(const fs::path& made, const fs::path& target) {
  const auto fail = [&](int error) {
    throw std::system_error(error, std::generic_category(), "cannot put the artifact at " + target.string());
  };
  std::error_code error;
  if (fs::exists(fs::symlink_status(target, error)) && !fs::is_empty(target)) {
    if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) {
      fs::remove_all(made);
      return;
    }
    if (errno != EINVAL && errno != ENOSYS) fail(errno);
    // The file system cannot exchange two folders. For a moment neither exists, but none is ever incomplete.
    const fs::path old = made.string() + ".old";
    fs::remove_all(old);
    if (::rename(target.c_str(), old.c_str()) != 0 || ::rename(made.c_str(), target.c_str()) != 0) fail(errno);
    fs::remove_all(old);
    return;
  }
  if (::rename(made.c_str(), target.c_str()) != 0) fail(errno);
}

std::map<std::string, std::string> reproduction_files(const ReproductionPages& pages) {
  return {{"reproduction.json", pages.json},
          {"reproduction.md", pages.markdown},
          {"reproduction.html", html_page({.title = "Reproduction of " + pages.artifact, .markdown = pages.markdown})}};
}

/// Writes the pages whose hashes the log has, if it has them: this program might word them in another way.
void write_reproduction(Staging& folder, const PackageInput& input) {
  std::map<std::string, std::string> files = reproduction_files(*input.reproduction);
  if (input.study.pictures)
    for (const kernel::OutputFile& logged : input.study.pictures->files)
      if (const auto file = files.find(logged.path); file != files.end())
        if (std::string bytes = input.blob(logged.blob.sha256); !bytes.empty()) file->second = std::move(bytes);
  const auto write = [&](const char* path, const char* description) {
    folder.write(path, files.at(path), {description, "", {}});
  };
  write("reproduction.json", "What running the artifact again came to, for machines");
  write("reproduction.md", "The same as Markdown");
  write("reproduction.html", "The same, self-contained");
}

/// The pictures that the log names, if their bytes are there.
std::optional<Drawn> logged_pictures(const PackageInput& input, const Drawings& all) {
  if (!input.study.pictures) return std::nullopt;
  std::map<std::string, std::string> hashes;
  for (const kernel::OutputFile& file : input.study.pictures->files) hashes[file.path] = file.blob.sha256;
  Drawn drawn;
  drawn.trouble = input.study.pictures->trouble;
  for (const Drawing& drawing : all.to_draw()) {
    const std::string path = all.path_of(drawing.name);
    const auto logged = [&](const char* ending) {
      const auto hash = hashes.find(path + ending);
      return hash == hashes.end() ? "" : input.blob(hash->second);
    };
    if (!hashes.contains(path + ".png")) continue;
    Picture picture{logged(".svg"), logged(".png"), logged(".pdf")};
    if (picture.png.empty()) return std::nullopt;
    drawn.pictures.emplace(drawing.name, std::move(picture));
  }
  return drawn;
}

std::vector<std::string> build(const PackageInput& input, const std::string& into) {
  Staging folder(into);
  Drawings all = drawings_of(input.study, input.layout, input.blob);
  if (auto logged = logged_pictures(input, all)) {
    std::promise<Drawn> known;
    known.set_value(std::move(*logged));
    all.drawn = known.get_future().share();
  } else {
    // In parallel with the pages, because gnuplot takes longer.
    all.drawn = std::async(std::launch::async, [wanted = all.to_draw(), formats = all.formats()] {
                  return draw(wanted, formats);
                }).share();
  }
  std::string record = recorded_beginning(input);
  const long long events = compose(folder, input, all);
  if (input.reproduction) write_reproduction(folder, input);
  folder.write("etude.json", etude_json(std::move(record), input.head, folder, events), {});
  folder.sync();
  const std::string& trouble = all.drawn.get().trouble;
  if (trouble.empty()) return {};
  return {"some figures were left out: " + trouble};
}

}  // namespace

fs::path placed(const std::string& folder) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(fs::absolute(folder), error);
  // An unusable path is reported when it is tried.
  if (error) path = fs::absolute(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

void swap_in(const fs::path& made, const fs::path& target) {
  exchange(made, target);
  flush_entry(target.parent_path());
}

kernel::Result<bool, Unplaced> may_replace(const std::string& folder) {
  std::error_code error;
  const fs::path path = placed(folder);
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status)) {
    if (!fs::is_directory(status))
      return cannot_use(path, {ReasonCode::artifact_behind_file}, "choose another place with -o");
    const bool empty = fs::is_empty(path, error);
    if (error)
      return cannot_use(path, {ReasonCode::artifact_folder_unread_for, {{"error", error.message()}}},
                        "choose another place with -o");
    if (is_mount(path))
      return cannot_use(path, {ReasonCode::artifact_folder_mounted}, "name a folder inside it with -o");
    if (const Reason lost = empty ? Reason{} : would_be_lost(path); !lost.empty())
      return cannot_use(path, lost, "choose another place with -o, or move that away yourself");
  }
  if (const Reason why = why_unusable(path); !why.empty()) return cannot_use(path, why, "choose another place with -o");
  return true;
}

UnloggedFiles unlogged_files(const PackageInput& input) {
  const Drawings all = drawings_of(input.study, newest_layout, input.blob);
  const Drawn drawn = draw(all.to_draw(), all.formats());
  UnloggedFiles files{{}, drawn.trouble};
  for (const auto& [name, picture] : drawn.pictures) {
    const std::string path = all.path_of(name);
    // Tables are pictures for people only; their page has the values.
    if (path.starts_with("evidence/figures/")) {
      files.files[path + ".svg"] = picture.svg;
      if (!picture.pdf.empty()) files.files[path + ".pdf"] = picture.pdf;
    }
    files.files[path + ".png"] = picture.png;
  }
  Staging logs;
  write_logs(logs, input);
  for (const auto& [path, bytes] : logs.pages())
    // Of a whole log the log of events has the hash.
    if (path.ends_with(".log") && bytes.size() > most_of_one_log) files.files[path] = bytes;
  if (input.reproduction) files.files.merge(reproduction_files(*input.reproduction));
  return files;
}

kernel::Result<Packaged, Unplaced> package(const PackageInput& input, const std::string& output_folder) {
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
