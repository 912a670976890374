#pragma once
// Earlier work that a study builds on: the papers of its `corpus`, the works of its `references`, and the artifact that
// it extends. Plain values; code that can read files fills them in when the study is prepared.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/identifiers.h"

namespace kernel {

/// A file of the corpus.
struct Paper {
  std::string path;    ///< "papers/foo.pdf": the corpus folder's name and the path below it.
  std::string sha256;  ///< Of the file.
  std::int64_t bytes = 0;
  std::string text;  ///< The blob of its text.
  int pages = 0;     ///< Number of pages, or of passages in a text without pages.
};

/// A work that may be cited, as the references file describes it; a member without a value is empty.
struct Work {
  std::string key, type;  ///< type: the BibTeX type in lower case.
  std::string title, year, venue;
  std::vector<std::string> authors;  ///< "Kingma, Diederik P."
  std::string doi;                   ///< In lower case, starting with "10.".
  std::string arxiv;                 ///< Without version: "1412.6980".
  std::string url;
  std::vector<std::string> parts{};  ///< Items of an imported artifact that can be cited as KEY/C03: "C03".
};

struct Literature {
  std::string corpus;         ///< A folder, absolute after parsing; empty if there is none.
  std::vector<Paper> papers;  ///< Sorted by path; filled when the study is prepared.
  std::string references;     ///< A file, absolute after parsing; empty if nothing can be cited.
  std::string references_sha256;
  std::vector<Work> works;  ///< In file order, followed by the home's imported artifacts.

  bool empty() const { return corpus.empty() && references.empty() && works.empty(); }
  const Paper* paper(std::string_view path) const { return find_by(papers, &Paper::path, path); }
  const Work* work(std::string_view key) const { return find_by(works, &Work::key, key); }
};

/// An approach that failed before: its node in the artifact, and the lesson that the artifact states.
struct ForeignDeadEnd {
  std::string id, title, lesson;
};

/// The artifact that the study builds on, copied when the study was prepared; the original is not read afterwards.
/// Who publishes a study, and on what terms.
struct Author {
  std::string name;
  std::string orcid;  ///< "0000-0002-1825-0097"; empty if it is not given.
  bool operator==(const Author&) const = default;
};
struct Publication {
  std::vector<Author> authors;                      ///< Empty: the program itself.
  std::string license, code_license, data_license;  ///< SPDX expressions of results, code and data; empty: none.
  bool operator==(const Publication&) const = default;
};

struct Extended {
  std::string source;  ///< A folder (absolute after parsing) or the id of an imported artifact; empty if there is none.
  std::string id;      ///< "ara:NAME"
  std::string title, doi;
  std::string files;                            ///< SHA-256 of the list of its files, which identifies the artifact.
  std::string head;                             ///< Chain head of its event log; empty if it has no log.
  WorkspaceHash workspace;                      ///< Its code, if the study uses it; empty if the study has its own.
  std::map<std::string, std::string> controls;  ///< Factor → level that the artifact used as control.
  std::vector<ForeignDeadEnd> dead_ends;

  bool empty() const { return source.empty(); }
};

/// A part of a paper: the unit of search, display and citation.
struct Passage {
  std::string place;      ///< "p. 3"; "l. 81-160" of a text without pages.
  std::string_view text;  ///< View into the whole text.
};

/// Splits a text at form feeds, which pdftotext writes after each page; a text without any is split every 80 lines.
std::vector<Passage> passages(std::string_view text);

/// "Diederik P. Kingma and Jimmy Ba, Adam: A Method for Stochastic Optimization, ICLR, 2015", without a full stop.
std::string described(const Work&);
/// An author's surname in lower-case ASCII: "kingma"; empty if no character is left.
std::string surname(const std::string& author);

/// The part of a text, at most `most` bytes of whole characters, in which most of these words are close together.
std::string excerpt(std::string_view text, std::string_view words, std::size_t most);

}  // namespace kernel
