#include "executors/papers/paper_text.h"

#include <algorithm>

#include "executors/sandbox/sandbox.h"
#include "programs/bundled_programs.h"
#include "programs/find_program.h"
#include "programs/run_program.h"

namespace executors {

namespace {

constexpr std::size_t most_text = 16 << 20;
constexpr std::chrono::minutes patience(1);

PaperText without(std::string why, std::string todo, bool of_machine = false) {
  return {"", std::move(why), std::move(todo), of_machine};
}

/// True if the pages have fewer letters on average than a text has; a scanner may add a few in the margins.
bool is_scan(const std::string& text) {
  constexpr std::int64_t fewest = 20;
  const auto pages = std::max<std::int64_t>(1, std::ranges::count(text, '\f'));
  const auto letters = std::ranges::count_if(text, [](char c) { return static_cast<unsigned char>(c) > ' '; });
  return letters < fewest * pages;
}

}  // namespace

PaperText text_of_pdf(int fd, const std::string& search_path) {
  const std::string pdftotext = programs::find_on_path("pdftotext", search_path),
                    bwrap = programs::find_helper("bwrap", search_path);
  if (pdftotext.empty())
    return without("needs pdftotext, which is not installed", "install it: apt-get install poppler-utils", true);
  if (bwrap.empty())
    return without("is read in a sandbox, and bubblewrap is not installed", "apt-get install bubblewrap", true);
  // The programs that prlimit starts have these limits: 2 GB of memory, a minute of one processor.
  std::vector<std::string> command{"/usr/bin/prlimit", "--as=2147483648", "--cpu=60", "--fsize=0", "--core=0", bwrap};
  for (std::string& argument : bare_sandbox()) command.push_back(std::move(argument));
  command.insert(command.end(), {"--", pdftotext, "-enc", "UTF-8", "-", "-"});
  auto ran = programs::run_program({.argv = std::move(command),
                                    .environment = {{"LC_ALL", "C.UTF-8"}, {"PATH", "/usr/bin:/bin"}},
                                    .in = programs::OpenFile{fd},
                                    .limit = patience,
                                    .most_output = most_text,
                                    .excess = programs::Excess::kill});
  if (!ran || !ran->exit)
    return without("cannot be read by pdftotext: " + programs::why_no_exit(ran),
                   "take it out of the folder, or put its text there");
  // 1: the file cannot be opened or is not a PDF; 3: its permissions forbid it.
  if (ran->exit == 3 || ran->err.find("ncorrect password") != std::string::npos)
    return without("is encrypted", "put a copy without a password there: qpdf --decrypt IN OUT");
  if (ran->exit != 0)
    return without("cannot be read by pdftotext: " + (ran->err.empty() ? "exit " + std::to_string(*ran->exit)
                                                                       : ran->err.substr(0, ran->err.find('\n'))),
                   "take it out of the folder, or mend it");
  if (is_scan(ran->out))
    return without("has no text: its pages are pictures", "put a copy with text there: ocrmypdf IN OUT");
  return {std::move(ran->out), "", "", false};
}

}  // namespace executors
