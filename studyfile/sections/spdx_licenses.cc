#include "studyfile/sections/spdx_licenses.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

#include "embedded/spdx_lists.h"
#include "prose/nearest.h"

namespace studyfile {

namespace {

/// What people write in different ways: letters and digits in lower case, without the words of a title.
/// "apache20" of `Apache-2.0` and of `Apache License 2.0`.
std::string key_of(std::string_view text) {
  std::string key;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view word : {"the", "license", "licence", "version"})
    if (const std::size_t at = key.find(word); at != key.npos && key.size() > word.size()) key.erase(at, word.size());
  return key;
}

struct List {
  std::vector<std::string> names, keys;
  std::map<std::string, std::string> by_key;
};

const List& list() {
  static const List all = [] {
    List read;
    std::istringstream lines{std::string(embedded::spdx_lists("spdx_licenses.txt"))};
    for (std::string line; std::getline(lines, line);) {
      read.names.push_back(line);
      read.keys.push_back(key_of(line));
      read.by_key.emplace(read.keys.back(), line);
    }
    return read;
  }();
  return all;
}

/// The shortest that begins like `key` and of these the last, which is the newest version; empty if there is none.
/// `versions`: only those of which `key` leaves out a version.
std::string beginning_with(const std::string& key, bool versions) {
  constexpr std::size_t clear = 4;
  std::string best;
  if (key.size() < clear) return best;
  for (std::size_t i = 0; i < list().keys.size(); ++i) {
    const std::string& known = list().keys[i];
    if (!known.starts_with(key) || known.size() == key.size()) continue;
    if (versions && !std::isdigit(static_cast<unsigned char>(known[key.size()])) &&
        !std::isdigit(static_cast<unsigned char>(key.back())))
      continue;
    if (best.empty() || list().names[i].size() <= best.size()) best = list().names[i];
  }
  return best;
}

/// The nearest by few edits; empty if there is none.
std::string alike(const std::string& key) {
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, key.size() / 4) + 1;
  for (const auto& [known, name] : list().by_key)
    if (const std::size_t distance = prose::edits(key, known); distance < fewest && distance < key.size())
      fewest = distance, best = name;
  return best;
}

std::string probably(std::string_view written) {
  constexpr std::size_t longest = 64;
  const std::string key = key_of(written);
  if (key.size() > longest) return "";
  if (const auto same = list().by_key.find(key); same != list().by_key.end()) return same->second;
  if (std::string version = beginning_with(key, true); !version.empty()) return version;
  if (std::string near = alike(key); !near.empty()) return near;
  return beginning_with(key, false);
}

bool is_listed(std::string name) {
  if (name.ends_with('+')) name.pop_back();
  return name.starts_with("LicenseRef-") || name.starts_with("DocumentRef-") ||
         std::ranges::find(list().names, name) != list().names.end();
}

}  // namespace

std::vector<UnlistedLicense> unlisted_licenses(std::string_view expression) {
  std::string spaced;
  for (const char c : expression) spaced += c == '(' || c == ')' ? std::string{' ', c, ' '} : std::string{c};
  std::vector<UnlistedLicense> unlisted;
  std::string name;
  bool exception = false;
  const auto end_name = [&] {
    if (!name.empty() && !is_listed(name)) unlisted.push_back({name, probably(name)});
    name.clear();
    exception = false;
  };
  std::istringstream words(spaced);
  for (std::string word; words >> word;) {
    if (word == "AND" || word == "OR" || word == "(" || word == ")") {
      end_name();
    } else if (word == "WITH") {
      end_name();
      exception = true;
    } else if (!exception) {
      name += (name.empty() ? "" : " ") + word;
    }
  }
  end_name();
  return unlisted;
}

}  // namespace studyfile
