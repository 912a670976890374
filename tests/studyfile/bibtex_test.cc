// BibTeX's files, those of honest people and those of others.
#include "studyfile/literature/bibtex.h"

#include <catch2/catch.hpp>

namespace {

using studyfile::read_bibtex;

kernel::Work only(const std::string& entry) {
  const studyfile::Bibliography read = read_bibtex(entry);
  INFO(entry);
  INFO(read.wrong);
  REQUIRE(read.works.size() == 1);
  return read.works.front();
}

std::string wrong_in(const std::string& text) {
  const studyfile::Bibliography read = read_bibtex(text);
  return read.wrong.empty() ? "" : std::to_string(read.line) + ": " + read.wrong;
}

}  // namespace

TEST_CASE("an entry becomes a work: names, accents, joined values, DOI and arXiv's number") {
  const studyfile::Bibliography read = read_bibtex(
      "What stands between entries is a comment, says Patashnik.\n"
      "@string{iclr = \"International Conference on \" # {Learning Representations}}\n"
      "@InProceedings{kingma2015, author = {Kingma, Diederik P. and Jimmy Ba and others},\n"
      "  title = {{Adam}: A Method for {S}tochastic Optimization}, booktitle = iclr, year = 2015, month = may,\n"
      "  eprint = {1412.6980v9}, archivePrefix = {arXiv}}\n"
      "@comment{ @article{x, } }\n"
      "@article{erdos, author = {Erd{\\H{o}}s, Paul and M{\\\"u}ller, J\\\"org and {The Band and Sons}},\n"
      "  title = \"On {\\`a} random graphs --- I\", doi = {https://doi.org/10.5486/PMD.1959}, year = {1959},}\n");
  REQUIRE(read.wrong == "");
  REQUIRE(read.works.size() == 2);
  const kernel::Work& adam = read.works[0];
  CHECK(adam.key == "kingma2015");
  CHECK(adam.type == "inproceedings");
  CHECK(adam.authors == std::vector<std::string>{"Kingma, Diederik P.", "Jimmy Ba"});
  CHECK(adam.arxiv == "1412.6980");
  CHECK(kernel::described(adam) ==
        "Diederik P. Kingma and Jimmy Ba, Adam: A Method for Stochastic Optimization, International Conference on "
        "Learning Representations, 2015");
  const kernel::Work& erdos = read.works[1];
  CHECK(erdos.authors == std::vector<std::string>{"Erdős, Paul", "Müller, Jörg", "The Band and Sons"});
  CHECK(erdos.title == "On à random graphs - I");
  CHECK(erdos.doi == "10.5486/pmd.1959");
  CHECK(kernel::surname(erdos.authors[0]) == "erdos");
  CHECK(kernel::surname("Ludwig van Beethoven") == "beethoven");
  CHECK(kernel::surname("van der Berg, Anna") == "berg");
}

TEST_CASE("where arXiv's number may stand, and what is none") {
  CHECK(only("@misc{a, title={T}, url={https://arxiv.org/abs/2301.00001v2}}").arxiv == "2301.00001");
  CHECK(only("@misc{a, title={T}, doi={10.48550/arXiv.2301.00001}}").arxiv == "2301.00001");
  CHECK(only("@misc{a, title={T}, journal={arXiv preprint arXiv:2301.00001}}").arxiv == "2301.00001");
  CHECK(only("@misc{a, title={T}, note={see arXiv: soon}}").arxiv == "");
  CHECK(only("@misc{a, title={T}, url={javascript:alert(1)}}").url == "");
}

TEST_CASE("what is wrong is said with its line") {
  CHECK(wrong_in("@article{a,\n title = {A") == "2: a `{` is not closed");
  CHECK(wrong_in("@article{a, title = \"A}") == "1: a `}` closes nothing");
  CHECK(wrong_in("\n@article{a}\n@book{b, title = {B}}") == "2: `a` has no title");
  CHECK(wrong_in("@book{b, title = {B}}\n@book{b, title = {C}}") == "2: `b` is listed twice");
  CHECK(wrong_in("@book{b, title = {B}, title = {C}}") == "1: `b` has `title` twice");
  CHECK(wrong_in("@book{b, title = nobody}").find("`nobody` is no @string") != std::string::npos);
  CHECK(wrong_in("@book{b, title = {B} year = 3}").find("a comma before a field") != std::string::npos);
  CHECK(wrong_in("@book{, title = {B}}").find("an entry has no key") != std::string::npos);
  CHECK(wrong_in("@book{b\xC3\xA9, title = {B}}").find("is no key") != std::string::npos);
  CHECK(wrong_in("@book{b., title = {B}}").find("is no key") != std::string::npos);
  CHECK(wrong_in("@book{b, title = {\xFF}}") == "1: it is no text in UTF-8");
  CHECK(wrong_in(std::string("@book{b, title = {\0}}", 21)) == "1: it holds NUL characters");
}

TEST_CASE("hostile files cost neither time nor memory") {
  CHECK(wrong_in("@book{b, title = " + std::string(100000, '{')) == "1: braces are nested too deeply");
  CHECK(wrong_in("@book{b, title = {" + std::string(100000, 'x') + "}}").find("longer than") != std::string::npos);
  std::string bomb = "@string{a = {" + std::string(10000, 'x') + "}}\n";
  for (char c = 'b'; c <= 'z'; ++c)
    bomb += std::string("@string{") + c + " = " + char(c - 1) + " # " + char(c - 1) + "}\n";
  CHECK(wrong_in(bomb).find("longer than") != std::string::npos);
  std::string many;
  for (int i = 0; i < 10001; ++i) many += "@misc{k" + std::to_string(i) + ", title={T}}\n";
  CHECK(wrong_in(many) == "10001: it lists more than 10000 works");
  CHECK(wrong_in(std::string(1000, '@')).find("a type behind `@` is missing") != std::string::npos);
  for (std::size_t cut = 0; cut < 80; ++cut)
    read_bibtex(
        std::string("@string{a = {x}}@book{k, title = {A {B} \\\"{o}} # a, author = {C, D and E}}").substr(0, cut));
  CHECK(studyfile::plain_tex("\\") == "");
  CHECK(studyfile::plain_tex("\\\"") == "");
  CHECK(studyfile::plain_tex("\\'{") == "");
  CHECK(studyfile::plain_tex("a\x1b[31m\\unknown{b}") == "a[31mb");
}
