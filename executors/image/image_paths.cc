#include "executors/image/image_paths.h"

#include <climits>
#include <deque>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executors/run_protocol/small_files.h"
#include "executors/sandbox/sandbox_view.h"
#include "programs/find_program.h"

namespace executors {
namespace {

constexpr int most_links = 40;  ///< As Linux allows.
constexpr std::size_t most_text = 64 << 10;

}  // namespace

std::string place_in_image(const std::string& folder, const std::string& path) {
  std::deque<std::string> ahead = path_parts(path);
  std::string here;
  for (int links = 0; !ahead.empty();) {
    const std::string part = ahead.front();
    ahead.pop_front();
    if (part == "..") {
      here.erase(here.empty() ? 0 : here.rfind('/'));
      continue;
    }
    const std::string next = here + "/" + part;
    struct stat about {};
    if (lstat((folder + next).c_str(), &about) != 0) return "";
    if (!S_ISLNK(about.st_mode)) {
      here = next;
      continue;
    }
    char target[PATH_MAX];
    const ssize_t n = readlink((folder + next).c_str(), target, sizeof target - 1);
    if (n <= 0 || ++links > most_links) return "";
    target[n] = '\0';
    if (target[0] == '/') here.clear();
    const std::deque<std::string> through = path_parts(target);
    ahead.insert(ahead.begin(), through.begin(), through.end());
  }
  return folder + here;
}

bool is_program_of_image(const std::string& folder, const std::string& path) {
  const std::string place = place_in_image(folder, path);
  return !place.empty() && programs::is_executable_file(place);
}

std::string program_of_image(const std::string& folder, const std::string& name,
                             const std::vector<std::string>& search) {
  for (const std::string& entry : search)
    if (entry.starts_with("/") && is_program_of_image(folder, entry + "/" + name)) return entry + "/" + name;
  return "";
}

std::optional<std::string> text_of_image(const std::string& folder, const std::string& path) {
  const std::string place = place_in_image(folder, path);
  if (place.empty() || !programs::is_file(place)) return std::nullopt;
  auto text = supervisor::read_file(AT_FDCWD, place.c_str(), most_text);
  if (text && text->size() > most_text) text->resize(most_text);
  return text;
}

}  // namespace executors
