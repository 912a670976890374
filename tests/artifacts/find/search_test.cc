// Words and questions over artifacts that others wrote. Every quote stands where it is said to stand.

#include <algorithm>
#include <fstream>
#include <set>

#include <catch2/catch.hpp>

#include "artifacts/find/folded_words.h"
#include "artifacts/find/questions.h"
#include "artifacts/find/word_search.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/text/untrusted_text.h"
#include "tests/places.h"

using namespace artifacts;

namespace {

struct Searchable {
  explicit Searchable(const std::string& name)
      : folder(tests::source_dir() + "/tests/artifacts/" + name), root(std::move(SafeRoot::open(folder).value())) {
    Findings unused;
    artifact = read_artifact(root, unused);
    passages = passages_of(artifact, root);
  }

  std::vector<std::string> asked(std::string_view question) const {
    std::vector<std::string> addresses;
    for (const Answer& one : answer_question(artifact, passages, question).answers)
      addresses.push_back(one.passage->address);
    return addresses;
  }

  std::string first_found(std::string_view words) const {
    const auto found = WordSearch(passages).find(words);
    return found.empty() ? "" : found.front().passage->address;
  }

  std::string folder;
  SafeRoot root;
  Artifact artifact;
  std::vector<ArtifactPassage> passages;
};

bool has(const std::vector<std::string>& list, std::string_view one) {
  return std::ranges::find(list, one) != list.end();
}

}  // namespace

TEST_CASE("words are compared without case, accents and endings") {
  const auto same = [](std::string_view a, std::string_view b) {
    return folded_words(a).at(0).text == folded_words(b).at(0).text;
  };
  CHECK(same("Größe", "GROSSE"));
  CHECK(same("naïve", "NAIVE"));
  CHECK(same("nai\u0308ve", "naive"));
  CHECK(same("Łódź", "lodz"));
  CHECK(same("Ελλάς", "ΕΛΛΆΣ"));
  CHECK(same("Ёлка", "елка"));
  CHECK(same("sorted", "sorting"));
  CHECK_FALSE(same("C01", "C02"));
  CHECK(folded_words("学习率 lr").size() == 4);
  CHECK(folded_words("\xff\xfe a").size() == 1);
  const auto words = folded_words("the — naïve");
  CHECK(words.at(1).begin == 8);
  CHECK(words.at(1).end == 14);
  CHECK(wanted_words("What is the lesson of the lessons?") == std::vector<std::string>{"lesson"});
  CHECK(wanted_words("what is it") == std::vector<std::string>{"what", "is", "it"});
}

TEST_CASE("a search ranks the entry that is about the words first, with a line of it") {
  const Searchable resnet("corpus/resnet");
  CHECK(resnet.first_found("C03") == "C03");
  CHECK(resnet.first_found("c03") == "C03");
  CHECK(resnet.first_found("Pascal VOC detection") == "evidence/tables/table7_pascal_voc_detection.md");
  CHECK(resnet.first_found("degradation plain nets depth-induced") == "C01");
  CHECK(resnet.first_found("zygote chromosome").empty());
  const auto found = WordSearch(resnet.passages).find("FLOPs of ResNet-152");
  REQUIRE_FALSE(found.empty());
  CHECK(found.front().share == Approx(1));
  for (std::size_t i = 1; i < found.size(); ++i) CHECK(found[i - 1].score >= found[i].score);
}

TEST_CASE("every address is there once, and every quote stands on its line") {
  for (const char* name : {"clean", "corpus/resnet", "corpus/minimal", "corpus/andes", "corpus/expbench",
                           "corpus/rebench-rust_codecontests"}) {
    INFO(name);
    const Searchable one(name);
    std::set<std::string> addresses;
    for (const ArtifactPassage& passage : one.passages) {
      CHECK(addresses.insert(passage.address).second);
      if (!passage.file.ends_with(".md") || passage.kind == "paper") continue;
      std::ifstream in(one.folder + "/" + passage.file);
      std::vector<std::string> lines;
      for (std::string line; std::getline(in, line);) lines.push_back(line);
      for (const PassageText& text : passage.texts) {
        REQUIRE(text.line >= 1);
        REQUIRE(static_cast<std::size_t>(text.line) <= lines.size());
        // Rows of tables are put together from their cells.
        if (lines[static_cast<std::size_t>(text.line) - 1].find('|') == std::string::npos)
          CHECK(lines[static_cast<std::size_t>(text.line) - 1].find(text.text) != std::string::npos);
      }
    }
  }
}

TEST_CASE("questions are answered with the entries that say it") {
  const Searchable resnet("corpus/resnet");
  const auto failed = resnet.asked("What failed?");
  REQUIRE_FALSE(failed.empty());
  for (const std::string& address : failed) {
    const auto there = std::ranges::find(resnet.passages, address, &ArtifactPassage::address);
    CHECK(there->kind == "dead_end");
  }
  CHECK(has(resnet.asked("what supports C02?"), "E02"));
  CHECK(has(resnet.asked("Which experiments prove C02"), "E01"));
  const auto resting = resnet.asked("Which claims rest on E01?");
  CHECK(has(resting, "C01"));
  CHECK(has(resting, "C02"));
  CHECK(has(resting, "C03"));  // By way of C02.
  CHECK_FALSE(has(resting, "E02"));
  CHECK(resnet.asked("What does C02 rest on?").front() == "C02");
  CHECK(has(resnet.asked("What does C02 rest on?"), "C01"));
  CHECK_FALSE(has(resnet.asked("What does C02 rest on?"), "C03"));
  CHECK(has(resnet.asked("what was tried about shortcut options?"), "N09"));
  CHECK(resnet.asked("what was tried about zebrafish?").empty());
  CHECK(resnet.asked("quantum gravity").empty());
  CHECK(resnet.asked("C02").front() == "C02");
  CHECK(has(resnet.asked("which claims are supported?"), "C01"));
  CHECK(resnet.asked("which claims are refuted?").empty());
  CHECK(has(resnet.asked("which claims rest on Table 2?"), "C01"));
}

TEST_CASE("no question is too odd") {
  const Searchable minimal("corpus/minimal");
  for (const char* question : {"", "?", "what", "the", "C99", "why", "\xff", "what supports", "does it"}) {
    INFO(question);
    CHECK_NOTHROW(minimal.asked(question));
  }
  CHECK(minimal.asked("what is the meaning of life?").empty());
}
