#include "kernel/runs/command_line.h"

#include <cstdio>
#include <filesystem>
#include <random>
#include <stdexcept>

#include <catch2/catch.hpp>

namespace {

using Values = std::map<std::string, std::string>;

kernel::CommandTemplate shell(const std::string& text) {
  return {true, {text}};
}

std::string text_of(const std::string& command, const Values& values) {
  const std::vector<std::string> argv = kernel::substitute(shell(command), values);
  REQUIRE(argv.size() == 3);
  REQUIRE(argv[0] == "sh");
  REQUIRE(argv[1] == "-c");
  return argv[2];
}

std::string why_not(const std::string& command) {
  const auto found = kernel::placeholders_in(shell(command));
  return found ? "" : found.problem().why;
}

/// What `program -c text` writes; its own complaints are left out.
std::string output_of(const std::string& program, const std::string& text) {
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  FILE* pipe = popen((program + " -c " + quoted + "' 2>/dev/null").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string out;
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) out += static_cast<char>(c);
  pclose(pipe);
  return out;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

const std::vector<std::string>& nasty_values() {
  static const std::vector<std::string> values = {"",
                                                  "a b",
                                                  "it's",
                                                  "\"",
                                                  "$(echo pwned)",
                                                  "`echo pwned`",
                                                  "; echo pwned",
                                                  "& echo pwned",
                                                  "| cat",
                                                  "> pwned",
                                                  "$HOME",
                                                  "${HOME}",
                                                  "\\",
                                                  "a\\",
                                                  "'\"'\"",
                                                  "' ; echo pwned ; '",
                                                  "*",
                                                  "?",
                                                  "[a-z]",
                                                  "~",
                                                  "#",
                                                  "!",
                                                  "a\nb",
                                                  "\n",
                                                  "\" ; echo pwned ; \"",
                                                  "x=$(id)",
                                                  "{a,b}",
                                                  "caf\xC3\xA9",
                                                  "\t",
                                                  "$'x'",
                                                  "<(id)",
                                                  "&&",
                                                  "||",
                                                  "((",
                                                  "\\'",
                                                  "\\\"",
                                                  "$",
                                                  "''",
                                                  "a'b\"c$d`e\\f"};
  return values;
}

}  // namespace

TEST_CASE("placeholders are named in order of first use, each once") {
  const auto names = kernel::names_in(shell("x {b} {a.d} {b} {data.c-1} {run_dir}"));
  REQUIRE(names);
  CHECK(*names == std::vector<std::string>{"b", "a.d", "data.c-1", "run_dir"});
  const auto words = kernel::names_in({false, {"python", "--n={n}", "{m}{n}"}});
  REQUIRE(words);
  CHECK(*words == std::vector<std::string>{"n", "m"});
}

TEST_CASE("doubled braces are literal braces") {
  CHECK(text_of("awk '{{print $1}}' ${{HOME}} {n}", {{"n", "3"}}) == "awk '{print $1}' ${HOME} 3");
  CHECK(text_of("{{{n}}}", {{"n", "3"}}) == "{3}");
  CHECK(kernel::substitute({false, {"a", "{{n}}", "{n}"}}, {{"n", "it's 3"}}) ==
        std::vector<std::string>{"a", "{n}", "it's 3"});
}

TEST_CASE("a brace that is no placeholder is refused with a remedy") {
  CHECK(why_not("x {n") == "a `{` is never closed");
  CHECK(why_not("x n}") == "a `}` stands alone");
  CHECK(why_not("awk '{print $1}'") == "`{print $1}` is not a placeholder");
  CHECK(why_not("find . -exec rm {} +") == "`{}` is not a placeholder");
  CHECK(why_not("x {a..b}") == "`{a..b}` is not a placeholder");
  CHECK(why_not("x {1a}") == "`{1a}` is not a placeholder");
  CHECK(why_not("x {a.}") == "`{a.}` is not a placeholder");
  CHECK_FALSE(kernel::names_in({false, {"x", "{"}}));
}

TEST_CASE("a placeholder behind a dollar or a backslash is refused") {
  CHECK(why_not("x ${n}") == "`${n}` mixes a placeholder with the shell's `$`");
  CHECK(why_not("x \"${n}\"") == "`${n}` mixes a placeholder with the shell's `$`");
  CHECK(why_not("x \\{n}") == "a backslash stands before `{n}`");
  CHECK(why_not("x \"\\{n}\"") == "a backslash stands before `{n}`");
  CHECK(why_not("x $\\\n{n}") == "`${n}` mixes a placeholder with the shell's `$`");
  CHECK(why_not("awk '$ {n}' '${n}' '\\{n}' \\\\{n} \\${n}").empty());
  CHECK_THROWS_AS(kernel::substitute(shell("x ${n}"), {{"n", "a b"}}), std::invalid_argument);
  CHECK_THROWS_AS(kernel::substitute(shell("x \\{n}"), {{"n", "a b"}}), std::invalid_argument);
}

TEST_CASE("a placeholder right behind a shell variable is refused") {
  CHECK(why_not("x $y{n}") == "`{n}` would become part of the shell variable's name before it");
  CHECK(why_not("x \"$y_1{n}\"") == "`{n}` would become part of the shell variable's name before it");
  CHECK(why_not("x $y\\\n{n}") == "`{n}` would become part of the shell variable's name before it");
  CHECK(why_not("x ${{y}}{n} $y/{n} '$y{n}' $1{n} \\$y{n}").empty());
}

TEST_CASE("a quote that is never closed and a backslash at the end are refused") {
  CHECK(why_not("x {n} \\") == "a backslash ends the command");
  CHECK(why_not("x \"{n}") == "a quote is never closed");
  CHECK(why_not("x '{n}") == "a quote is never closed");
  CHECK(why_not("x it\\'s \"it's\" 'say \"' {n}").empty());
}

TEST_CASE("plain values stand as they are, all others stay one word") {
  CHECK(text_of("x {n} --lr={lr}", {{"n", "2000"}, {"lr", "1e-4"}}) == "x 2000 --lr=1e-4");
  CHECK(text_of("x {v}", {{"v", "a b"}}) == "x 'a b'");
  CHECK(text_of("x {v}", {{"v", ""}}) == "x ''");
  CHECK(text_of("x {v}", {{"v", "it's"}}) == "x 'it'\\''s'");
  CHECK(text_of("x '{v}'", {{"v", "it's"}}) == "x 'it'\\''s'");
  CHECK(text_of("x \"{v}\"", {{"v", "$HOME \"`"}}) == "x \"\\$HOME \\\"\\`\"");
  CHECK(text_of("x {n}>out {n}<in", {{"n", "2"}}) == "x '2'>out '2'<in");
}

TEST_CASE("only plain values are let in where the quoting cannot be followed") {
  for (const char* command :
       {"x $(y {v})", "x `y {v}`", "cat <<EOF\n{v}\nEOF\n", "x $((1 + {v}))", "x $'{v}'", "x \"$(y '{v}')\"",
        "x $[{v}]", "(( x = {v} ))", "x ${{y:-'{v}'}}", "x # it's {v}", "x \"${{y-{v}}}\"", "x $\\\n(y {v})"}) {
    INFO(command);
    const auto found = kernel::placeholders_in(shell(command));
    REQUIRE(found);
    REQUIRE(found->size() == 1);
    CHECK(found->front().plain_only);
    CHECK_NOTHROW(kernel::substitute(shell(command), {{"v", "2000"}}));
    CHECK_THROWS_AS(kernel::substitute(shell(command), {{"v", "a b"}}), std::invalid_argument);
  }
}

TEST_CASE("simple shell text keeps every value in") {
  for (const char* command : {"x {v}", "x '{v}'", "x \"{v}\"", "x \"${{HOME}}\" {v}", "x $HOME {v}", "x $1 {v}; y",
                              "x # it's a comment\n{v}", "x a#b {v}", "x ${{#}} {v}", "x <in >out {v}", "x $# '{v}'"}) {
    INFO(command);
    const auto found = kernel::placeholders_in(shell(command));
    REQUIRE(found);
    REQUIRE(found->size() == 1);
    CHECK_FALSE(found->front().plain_only);
  }
}

TEST_CASE("a missing value is a broken promise") {
  CHECK_THROWS_AS(kernel::substitute(shell("x {n}"), {}), std::invalid_argument);
  CHECK_THROWS_AS(kernel::substitute({false, {"x", "{n}"}}, {}), std::invalid_argument);
}

TEST_CASE("no value escapes from its word in a real shell") {
  const std::vector<std::string> commands = {"printf '<%s>' {v}",
                                             "printf '<%s>' '{v}'",
                                             "printf '<%s>' \"{v}\"",
                                             "printf '<%s>' a{v}b",
                                             "printf '<%s>' \"a 'b\"{v}'c\"d'",
                                             "printf '<%s>' x\\'{v}",
                                             "printf '<%s>' \"it's {v}\"",
                                             "true # it's fine\nprintf '<%s>' {v}",
                                             "printf '<%s>' a#b'{v}'",
                                             "printf '<%s>' {v}{v}",
                                             "printf '<%s>' \"\\\"{v}\"",
                                             "x=1; printf '<%s>' \"${{x}}{v}\" '#' {v}",
                                             "true \\\n# it's\nprintf '<%s>' {v}",
                                             "printf '<%s>' \"a\\\\{v}\"",
                                             "printf '<%s>' '$'{v} '${v}'"};
  for (const std::string& command : commands)
    for (const char* program : {"sh", "bash"}) {
      const std::string marked = output_of(program, text_of(command, {{"v", "MARK"}}));
      for (const std::string& value : nasty_values()) {
        INFO(program << ": " << command << " with " << value);
        CHECK(output_of(program, text_of(command, {{"v", value}})) == replaced(marked, "MARK", value));
      }
    }
  CHECK_FALSE(std::filesystem::exists("pwned"));
}

TEST_CASE("no value escapes from its word in shell text thrown together at random") {
  // Whatever the text does with a plain value, it must do with every other value, and nothing else.
  const std::vector<std::string> parts = {" ",  " ",     "'",  "\"", "\\", "\n", "#", ";", "a",   "b",   "$",   "{{x}}",
                                          "$x", "|cat ", "&&", "(",  ")",  "=",  "1", "`", "<<E", "{v}", "{v}", "{v}"};
  std::mt19937 random(7);
  const auto pick = [&](std::size_t size) { return static_cast<std::size_t>(random() % size); };
  int tried = 0;
  while (tried < 100) {
    std::string command = "printf '<%s>' ";
    for (std::size_t i = 3 + pick(14); i > 0; --i) command += parts[pick(parts.size())];
    const auto found = kernel::placeholders_in(shell(command));
    if (!found || found->empty() || command.find("$$") != std::string::npos) continue;
    bool free = false;
    for (const kernel::Placeholder& placeholder : *found) free = free || !placeholder.plain_only;
    const std::string value = nasty_values()[pick(nasty_values().size())];
    INFO(command << " with " << value);
    if (!free) continue;
    std::string text;
    try {
      text = text_of(command, {{"v", value}});
    } catch (const std::invalid_argument&) {
      continue;
    }
    ++tried;
    for (const char* program : {"sh", "bash"})
      CHECK(output_of(program, text) == replaced(output_of(program, text_of(command, {{"v", "MARK"}})), "MARK", value));
  }
}
