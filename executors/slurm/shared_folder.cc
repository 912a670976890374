#include "executors/slurm/shared_folder.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <limits.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/remove_tree.h"
#include "executors/local/run_folder.h"
#include "executors/run_protocol/run_files.h"
#include "executors/run_protocol/small_files.h"
#include "kernel/domain/image_root.h"
#include "programs/find_program.h"

namespace executors {
namespace {

namespace fs = std::filesystem;
using supervisor::Fd;

constexpr std::string_view note_magic = "etude-slurm 1";

/// By calls of the system, whose errors tell a full disk or quota from others; closing may be the first to tell.
void copy_bytes(const fs::path& from, const fs::path& to) {
  const auto check = [&to](bool done) {
    if (!done) throw fs::filesystem_error("copy", to, {errno, std::generic_category()});
  };
  const Fd in(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  check(static_cast<bool>(in));
  const Fd out(open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  check(static_cast<bool>(out));
  constexpr std::size_t at_once = 8 << 20;
  for (ssize_t copied = 1; copied != 0;) {
    copied = sendfile(out.get(), in.get(), nullptr, at_once);
    check(copied >= 0 || errno == EINTR);
  }
  check(::close(dup(out.get())) == 0);
}

/// With the modes and times that the original has.
void copy_one(const fs::path& from, const fs::path& to) {
  const fs::file_status about = fs::symlink_status(from);
  if (fs::is_symlink(about)) return fs::copy_symlink(from, to);
  if (fs::is_directory(about)) {
    fs::create_directory(to);
    for (const fs::directory_entry& entry : fs::directory_iterator(from)) copy_one(entry, to / entry.path().filename());
  } else if (fs::is_regular_file(about)) {
    copy_bytes(from, to);
  } else {
    return;
  }
  fs::permissions(to, about.permissions());
  fs::last_write_time(to, fs::last_write_time(from));
}

/// Copies a file or folder, which appears at `to` only when it is complete. Throws fs::filesystem_error.
void copy_once(const std::string& from, const std::string& to) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(to, error))) return;
  fs::create_directories(fs::path(to).parent_path());
  const std::string draft = to + ".new-" + kernel::random_token(6);
  try {
    copy_one(from, draft);
  } catch (const fs::filesystem_error&) {
    kernel::remove_tree(draft);
    throw;
  }
  if (::rename(draft.c_str(), to.c_str()) == 0) return;
  const int why = errno;
  kernel::remove_tree(draft);
  // Another process may have been faster.
  if (!fs::exists(fs::symlink_status(to, error)))
    throw fs::filesystem_error("rename", to, {why, std::generic_category()});
}

}  // namespace

