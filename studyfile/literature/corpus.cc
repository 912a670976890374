#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/digest.h"
#include "studyfile/literature/bibtex.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {

namespace {

/// A relative path must stay in the study file's folder, also through links; an absolute one may be anywhere.
std::optional<std::string> path_of_literature(const Value& value, const Draft& draft) {
  const std::optional<std::string> given = value.text();
  if (!given) return std::nullopt;
  const std::string path = absolute_path(*given, draft);
  const bool relative = given->front() != '/';
  const char* remedy = "write its absolute path, if it is meant";
  if (relative && !stays_inside(*given))
    return value.refuse("`" + shown(*given) + "` lies outside the study file's folder", remedy), std::nullopt;
  if (!check_present(value, path)) return std::nullopt;
  std::error_code error;
  const std::string real = std::filesystem::canonical(path, error).string();
  const std::string folder = std::filesystem::canonical(draft.folder, error).string();
  if (relative && !error && !lies_below(real, folder))
    return value.refuse("`" + shown(*given) + "` is a link out of the study file's folder", remedy), std::nullopt;
  return path;
}

}  // namespace

void read_corpus(const Value& value, Draft& draft) {
  const auto path = path_of_literature(value, draft);
  if (!path) return;
  std::error_code error;
  if (!std::filesystem::is_directory(*path, error))
    return value.refuse("`" + *path + "` is not a folder", "name the folder that holds the papers");
  draft.spec.literature.corpus = *path;
  if (draft.spec.agents == "builtin")
    value.warn("the built-in agents read no papers", "name a profile with `agents`, or leave it out");
}

void read_references(const Value& value, Draft& draft) {
  constexpr std::uintmax_t most_bytes = 4 << 20;
  const auto path = path_of_literature(value, draft);
  if (!path) return;
  std::error_code error;
  if (!std::filesystem::is_regular_file(*path, error))
    return value.refuse("`" + *path + "` is not a file", "name a file in BibTeX's format");
  if (std::filesystem::file_size(*path, error) > most_bytes)
    return value.refuse("`" + *path + "` is larger than 4 MiB", "list in it what the study may cite");
  std::ifstream file(*path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return value.refuse("`" + *path + "` cannot be read", "make it readable");
  Bibliography list = read_bibtex(text.str());
  if (!list.wrong.empty())
    return value.refuse(fmt::format("line {} of `{}`: {}", list.line, *path, list.wrong),
                        "mend that entry, as BibTeX has it");
  if (list.works.empty())
    return value.refuse("`" + *path + "` lists no work", "put an entry into it: @article{KEY, title = {…}}");
  kernel::Literature& literature = draft.spec.literature;
  literature.references = *path;
  literature.references_sha256 = kernel::sha256_hex(text.str());
  literature.works = std::move(list.works);
}

}  // namespace studyfile
