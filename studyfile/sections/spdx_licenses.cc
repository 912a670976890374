#include "studyfile/sections/spdx_licenses.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

#include "embedded/spdx_lists.h"
#include "studyfile/yaml/scalars.h"

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

/// Of those that begin like it, the shortest and of these the last, which is the newest version; else the nearest.
std::string probably(std::string_view written) {
  constexpr std::size_t clear = 4, longest = 64;
  const std::string key = key_of(written);
  if (key.size() > longest) return "";
  if (const auto same = list().by_key.find(key); same != list().by_key.end()) return same->second;
  std::string best;
  for (std::size_t i = 0; i < list().keys.size(); ++i)
    if (key.size() >= clear && list().keys[i].starts_with(key) &&
        (best.empty() || list().names[i].size() <= best.size()))
      best = list().names[i];
  if (!best.empty()) return best;
  const auto near = nearest(key, list().keys);
  return near ? list().by_key.at(*near) : "";
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
