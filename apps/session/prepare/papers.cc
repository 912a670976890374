#include "apps/session/prepare/papers.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "executors/papers/paper_text.h"
#include "memory/store/reader.h"
#include "memory/workspace/walk.h"

namespace session {

namespace {

constexpr std::int64_t most_pdf = 64 << 20, most_plain = 8 << 20, most_folder = std::int64_t{4} << 30;
constexpr std::size_t most_papers = 2000;

bool ends_in(const std::string& path, const char* ending) {
  return strcasecmp(std::filesystem::path(path).extension().c_str(), ending) == 0;
}
bool is_paper(const std::string& path) {
  return ends_in(path, ".pdf") || ends_in(path, ".md") || ends_in(path, ".markdown") || ends_in(path, ".txt");
}

kernel::Problem of_paper(const std::string& path, std::string why, std::string todo, bool of_machine = false) {
  return {path, 0, "corpus", std::move(why), std::move(todo), of_machine};
}

class Corpus {
 public:
  Corpus(const std::string& home, memory::Blobs& blobs, std::string search_path)
      : reader_(home), blobs_(blobs), search_path_(std::move(search_path)) {}

  /// `name`: its name in the study.
  kernel::Result<kernel::Paper> read(const std::string& path, const std::string& name) {
    const memory::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat about {};
    if (!file || ::fstat(file.get(), &about) != 0)
      return of_paper(path, std::string("cannot be read (") + std::strerror(errno) + ")",
                      "make it readable, or remove it from the folder");
    const bool pdf = ends_in(path, ".pdf");
    if (!S_ISREG(about.st_mode)) return of_paper(path, "is not a file", "remove it from the folder");
    if (about.st_size > (pdf ? most_pdf : most_plain))
      return of_paper(path, fmt::format("is larger than {} MiB", (pdf ? most_pdf : most_plain) >> 20),
                      "remove it from the folder, or split it");
    const auto hash = memory::hash_of_file(path);
    if (!hash) return of_paper(path, "cannot be read", "make it readable");
    kernel::Paper paper;
    if (auto known = reader_.paper(*hash); known && blobs_.exists(known->text)) paper = std::move(*known);
    paper.path = name;
    paper.sha256 = *hash;
    paper.bytes = about.st_size;
    if (paper.pages > 0) return paper;
    auto text = pdf ? of_pdf(file.get(), path) : plain(file.get(), path, static_cast<std::size_t>(about.st_size));
    if (!text) return text.problem();
    paper.pages = static_cast<int>(kernel::passages(*text).size());
    paper.text = blobs_.put(*text).sha256;
    return paper;
  }

 private:
  kernel::Result<std::string> of_pdf(int fd, const std::string& path) const {
    executors::PaperText read = executors::text_of_pdf(fd, search_path_);
    if (!read.why.empty()) return of_paper(path, std::move(read.why), std::move(read.todo), read.of_machine);
    return std::move(read.text);
  }

  static kernel::Result<std::string> plain(int fd, const std::string& path, std::size_t bytes) {
    std::string text(bytes, '\0');
    const long got = memory::read_some(fd, text.data(), text.size());
    if (got < 0) return of_paper(path, "cannot be read", "make it readable");
    text.resize(static_cast<std::size_t>(got));
    if (!kernel::valid_utf8(text) || text.find('\0') != text.npos)
      return of_paper(path, "is not text in UTF-8", "save it as UTF-8, or remove it from the folder");
    if (text.find_first_not_of(" \t\r\n\f") == text.npos)
      return of_paper(path, "has no text", "remove it from the folder");
    return text;
  }

  memory::Reader reader_;
  memory::Blobs& blobs_;
  const std::string search_path_;
};

}  // namespace

kernel::Result<std::vector<kernel::Paper>> read_papers(const std::string& home, memory::Blobs& blobs,
                                                       const std::string& folder,
                                                       const std::map<std::string, std::string>& environment) {
  if (folder.empty()) return std::vector<kernel::Paper>();
  std::error_code error;
  const std::string root = std::filesystem::canonical(folder, error).string();
  if (error) return of_paper(folder, "does not exist", "correct its path in the study file");
  memory::Selection everything;
  const auto walked = memory::walk(root, everything, "corpus", "remove it from the folder");
  if (!walked) return walked.problem();
  const std::string name = std::filesystem::path(folder).filename().string();
  const auto path = environment.find("PATH");
  Corpus corpus(home, blobs, path == environment.end() ? "/usr/bin:/bin" : path->second);
  std::vector<kernel::Paper> papers;
  std::int64_t bytes = 0;
  for (const memory::WalkEntry& entry : walked->entries) {
    if (entry.type == kernel::EntryType::folder || !is_paper(entry.path)) continue;
    if (entry.type == kernel::EntryType::link)
      return of_paper(root + "/" + entry.path, "is a link", "put the paper itself there");
    if (papers.size() >= most_papers)
      return of_paper(folder, fmt::format("holds more than {} papers", most_papers), "name a smaller folder");
    auto paper = corpus.read(root + "/" + entry.path, name + "/" + entry.path);
    if (!paper) return paper.problem();
    bytes += paper->bytes;
    if (bytes > most_folder) return of_paper(folder, "is larger than 4 GiB", "name a smaller folder");
    papers.push_back(std::move(*paper));
  }
  if (papers.empty())
    return of_paper(folder, "holds no PDF, Markdown or text file", "put papers there, or leave `corpus` out");
  std::ranges::sort(papers, [](const auto& a, const auto& b) { return a.path < b.path; });
  return papers;
}

}  // namespace session
