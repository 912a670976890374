#include "apps/session/prepare/import.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/check/check.h"
#include "artifacts/export/recall_items.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/text/untrusted_text.h"
#include "base/digest.h"
#include "base/manifest.h"

namespace session {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t largest_file = 256u << 20, most_bytes = std::uint64_t{4} << 30;

const char* why_left_out(const artifacts::Entry& entry) {
  switch (entry.kind) {
    case artifacts::FileKind::secret:
      return "holds a secret";
    case artifacts::FileKind::outside:
      return "leads out of the artifact";
    case artifacts::FileKind::directory:
      return "is a link to a folder";
    case artifacts::FileKind::regular:
      return kernel::is_safe_path(entry.path) ? "is larger than 256 MiB" : "has a name that is no text";
    default:
      return "is no file that can be read";
  }
}

class Copying {
 public:
  Copying(const artifacts::SafeRoot& root, memory::Blobs* blobs, ArtifactCopy& copy)
      : root_(root), blobs_(blobs), copy_(copy) {}

  std::optional<kernel::Problem> files(const artifacts::Listing& listing, const std::string& path) {
    for (const artifacts::Entry& entry : listing.entries) {
      if (entry.kind == artifacts::FileKind::directory && !entry.link) continue;
      if (!file(entry)) copy_.left_out.push_back(entry.path + " " + why_left_out(entry));
      if (static_cast<std::uint64_t>(copy_.bytes) > most_bytes)
        return kernel::Problem{path, 0, "", "is larger than 4 GiB", "leave large files out of the artifact"};
    }
    copy_.artifact.files = kept(kernel::manifest_text(entries_)).sha256;
    copy_.files = static_cast<std::int64_t>(entries_.size());
    return std::nullopt;
  }

  /// Adds the code: the artifact's manifest of it, if every file in it was copied; else the files in src/.
  void code(const artifacts::CodeRoot& place) {
    std::set<std::string> known;
    for (const kernel::ManifestEntry& entry : entries_) known.insert(entry.sha256);
    if (!place.manifest.empty()) {
      const artifacts::FileBytes read = root_.read(place.manifest, largest_file);
      const auto listed = kernel::read_manifest(read.bytes);
      const bool whole = listed && std::ranges::all_of(*listed, [&](const kernel::ManifestEntry& entry) {
                           return entry.sha256.empty() || known.contains(entry.sha256);
                         });
      if (whole) copy_.artifact.code = kernel::sha256_hex(read.bytes);
      return;
    }
    std::vector<kernel::ManifestEntry> below;
    for (const kernel::ManifestEntry& entry : entries_)
      if (entry.path.starts_with(place.folder)) {
        below.push_back(entry);
        below.back().path.erase(0, place.folder.size());
      }
    if (!below.empty()) copy_.artifact.code = kept(kernel::manifest_text(below)).sha256;
  }

 private:
  bool file(const artifacts::Entry& entry) {
    if (entry.kind != artifacts::FileKind::regular || !kernel::is_safe_path(entry.path)) return false;
    const artifacts::FileBytes read = root_.read(entry.path, largest_file);
    if (read.kind != artifacts::FileKind::regular || read.too_large) return false;
    const kernel::BlobRef blob = kept(read.bytes);
    entries_.push_back({entry.executable ? kernel::EntryType::executable : kernel::EntryType::file, entry.path,
                        blob.sha256, blob.bytes, ""});
    copy_.bytes += blob.bytes;
    return true;
  }

  kernel::BlobRef kept(std::string_view bytes) {
    if (blobs_) return blobs_->put(bytes, memory::Blobs::Durable::later);
    return {kernel::sha256_hex(bytes), static_cast<std::int64_t>(bytes.size())};
  }

  const artifacts::SafeRoot& root_;
  memory::Blobs* const blobs_;
  ArtifactCopy& copy_;
  std::vector<kernel::ManifestEntry> entries_;
};

}  // namespace

kernel::Result<ArtifactCopy> copy_artifact(const ImportRequest& request, memory::Blobs* blobs) {
  const auto report = artifacts::check(request.path);
  if (!report) return report.problem();
  if (!report->ok && !request.despite_errors)
    return kernel::Problem{artifacts::printable(request.path), 0, "",
                           fmt::format("`etude check` finds {} in it",
                                       report->errors == 1 ? "an error" : fmt::format("{} errors", report->errors)),
                           "correct them, or import it unchanged with --despite-errors"};
  auto root = artifacts::SafeRoot::open(request.path);
  if (!root) return root.problem();
  artifacts::Findings findings;
  const artifacts::Artifact artifact = artifacts::read_artifact(*root, findings);
  if (!artifact.files.complete)
    return kernel::Problem{artifacts::printable(request.path), 0, "",
                           "has more than 200,000 files, or folders too deep",
                           "leave out what is no part of the artifact"};
  ArtifactCopy copy;
  copy.artifact = artifacts::memorable(*root, artifact);
  copy.artifact.source = fs::canonical(request.path).string();
  copy.artifact.id =
      kernel::foreign_id(request.name.empty() ? fs::path(copy.artifact.source).filename().string() : request.name);
  copy.artifact.errors = static_cast<std::int64_t>(report->errors);
  copy.artifact.warnings = static_cast<std::int64_t>(report->warnings);
  Copying copying(*root, blobs, copy);
  if (auto problem = copying.files(artifact.files, artifacts::printable(request.path))) return std::move(*problem);
  copying.code(artifacts::code_place(*root));
  if (blobs) blobs->sync();
  return copy;
}

Import import_of(const ArtifactCopy& copy, std::string id, bool already) {
  Import done{std::move(id),        copy.artifact.title,    already,      {}, copy.files, copy.bytes,
              copy.artifact.errors, copy.artifact.warnings, copy.left_out};
  for (const kernel::ForeignItem& item : copy.artifact.items) ++done.items[item.kind];
  return done;
}

nlohmann::json import_shape(const Import& done) {
  return {{"id", done.id},         {"title", done.title},       {"already", done.already},
          {"items", done.items},   {"files", done.files},       {"bytes", done.bytes},
          {"errors", done.errors}, {"warnings", done.warnings}, {"left_out", done.left_out}};
}

Import import_in(const nlohmann::json& shape) {
  return {shape.at("id"),    shape.at("title"),  shape.at("already"),  shape.at("items"),   shape.at("files"),
          shape.at("bytes"), shape.at("errors"), shape.at("warnings"), shape.at("left_out")};
}

}  // namespace session