bool write_note(const std::string& run_folder, const SubmissionNote& note) {
  std::error_code error;
  fs::create_directories(run_folder, error);
  const Fd folder(open(run_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::string draft = std::string(supervisor::submission_file) + ".new";
  return folder &&
         supervisor::write_file(folder.get(), draft.c_str(),
                                std::string(note_magic) + "\nsubmission=" + note.submission +
                                    "\nindex=" + std::to_string(note.index) + "\n") &&
         renameat(folder.get(), draft.c_str(), folder.get(), supervisor::submission_file) == 0;
}

std::optional<SubmissionNote> read_note(const std::string& run_folder) {
  const auto text = supervisor::read_file(AT_FDCWD, (run_folder + "/" + supervisor::submission_file).c_str());
  if (!text || !text->starts_with(note_magic)) return std::nullopt;
  const KeyLines lines(*text);
  if (lines.text("submission").empty()) return std::nullopt;
  return SubmissionNote{lines.text("submission"), static_cast<int>(lines.number("index"))};
}

std::string home_of(const std::string& run_folder) {
  return programs::parent_of(programs::parent_of(programs::parent_of(run_folder)));
}

std::string shared_home(const std::string& shared, const std::string& home) {
  char machine[HOST_NAME_MAX + 1] = "";
  gethostname(machine, HOST_NAME_MAX);
  constexpr std::size_t letters = 12;
  return shared + "/etude-" + kernel::sha256_hex(std::string(machine) + ":" + home).substr(0, letters);
}

std::string shared_place(const std::string& shared, const std::string& run_folder) {
  const std::string home = home_of(run_folder);
  return shared_home(shared, home) + run_folder.substr(home.size());
}

Published publish(const kernel::JobSpec& spec, const std::string& shared) {
  const std::string home = home_of(spec.folder);
  const std::string there = shared_home(shared, home);
  const auto bring = [&](std::string& path) {
    if (!path.starts_with(home + "/")) return;
    const std::string place = there + path.substr(home.size());
    copy_once(path, place);
    path = place;
  };
  Published published{spec};
  kernel::JobSpec& job = published.job;
  job.folder = shared_place(shared, spec.folder);
  if (!job.checkpoint.empty()) job.checkpoint = shared_place(shared, spec.checkpoint);
  try {
    bring(job.workspace);
    for (kernel::DataMount& data : job.data) bring(data.path);
    for (kernel::DataMount& file : job.continued) bring(file.path);
    if (auto image = kernel::image_of(job.toolchain)) {
      bring(*image);
      job.toolchain.prefixes = {kernel::image_entry(*image)};
    }
    for (kernel::DataMount& prepared : job.prepared) bring(prepared.path);
    if (job.evaluation) {
      bring(job.evaluation->workspace);
      for (kernel::DataMount& data : job.evaluation->data) bring(data.path);
    }
  } catch (const fs::filesystem_error& e) {
    published.error = e.code().value();
  }
  return published;
}

bool is_full(int error) {
  return error == ENOSPC || error == EDQUOT;
}

kernel::Problem not_written(const std::string& folder, int error) {
  return {"",
          0,
          folder,
          "the shared folder cannot be written: " + supervisor::error_text(error),
          is_full(error) ? "free some space there (`etude gc --delete`), or name another shared folder"
                         : "name a folder in which you may write: `executors: {slurm: {shared: FOLDER}}`",
          true};
}

kernel::Result<std::string> publish_program(const std::string& program, const std::string& shared_home) {
  std::ifstream file(program, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.empty()) return kernel::Problem{"", 0, program, "it cannot be read", "install it beside etude", true};
  const std::string place = shared_home + "/programs/" + kernel::sha256_hex(bytes) + "/" + programs::name_of(program);
  try {
    copy_once(program, place);
  } catch (const fs::filesystem_error& e) {
    return not_written(shared_home, e.code().value());
  }
  return place;
}

void remove_stale_copies(const std::string& shared, const std::string& home) {
  std::error_code error;
  for (const char* kind : {"workspaces", "kept"})
    for (const fs::directory_entry& entry : fs::directory_iterator(shared_home(shared, home) + "/" + kind, error)) {
      const std::string copy = entry.path();
      std::error_code gone;
      if (!fs::exists(home + "/" + kind + "/" + entry.path().filename().string(), gone)) kernel::remove_tree(copy);
    }
}

std::vector<Elsewhere> things_of_home(const std::string& shared, const std::string& home) {
  const fs::path there = shared_home(shared, home);
  std::vector<Elsewhere> found;
  const auto each = [](const fs::path& folder, auto visit) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      visit(entry->path());
  };
  for (const char* kind : {"workspaces", "kept", "try"})
    each(there / kind, [&](const fs::path& copy) {
      found.push_back({copy, home + "/" + kind + "/" + copy.filename().string()});
    });
  each(there / "programs", [&](const fs::path& program) { found.push_back({program, ""}); });
  each(there / "runs", [&](const fs::path& study) {
    const std::string of = home + "/runs/" + study.filename().string();
    std::error_code error;
    if (fs::is_empty(study, error)) found.push_back({study, of});
    each(study, [&](const fs::path& launch) { found.push_back({launch, of + "/" + launch.filename().string()}); });
  });
  return found;
}

}  // namespace executors
