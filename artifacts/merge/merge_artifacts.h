#pragma once
// Merges two artifacts, with the one that both come from if there is one: what theirs has goes into a copy of ours. Ids
// and paths of theirs that ours uses for something else are renumbered, and references rewritten. What cannot be merged
// stays as ours has it, is named with both versions, and is not lost. A seal is left behind, since the merged pages
// follow from no event log; the sealed files are kept below trace/merged/.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "artifacts/merge/page_merge.h"
#include "base/result.h"

namespace artifacts {

/// One line for each merge, with where everything came from.
inline constexpr const char* merge_record = "trace/merges.jsonl";

struct MergeSources {
  std::string base;    ///< Empty: none.
  std::string ours;    ///< Folders, or zips of them.
  std::string theirs;  ///< Empty: only a copy of ours without its seal.
};

struct MergedEntry {
  Taken taken;
  std::string file;
  std::string was;  ///< Its id in theirs, if that is another one.
};

struct MergedFile {
  std::string path;
  std::string was;  ///< Its path in theirs, if that is another one.
  bool deleted = false;
};

struct FileConflict {
  std::string file;
  MergeConflict conflict;
};

struct MergePlan {
  std::map<std::string, std::string> written;  ///< Path → bytes, in addition to or instead of the files of ours.
  std::set<std::string> left_out;              ///< Files of ours that the merged artifact does not have.
  std::vector<MergedEntry> entries;
  std::vector<MergedFile> files;
  std::vector<std::string> aside;  ///< Files below trace/merged/.
  std::vector<FileConflict> conflicts;
};

/// `now`: the time for the record. A problem if one of them is no artifact, or if they are too large (1 GB in all).
kernel::Result<MergePlan> plan_merge(const MergeSources& sources, const std::string& now);

}  // namespace artifacts
