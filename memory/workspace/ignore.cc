#include "memory/workspace/ignore.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace memory {

namespace {

using Class = int (*)(int);
constexpr std::pair<std::string_view, Class> classes[] = {
    {"alnum", std::isalnum}, {"alpha", std::isalpha}, {"blank", std::isblank}, {"cntrl", std::iscntrl},
    {"digit", std::isdigit}, {"graph", std::isgraph}, {"lower", std::islower}, {"print", std::isprint},
    {"punct", std::ispunct}, {"space", std::isspace}, {"upper", std::isupper}, {"xdigit", std::isxdigit}};

unsigned char byte_of(char c) {
  return static_cast<unsigned char>(c);
}

}  // namespace

Glob::Glob(std::string_view pattern) {
  const auto add = [this](Kind kind, char byte = 0) { tokens_.push_back({kind, byte, 0}); };
  std::size_t i = 0;
  while (i < pattern.size()) {
    const char c = pattern[i];
    if (c == '*') {
      const std::size_t begin = i;
      while (i < pattern.size() && pattern[i] == '*') ++i;
      const bool opens = begin == 0 || pattern[begin - 1] == '/';
      const bool two = i - begin >= 2;
      if (two && opens && i == pattern.size()) {
        add(Kind::deep);
      } else if (two && opens && pattern[i] == '/') {
        add(Kind::folders);
        ++i;
      } else {
        add(Kind::star);
      }
      plain_ = false;
    } else if (c == '?') {
      Set any;
      any.set();
      any.reset('/');
      tokens_.push_back({Kind::set, 0, sets_.size()});
      sets_.push_back(any);
      plain_ = false;
      ++i;
    } else if (c == '[') {
      i = read_set(pattern, i + 1);
      plain_ = false;
    } else {
      if (c == '\\' && ++i == pattern.size()) {
        add(Kind::never);
        plain_ = false;
        break;
      }
      add(Kind::byte, pattern[i]);
      literal_ += pattern[i++];
    }
  }
}

std::size_t Glob::read_set(std::string_view pattern, std::size_t at) {
  const auto at_end = [&] { return at >= pattern.size(); };
  Set set;
  const bool negated = !at_end() && (pattern[at] == '!' || pattern[at] == '^');
  if (negated) ++at;
  int previous = -1;  // The start of a possible range.
  for (bool first = true; !at_end() && (first || pattern[at] != ']'); first = false) {
    const char c = pattern[at];
    const bool range = c == '-' && previous >= 0 && at + 1 < pattern.size() && pattern[at + 1] != ']';
    const std::size_t close = c == '[' && pattern.substr(at, 2) == "[:" ? pattern.find(":]", at + 2) : pattern.npos;
    if (range) {
      ++at;
      if (pattern[at] == '\\') ++at;
      if (at_end()) break;
      for (int b = previous; b <= byte_of(pattern[at]); ++b) set.set(static_cast<std::size_t>(b));
      previous = -1;
      ++at;
    } else if (close != pattern.npos) {
      const std::string_view name = pattern.substr(at + 2, close - at - 2);
      const auto known =
          std::find_if(std::begin(classes), std::end(classes), [&](const auto& k) { return k.first == name; });
      if (known == std::end(classes)) break;
      for (int b = 0; b < 256; ++b)
        if (known->second(b)) set.set(static_cast<std::size_t>(b));
      previous = -1;
      at = close + 2;
    } else {
      if (c == '\\') ++at;
      if (at_end()) break;
      previous = byte_of(pattern[at]);
      set.set(byte_of(pattern[at]));
      ++at;
    }
  }
  if (at_end() || pattern[at] != ']') {  // Not closed, or an unknown class: such a pattern matches nothing.
    tokens_.push_back({Kind::never, 0, 0});
    return pattern.size();
  }
  if (negated) set.flip();
  set.reset('/');
  tokens_.push_back({Kind::set, 0, sets_.size()});
  sets_.push_back(set);
  return at + 1;
}

bool Glob::matches(std::string_view text) const {
  if (plain_) return text == literal_;
  // The tokens that could be next, advanced byte by byte, so there is no backtracking.
  std::vector<bool> now(tokens_.size() + 1), next;
  const auto reach = [this](std::vector<bool>& places, std::size_t place) {
    for (;; ++place) {
      places[place] = true;
      if (place == tokens_.size()) return;
      const Kind kind = tokens_[place].kind;
      if (kind != Kind::star && kind != Kind::deep && kind != Kind::folders) return;
    }
  };
  reach(now, 0);
  for (const char c : text) {
    next.assign(tokens_.size() + 1, false);
    bool alive = false;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!now[i]) continue;
      const Token& token = tokens_[i];
      bool stays = false, passes = false;
      switch (token.kind) {
        case Kind::byte:
          passes = c == token.byte;
          break;
        case Kind::set:
          passes = sets_[token.set][byte_of(c)];
          break;
        case Kind::star:
          stays = c != '/';
          break;
        case Kind::deep:
          stays = true;
          break;
        case Kind::folders:
          stays = true;
          passes = c == '/';
          break;
        case Kind::never:
          break;
      }
      if (stays) {
        // A token that may end here also starts the next one; `**/` only after a slash.
        if (token.kind == Kind::folders)
          next[i] = true;
        else
          reach(next, i);
      }
      if (passes) reach(next, i + 1);
      alive = alive || stays || passes;
    }
    if (!alive) return false;
    now.swap(next);
  }
  return now[tokens_.size()];
}

void IgnoreRules::add(std::string_view text, std::string_view folder) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('#')) continue;
    // Trailing spaces are dropped unless a backslash escapes them.
    std::size_t length = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool escaped = line[i] == '\\' && ++i < line.size();
      if (i >= line.size() || escaped || line[i] != ' ') length = std::min(i + 1, line.size());
    }
    line = line.substr(0, length);

    const bool keeps = line.starts_with('!');
    if (keeps) line.remove_prefix(1);
    const bool folders_only = line.ends_with('/');
    if (folders_only) line.remove_suffix(1);
    if (line.empty()) continue;
    const bool by_name = line.find('/') == line.npos;
    if (line.starts_with('/')) line.remove_prefix(1);
    std::string below(folder);
    if (!below.empty()) below += '/';
    rules_.push_back({Glob(line), std::move(below), keeps, folders_only, by_name});
  }
}

IgnoreRules::Answer IgnoreRules::ask(std::string_view path, bool is_folder) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (rule->folders_only && !is_folder) continue;
    if (!path.starts_with(rule->folder)) continue;
    if (rule->glob.matches(rule->by_name ? name : path.substr(rule->folder.size())))
      return rule->keeps ? Answer::kept : Answer::ignored;
  }
  return Answer::none;
}

bool IgnoreRules::covers(std::string_view path) const {
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
    if (ask(path.substr(0, slash), true) == Answer::ignored) return true;
  return ask(path, false) == Answer::ignored;
}

}  // namespace memory
