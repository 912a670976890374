#include "agents/thinking/workspace/source_lines.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/kept_lines.h"

namespace agents {

namespace {

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0.
}

std::string_view ending_of(std::string_view path) {
  const std::string_view name = name_of(path);
  const std::size_t dot = name.rfind('.');
  return dot == name.npos ? std::string_view() : name.substr(dot + 1);
}

struct Comments {
  std::vector<std::string_view> line;        ///< What begins a comment up to the end of the line.
  std::string_view open, close, other_open;  ///< Of comments over several lines.
};

Comments comments_of(std::string_view path) {
  static const std::set<std::string_view> slashes = {"c",  "h",  "cc", "cpp", "hpp", "cxx",   "cu",    "java", "js",
                                                     "ts", "go", "rs", "cs",  "kt",  "swift", "scala", "zig",  "css"};
  static const std::set<std::string_view> dashes = {"sql", "lua", "hs", "adb"};
  const std::string_view ending = ending_of(path);
  if (slashes.contains(ending)) return {{"//"}, "/*", "*/", ""};
  if (dashes.contains(ending)) return {{"--"}, "", "", ""};
  if (ending == "tex" || ending == "m" || ending == "erl") return {{"%"}, "", "", ""};
  if (ending == "html" || ending == "xml") return {{}, "<!--", "-->", ""};
  if (ending == "py") return {{"#"}, "\"\"\"", "\"\"\"", "'''"};
  return {{"#"}, "", "", ""};
}

std::set<std::string, std::less<>> words_in(std::string_view text) {
  std::set<std::string, std::less<>> words;
  std::string word;
  const auto keep = [&] {
    while (!word.empty() && word.back() == '.') word.pop_back();
    if (!word.empty()) words.insert(word);
    // "a.b.py" names b.py, and "pkg.train" names train.
    for (std::size_t dot = word.find('.'); dot != word.npos; dot = word.find('.', dot + 1)) {
      words.insert(word.substr(0, dot));
      words.insert(word.substr(dot + 1));
    }
    word.clear();
  };
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' || (c & 0x80))
      word += c;
    else
      keep();
  keep();
  return words;
}

/// Whether the words name the file: by its name, its name without ending, or the folder that it is in.
bool is_named(const std::set<std::string, std::less<>>& words, std::string_view path) {
  const std::string_view name = name_of(path);
  const std::string_view stem = name.substr(0, name.find('.'));
  if (words.contains(name) || (!stem.empty() && words.contains(stem))) return true;
  const std::size_t slash = path.rfind('/');
  return slash != path.npos && words.contains(name_of(path.substr(0, slash)));
}

}  // namespace

std::string numbered_lines(const kernel::Lines& lines, std::size_t from, std::size_t to) {
  constexpr std::size_t longest = 2000;
  std::string shown;
  for (std::size_t line = from; line >= 1 && line <= std::min(to, lines.size()); ++line)
    shown += fmt::format("{:>5}  {}\n", line, lines[line - 1].substr(0, longest));
  return shown;
}

bool does_something(const std::string& path, std::string_view text, int from, int to) {
  const Comments comments = comments_of(path);
  std::string_view inside;  // What ends the comment that goes on.
  int number = 0;
  for (std::string_view line : kernel::lines_of(text)) {
    if (++number > to) break;
    bool code = false;
    while (!line.empty()) {
      if (!inside.empty()) {
        const std::size_t end = line.find(inside);
        if (end == line.npos) break;
        line.remove_prefix(end + inside.size());
        inside = {};
        continue;
      }
      const std::size_t start = line.find_first_not_of(" \t\r");
      if (start == line.npos) break;
      line.remove_prefix(start);
      if (std::ranges::any_of(comments.line, [&](std::string_view mark) { return line.starts_with(mark); })) break;
      const bool other = !comments.other_open.empty() && line.starts_with(comments.other_open);
      if (other || (!comments.open.empty() && line.starts_with(comments.open))) {
        inside = other ? comments.other_open : comments.close;
        line.remove_prefix(other ? comments.other_open.size() : comments.open.size());
        continue;
      }
      code =
          std::ranges::any_of(line, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || (c & 0x80); });
      break;
    }
    if (code && number >= from) return true;
  }
  return false;
}

std::set<std::string> opened_by(const std::vector<std::string>& commands, const std::vector<std::string>& paths,
                                const std::function<std::optional<std::string>(const std::string&)>& read) {
  constexpr std::size_t most_bytes = 4u << 20;
  std::set<std::string> opened;
  std::vector<std::string> left;
  const auto open_named = [&](std::string_view text) {
    const auto words = words_in(text);
    for (const std::string& path : paths)
      if (!opened.contains(path) && is_named(words, path)) opened.insert(path), left.push_back(path);
  };
  for (const std::string& command : commands) open_named(command);
  while (!left.empty()) {
    const std::string path = std::move(left.back());
    left.pop_back();
    if (const auto text = read(path); text && text->size() <= most_bytes) open_named(*text);
  }
  return opened;
}

}  // namespace agents
