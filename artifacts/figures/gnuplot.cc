#include "artifacts/figures/gnuplot.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "artifacts/text/new_file.h"
#include "artifacts/text/scratch_folder.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {

namespace fs = std::filesystem;

namespace {

std::string script_of(const std::vector<Drawing>& drawings, const ScratchFolder& folder) {
  std::string script = "set encoding utf8\nset loadpath\n";
  for (const Drawing& d : drawings) {
    script += fmt::format(
        "reset\nset terminal svg size {},{} fixed font '{},12' fontscale 1.08 noenhanced background rgb 'white'\n",
        d.width, d.height, figure_font);
    script += fmt::format("set output '{}'\n{}\nunset output\n", folder.file(d.name + ".svg"), d.commands);
    // The canvas doubles with everything on it, so that both pictures look the same.
    script += fmt::format(
        "reset\nset terminal pngcairo size {},{} font '{},12' fontscale 1.75 linewidth 2 pointscale 2 "
        "noenhanced background rgb 'white'\n",
        2 * d.width, 2 * d.height, figure_font);
    script += fmt::format("set output '{}'\n{}\nunset output\n", folder.file(d.name + ".png"), d.commands);
  }
  return script;
}

/// Empty when the program ended well.
std::string run(const std::string& program, const std::string& script, const std::string& log, int limit_s) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, log.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);

  // Its environment is ours to say: settings of the user must not change a figure.
  const char* search = std::getenv("PATH");
  std::string path = std::string("PATH=") + (search ? search : "/usr/bin:/bin");
  std::string locale = "LC_ALL=C.UTF-8", home = "HOME=/nonexistent";
  char* environment[] = {path.data(), locale.data(), home.data(), nullptr};
  std::string name = program, defaults = "--default-settings", file = script;
  char* arguments[] = {name.data(), defaults.data(), file.data(), nullptr};
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, program.c_str(), &actions, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error) return fmt::format("{} cannot be started: {}", program, std::strerror(error));

  int status = 0;
  for (int waited_ms = 0; ::waitpid(child, &status, WNOHANG) == 0; waited_ms += 5) {
    if (waited_ms >= limit_s * 1000) {
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      return fmt::format("{} took longer than {} s", program, limit_s);
    }
    ::poll(nullptr, 0, 5);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  return fmt::format("{} failed", program);
}

std::string first_lines(const std::string& log) {
  std::string text = fs::exists(log) ? file_bytes(log) : "";
  return shortened(printable(trimmed(text)), 300);
}

bool whole(const Picture& picture) {
  return std::string_view(trimmed(picture.svg)).ends_with("</svg>") && picture.png.find("IEND") != std::string::npos;
}

Drawn draw_in_turn(const std::vector<Drawing>& drawings, int limit_s, const std::string& program) {
  Drawn drawn;
  if (drawings.empty()) return drawn;
  const ScratchFolder folder("etude-figures-");
  const std::string script = folder.file("figures.gp"), log = folder.file("log");
  std::ofstream(script, std::ios::binary) << script_of(drawings, folder);
  drawn.trouble = run(program, script, log, limit_s);
  if (!drawn.trouble.empty())
    if (const std::string said = first_lines(log); !said.empty()) drawn.trouble += ": " + said;
  for (const Drawing& d : drawings) {
    const std::string svg = folder.file(d.name + ".svg"), png = folder.file(d.name + ".png");
    if (!fs::exists(svg) || !fs::exists(png)) continue;
    Picture picture{file_bytes(svg), file_bytes(png)};
    if (whole(picture)) drawn.pictures[d.name] = std::move(picture);
  }
  if (drawn.trouble.empty() && drawn.pictures.size() < drawings.size()) drawn.trouble = program + " left out a picture";
  return drawn;
}

}  // namespace

Drawn draw(const std::vector<Drawing>& drawings, int limit_s, const std::string& program) {
  std::vector<Drawing> halves[2];
  for (std::size_t i = 0; i < drawings.size(); ++i) halves[i % 2].push_back(drawings[i]);
  auto second = std::async(std::launch::async, [&] { return draw_in_turn(halves[1], limit_s, program); });
  Drawn drawn = draw_in_turn(halves[0], limit_s, program);
  Drawn rest = second.get();
  drawn.pictures.merge(rest.pictures);
  if (drawn.trouble.empty()) drawn.trouble = std::move(rest.trouble);
  return drawn;
}

}  // namespace artifacts
