#pragma once
// A copy of the files of /etc that jobs see. One mount shows it. With a mount for each entry, bubblewrap takes a
// millisecond longer for each job, because it reads the list of all mounts again after each.

#include <string>
#include <utility>
#include <vector>

namespace executors {

/// Path below /etc, such as `ssl/certs`, and the text of a file that the sandbox writes there.
using EtcFile = std::pair<std::string, std::string>;

/// Larger trees are not copied.
inline constexpr std::size_t most_etc_entries = 20'000;
inline constexpr std::int64_t most_etc_bytes = std::int64_t{32} << 20;

/// The folder FOLDER/STATE that has copies of these entries of `root`, as they are now, and the files. A link into /usr
/// and links below an entry stay links; of another link, its target is copied. Entries that do not exist, or that
/// belong to others and are not for all to read, are left out. STATE names the boot, the entries' times and sizes, and
/// the files: an existing copy is used again. Removes copies of other boots that are older than a day. Empty if there
/// is none: the tree is too large, or the disk refuses. `root`: "/etc". Any number of processes may call this at the
/// same time.
std::string copy_of_etc(const std::string& root, const std::vector<std::string>& entries,
                        const std::vector<EtcFile>& files, const std::string& folder);

/// The link's target if that is in /usr, which a job sees in the same place; else empty.
std::string target_in_usr(const std::string& path);

/// The folder for the copies of a home: HOME/sandbox. Empty if the run folder is not HOME/runs/STUDY/LAUNCH or
/// HOME/try/TRY/run.
std::string etc_copies_of(const std::string& run_folder);

}  // namespace executors
