// Artifacts made to keep their reader busy: the time that they take grows with their size, and no faster.

#include <functional>
#include <memory>

#include "artifacts/audit/audit.h"
#include "artifacts/read/layer_markdown.h"
#include "artifacts/read/references.h"
#include "tests/artifacts/samples/scratch.h"
#include "tests/cost.h"

namespace {

/// An artifact, to be changed and then checked.
std::unique_ptr<Scratch> artifact_with(std::string_view file, std::string_view text) {
  auto scratch = std::make_unique<Scratch>();
  scratch->write(file, text);
  return scratch;
}

/// A text that grows with its number of pieces.
struct Pieces {
  std::string_view piece;
  int times;
  std::string_view before = "", after = "";

  std::string text(int number) const { return std::string(before) + repeated(piece, number) + std::string(after); }
};

}  // namespace

TEST_CASE("YAML nested 100,000 deep is one finding, in every way to nest") {
  const std::string closing = repeated("}", 100'000);
  for (const Pieces& nest :
       {Pieces{"[", 100'000}, Pieces{"{children: [", 100'000}, Pieces{"- ", 100'000}, Pieces{"? ", 100'000},
        Pieces{"- ", 100'000, "tree:\n", "x"}, Pieces{"{a: ", 100'000, "tree: ", closing}}) {
    INFO(nest.piece);
    CHECK(tests::growth(
              nest.times / 4, [&](int number) { return artifact_with(tree, nest.text(number)); },
              [](const auto& scratch) {
                const auto report = scratch->check();
                CHECK(count(report, "too-deep") == 1);
                CHECK_FALSE(report.ok);
              }) < tests::linear);
  }
}

TEST_CASE("aliases that multiply without bound are one finding") {
  const auto name = [](int i) { return "a" + std::to_string(i); };
  const auto many_small_values = [&](int levels) {
    std::string laughs = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
    for (int i = 1; i < levels; ++i)
      laughs += name(i) + ": &" + name(i) + " [" + repeated("*" + name(i - 1) + ", ", 9) + "x]\n";
    return laughs + "tree: *" + name(levels - 1) + "\n";
  };
  const auto one_large_text_many_times = [](int times) {
    return "big: &b \"" + repeated("x", 1'000'000) + "\"\ntree: [" + repeated("*b, ", times) + "]\n";
  };
  const auto ever_deeper_one_alias_at_a_time = [&](int levels) {
    std::string deeper = "a0: &a0 []\n";
    for (int i = 1; i < levels; ++i) deeper += name(i) + ": &" + name(i) + " [*" + name(i - 1) + "]\n";
    return deeper + "tree: *" + name(levels - 1) + "\n";
  };
  const auto grows = [](int size, const auto& text_of) {
    return tests::growth(
        size, [&](int number) { return artifact_with(tree, text_of(number)); },
        [](const auto& scratch) { CHECK(count(scratch->check(), "too-large") == 1); });
  };
  const auto anchors_in_one_line = [&](int number) {
    std::string text = "tree: [";
    for (int i = 0; i < number; ++i) text += "&" + name(i) + " x, ";
    return text + "]\n";
  };
  CHECK(tests::growth(
            25'000, [&](int number) { return artifact_with(tree, anchors_in_one_line(number)); },
            [](const auto& scratch) { CHECK(count(scratch->check(), "bad-node") > 100); }) < tests::linear);
  CHECK(grows(12, many_small_values) < tests::linear);
  CHECK(grows(25'000, one_large_text_many_times) < tests::linear);
  CHECK(grows(5'000, ever_deeper_one_alias_at_a_time) < tests::linear);
}

TEST_CASE("an event log of one long line is read in one pass, and refused beyond a size") {
  CHECK(tests::growth(
            4'000'000, [](int size) { return artifact_with("trace/events.jsonl", repeated("x", size)); },
            [](const auto& scratch) {
              scratch->write("etude.json", R"({"etude": 1, "files": {}})");
              CHECK(count(scratch->check(), "broken-chain") == 1);
            }) < tests::linear);
  const auto scratch = artifact_with("etude.json", R"({"etude": 1, "files": {}})");
  scratch->write("trace/events.jsonl", "");
  std::filesystem::resize_file(*scratch / "trace/events.jsonl",
                               300u << 20);  // One line of zeros, with holes for bytes.
  artifacts::CheckReport report;
  CHECK(tests::memory_taken([&] { report = scratch->check(); }) < 200 << 20);
  CHECK(find(report, "broken-chain")->message.find("more than 64 MB") != std::string::npos);
}

TEST_CASE("an etude.json of millions of values is refused before it takes their memory") {
  const auto scratch =
      artifact_with("etude.json", R"({"etude": 1, "files": {}, "x": [)" + repeated("1,", 17'000'000) + "1]}");
  artifacts::CheckReport report;
  CHECK(tests::memory_taken([&] { report = scratch->check(); }) < 200 << 20);
  CHECK(find(report, "bad-json")->message.find("more than 16 million values") != std::string::npos);
}

TEST_CASE("Markdown made to be slow is not") {
  for (const Pieces& slow :
       {Pieces{"[", 1'000'000}, Pieces{"](", 500'000}, Pieces{"[a](", 300'000}, Pieces{"**", 500'000},
        Pieces{"**a", 300'000, "", ":"}, Pieces{"- **a**:\n", 200'000}, Pieces{"#", 1'000'000},
        Pieces{"## C1\n", 200'000}, Pieces{"|", 1'000'000}, Pieces{"|x\n", 300'000, "|a|\n|-|\n"},
        Pieces{"`", 1'000'000, "- **Proof**: `"}, Pieces{"C01-", 200'000, "- **Proof**: "}, Pieces{"`a", 300'000}}) {
    INFO(slow.before << slow.piece);
    CHECK(tests::growth(
              slow.times / 4, [&](int number) { return slow.text(number); },
              [](const std::string& text) {
                const artifacts::Layer layer = artifacts::scan_markdown(text, "x.md");
                for (const artifacts::Block& block : layer.blocks)
                  for (const artifacts::Field& field : block.fields) artifacts::references_in(field.text, field.line);
                artifacts::references_in(text, 1);
              }) < tests::linear);
  }
}

TEST_CASE("a million broken references are counted, and listed up to a bound") {
  const auto broken = [](int references) {
    auto scratch = std::make_unique<Scratch>();
    scratch->append("logic/claims.md", "- **Dependencies**: " + repeated("C55, ", references) + "\n");
    scratch->replace("logic/claims.md", "- **Dependencies**: [C01]\n", "");
    return scratch;
  };
  CHECK(tests::growth(50'000, broken, [](const auto& scratch) { scratch->check(); }) < tests::linear);
  const auto report = broken(200'000)->check();
  CHECK(report.errors >= 199'000);
  CHECK(report.findings.size() < 4'000);
  CHECK(report.findings.back().message.find("more findings of this rule") != std::string::npos);
}

TEST_CASE("words made to keep the audit busy do not") {
  const std::string start = "## C1: t\n- **Status**: supported\n- **Falsification criteria**: f\n- **Proof**: [E1]\n";
  const auto many_claims = [](int number) {
    std::string many;
    for (int i = 0; i < number; ++i) {
      const std::string n = std::to_string(i);
      many += "## C" + n + ": all w" + n + "\n- **Status**: supported\n- **Statement**: In all w" + n + " it is 0." +
              n + ". The times follow the comparisons.\n- **Dependencies**: [C" + n + "]\n";
    }
    return many;
  };
  const auto different_words = [](int number) {
    std::string words;
    for (int i = 0; i < number; ++i) words += "w" + std::to_string(i) + " ";
    return words;
  };
  const auto in_statement = [&](const std::string& text) { return start + "- **Statement**: " + text; };
  const std::vector<std::function<std::string(int)>> ways = {
      // As many parts as there are hundredths of the size.
      [&](int size) { return many_claims(size * 3 / 100); },
      [&](int size) { return in_statement(different_words(size * 2)); },
      [&](int size) { return in_statement(repeated("1.25 7% ", size * 2)); },
      [&](int size) { return start + "- **Evidence basis**: " + repeated("Table 1 (0.9 ", size); },
      [&](int size) {
        return start + "- **Sources**:\n" + repeated("  - 1.5 ← evidence/tables/table1.md «0.4»\n", size / 5);
      },
      [&](int size) { return in_statement(repeated("(", size * 5) + repeated("always, ", size * 2)); }};
  for (std::size_t i = 0; i < ways.size(); ++i) {
    INFO("way " << i);
    const auto grown = [&](int size) {
      auto scratch = artifact_with("logic/claims.md", ways[i](size));
      scratch->write("evidence/tables/table1.md",
                     "# Table 1\n\n**Source**: Table 1\n\n" + repeated("1.25 7% ", size * 2));
      std::string dead = "tree:\n";
      for (int node = 0; node < size * 3 / 100; ++node)
        dead += "- {id: N" + std::to_string(node) +
                ", type: dead_end, title: t, hypothesis: The times follow the comparisons.}\n";
      scratch->write(tree, dead);
      return scratch;
    };
    CHECK(tests::growth(25'000, grown, [](const auto& scratch) {
            const auto report = artifacts::audit(scratch->path().string());
            REQUIRE(report);
            CHECK(is_plain(artifacts::to_text(*report)));
          }) < tests::linear);
  }
}
