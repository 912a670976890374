#include "memory/workspace/evaluator_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "memory/files/file.h"
#include "memory/workspace/data_identity.h"
#include "memory/workspace/ignore.h"
#include "memory/workspace/shared_chunks.h"
#include "memory/workspace/snapshot.h"
#include "memory/workspace/walk.h"

namespace memory {

namespace fs = std::filesystem;

namespace {

/// The clock of file times may lag behind the clock of process starts.
constexpr std::int64_t stamp_lag_ms = 10;

const char* tier_name(kernel::Tier tier) {
  return tier == kernel::Tier::test ? "test" : "validation";
}

std::string tier_key(kernel::Tier tier) {
  return fmt::format("evaluator.{}.data", tier_name(tier));
}

template <typename Each>
void each_path(const kernel::StudySpec& spec, const Each& each) {
  for (const kernel::Tier tier : {kernel::Tier::validation, kernel::Tier::test})
    if (const kernel::TierSpec* one = spec.evaluator.tier(tier))
      for (const kernel::SealedPath& path : one->data) each(tier, path);
}

bool is_below(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder.ends_with('/') ? folder : folder + "/");
}

/// A .gitignore pattern that matches only this path.
std::string literally(const std::string& path) {
  std::string pattern = "/";
  for (const char c : path) {
    if (std::string_view("\\*?[]#! ").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

/// Stores copies of all files if they are not too large.
std::string copies(const kernel::StudySpec& spec, const std::vector<kernel::ManifestEntry>& entries,
                   const std::map<std::string, std::string>& sources, Blobs& blobs) {
  std::int64_t bytes = 0;
  for (const kernel::ManifestEntry& entry : entries) bytes += entry.bytes;
  const std::int64_t most = spec.workspace.max_bytes.value_or(default_workspace_bytes);
  if (entries.empty() || bytes > most) return "";
  for (const kernel::ManifestEntry& entry : entries) {
    if (entry.sha256.empty()) continue;
    const Fd fd(::open(sources.at(entry.path).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd || blobs.put_fd(fd.get(), most, Blobs::Durable::later).sha256 != entry.sha256) return "";
  }
  const std::string hash = blobs.put(kernel::manifest_text(entries), Blobs::Durable::later).sha256;
  blobs.sync();
  return hash;
}

/// A file's state: everything that changes with its content, and the time of the last change.
struct Standing {
  std::string text;
  std::int64_t changed_ms = 0;
};

Standing standing_of(const std::string& path) {
  Standing standing;
  const auto add = [&](const std::string& each) {
    struct stat about {};
    if (::lstat(each.c_str(), &about) != 0) return;
    const std::int64_t changed_ns = about.st_ctim.tv_sec * 1'000'000'000LL + about.st_ctim.tv_nsec;
    standing.text += fmt::format("{}\n{} {} {} {}\n", each, about.st_dev, about.st_ino, about.st_size, changed_ns);
    standing.changed_ms = std::max(standing.changed_ms, changed_ns / 1'000'000);
  };
  std::error_code error;
  const std::string root = fs::canonical(path, error).string();
  if (error) return standing;
  add(root);
  if (!fs::is_directory(root, error)) return standing;
  std::vector<std::string> below;
  for (fs::recursive_directory_iterator it(root, error), end; !error && it != end; it.increment(error))
    below.push_back(it->path().string());
  std::ranges::sort(below);
  for (const std::string& each : below) add(each);
  return standing;
}

const char* const leave_it_out = "remove it, or list it in .etudeignore or `workspace.exclude`";

/// Larger files are compared by hash only.
constexpr std::int64_t most_compared = 64 << 20;
/// Training data may contain some sealed lines, but not nearly all of them.
constexpr double nearly_all = 0.9;

std::optional<kernel::Problem> nearly_copied(const kernel::StudySpec& spec, const EvaluatorData& sealed,
                                             const std::vector<kernel::ManifestEntry>& workspace, Blobs& blobs) {
  for (const auto& [hash, source] : sealed.sources) {
    std::error_code error;
    if (const auto bytes = fs::file_size(source, error); error || bytes > static_cast<std::uintmax_t>(most_compared))
      continue;
    std::ifstream file(source, std::ios::binary);
    const SharedChunks pieces(std::string(std::istreambuf_iterator<char>(file), {}));
    for (const kernel::ManifestEntry& entry : workspace) {
      if (entry.sha256.empty() || entry.bytes > most_compared) continue;
      if (const double share = pieces.share_in(blobs.get(entry.sha256)); share >= nearly_all)
        return kernel::Problem{spec.file, 0, "evaluator",
                               fmt::format("`{}` of the workspace holds {:.0f} % of `{}`, which no job may see",
                                           entry.path, 100 * share, sealed.files.at(hash)),
                               leave_it_out};
    }
  }
  return std::nullopt;
}

/// Each one is a mount in every run.
constexpr std::size_t most_protected = 200;

kernel::Problem problem_of(const kernel::StudySpec& spec, const kernel::Protect& protect, std::string why,
                           std::string todo) {
  return {spec.file, protect.line, "evaluator.protect", std::move(why), std::move(todo)};
}

}  // namespace

kernel::Result<EvaluatorData> seal(const kernel::StudySpec& spec, Blobs& blobs) {
  EvaluatorData sealed;
  std::vector<kernel::ManifestEntry> all;
  std::map<std::string, std::string> sources;
  std::optional<kernel::Problem> problem;
  each_path(spec, [&](kernel::Tier tier, const kernel::SealedPath& path) {
    if (problem) return;
    const auto refuse = [&](std::string why, std::string todo) {
      problem = kernel::Problem{spec.file, path.line, tier_key(tier), std::move(why), std::move(todo)};
    };
    std::error_code error;
    const std::string root = fs::canonical(path.path, error).string();
    if (error) return refuse(fmt::format("there is no `{}`", path.path), "put it back where the study names it");
    const auto record = identify_data({path.place, root, kernel::Identity::sha256, ""});
    if (!record) return refuse(record.problem().text(), "");
    if (!path.identity.empty() && record->identity != path.identity)
      return refuse(fmt::format("`{}` is not what the study was evaluated by: it is {}, and was {}", path.path,
                                record->identity, path.identity),
                    "put back what was there");
    sealed.data.push_back({tier, path.place, root, record->identity});
    auto files = hashed_entries(root, tier_key(tier));
    if (!files) {
      problem = files.problem();
      return;
    }
    for (kernel::ManifestEntry& file : *files) {
      const std::string source = file.path.empty() ? root : root + "/" + file.path;
      if (!file.sha256.empty() && file.bytes > 0) {
        sealed.files.emplace(file.sha256, path.path);
        sealed.sources.emplace(file.sha256, source);
      }
      file.path = fmt::format("{}/{}{}{}", tier_name(tier), path.place, file.path.empty() ? "" : "/", file.path);
      sources[file.path] = source;
      all.push_back(std::move(file));
    }
  });
  if (problem) return std::move(*problem);
  sealed.manifest = copies(spec, all, sources, blobs);
  return sealed;
}

std::vector<std::string> sealed_patterns(const kernel::StudySpec& spec) {
  std::error_code error;
  const std::string given = spec.workspace.path, real = fs::canonical(given, error).string();
  std::vector<std::string> patterns;
  each_path(spec, [&](kernel::Tier, const kernel::SealedPath& path) {
    const std::string target = fs::canonical(path.path, error).string();
    for (const auto& [place, folder] : {std::pair(path.path, given), {path.path, real}, {target, real}})
      if (place.starts_with(folder + "/")) patterns.push_back(literally(place.substr(folder.size() + 1)));
  });
  return patterns;
}

std::optional<kernel::Problem> unsealed(const kernel::StudySpec& spec, const EvaluatorData& sealed,
                                        const std::vector<std::string>& shown_folders,
                                        const std::vector<kernel::ManifestEntry>& workspace, Blobs& blobs) {
  const auto problem = [&](const kernel::SealedData& data, std::string why, std::string todo) {
    return kernel::Problem{spec.file, 0, tier_key(data.tier), std::move(why), std::move(todo)};
  };
  for (const kernel::SealedData& data : sealed.data) {
    for (const std::string& folder : shown_folders)
      if (is_below(data.path, folder) || is_below(folder, data.path))
        return problem(data, fmt::format("`{}` lies in `{}`, which every job sees", data.path, folder),
                       "put it elsewhere");
    for (const kernel::ManifestEntry& entry : workspace)
      if (is_below(entry.path, data.place) ||
          (is_below(data.place, entry.path) && entry.type != kernel::EntryType::folder))
        return problem(
            data, fmt::format("the workspace has a `{}` of its own, where the evaluator finds its data", entry.path),
            "give one of the two another name");
  }
  for (const kernel::ManifestEntry& entry : workspace)
    if (const auto copy = sealed.files.find(entry.sha256); !entry.sha256.empty() && copy != sealed.files.end())
      return kernel::Problem{spec.file, 0, "evaluator",
                             fmt::format("`{}` of the workspace has the same bytes as `{}`, which no job may see",
                                         entry.path, copy->second),
                             leave_it_out};
  return nearly_copied(spec, sealed, workspace, blobs);
}

bool EvaluatorDataWatch::unchanged(const kernel::SealedData& data, std::int64_t started_ms) {
  std::string& known = known_[data.path + "\n" + data.identity];
  const Standing before = standing_of(data.path);
  // Equal metadata mean that the file still has the bytes that were hashed, since its last change.
  const bool in_time = before.changed_ms < started_ms - stamp_lag_ms;
  if (!before.text.empty() && before.text == known) return in_time;
  std::error_code error;
  if (!fs::exists(data.path, error)) return false;
  const auto record = identify_data({data.place, data.path, kernel::Identity::sha256, ""});
  if (!record || record->identity != data.identity || standing_of(data.path).text != before.text) return false;
  known = before.text;
  return in_time;
}

kernel::Result<std::vector<kernel::ProtectedFile>> protected_files(
    const kernel::StudySpec& spec, const std::vector<kernel::ManifestEntry>& workspace) {
  std::map<std::string, std::string> files;
  for (const kernel::Protect& protect : spec.evaluator.protect) {
    IgnoreRules rules;
    rules.add(protect.pattern, "");
    bool found = false;
    for (const kernel::ManifestEntry& entry : workspace) {
      if (entry.type == kernel::EntryType::folder || !rules.covers(entry.path)) continue;
      if (entry.type == kernel::EntryType::link)
        return problem_of(spec, protect, fmt::format("`{}` is a link, which could be turned elsewhere", entry.path),
                          fmt::format("protect the file itself, `{}` as seen from the link", entry.target));
      files[entry.path] = entry.sha256;
      found = true;
    }
    if (!found)
      return problem_of(spec, protect, fmt::format("no file of the workspace matches `{}`", protect.pattern),
                        fmt::format("name files below {} that .gitignore does not leave out", spec.workspace.path));
    if (files.size() > most_protected)
      return problem_of(spec, protect, fmt::format("more than {} files are protected", most_protected),
                        "name only what evaluates, and declare what it reads under `data`");
  }
  std::vector<kernel::ProtectedFile> list;
  for (const auto& [path, sha256] : files) list.push_back({path, sha256});
  return list;
}

std::optional<kernel::Problem> check_protection(const kernel::StudySpec& spec, const std::string& home) {
  // The code of an extended artifact is checked when the study is prepared.
  if (spec.evaluator.protect.empty() || !spec.extends.workspace.empty()) return std::nullopt;
  const std::string root = fs::canonical(spec.workspace.path).string();
  Selection selection(root, spec.workspace.exclude, home);
  const auto walked = walk(root, selection, "workspace", "list it in .etudeignore or `workspace.exclude`");
  if (!walked) return walked.problem();
  std::vector<kernel::ManifestEntry> entries;
  for (const WalkEntry& e : walked->entries) entries.push_back({e.type, e.path, "", e.bytes, e.target});
  const auto files = protected_files(spec, entries);
  return files ? std::nullopt : std::optional(files.problem());
}

}  // namespace memory
