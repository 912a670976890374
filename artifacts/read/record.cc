#include "artifacts/read/record.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>

#include "artifacts/read/references.h"
#include "artifacts/text/csv_fields.h"
#include "artifacts/text/untrusted_text.h"
#include "base/digest.h"
#include "base/manifest.h"
#include "kernel/codec/codec.h"

namespace artifacts {

using kernel::EntryType;
using kernel::ManifestEntry;

namespace {

/// Parsed, a line can take twenty times its size.
constexpr std::size_t longest_line = 64u << 20;
constexpr const char* too_long = "holds a line of more than 64 MB";

class LogReading {
 public:
  explicit LogReading(const LogObserver& observer) : observer_(observer) {}

  kernel::Result<RecordedLog> read(const SafeRoot& root) {
    const FileBytes read = root.stream(log_file, largest_log, [&](std::string_view piece) { take(piece); });
    if (!read.whole()) return problem(0, "is missing, or larger than 1 GB");
    return finish();
  }

  void take(std::string_view piece) {
    if (!wrong_.empty()) return;
    // What was searched before holds no end of a line.
    std::size_t start = 0, from = rest_.size();
    rest_ += piece;
    for (std::size_t end = 0; wrong_.empty() && (end = rest_.find('\n', from)) != std::string::npos;
         start = from = end + 1)
      line(std::string_view(rest_).substr(start, end - start));
    rest_.erase(0, start);
    if (wrong_.empty() && rest_.size() > longest_line) {
      ++events_;
      wrong_ = too_long;
    }
  }

  kernel::Result<RecordedLog> finish() {
    if (!wrong_.empty()) return problem(static_cast<int>(events_), wrong_);
    if (!rest_.empty()) return problem(static_cast<int>(events_) + 1, "ends in the middle of a line");
    kernel::Study* study = state_.study(study_);
    if (!study) return problem(0, "holds no study");
    for (const kernel::Experiment& e : study->experiments)
      if (kernel::sha256_hex(kernel::canonical(e.registration)) != e.hash)
        return problem(
            0, "the registration of " + printable(e.registration.experiment.text()) + " does not have its hash");
    return RecordedLog{std::move(*study), chain_.head(), events_, version_};
  }

 private:
  static kernel::Problem problem(int line, std::string why) { return {log_file, line, "", std::move(why), ""}; }

  void line(std::string_view text) {
    ++events_;
    if (text.size() > longest_line) {
      wrong_ = too_long;
      return;
    }
    const auto event = kernel::read_event_line(text);
    if (!event) {
      wrong_ = "holds a line that is no event";
    } else if (!chain_.add(*event).empty()) {
      wrong_ = "was changed: its chain is broken";
    } else if (!study_.empty() && event->study != study_) {
      wrong_ = "holds the events of two studies";
    } else {
      study_ = event->study;
      version_ = std::max(version_, event->version);
      fold(*event);
    }
  }

  void fold(const kernel::StoredEvent& event) {
    try {
      const kernel::Event decoded = event.decoded();
      if (observer_) observer_(state_.study(study_), decoded, static_cast<int>(events_));
      kernel::apply(state_, decoded);
    } catch (const std::logic_error&) {
      wrong_ = "holds events that no study could have had";
    } catch (const std::runtime_error& error) {
      wrong_ = shortened(printable(error.what()), 200);
    }
  }

  const LogObserver& observer_;
  kernel::State state_;
  kernel::Chain chain_;
  std::string study_, wrong_, rest_;
  long long events_ = 0;
  int version_ = 1;
};

constexpr std::uint64_t largest_manifest = 256u << 20;
/// A sparse file can claim any size.
constexpr std::uint64_t largest_workspace = std::uint64_t{64} << 30;

class FolderReading {
 public:
  FolderReading(const SafeRoot& root, const Listing& listing, const std::string& folder, const std::string& hash,
                const std::set<std::string>& withheld)
      : root_(root), withheld_(withheld), hash_(hash), folder_(folder), below_(folder + "/") {
    for (const Entry& entry : listing.entries)
      if (entry.path.starts_with(below_) && (entry.kind != FileKind::directory || entry.link))
        there_.emplace(entry.path.substr(below_.size()), &entry);
  }

  std::vector<kernel::Problem> all() {
    const std::string manifest = folder_ + ".manifest";
    const FileBytes read = root_.read(manifest, largest_manifest);
    if (!read.whole()) {
      add(manifest, "is missing: nothing shows that the folder is the recorded one");
      return std::move(problems_);
    }
    if (kernel::sha256_hex(read.bytes) != hash_) {
      add(manifest, "does not have the hash that was recorded");
      return std::move(problems_);
    }
    const auto entries = kernel::read_manifest(read.bytes);
    if (!entries) {
      add(manifest, entries.problem().why);
      return std::move(problems_);
    }
    for (const ManifestEntry& entry : *entries) look_for(entry);
    for (const auto& [path, entry] : there_) add(below_ + path, "is no part of the folder's manifest");
    return std::move(problems_);
  }

