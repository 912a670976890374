#include "artifacts/figures/gnuplot.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>

#include <fmt/format.h>

#include "artifacts/text/new_file.h"
#include "artifacts/text/untrusted_text.h"
#include "base/scratch_folder.h"
#include "programs/bundled_programs.h"
#include "programs/run_program.h"

namespace artifacts {

namespace fs = std::filesystem;

namespace {

constexpr double pixels_per_inch = 96;

std::string script_of(const std::vector<Drawing>& drawings, Formats formats, const kernel::ScratchFolder& folder) {
  std::string script = "set encoding utf8\nset loadpath\n";
  for (const Drawing& d : drawings) {
    if (formats == Formats::pdf || formats == Formats::all) {
      script += fmt::format(
          "reset\nset terminal pdfcairo size {:.3f}in,{:.3f}in font '{},12' fontscale 0.8 noenhanced "
          "background rgb 'white'\nset output '{}'\n{}\nunset output\n",
          d.width / pixels_per_inch, d.height / pixels_per_inch, figure_font, folder.file(d.name + ".pdf"), d.commands);
      if (formats == Formats::pdf) continue;
    }
    script += fmt::format(
        "reset\nset terminal svg size {},{} fixed font '{},12' fontscale 1.08 noenhanced background rgb 'white'\n",
        d.width, d.height, figure_font);
    script += fmt::format("set output '{}'\n{}\nunset output\n", folder.file(d.name + ".svg"), d.commands);
    if (formats == Formats::svg) continue;
    // The canvas and everything on it is doubled, so that both pictures look the same.
    script += fmt::format(
        "reset\nset terminal pngcairo size {},{} font '{},12' fontscale 1.75 linewidth 2 pointscale 2 "
        "noenhanced background rgb 'white'\n",
        2 * d.width, 2 * d.height, figure_font);
    script += fmt::format("set output '{}'\n{}\nunset output\n", folder.file(d.name + ".png"), d.commands);
  }
  return script;
}

/// The error; empty if the program ended well.
std::string run(const std::string& script, const kernel::ScratchFolder& folder, int limit_s) {
  const std::string program = "gnuplot";
  const char* variable = std::getenv("PATH");
  const std::string search = variable ? variable : "/usr/bin:/bin";
  const std::string path = programs::find_helper(program, search);
  if (path.empty()) return fmt::format("{} cannot be started: {}", program, std::strerror(ENOENT));
  // The user's settings must not change a figure.
  const auto ran = programs::run_program(
      {.argv = {path, "--default-settings", script},
       .environment = {{"PATH", search}, {"LC_ALL", "C.UTF-8"}, {"HOME", "/nonexistent"}, {"TZ", "UTC"}},
       .directory = folder.path(),
       .limit = std::chrono::seconds(limit_s)});
  if (!ran) return fmt::format("{} cannot be started: {}", program, ran.problem().why);
  if (ran->exit == 0) return "";
  const std::string trouble =
      ran->timed_out ? fmt::format("{} took longer than {} s", program, limit_s) : fmt::format("{} failed", program);
  const std::string said = shortened(printable(trimmed(ran->err)), 300);
  return said.empty() ? trouble : trouble + ": " + said;
}

bool whole_svg(const std::string& svg) {
  return std::string_view(trimmed(svg)).ends_with("</svg>");
}

/// Cairo writes when it drew; the same number of characters keeps the file's table of offsets true.
void clear_date(std::string& pdf) {
  constexpr std::string_view open = "/CreationDate (D:";
  const std::size_t at = pdf.find(open);
  if (at == pdf.npos) return;
  for (std::size_t i = at + open.size(); i < pdf.size() && is_digit(pdf[i]); ++i)
    pdf[i] = "20000101000000"[std::min<std::size_t>(i - at - open.size(), 13)];
}

bool is_whole(const Picture& picture, Formats formats) {
  const bool pdf = formats == Formats::pdf || formats == Formats::all;
  const bool png = formats == Formats::svg_and_png || formats == Formats::all;
  return (!pdf || picture.pdf.find("%%EOF") != std::string::npos) &&
         (!png || picture.png.find("IEND") != std::string::npos) && (formats == Formats::pdf || whole_svg(picture.svg));
}

Drawn draw_in_turn(const std::vector<Drawing>& drawings, Formats formats, int limit_s) {
  Drawn drawn;
  if (drawings.empty()) return drawn;
  const kernel::ScratchFolder folder = kernel::ScratchFolder::in_tmp("etude-figures-");
  const std::string script = folder.file("figures.gp");
  std::ofstream(script, std::ios::binary) << script_of(drawings, formats, folder);
  drawn.trouble = run(script, folder, limit_s);
  for (const Drawing& d : drawings) {
    const auto made = [&](const char* ending) {
      const std::string file = folder.file(d.name + ending);
      return fs::exists(file) ? file_bytes(file) : "";
    };
    Picture picture{made(".svg"), made(".png"), made(".pdf")};
    if (!is_whole(picture, formats)) continue;
    clear_date(picture.pdf);
    drawn.pictures[d.name] = std::move(picture);
  }
  if (drawn.trouble.empty() && drawn.pictures.size() < drawings.size()) drawn.trouble = "gnuplot left out a picture";
  return drawn;
}

}  // namespace

Drawn draw(const std::vector<Drawing>& drawings, Formats formats, int limit_s) {
  // Always by the same halves: gnuplot numbers the parts of an SVG over all that one process draws.
  std::vector<Drawing> halves[2];
  for (std::size_t i = 0; i < drawings.size(); ++i) halves[i % 2].push_back(drawings[i]);
  auto second = std::async(std::launch::async, [&] { return draw_in_turn(halves[1], formats, limit_s); });
  Drawn drawn = draw_in_turn(halves[0], formats, limit_s);
  Drawn rest = second.get();
  drawn.pictures.merge(rest.pictures);
  if (drawn.trouble.empty()) drawn.trouble = std::move(rest.trouble);
  return drawn;
}

}  // namespace artifacts
