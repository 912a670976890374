#include "apps/cli/draft/file_numbers.h"

#include <algorithm>
#include <regex>

#include <fmt/format.h>

#include "studyfile/yaml/scalars.h"

namespace cli {

namespace {

constexpr std::size_t most_text = 1 << 20, longest_line = 400;
/// Any number, since versions of a program may differ in it.
constexpr const char* number_pattern = "[-+.0-9][-+.0-9eE]*";

struct Syntax {
  std::vector<std::string_view> endings;
  std::regex line;   ///< Groups: the name, the number.
  const char* edit;  ///< Matches only such lines; {0} stands for the name, {1} for a number.
  bool of_object = false;
};

const std::vector<Syntax>& syntaxes() {
  static const std::vector<Syntax> all = {
      {{".py", ".toml", ".ini", ".cfg"},
       std::regex(R"(^([A-Za-z_]\w*)[ \t]*=[ \t]*([-+.0-9][-+.0-9eE]*)[ \t]*(?:#.*|;.*)?$)"),
       "s/^\\({0}\\s*=\\s*\\){1}\\s*\\([#;].*\\)\\?$/\\1{{{0}}}/"},
      // With an annotation, such as `lr: float = 0.1`; `else: x = 1` is a statement.
      {{".py"},
       std::regex(
           R"(^((?!(?:else|try|except|finally)\b)[A-Za-z_]\w*)[ \t]*:[^=#]+=[ \t]*([-+.0-9][-+.0-9eE]*)[ \t]*(?:#.*|;.*)?$)"),
       "s/^\\({0}\\s*:[^=]*=\\s*\\){1}\\s*\\([#;].*\\)\\?$/\\1{{{0}}}/"},
      // Fields of a class, and `config.trainer.lr = 0.1`.
      {{".py"},
       std::regex(R"(^ +([A-Za-z_]\w*) *: *(?:int|float) *= *([-+.0-9][-+.0-9eE]*) *(?:#.*)?$)"),
       "s/^\\(\\s\\+{0}\\s*:[^=]*=\\s*\\){1}\\s*\\(#.*\\)\\?$/\\1{{{0}}}/",
       true},
      {{".py"},
       std::regex(R"(^ *[A-Za-z_][\w.]*\.([A-Za-z_]\w*) *= *([-+.0-9][-+.0-9eE]*) *(?:#.*)?$)"),
       "s/^\\(\\s*[A-Za-z_][A-Za-z0-9_.]*\\.{0}\\s*=\\s*\\){1}\\s*\\(#.*\\)\\?$/\\1{{{0}}}/",
       true},
      {{".yaml", ".yml"},
       std::regex(R"(^[ \t]*([A-Za-z_]\w*):[ \t]+([-+.0-9][-+.0-9eE]*)[ \t]*(?:#.*)?$)"),
       "s/^\\(\\s*{0}:\\s\\+\\){1}\\s*\\(#.*\\)\\?$/\\1{{{0}}}/"},
      {{".json"},
       std::regex(R"re("([A-Za-z_]\w*)"[ \t]*:[ \t]*([-+.0-9][-+.0-9eE]*))re"),
       "s/\"{0}\" *: *[-+.0-9eE]*/\"{0}\": {{{0}}}/"}};
  return all;
}

/// What an object counts in itself, and a library's own switches, such as `torch._dynamo.config.recompile_limit`.
bool is_no_setting(const std::string& line) {
  static const std::regex other(
      R"(^ *(?:self|cls|torch|_?dynamo|_?inductor|np|numpy|tf|jax|plt|mpl|matplotlib|sys|os)\.)");
  return std::regex_search(line, other);
}

}  // namespace

std::vector<FileNumber> file_numbers(std::string_view file, const std::string& text) {
  std::vector<FileNumber> found;
  std::vector<std::string> twice;  ///< Or set elsewhere, too.
  for (std::size_t at = 0; at < std::min(text.size(), most_text);) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, std::min(end - at, longest_line));
    at = end + 1;
    for (const Syntax& syntax : syntaxes()) {
      if (std::ranges::none_of(syntax.endings, [&](std::string_view ending) { return file.ends_with(ending); }))
        continue;
      for (std::sregex_iterator match(line.begin(), line.end(), syntax.line), none; match != none; ++match) {
        const std::string name = (*match)[1], value = (*match)[2];
        if (!studyfile::as_number(value)) continue;
        if (std::ranges::find(found, name, &FileNumber::name) != found.end()) twice.push_back(name);
        if (syntax.of_object && is_no_setting(line)) twice.push_back(name);
        found.push_back({name, value, fmt::format(fmt::runtime(syntax.edit), name, number_pattern), syntax.of_object});
      }
    }
  }
  std::erase_if(found, [&](const FileNumber& n) { return std::ranges::find(twice, n.name) != twice.end(); });
  return found;
}

std::vector<std::string> seed_edits(const std::string& source) {
  static const std::regex call(
      R"(\b(manual_seed|manual_seed_all|seed|set_seed|seed_everything|default_rng|RandomState|PRNGKey)\(([0-9]+)\b)");
  std::vector<std::string> edits;
  const std::string text = source.substr(0, most_text);
  for (std::sregex_iterator at(text.begin(), text.end(), call); at != std::sregex_iterator(); ++at) {
    std::string edit = fmt::format("s/\\b{0}({1}\\b/{0}({{seed}}/", (*at)[1].str(), (*at)[2].str());
    if (std::ranges::find(edits, edit) == edits.end()) edits.push_back(std::move(edit));
  }
  return edits;
}

}  // namespace cli
