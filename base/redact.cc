#include "base/redact.h"

#include <algorithm>
#include <optional>

namespace kernel {

namespace {

struct SecretShape {
  std::size_t begin = 0, end = 0;
  std::string_view label;
};

struct Prefix {
  std::string_view text, label;
  std::size_t least, most;  ///< Number of characters after the prefix.
  enum class Rest { any, alphanumeric, capitals } rest = Rest::any;
  bool mixed = false;  ///< Needs small letters, capitals and digits, since names in programs rarely have all three.
};

// The more specific prefixes come first.
using Rest = Prefix::Rest;
constexpr Prefix prefixes[] = {
    {"sk-ant-", "anthropic key", 20, 300},
    {"sk-or-v1-", "openrouter key", 40, 100},
    {"sk-proj-", "openai key", 40, 300, Rest::any, true},
    {"sk-svcacct-", "openai key", 40, 300, Rest::any, true},
    {"sk-", "openai key", 20, 300, Rest::any, true},
    {"github_pat_", "github token", 40, 300},
    {"ghp_", "github token", 36, 255, Rest::alphanumeric},
    {"gho_", "github token", 36, 255, Rest::alphanumeric},
    {"ghu_", "github token", 36, 255, Rest::alphanumeric},
    {"ghs_", "github token", 36, 255, Rest::alphanumeric},
    {"ghr_", "github token", 36, 255, Rest::alphanumeric},
    {"AKIA", "aws key", 16, 16, Rest::capitals},
    {"ASIA", "aws key", 16, 16, Rest::capitals},
    {"hf_", "hugging face token", 30, 60, Rest::alphanumeric, true},
    {"xoxb-", "slack token", 20, 300},
    {"xoxp-", "slack token", 20, 300},
    {"xoxa-", "slack token", 20, 300},
    {"xoxr-", "slack token", 20, 300},
    {"xoxs-", "slack token", 20, 300},
    {"AIza", "google key", 35, 35},
};
constexpr std::string_view begin_of_block = "-----BEGIN";
constexpr std::string_view headers[] = {"authorization", "proxy-authorization", "x-api-key"};

bool is_small(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_capital(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_digit_of_key(char c) {
  return c >= '0' && c <= '9';
}

/// Letters, digits, `_` and `-`: the characters of keys.
bool is_word(char c) {
  return is_small(c) || is_capital(c) || is_digit_of_key(c) || c == '_' || c == '-';
}

bool fits(const Prefix& prefix, std::string_view word) {
  if (!word.starts_with(prefix.text)) return false;
  const std::string_view rest = word.substr(prefix.text.size());
  if (rest.size() < prefix.least || rest.size() > prefix.most) return false;
  const auto any = [&](bool (*is)(char)) { return std::ranges::any_of(rest, is); };
  if (prefix.rest != Rest::any && rest.find_first_of("_-") != rest.npos) return false;
  if (prefix.rest == Rest::capitals && any(is_small)) return false;
  return !prefix.mixed || (any(is_small) && any(is_capital) && any(is_digit_of_key));
}

bool same_word(std::string_view word, std::string_view small) {
  return std::equal(word.begin(), word.end(), small.begin(), small.end(),
                    [](char a, char b) { return (is_capital(a) ? static_cast<char>(a + 32) : a) == b; });
}

std::size_t skip(std::string_view text, std::size_t at, std::string_view what, std::size_t most) {
  for (std::size_t n = 0; n < most && at < text.size() && what.find(text[at]) != what.npos; ++n) ++at;
  return at;
}

bool is_credential(char c) {
  return is_word(c) || std::string_view(".~+/=").find(c) != std::string_view::npos;
}

/// Finds `Authorization: Bearer …` as a header, in JSON or in a program; `end` is the end of the header's name.
std::optional<SecretShape> in_header(std::string_view text, std::string_view name, std::size_t end) {
  std::size_t at = skip(text, end, "\"'\\: =,", 8);
  // After a blank only, the word is prose: a header's value follows a sign.
  if (text.substr(end, at - end).find_first_of(":=,") == std::string_view::npos) return std::nullopt;
  constexpr std::size_t least = 8, least_alone = 16;
  bool scheme = false;
  for (const std::string_view word : {"bearer", "basic", "token"})
    if (!scheme && same_word(text.substr(at, word.size()), word)) {
      const std::size_t after = skip(text, at + word.size(), " ", 4);
      scheme = after > at + word.size();
      if (scheme) at = after;
    }
  if (!scheme && !same_word(name, "x-api-key")) return std::nullopt;
  std::size_t stop = at;
  while (stop < text.size() && is_credential(text[stop])) ++stop;
  if (stop - at < (scheme ? least : least_alone)) return std::nullopt;
  return SecretShape{at, stop, "credentials"};
}

constexpr std::size_t longest_line = 200;

/// The end of the line, which may be written as \n, within the next `longest_line` bytes.
std::size_t end_of_line(std::string_view text, std::size_t at) {
  const std::size_t most = std::min(text.size(), at + longest_line);
  while (at < most && text[at] != '\n' && text.substr(at, 2) != "\\n") ++at;
  return at;
}

bool is_encoded(char c) {
  return (is_word(c) && c != '_' && c != '-') || c == '+' || c == '/' || c == '=';
}

bool is_of_block(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  if (line.starts_with("Proc-Type:") || line.starts_with("DEK-Info:")) return true;
  return std::ranges::all_of(line, is_encoded);
}

std::size_t after_break(std::string_view text, std::size_t at) {
  return at + (text.substr(at, 2) == "\\n" ? 2 : text.substr(at, 1) == "\n" ? 1 : 0);
}

/// The block to its last line. If it was cut off, as far as the lines look like those of a block.
std::optional<SecretShape> block_at(std::string_view text, std::size_t begin) {
  constexpr std::string_view title_end = "PRIVATE KEY-----", last_line = "-----END";
  const std::size_t title = text.substr(begin, end_of_line(text, begin) - begin).find(title_end);
  if (title == text.npos) return std::nullopt;
  std::size_t end = begin + title + title_end.size();
  while (end < text.size()) {
    const std::size_t line = after_break(text, end);
    const std::size_t stop = end_of_line(text, line);
    const std::string_view words = text.substr(line, stop - line);
    const std::size_t dashes = words.find(last_line);
    if (dashes != words.npos) {
      const std::size_t closing = words.find("-----", dashes + last_line.size());
      end = closing == words.npos ? stop : line + closing + 5;
      break;
    }
    if (!is_of_block(words)) {
      if (line == end)
        end += static_cast<std::size_t>(std::find_if_not(words.begin(), words.end(), is_encoded) - words.begin());
      break;
    }
    end = stop;
  }
  return SecretShape{begin, end, "private key"};
}

constexpr std::string_view begin_of_web_token = "eyJ";  // {" in Base64: RFC 7519, JSON Web Token.
constexpr std::size_t longest_web_token = 1 << 13;

/// A JSON web token: header, claims and signature, each encoded, with points between them. `end`: of the header.
std::optional<SecretShape> web_token_at(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::size_t least_header = 10, least_claims = 2, least_signature = 10;
  if (!text.substr(begin).starts_with(begin_of_web_token) || end - begin < least_header) return std::nullopt;
  for (const std::size_t least : {least_claims, least_signature}) {
    if (end >= text.size() || text[end] != '.') return std::nullopt;
    const std::size_t part = ++end;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end - part < least) return std::nullopt;
  }
  return SecretShape{begin, end, "web token"};
}

constexpr std::string_view before_user = "://";
constexpr std::size_t longest_user = 600;

/// The characters of a URL's part with user, password and host. Passwords are often not encoded as they should be.
bool is_of_user(char c) {
  return static_cast<unsigned char>(c) > ' ' && std::string_view("/?#\"'`<>\\\x7f").find(c) == std::string_view::npos;
}

/// The password in SCHEME://USER:PASSWORD@HOST; `at`: of `://`. The name of a variable is no password.
std::optional<SecretShape> password_in_url(std::string_view text, std::size_t at) {
  const std::size_t user = at + before_user.size(), most = std::min(text.size(), user + longest_user);
  std::size_t stop = user;
  while (stop < most && is_of_user(text[stop])) ++stop;
  const std::string_view words = text.substr(user, stop - user);
  const std::size_t colon = words.find(':'), host = words.rfind('@');
  if (colon == words.npos || host == words.npos || host <= colon + 1 || host + 1 == words.size()) return std::nullopt;
  const char first = words[colon + 1];
  if (first == '$' || first == '{' || first == '%' || first == '*') return std::nullopt;
  return SecretShape{user + colon + 1, user + host, "password"};
}

/// The key that the word from `begin` to `end` is, or introduces (a header's name, a block's first line).
std::optional<SecretShape> secret_at(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view word = text.substr(begin, end - begin);
  for (const Prefix& prefix : prefixes)
    if (fits(prefix, word)) return SecretShape{begin, end, prefix.label};
  if (word == begin_of_block) return block_at(text, begin);
  if (const auto token = web_token_at(text, begin, end)) return token;
  for (const std::string_view known : headers)
    if (same_word(word, known)) return in_header(text, word, end);
  return std::nullopt;
}

/// True if a key may begin here: after another character than those of keys, or after a line break written as \n.
bool may_begin(std::string_view text, std::size_t at) {
  if (at == 0 || !is_word(text[at - 1])) return true;
  return at > 1 && text[at - 2] == '\\' && std::string_view("nrt").find(text[at - 1]) != std::string_view::npos;
}

/// Where a web token may begin that the text does not end.
std::size_t open_web_token(std::string_view text) {
  std::size_t run = text.size();
  while (run > 0 && (is_word(text[run - 1]) || text[run - 1] == '.') && text.size() - run < longest_web_token) --run;
  for (; run < text.size(); ++run) {
    const std::string_view rest = text.substr(run);
    if ((rest.starts_with(begin_of_web_token) || begin_of_web_token.starts_with(rest)) && may_begin(text, run)) break;
  }
  return run;
}

/// Where a URL's user may begin that the text does not end.
std::size_t open_user(std::string_view text) {
  const std::size_t url = text.rfind(before_user);
  if (url != text.npos && text.size() - url <= longest_user &&
      std::ranges::all_of(text.substr(url + before_user.size()), is_of_user))
    return url;
  for (const std::size_t part : {std::size_t{1}, std::size_t{2}})
    if (text.ends_with(before_user.substr(0, part))) return text.size() - part;
  return text.size();
}

/// Where a key may begin that the text does not end; the text's size if there is none.
std::size_t open_secret(std::string_view text) {
  constexpr std::size_t longest_block = 1 << 14, longest_header = 600;
  std::size_t cut = std::min(open_web_token(text), open_user(text));
  const std::size_t block = text.rfind(begin_of_block);
  if (block != text.npos && text.size() - block < longest_block) {
    const std::size_t last = text.find("-----END", block);
    if (last == text.npos || text.find("-----", last + 8) == text.npos) cut = block;
  }
  // A header's value ends with its line.
  const std::size_t line = text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1;
  for (std::size_t at = std::max(line, text.size() - std::min(text.size(), longest_header)); at < cut; ++at) {
    if (at > 0 && is_word(text[at - 1])) continue;
    for (const std::string_view known : headers)
      if (same_word(text.substr(at, known.size()), known)) cut = std::min(cut, at);
  }
  std::size_t word = text.size();
  while (word > 0 && is_word(text[word - 1]) && text.size() - word < longest_header) --word;
  // The letter of an escape such as \n before the word is no part of it.
  if (word > 0 && word < text.size() && text[word - 1] == '\\' && std::string_view("nrt").find(text[word]) != text.npos)
    ++word;
  if (word == text.size() && text.ends_with('\\')) return std::min(cut, text.size() - 1);
  const std::string_view open = text.substr(word);
  const auto may_become = [&](std::string_view prefix) { return open.starts_with(prefix) || prefix.starts_with(open); };
  bool begun = may_become(begin_of_block);
  for (const Prefix& prefix : prefixes) begun |= may_become(prefix.text);
  for (const std::string_view known : headers) begun |= same_word(open, known.substr(0, open.size()));
  return begun && !open.empty() ? std::min(cut, word) : cut;
}

/// Servers without keys accept any word as their key.
bool is_key(const std::string& value) {
  constexpr std::size_t least = 8, surely = 16;
  const auto letter = [](char c) { return is_small(c) || is_capital(c); };
  const bool mixed = std::ranges::any_of(value, letter) && std::ranges::any_of(value, is_digit_of_key);
  return value.size() >= surely || (value.size() >= least && mixed);
}

std::string mark(std::string_view label) {
  return "[redacted: " + std::string(label) + "]";
}

std::string without(const std::vector<Secret>& secrets, std::string text) {
  for (const Secret& secret : secrets) {
    std::size_t at = text.find(secret.value);
    if (at == text.npos) continue;
    std::string out;
    std::size_t from = 0;
    for (; at != text.npos; at = text.find(secret.value, from)) {
      out.append(text, from, at - from);
      out += mark(secret.label);
      from = at + secret.value.size();
    }
    out.append(text, from);
    text = std::move(out);
  }
  return text;
}

}  // namespace

Redactor::Redactor(std::vector<Secret> secrets) {
  for (Secret& secret : secrets)
    if (is_key(secret.value)) secrets_.push_back(std::move(secret));
  std::ranges::stable_sort(secrets_, [](const Secret& a, const Secret& b) { return a.value.size() > b.value.size(); });
}

std::string Redactor::operator()(std::string_view given) const {
  const std::string text = without(secrets_, std::string(given));
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      if (text.compare(at, before_user.size(), before_user) == 0)
        if (const auto password = password_in_url(text, at)) {
          out.append(text, from, password->begin - from);
          out += mark(password->label);
          from = at = password->end;
          continue;
        }
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    // A line break that was written as \n, as in JSON.
    if (at > 0 && text[at - 1] == '\\' && (text[at] == 'n' || text[at] == 'r' || text[at] == 't')) ++at;
    if (const std::optional<SecretShape> found = secret_at(text, at, end)) {
      out.append(text, from, found->begin - from);
      out += mark(found->label);
      from = end = found->end;
    }
    at = std::max(end, at + 1);
  }
  out.append(text, from);
  return out;
}

std::string RedactedStream::feed(std::string_view piece) {
  held_ += piece;
  const std::size_t cut = safe();
  std::string shown = redactor_(std::string_view(held_).substr(0, cut));
  held_.erase(0, cut);
  return shown;
}

std::string RedactedStream::end() {
  std::string shown = redactor_(held_);
  held_.clear();
  return shown;
}

/// The end of the part that no further piece can change.
std::size_t RedactedStream::safe() const {
  std::size_t cut = open_secret(held_);
  for (const Secret& secret : redactor_.secrets()) {
    const std::size_t most = std::min(secret.value.size() - 1, held_.size());
    for (std::size_t length = most; length > 0 && held_.size() - length < cut; --length)
      if (held_.compare(held_.size() - length, length, secret.value, 0, length) == 0) cut = held_.size() - length;
  }
  return cut;
}

}  // namespace kernel
