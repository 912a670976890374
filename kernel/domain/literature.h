#pragma once
// What a study may read and cite: the papers of its `corpus` as they were when it was prepared, and the works that its
// `references` list. Plain values; whoever can read files makes them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernel {

/// A file of the corpus.
struct Paper {
  std::string path;    ///< "papers/foo.pdf": the corpus folder's name, and what is below it.
  std::string sha256;  ///< Of the file.
  std::int64_t bytes = 0;
  std::string text;  ///< The blob of its text.
  int pages = 0;     ///< Passages of it, where it has no pages.
};

/// A work that may be cited, as the references say; empty members are not said.
struct Work {
  std::string key, type;  ///< type: BibTeX's, in lower case.
  std::string title, year, venue;
  std::vector<std::string> authors;  ///< "Kingma, Diederik P."
  std::string doi;                   ///< In lower case, from "10." on.
  std::string arxiv;                 ///< Without version: "1412.6980".
  std::string url;
  std::vector<std::string> parts{};  ///< Of an imported artifact, what else may be cited: "C03", as KEY/C03.
};

struct Literature {
  std::string corpus;         ///< A folder, absolute after parsing; empty: none.
  std::vector<Paper> papers;  ///< By path; known once the study is prepared.
  std::string references;     ///< A file, absolute after parsing; empty: nothing can be cited.
  std::string references_sha256;
  std::vector<Work> works;  ///< In file order, and then what the home had imported.

  bool empty() const { return corpus.empty() && references.empty() && works.empty(); }
  const Paper* paper(std::string_view path) const;
  const Work* work(std::string_view key) const;
};

/// A part of a paper that is found, shown and named by itself.
struct Passage {
  std::string place;      ///< "p. 3"; "l. 81-160" of a text without pages.
  std::string_view text;  ///< Of the whole text.
};

/// Pages end with a form feed, as pdftotext leaves them; what has none is cut every 80 lines.
std::vector<Passage> passages(std::string_view text);

/// "Diederik P. Kingma and Jimmy Ba, Adam: A Method for Stochastic Optimization, ICLR, 2015", without a full stop.
std::string described(const Work&);
/// "kingma": what an author is called by, in lower case ASCII; empty: nothing is left.
std::string surname(const std::string& author);

/// Of a text the part of at most `most` bytes that has most of these words close together; whole characters.
std::string excerpt(std::string_view text, std::string_view words, std::size_t most);

}  // namespace kernel
