// What a reader is shown, and which of its quotations hold.
#include <algorithm>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "artifacts/audit/level2_review.h"
#include "tests/artifacts/samples/scratch.h"

using nlohmann::json;

namespace {

artifacts::ReviewPages two_pages() {
  return {{{"logic/claims.md", "# Claims\n\n## C01: Merge sort\n- **Statement**: is\n  stable on every input\n", 80},
           {"PAPER.md", "Something else entirely.\n", 25}},
          {}};
}

json dimension(std::string_view id, json score, json spans) {
  return {{"id", id}, {"score", std::move(score)}, {"reason", "so"}, {"spans", std::move(spans)}};
}

json span(const char* file, const std::string& quote) {
  return {{"file", file}, {"quote", quote}};
}

artifacts::Review read_one(json dimension) {
  return artifacts::read_review(json{{"dimensions", {std::move(dimension)}}}.dump(), two_pages());
}

}  // namespace

TEST_CASE("a quotation holds where the page has it, across lines too, and nowhere else") {
  const auto good =
      read_one(dimension("scope", 2, {span("logic/claims.md", "**Statement**: is stable  on every input")}));
  const artifacts::DimensionScore& scope = good.dimensions.at(2);
  CHECK(scope.score == 2);
  REQUIRE(scope.spans.size() == 1);
  CHECK(scope.spans[0].line == 4);
  CHECK(good.dimensions.size() == 6);
  CHECK(good.refused.size() == 5);  // five were not scored

  for (const json& wrong :
       {span("PAPER.md", "is stable on every input"), span("logic/claims.md", "is stable on all inputs"),
        span("logic/claims.md", "is stable"), span("../claims.md", "is stable on every input"), json(7), json("x"),
        json{{"file", 1}, {"quote", json::array()}}, span("logic/claims.md", std::string(1 << 20, 'x'))}) {
    const auto bad = read_one(dimension("scope", 5, {wrong}));
    CHECK_FALSE(bad.dimensions.at(2).score);
    CHECK(bad.refused.size() == 7);
    for (const std::string& why : bad.refused) CHECK(why.size() <= 400);
  }
}

TEST_CASE("an answer of a hundred thousand quotations is looked at for sixteen of each dimension") {
  const auto bad = read_one(dimension("scope", 5, json(100'000, span("PAPER.md", "It says nothing of the kind."))));
  CHECK_FALSE(bad.dimensions.at(2).score);
  CHECK(bad.refused.size() == 5 + 16 + 1);
}

TEST_CASE("a score is an integer from 1 to 5") {
  for (const json& score : {json(0), json(6), json(4.5), json("4"), json(), json(-1), json(1e300)}) {
    const auto review = read_one(dimension("scope", score, {span("PAPER.md", "Something else entirely.")}));
    CHECK_FALSE(review.dimensions.at(2).score);
    CHECK(review.dimensions.at(2).spans.size() == 1);
  }
}

TEST_CASE("an answer that is none scores nothing") {
  for (const char* answer :
       {"", "no", "{", "}{", "{}", "[]", R"({"dimensions":{}})", R"({"dimensions":[1,null,"x"]})"}) {
    const auto review = artifacts::read_review(answer, two_pages());
    CHECK(review.dimensions.size() == 6);
    CHECK_FALSE(review.refused.empty());
    CHECK(std::none_of(review.dimensions.begin(), review.dimensions.end(), [](const auto& d) { return d.score; }));
  }
}

TEST_CASE("the claims come first, large pages are cut, and what there is no room for is named") {
  const Scratch scratch;
  for (const char* folder : {"evidence", "logic", "src", "trace"}) std::filesystem::remove_all(scratch / folder);
  scratch.write("PAPER.md", std::string(3000, 'p'));
  scratch.write("logic/claims.md", std::string(5000, 'c'));
  scratch.write("logic/experiments.md", std::string(5000, 'e'));
  scratch.write("evidence/logs/run.md", std::string(3000, 'l'));
  scratch.write("src/code.py", "secret = 1\n");
  scratch.write(".ara_env", "KEY=1\n");
  const auto pages = artifacts::review_pages(scratch.path().string(), 6000);
  REQUIRE(pages);
  REQUIRE(pages->shown.size() == 3);
  CHECK(pages->shown[0].path == "logic/claims.md");
  CHECK(pages->shown[0].text.size() <= 2400);
  CHECK(pages->shown[0].bytes == 5000);
  CHECK(pages->shown[2].path == "PAPER.md");
  CHECK(pages->left_out == std::vector<std::string>{"evidence/logs/run.md"});
  std::size_t all = 0;
  for (const auto& page : pages->shown) all += page.text.size();
  CHECK(all <= 6000);
  CHECK_FALSE(artifacts::review_pages((scratch.path() / "none").string(), 6000));
}
