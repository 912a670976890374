#include "base/remove_tree.h"

#include <cerrno>
#include <cstdio>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"

namespace kernel {

namespace {

/// Opens a folder, with all permissions for its owner.
Fd open_for_removal(int folder, const char* name) {
  constexpr int no_link = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Fd opened(openat(folder, name, O_RDONLY | no_link));
  if (!opened && errno == EACCES) {
    // Only through its number, because a path could lead somewhere else.
    const Fd place(openat(folder, name, O_PATH | no_link));
    const std::string by_number = "/proc/self/fd/" + std::to_string(place.get());
    if (!place || chmod(by_number.c_str(), S_IRWXU) != 0) return opened;
    opened.reset(openat(folder, name, O_RDONLY | no_link));
  }
  struct stat about {};
  if (opened && fstat(opened.get(), &about) == 0 && (about.st_mode & S_IRWXU) != S_IRWXU) fchmod(opened.get(), S_IRWXU);
  return opened;
}

struct Entry {
  std::string name;
  bool folder = false;  ///< Known to be one, which saves a call that must fail.
};

std::vector<Entry> entries_in(int folder) {
  std::vector<Entry> names;
  const int own = fcntl(folder, F_DUPFD_CLOEXEC, 0);
  DIR* list = own < 0 ? nullptr : fdopendir(own);
  if (!list) {
    if (own >= 0) close(own);
    return names;
  }
  rewinddir(list);
  while (const dirent* entry = readdir(list))
    if (const std::string name = entry->d_name; name != "." && name != "..")
      names.push_back({name, entry->d_type == DT_DIR});
  closedir(list);
  return names;
}

/// True if it is gone; false for a folder that is not empty.
bool remove_entry(int folder, const Entry& entry) {
  const char* name = entry.name.c_str();
  if (!entry.folder && (unlinkat(folder, name, 0) == 0 || errno == ENOENT)) return true;
  return unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

/// Moves the subfolders of `top`/`name` up into `top`, deletes the rest and then the folder. So two open folders are
/// enough for any depth.
bool flatten(int top, const Entry& entry, int& moved) {
  const Fd folder = open_for_removal(top, entry.name.c_str());
  if (!folder) return false;
  for (const Entry& inner : entries_in(folder.get())) {
    if (remove_entry(folder.get(), inner)) continue;
    // A folder that moves needs to be writable, because its entry `..` changes.
    if (!open_for_removal(folder.get(), inner.name.c_str())) return false;
    int result = -1;
    do result = renameat(folder.get(), inner.name.c_str(), top, (".removed-" + std::to_string(++moved)).c_str());
    while (result != 0 && (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR));
    if (result != 0) return false;
  }
  return remove_entry(top, entry);
}

}  // namespace

bool remove_contents(int folder, const char* path) {
  const Fd top = open_for_removal(folder, path);
  if (!top) return false;
  int moved = 0;
  for (;;) {
    const std::vector<Entry> entries = entries_in(top.get());
    if (entries.empty()) return true;
    const int before = moved;
    std::size_t removed = 0;
    for (const Entry& entry : entries) removed += remove_entry(top.get(), entry) || flatten(top.get(), entry, moved);
    if (removed == 0) return false;
    // Nothing was moved up, so nothing is left.
    if (removed == entries.size() && moved == before) return true;
  }
}

bool remove_tree(const std::string& path) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return true;
  bool emptied = true;
  do {
    emptied = remove_contents(AT_FDCWD, path.c_str());
    if (rmdir(path.c_str()) == 0) return true;
    // Somebody added a file meanwhile.
  } while (emptied && errno == ENOTEMPTY);
  return false;
}

}  // namespace kernel
