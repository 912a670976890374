// A merge takes what one side changed, names what both changed, renumbers what both added, and loses nothing.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <catch2/catch.hpp>
#include <unistd.h>

#include "artifacts/edit/edit_verbs.h"
#include "artifacts/merge/merge_artifacts.h"
#include "artifacts/merge/relocation.h"
#include "artifacts/merge/tree_merge.h"
#include "artifacts/published/judge_artifact.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/text/untrusted_text.h"
#include "tests/places.h"

using namespace artifacts;
namespace fs = std::filesystem;

namespace {

std::string text_of_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Three copies of an artifact: the common one and the two that change.
struct Versions {
  explicit Versions(const std::string& name) {
    root = fs::temp_directory_path() / ("etude-merge-" + std::to_string(::getpid()));
    fs::remove_all(root);
    fs::create_directories(root);
    for (const char* one : {"base", "ours", "theirs"})
      fs::copy(tests::source_dir() + "/tests/artifacts/" + name, root / one, fs::copy_options::recursive);
  }
  ~Versions() { fs::remove_all(root); }
  Versions(const Versions&) = delete;

  template <typename Change>
  void change(const char* version, Change make) const {
    auto draft = ArtifactDraft::open((root / version).string());
    REQUIRE(draft);
    const auto made = make(*draft);
    REQUIRE(made);
    REQUIRE_FALSE(draft->write());
  }
  void claim(const char* version, const std::string& statement) const {
    change(version, [&](ArtifactDraft& draft) {
      return add_to(draft, {.kind = AddedKind::claim, .title = statement, .fields = {{"statement", statement}}});
    });
  }
  MergePlan plan(bool with_base = true) const {
    auto made =
        plan_merge({with_base ? (root / "base").string() : "", (root / "ours").string(), (root / "theirs").string()},
                   "2026-01-01T00:00:00Z");
    REQUIRE(made);
    return std::move(*made);
  }
  /// The merged file.
  std::string merged(const MergePlan& plan, const std::string& path) const {
    const auto found = plan.written.find(path);
    return found == plan.written.end() ? text_of_file(root / "ours" / path) : found->second;
  }
  /// Everything that the merged artifact has, with its record.
  std::string everything(const MergePlan& plan) const {
    std::string all;
    for (const auto& entry : fs::recursive_directory_iterator(root / "ours"))
      if (entry.is_regular_file()) {
        const std::string path = fs::relative(entry.path(), root / "ours").string();
        if (!plan.left_out.contains(path)) all += merged(plan, path);
      }
    for (const auto& [path, bytes] : plan.written)
      if (!fs::exists(root / "ours" / path)) all += bytes;
    return all;
  }
  fs::path root;
};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE("lines that only one side changed are taken, and those that both changed are named") {
  CHECK(merge_lines("a\nb\nc\n", "a\nx\nc\n", "a\nb\nc\nd\n", AtConflict::ours).text == "a\nx\nc\nd\n");
  CHECK(merge_lines("a\r\nb\r\n", "a\r\nb\r\n", "a\nb\nc\n", AtConflict::ours).text == "a\r\nb\r\nc\r\n");
  CHECK(merge_lines("a", "a", "a\nb", AtConflict::ours).text == "a\nb");
  const MergedLines rows = merge_lines("|a|\n|-|\n", "|a|\n|-|\n|1|\n", "|a|\n|-|\n|2|\n", AtConflict::ours);
  CHECK(rows.text == "|a|\n|-|\n|1|\n|2|\n");
  CHECK(rows.conflicts.empty());
  const MergedLines both = merge_lines("a\nb\n", "a\nx\n", "a\ny\n", AtConflict::marks);
  REQUIRE(both.conflicts.size() == 1);
  CHECK(both.conflicts[0].ours == "x\n");
  CHECK(both.conflicts[0].theirs == "y\n");
  CHECK(both.text == "a\n<<<<<<< ours\nx\n||||||| base\nb\n=======\ny\n>>>>>>> theirs\n");
}

TEST_CASE("a page is merged entry by entry and field by field") {
  const std::string base =
      "# Claims\n\n## C01: one\n- **Statement**: a\n- **Status**: hypothesis\n- **Proof**: [E01]\n\n## C02: two\n- "
      "**Statement**: b\n";
  const auto with = [&](std::string_view from, std::string_view to, std::string text) {
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const auto merge = [&](const std::string& ours, const std::string& theirs, AtConflict at = AtConflict::ours) {
    return merge_page(base, ours, theirs, "logic/claims.md", at);
  };
  const std::string ours = with("hypothesis", "supported", base);
  const std::string theirs = with("[E01]", "[E01, E02]", base) + "\n## C03: three\n- **Statement**: c\n";
  const MergedPage merged = merge(ours, theirs);
  CHECK(merged.text == with("[E01]", "[E01, E02]", ours) + "\n## C03: three\n- **Statement**: c\n");
  CHECK(merged.conflicts.empty());
  REQUIRE(merged.taken.size() == 2);
  CHECK(merged.taken[0].address == "C01");
  CHECK(merged.taken[1].how == Taken::How::added);
  const MergedPage clash = merge(ours, with("hypothesis", "refuted", base));
  CHECK(clash.text == ours);
  REQUIRE(clash.conflicts.size() == 1);
  CHECK(clash.conflicts[0].where == "C01.Status");
  CHECK(clash.conflicts[0].theirs == "- **Status**: refuted\n");
  CHECK(contains(merge(ours, with("hypothesis", "refuted", base), AtConflict::marks).text,
                 "<<<<<<< ours\n- **Status**: supported\n||||||| base\n"));
  const std::string without = base.substr(0, base.find("## C02"));
  CHECK(merge(ours, without).text == ours.substr(0, ours.find("## C02")));
  CHECK(merge(with("two", "2", base), without).conflicts.size() == 1);
  CHECK(merge(with("two", "2", base), without).text == with("two", "2", base));
  const MergedPage restored = merge(without, with("two", "2", base));
  CHECK(restored.conflicts.size() == 1);
  CHECK(contains(restored.text, "## C02: 2"));
  CHECK(merge(base, base).text == base);
  CHECK(merge_page("", base, base, "logic/claims.md", AtConflict::ours).text == base);
}

TEST_CASE("a tree is merged node by node and key by key") {
  const std::string base =
      "tree:\n  - id: N01\n    type: question\n    title: one # why\n    children:\n      - id: N02\n        type: "
      "decision\n"
      "        choice: a\n        evidence: [C01]\n      - id: N03\n        type: dead_end\n        lesson: none\n";
  const auto with = [](std::string_view from, std::string_view to, std::string text) {
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const std::string ours = with("[C01]", "[C01, C02]", with("one #", "1 #", base));
  const std::string theirs =
      with("[C01]", "[C01, C03]",
           with("choice: a\n", "choice: >\n          long\n          text  # no comment\n", base)) +
      "        children:\n          - id: N04\n            type: question\n            # kept\n            title: "
      "\"four\"\n";
  const MergedPage merged = merge_tree(base, ours, theirs, AtConflict::ours);
  CHECK(merged.conflicts.empty());
  CHECK(merged.text ==
        "tree:\n  - id: N01\n    type: question\n    title: 1 # why\n    children:\n      - id: N02\n        type: "
        "decision\n"
        "        choice: >\n          long\n          text  # no comment\n        evidence: [C01, C02, C03]\n"
        "      - id: N03\n        type: dead_end\n        lesson: none\n        children:\n          - id: N04\n"
        "            type: question\n            # kept\n            title: \"four\"\n");
  // A text that both sides made a list of.
  const std::string prose = with("[C01]", "Some prose", base);
  CHECK(merge_tree(prose, with("Some prose", "[Some prose, C01]", prose),
                   with("Some prose", "[Some prose, C02]", prose), AtConflict::ours)
            .text == with("Some prose", "[Some prose, C01, C02]", prose));
  const MergedPage clash = merge_tree(base, ours, with("one #", "eins #", base), AtConflict::ours);
  REQUIRE(clash.conflicts.size() == 1);
  CHECK(clash.conflicts[0].where == "N01.title");
  CHECK(clash.text == ours);
  const std::string without = base.substr(0, base.find("      - id: N03"));
  CHECK(merge_tree(base, ours, without, AtConflict::ours).text == ours.substr(0, ours.find("      - id: N03")));
  CHECK(merge_tree(base, with("none", "some", base), without, AtConflict::ours).conflicts.size() == 1);
  CHECK(merge_tree(base, "tree: {x: [", theirs, AtConflict::marks).conflicts.size() == 1);
  CHECK(merge_tree("", base, base, AtConflict::ours).text == base);
}

TEST_CASE("ids and paths are rewritten where they are meant") {
  const Relocation to{{{"C01", "C05"}, {"E01", "E03"}, {"C1", "C2"}},
                      {{"N02", "N07"}},
                      {{"evidence/tables/t.md", "evidence/tables/t-2.md"}}};
  const auto moved = [&](std::string_view text, const std::string& file = "logic/claims.md") {
    return relocated(text, file, to, {"known C01"});
  };
  CHECK(moved("see C01, C01–C02 and (E01); XC01 C012 C01x") == "see C05, C05–C02 and (E03); XC01 C012 C01x");
  CHECK(moved("evidence/results/E01.md and E01_points.csv") == "evidence/results/E01.md and E01_points.csv");
  CHECK(moved("[t](evidence/tables/t.md)") == "[t](evidence/tables/t-2.md)");
  CHECK(moved("[t](tables/t.md)", "evidence/README.md") == "[t](tables/t-2.md)");
  CHECK(moved("«C01» C01") == "«C01» C05");
  CHECK(moved("the C1 data\n- **Proof**: C1\n") == "the C1 data\n- **Proof**: C2\n");
  CHECK(moved("known C01\nC01\n") == "known C01\nC05\n");
  CHECK(moved("  - id: N02\n    evidence: [C01]\n", "trace/exploration_tree.yaml") ==
        "  - id: N07\n    evidence: [C05]\n");
  std::set<std::string> taken{"C01", "C09", "C10"};
  CHECK(free_id("C01", taken) == "C11");
  CHECK(free_id("C01", taken) == "C12");
}

TEST_CASE("what both sides added is renumbered, with the references to it") {
  const Versions versions("clean");
  versions.claim("ours", "Ours says.");
  versions.claim("theirs", "Theirs says.");
  versions.change("theirs", [](ArtifactDraft& draft) {
    return add_to(draft, {.kind = AddedKind::node,
                          .title = "Theirs tried",
                          .type = "dead_end",
                          .parent = "N02",
                          .fields = {{"lesson", "See C03."}, {"evidence", std::vector<std::string>{"C03"}}}});
  });
  versions.change("ours", [](ArtifactDraft& draft) {
    return add_to(draft, {.kind = AddedKind::node, .title = "Ours asks", .type = "question", .parent = "N01"});
  });
  for (const char* version : {"ours", "theirs"})
    versions.change(version, [&](ArtifactDraft& draft) {
      return add_to(draft,
                    {.kind = AddedKind::evidence, .id = "tables/new", .title = version, .fields = {{"claims", "C03"}}});
    });
  const MergePlan plan = versions.plan();
  for (const FileConflict& one : plan.conflicts) UNSCOPED_INFO(one.file << " " << one.conflict.where);
  CHECK(plan.conflicts.empty());
  const std::string claims = versions.merged(plan, "logic/claims.md");
  CHECK(contains(claims, "## C03: Ours says."));
  CHECK(contains(claims, "## C04: Theirs says."));
  const std::string tree = versions.merged(plan, "trace/exploration_tree.yaml");
  CHECK(contains(tree, "- id: N07\n        type: question"));
  CHECK(contains(tree, "- id: N08\n            type: dead_end"));
  CHECK(contains(tree, "lesson: See C04."));
  CHECK(contains(tree, "evidence: [C04]"));
  CHECK(contains(versions.merged(plan, "evidence/tables/new-2.md"), "**Claims**: C04"));
  CHECK(contains(versions.merged(plan, "evidence/README.md"), "tables/new-2.md) |"));
  CHECK(contains(versions.merged(plan, merge_record), "\"was\":\"C03\""));
}

TEST_CASE("without a common artifact everything of theirs is added") {
  const Versions versions("clean");
  fs::remove_all(versions.root / "theirs");
  fs::copy(tests::source_dir() + "/tests/artifacts/corpus/resnet", versions.root / "theirs",
           fs::copy_options::recursive);
  const MergePlan plan = versions.plan(false);
  const std::string claims = versions.merged(plan, "logic/claims.md");
  CHECK(contains(claims, "## C09: Plain CNNs exhibit"));  // C01 of theirs; C01 to C08 are taken.
  Findings unused;
  constexpr std::string_view prefix[] = {"C"};
  const Layer layer = read_layer(claims, "logic/claims.md", prefix, false, unused);
  const std::size_t entries = static_cast<std::size_t>(
      std::ranges::count_if(layer.blocks, [](const Block& block) { return !block.id.empty(); }));
  CHECK(entries == 10);
  const Tree tree = read_tree(versions.merged(plan, "trace/exploration_tree.yaml"), "t", unused);
  CHECK(tree.nodes.size() == 6 + 15);
  CHECK(std::ranges::any_of(plan.conflicts, [](const FileConflict& one) { return one.file == "PAPER.md"; }));
  CHECK(plan.written.contains("trace/merged/theirs/PAPER.md"));
  const MergePlan same = [&] {
    fs::remove_all(versions.root / "theirs");
    fs::copy(versions.root / "ours", versions.root / "theirs", fs::copy_options::recursive);
    return versions.plan(false);
  }();
  CHECK(same.conflicts.empty());
  CHECK(same.entries.empty());
  CHECK(same.written.size() == 1);  // The record.
}

TEST_CASE("a seal is left behind, and kept aside") {
  const Versions versions("clean");
  std::ofstream(versions.root / "theirs/etude.json") << R"({"events": {"head": "abc"}})";
  std::ofstream(versions.root / "theirs/report.md") << "r\n";
  const MergePlan plan = versions.plan();
  CHECK_FALSE(plan.written.contains("etude.json"));
  CHECK(plan.written.contains("trace/merged/theirs/etude.json"));
  CHECK(plan.written.contains("trace/merged/theirs/report.md"));
  CHECK(contains(versions.merged(plan, merge_record), "\"head\":\"abc\""));
  std::ofstream(versions.root / "ours/etude.json") << "{}";
  const auto copy = plan_merge({"", (versions.root / "ours").string(), ""}, "now");
  REQUIRE(copy);
  CHECK(copy->left_out == std::set<std::string>{"etude.json"});
}

TEST_CASE("whatever both sides do, nothing is lost and no error of the published rules comes of it") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    DYNAMIC_SECTION("seed " << seed) {
      std::mt19937 random(seed);
      const char* const names[] = {"clean", "corpus/minimal", "corpus/resnet", "corpus/andes"};
      const Versions versions(names[seed % 4]);
      std::vector<std::string> said;
      int number = 0;
      for (const char* version : {"ours", "theirs"})
        for (int i = 0; i < 5; ++i) {
          versions.change(version, [&](ArtifactDraft& draft) -> kernel::Result<std::string> {
            const Artifact& artifact = draft.artifact();
            const auto& nodes = artifact.tree.nodes;
            const std::string node = nodes[random() % nodes.size()].id;
            std::vector<std::string> claims;
            for (const Block& block : artifact.claims.blocks)
              if (!block.id.empty()) claims.push_back(block.id);
            const std::string claim = claims[random() % claims.size()];
            const std::string text = "Said by " + std::string(version) + " as number " + std::to_string(++number) + ".";
            said.push_back(text);
            switch (random() % 5) {
              case 0:
                return add_to(draft, {.kind = AddedKind::claim, .title = text, .fields = {{"statement", "s"}}});
              case 1:
                return add_to(draft, {.kind = AddedKind::node,
                                      .title = text,
                                      .type = "experiment",
                                      .parent = node,
                                      .fields = {{"evidence", std::vector<std::string>{claim}}}});
              case 2:
                return edit_in(draft, node, {{"description", text}});
              case 3:
                return edit_in(draft, claim, {{"statement", text}});
              default:
                said.back() = claim;
                return link_in(draft, node, claim);
            }
          });
        }
      // What one version said and then changed again is not there to be lost.
      const std::string before = text_of_file(versions.root / "ours/logic/claims.md") +
                                 text_of_file(versions.root / "ours/trace/exploration_tree.yaml") +
                                 text_of_file(versions.root / "theirs/logic/claims.md") +
                                 text_of_file(versions.root / "theirs/trace/exploration_tree.yaml");
      const MergePlan plan = versions.plan();
      const std::string all = versions.everything(plan);
      for (const std::string& text : said) {
        INFO(text);
        if (contains(before, text)) CHECK(contains(all, text));
      }
      fs::copy(versions.root / "ours", versions.root / "merged", fs::copy_options::recursive);
      for (const auto& [path, bytes] : plan.written) {
        fs::create_directories((versions.root / "merged" / path).parent_path());
        std::ofstream(versions.root / "merged" / path, std::ios::binary) << bytes;
      }
      const auto judged = [&](const char* version) {
        const auto root = SafeRoot::open((versions.root / version).string());
        std::size_t errors = 0;
        for (const auto& fact : published::judge(published::read_pages(*root, root->list())))
          errors += published::rule_of(fact.code).severity == Severity::error ? 1 : 0;
        return errors;
      };
      CHECK(judged("merged") <= judged("ours"));
    }
  }
}