 private:
  void add(const std::string& file, std::string why) { problems_.push_back({file, 0, "", std::move(why), ""}); }

  void look_for(const ManifestEntry& entry) {
    // Folders without files are ignored, because copying an artifact often drops them.
    if (entry.type == EntryType::folder) return;
    const auto found = there_.find(entry.path);
    if (found == there_.end()) {
      if (withheld_.contains(entry.path)) return;
      add(below_ + entry.path, "is missing: the folder's manifest names it");
      return;
    }
    const bool same = entry.type == EntryType::link
                          ? found->second->link && root_.link_target(below_ + entry.path) == entry.target
                          : is_file(entry, *found->second);
    if (!same) add(below_ + entry.path, "was changed: it is not what the folder's manifest names");
    there_.erase(found);
  }

  bool is_file(const ManifestEntry& entry, const Entry& found) {
    if (found.kind != FileKind::regular || found.link || static_cast<std::int64_t>(found.size) != entry.bytes)
      return false;
    kernel::Sha256 digest;
    const FileBytes read = root_.stream(below_ + entry.path, largest_workspace - hashed_, [&](std::string_view piece) {
      hashed_ += piece.size();
      digest.update(piece);
    });
    return read.whole() && digest.hex() == entry.sha256;
  }

  const SafeRoot& root_;
  const std::set<std::string>& withheld_;
  const std::string hash_, folder_, below_;
  std::map<std::string, const Entry*> there_;
  std::vector<kernel::Problem> problems_;
  std::uint64_t hashed_ = 0;
};

constexpr std::uint64_t largest_points = 512u << 20;

template <typename Number>
std::optional<Number> number_in(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

std::optional<double> value_in(const std::string& text) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity" || text == "-Infinity") return text.front() == '-' ? -infinity : infinity;
  return number_in<double>(text);
}

/// Whether the text is unchanged: control characters are escaped, and a ' may have been added in front.
bool is_exact(const std::string& text) {
  return !text.starts_with('\'') && text.find('\\') == std::string::npos && text.find("\uFFFD") == std::string::npos;
}

void add_row(std::map<std::string, RunPoints>& runs, std::string_view row, int line) {
  const std::vector<std::string> fields = csv_fields(row);
  RunPoints& run = runs[fields[0]];
  if (run.line == 0) run.line = line;
  const auto value = fields.size() == 6 ? value_in(fields[4]) : std::nullopt;
  const auto step = fields.size() == 6 && !fields[2].empty() ? number_in<std::int64_t>(fields[2]) : std::nullopt;
  if (!value || (!fields[2].empty() && !step)) {
    run.understood = false;
    return;
  }
  run.exact = run.exact && is_exact(fields[1]) && is_exact(fields[3]);
  run.points.push_back({fields[1], *value, step, fields[3], fields[5] == "true"});
}

}  // namespace

kernel::Result<RecordedLog> read_log(const SafeRoot& root, const LogObserver& observer) {
  return LogReading(observer).read(root);
}

kernel::Result<RecordedLog> read_log_text(std::string_view bytes, const LogObserver& observer) {
  LogReading reading(observer);
  reading.take(bytes);
  return reading.finish();
}

std::string workspace_path(const std::string& hash) {
  return "src/workspace/" + hash;
}

std::vector<kernel::Problem> folder_problems(const SafeRoot& root, const Listing& listing, const std::string& folder,
                                             const std::string& hash, const std::set<std::string>& withheld) {
  return FolderReading(root, listing, folder, hash, withheld).all();
}

std::optional<std::map<std::string, RunPoints>> read_points(const SafeRoot& root,
                                                            const kernel::ExperimentId& experiment) {
  const FileBytes read = root.read("evidence/results/" + experiment + "_points.csv", largest_points);
  if (!read.whole()) return std::nullopt;
  std::map<std::string, RunPoints> runs;
  const std::string_view text = read.bytes;
  int line = 1;
  // The first line has the names of the columns.
  for (std::size_t start = text.find('\n'); start != std::string_view::npos && start + 1 < text.size();) {
    const std::size_t end = text.find('\n', start + 1);
    add_row(runs, text.substr(start + 1, end == std::string_view::npos ? end : end - start - 1), ++line);
    start = end;
  }
  return runs;
}

}  // namespace artifacts
