#include "apps/cli/work/lookup.h"

#include <catch2/catch.hpp>

using namespace cli;

namespace {

const std::vector<std::string> ids = {"sorting-1a2b", "sorting-9f00", "sorting-9f00-again", "training-77aa"};

std::string text_of(const std::string& wanted, const std::vector<std::string>& among = ids) {
  const auto found = find_study(wanted, among);
  REQUIRE_FALSE(found);
  return found.problem().text();
}

}  // namespace

TEST_CASE("a whole id or a unique beginning names a study") {
  CHECK(*find_study("training-77aa", ids) == "training-77aa");
  CHECK(*find_study("t", ids) == "training-77aa");
  CHECK(*find_study("sorting-1", ids) == "sorting-1a2b");
}

TEST_CASE("a whole id wins over a longer one that begins with it") {
  CHECK(*find_study("sorting-9f00", ids) == "sorting-9f00");
}

TEST_CASE("an ambiguous beginning lists what it could mean") {
  CHECK(text_of("sort") ==
        "study `sort`: more than one study begins with it: name one of `sorting-1a2b`, `sorting-9f00` or "
        "`sorting-9f00-again`");
}

TEST_CASE("a long list of candidates is cut, and says how many more there are") {
  std::vector<std::string> many;
  for (int i = 0; i < 30; ++i) many.push_back("study-" + std::to_string(i));
  CHECK(text_of("study", many).find("and 25 more") != std::string::npos);
}

TEST_CASE("an unknown id gets the nearest spelling, or what there is") {
  CHECK(text_of("sorting-1a2c") == "study `sorting-1a2c`: no study has this id: did you mean `sorting-1a2b`?");
  CHECK(text_of("q").find("there are `sorting-1a2b`") != std::string::npos);
  CHECK(text_of("").find("no study has this id") != std::string::npos);
}

TEST_CASE("in an empty home the remedy is to run a study") {
  CHECK(text_of("x", {}).find("this home holds no study: start one with `etude run STUDY.yaml`") != std::string::npos);
}

TEST_CASE("what a person typed is shown without its control characters, and not at any length") {
  CHECK(text_of("\x1b[2J").find('\x1b') == std::string::npos);
  CHECK(text_of(std::string(5000, 'x')).size() < 400);
}

TEST_CASE("a run's name is its study's and a number") {
  const auto name = read_run_name("sorting-1a2b-r12");
  REQUIRE(name);
  CHECK(name->study == "sorting-1a2b");
  CHECK(name->number == 12);
}

TEST_CASE("what is no run's name says how one looks") {
  for (const char* wanted : {"sorting-1a2b", "sorting-1a2b-r", "sorting-1a2b-r0", "-r3", "", "x-r-4", "x-r99999999999"})
    CHECK(read_run_name(wanted).problem().text().find("write STUDY-rNUMBER") != std::string::npos);
}
