// Edits change the lines that they are about and no other byte, in artifacts of others too.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>
#include <unistd.h>

#include "artifacts/edit/edit_verbs.h"
#include "artifacts/edit/page_edits.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/text/untrusted_text.h"
#include "tests/places.h"

using namespace artifacts;
namespace fs = std::filesystem;

namespace {

std::string file_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A copy of an artifact in a folder of its own.
struct Copy {
  explicit Copy(const std::string& name) {
    path = fs::temp_directory_path() /
           ("etude-edit-" + std::to_string(::getpid()) + "-" + fs::path(name).filename().string());
    fs::remove_all(path);
    fs::copy(tests::source_dir() + "/tests/artifacts/" + name, path, fs::copy_options::recursive);
  }
  ~Copy() { fs::remove_all(path); }
  Copy(const Copy&) = delete;
  ArtifactDraft draft() const {
    auto opened = ArtifactDraft::open(path.string());
    REQUIRE(opened);
    return std::move(*opened);
  }
  fs::path path;
};

/// Whether `after` is `before` with something put in at one place, so that taking it out again gives `before`.
bool only_adds(std::string_view before, std::string_view after) {
  if (after.size() <= before.size()) return false;
  const auto [a, b] = std::ranges::mismatch(before, after);
  const auto same = static_cast<std::size_t>(a - before.begin());
  const std::size_t more = after.size() - before.size();
  for (std::size_t at = same + 1; at-- > 0;)
    if (before.substr(at) == after.substr(at + more)) return true;
  return false;
}

std::string yaml = "tests.yaml";

std::string field_of(std::string_view tree, const std::string& id, const std::string& key, const FieldValue& value) {
  const auto edited = with_node_field(tree, yaml, id, key, value);
  return edited ? edited->bytes : edited.problem().text();
}

std::string entry_of(std::string_view tree, const std::string& id, const std::string& key, const std::string& entry) {
  const auto edited = with_node_entry(tree, yaml, id, key, entry);
  return edited ? edited->bytes : edited.problem().text();
}

constexpr std::string_view small_tree =
    "# head\r\n"
    "tree:   # the nodes\r\n"
    "  - id: N01\r\n"
    "    type: question\r\n"
    "    title: 'It''s one'   # why  \r\n"
    "    description: >\r\n"
    "      folded\r\n"
    "      text\r\n"
    "\r\n"
    "    # below\r\n"
    "    children:\r\n"
    "\r\n"
    "      - id: N02\r\n"
    "        type: experiment\r\n"
    "        title: \"two\"\r\n"
    "        evidence: [C01, \"Table 2\"] # both\r\n"
    "      # last\r\n"
    "\r\n"
    "  - id: N03\r\n"
    "    type: dead_end\r\n"
    "    reason: plain # old\r\n";

std::string with(std::string_view text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  REQUIRE(at != text.npos);
  return std::string(text.substr(0, at)) + std::string(to) + std::string(text.substr(at + from.size()));
}

const char* const corpus[] = {"clean",        "corpus/minimal",  "corpus/resnet",
                              "corpus/andes", "corpus/expbench", "corpus/rebench-rust_codecontests"};

}  // namespace

TEST_CASE("a field of a node changes in its style, with the comment behind it and the line ends") {
  CHECK(field_of(small_tree, "N01", "title", "It's 2") == with(small_tree, "'It''s one'", "'It''s 2'"));
  CHECK(field_of(small_tree, "N02", "title", "a: b #c") == with(small_tree, "\"two\"", "\"a: b #c\""));
  CHECK(field_of(small_tree, "N02", "title", "plain") == with(small_tree, "\"two\"", "\"plain\""));
  CHECK(field_of(small_tree, "N03", "why_failed", "other") == with(small_tree, "plain #", "other #"));
  CHECK(field_of(small_tree, "N03", "why_failed", "true") == with(small_tree, "plain #", "\"true\" #"));
  CHECK(field_of(small_tree, "N01", "description", "one line") ==
        with(small_tree, "      folded\r\n      text\r\n", "      one line\r\n"));
  CHECK(field_of(small_tree, "N01", "description", "a\nb") ==
        with(small_tree, ">\r\n      folded\r\n      text\r\n", "|\r\n      a\r\n      b\r\n"));
  CHECK(field_of(small_tree, "N02", "result", "x") ==
        with(small_tree, " # both\r\n", " # both\r\n        result: x\r\n"));
  CHECK(field_of(small_tree, "N01", "status", "open") ==
        with(small_tree, "      text\r\n", "      text\r\n    status: open\r\n"));
  CHECK(field_of(small_tree, "N02", "title", "two") == small_tree);
}

TEST_CASE("a list of a node gets one more entry, in every shape") {
  CHECK(entry_of(small_tree, "N02", "evidence", "C02") == with(small_tree, "\"Table 2\"]", "\"Table 2\", C02]"));
  CHECK(entry_of(small_tree, "N02", "evidence", "C01") == small_tree);
  CHECK(entry_of(small_tree, "N03", "evidence", "C01") ==
        with(small_tree, "plain # old\r\n", "plain # old\r\n    evidence: [C01]\r\n"));
  const auto shape = [](std::string_view value) {
    return entry_of("tree:\n  - id: N1\n    evidence:" + std::string(value) + "\n    title: t\n", "N1", "evidence",
                    "C2");
  };
  const auto expected = [](std::string_view value) {
    return "tree:\n  - id: N1\n    evidence:" + std::string(value) + "\n    title: t\n";
  };
  CHECK(shape(" []") == expected(" [C2]"));
  CHECK(shape(" [] # c") == expected(" [C2] # c"));
  CHECK(shape("") == expected(" [C2]"));
  CHECK(shape(" prose, with: no") ==
        "tests.yaml:3: cannot be edited: mapping values are not allowed in this context: "
        "edit it by hand");
  CHECK(shape(" some prose") == expected(" [\"some prose\", C2]"));
  CHECK(shape(" \"a, b\"") == expected(" [\"a, b\", C2]"));
  CHECK(shape("\n      - C1\n      - x  ") == expected("\n      - C1\n      - x  \n      - C2"));
  CHECK(shape("\n    - C1") == expected("\n    - C1\n    - C2"));
  CHECK(shape(" [C1,\n      x, # why\n    ]") == expected(" [C1,\n      x, C2 # why\n    ]"));
}

TEST_CASE("a node is put behind its siblings, or begins the children of its parent") {
  const auto added = [](std::string_view tree, const std::string& parent) {
    const auto edited = with_node(tree, yaml, {parent, {{"id", "N9"}, {"type", "question"}}});
    return edited ? edited->bytes : edited.problem().text();
  };
  CHECK(added(small_tree, "N01") == with(small_tree, "# both\r\n      # last\r\n",
                                         "# both\r\n      # last\r\n\r\n      - id: N9\r\n        type: question\r\n"));
  CHECK(added(small_tree, "N03") ==
        std::string(small_tree) + "    children:\r\n      - id: N9\r\n        type: question\r\n");
  CHECK(added(small_tree, "") == std::string(small_tree) + "\r\n  - id: N9\r\n    type: question\r\n");
  CHECK(added("tree: []\n", "") == "tree:\n  - id: N9\n    type: question\n");
  CHECK(added("tree:\n- id: N1\n", "") == "tree:\n- id: N1\n- id: N9\n  type: question\n");
  CHECK(added("tree:\n- id: N1\n", "N1") == "tree:\n- id: N1\n  children:\n    - id: N9\n      type: question\n");
  CHECK(added("tree:\n  - id: N1", "N1") == "tree:\n  - id: N1\n    children:\n      - id: N9\n        type: question");
  CHECK(added("tree: [{id: N1}]\n", "N1").find("not written in lines") != std::string::npos);
  CHECK(added("tree:\n  - id: N1\n", "N7").find("there is no node") != std::string::npos);
  CHECK(next_node_id("tree:\n  - id: N007\n", "N") == "N008");
}

TEST_CASE("a field of a page changes in its style") {
  constexpr std::string_view page =
      "# Claims\n\n## C01: one\n- **Statement**: a  \n  goes on\n- **Proof**: [E01]\n* **Tags:** x\n\n---\n\n"
      "## C02 — two\n\n**Statement**: b\n\n### Proof\nnone\n\n---\n";
  const auto set = [&](const std::string& id, const std::string& name, const std::string& value) {
    const auto edited = with_field(page, "logic/claims.md", id, name, value);
    return edited ? edited->bytes : edited.problem().text();
  };
  CHECK(set("C01", "statement", "z") == with(page, "a  \n  goes on", "z"));
  CHECK(set("C01", "tags", "y, z") == with(page, "x\n", "y, z\n"));
  CHECK(set("C01", "title", "new") == with(page, "C01: one", "C01: new"));
  CHECK(set("C02", "title", "new") == with(page, "— two", "— new"));
  CHECK(set("C02", "Proof", "[E02]") == with(page, "none", "[E02]"));
  CHECK(set("C01", "falsification_criteria", "f\ng") == with(page, "x\n", "x\n* **Falsification criteria:** f\n  g\n"));
  CHECK(set("C01", "statement", "x\n## C09: forged\n- **Status**: supported").find("be read as something else") ==
        std::string::npos);  // Indented, it stays text of the field.
  CHECK(set("C01", "title", "a\n## C09: b").find("something else") != std::string::npos);
  const auto refer = [&](const std::string& id, const std::string& field, const std::string& to) {
    const auto edited = with_reference(page, "logic/claims.md", id, field, to);
    return edited ? edited->bytes : edited.problem().text();
  };
  CHECK(refer("C01", "Proof", "E02") == with(page, "[E01]", "[E01, E02]"));
  CHECK(refer("C01", "Proof", "E01") == page);
  CHECK(refer("C02", "Proof", "E01") == with(page, "none", "[E01]"));
  CHECK(refer("C01", "Dependencies", "C02") == with(page, "x\n", "x\n* **Dependencies:** C02\n"));
  const auto added = with_entry(page, "logic/claims.md", "C", "Claims", {"C03", "three", {{"Statement", "c"}}});
  REQUIRE(added);
  CHECK(added->bytes == with(page, "none\n", "none\n\n---\n\n## C03: three\n**Statement**: c\n"));
}

TEST_CASE("in artifacts of others every node and claim can be edited, and nothing else changes") {
  for (const char* name : corpus) {
    DYNAMIC_SECTION(name) {
      const std::string folder = tests::source_dir() + "/tests/artifacts/" + name;
      const std::string bytes = file_text(folder + "/trace/exploration_tree.yaml");
      Findings unused;
      const Tree tree = read_tree(clean(bytes).text, "t", unused);
      REQUIRE_FALSE(tree.nodes.empty());
      for (std::size_t i = 0; i < tree.nodes.size(); i += 1 + tree.nodes.size() / 40) {
        const TreeNode& node = tree.nodes[i];
        INFO(node.id);
        const auto added =
            with_node(bytes, yaml, {node.id, {{"id", "N9999"}, {"type", "question"}, {"title", "new: #1"}}});
        REQUIRE(added);
        CHECK(only_adds(bytes, added->bytes));
        const Tree now = read_tree(clean(added->bytes).text, "t", unused);
        REQUIRE(now.nodes.size() == tree.nodes.size() + 1);
        const auto fresh = std::ranges::find(now.nodes, "N9999", &TreeNode::id);
        REQUIRE(fresh != now.nodes.end());
        CHECK(now.nodes[static_cast<std::size_t>(fresh->parent)].id == node.id);
        if (!node.title.empty()) CHECK((field_of(bytes, node.id, "title", node.title) == bytes));
        const std::string titled = field_of(bytes, node.id, "title", "Un titre: “neuf” # 1");
        const Tree renamed = read_tree(clean(titled).text, "t", unused);
        REQUIRE(renamed.nodes.size() == tree.nodes.size());
        CHECK(renamed.nodes[i].title == "Un titre: “neuf” # 1");
        for (const NodeField& field : node.fields) {
          INFO(field.key);
          if (field.value.kind != YamlValue::Kind::scalar) continue;
          const std::string text = "Short text.";
          const Tree changed = read_tree(clean(field_of(bytes, node.id, field.key, text)).text, "t", unused);
          REQUIRE(changed.nodes.size() == tree.nodes.size());
          CHECK(flat(*changed.nodes[i].field(field.key)) == text);
        }
        const std::string linked = entry_of(bytes, node.id, "evidence", "C01");
        const Tree more = read_tree(clean(linked).text, "t", unused);
        REQUIRE(more.nodes.size() == tree.nodes.size());
        CHECK(std::ranges::any_of(more.nodes[i].evidence, [](const Text& one) { return one.text == "C01"; }));
      }
      const std::string claims = file_text(folder + "/logic/claims.md");
      constexpr std::string_view prefix[] = {"C"};
      const Layer layer = read_layer(clean(claims).text, "logic/claims.md", prefix, false, unused);
      for (const Block& block : layer.blocks) {
        if (block.id.empty()) continue;
        INFO(block.id);
        for (const Field& field : block.fields) {
          INFO(field.name);
          const auto set = with_field(claims, "logic/claims.md", block.id, field.name, "A new value.");
          REQUIRE(set);
          const Layer now = read_layer(clean(set->bytes).text, "logic/claims.md", prefix, false, unused);
          CHECK(now.find(block.id)->field(field.name)->text == "A new value.");
        }
        CHECK(with_reference(claims, "logic/claims.md", block.id, "Dependencies", "C01"));
      }
      const auto added = with_entry(claims, "logic/claims.md", "C", "Claims", {"C98", "new", {{"Statement", "s"}}});
      REQUIRE(added);
      CHECK(only_adds(claims, added->bytes));
    }
  }
}

TEST_CASE("an edit brings no finding of the published rules, or is refused with it") {
  for (const char* name : corpus) {
    DYNAMIC_SECTION(name) {
      const Copy copy(name);
      ArtifactDraft draft = copy.draft();
      const std::string parent = draft.artifact().tree.nodes.front().id;
      const auto claim = add_to(draft, {.kind = AddedKind::claim, .title = "new", .fields = {{"statement", "s"}}});
      REQUIRE(claim);
      const auto node = add_to(draft, {.kind = AddedKind::node,
                                       .title = "tried",
                                       .type = "experiment",
                                       .parent = parent,
                                       .now = "2026-01-01T00:00:00Z",
                                       .fields = {{"result", "none"}, {"evidence", std::vector<std::string>{*claim}}}});
      REQUIRE(node);
      CHECK(draft.introduced().empty());
      REQUIRE_FALSE(draft.write());
      ArtifactDraft again = copy.draft();
      REQUIRE(link_in(again, *claim, "C01"));
      REQUIRE(link_in(again, *node, "C01"));
      CHECK(again.introduced().empty());
      ArtifactDraft bad = copy.draft();
      REQUIRE(add_to(bad, {.kind = AddedKind::node, .id = parent, .title = "twice", .type = "question"}));
      const auto found = bad.introduced();
      REQUIRE_FALSE(found.empty());
      CHECK(found.front().rule == "ARA105");
      CHECK(found.front().severity == Severity::error);
      ArtifactDraft unknown = copy.draft();
      REQUIRE(edit_in(unknown, *node, {{"evidence", std::vector<std::string>{"C99"}}}));
      CHECK(unknown.introduced().front().rule == "ARA107");
    }
  }
}

TEST_CASE("links are written down where the format has a place for them") {
  const Copy copy("clean");
  ArtifactDraft draft = copy.draft();
  REQUIRE(link_in(draft, "C01", "E02"));
  REQUIRE(link_in(draft, "N03", "N04"));
  REQUIRE(link_in(draft, "N04", "evidence/tables/table1.md"));
  REQUIRE(link_in(draft, "RW01", "C02"));
  CHECK_FALSE(link_in(draft, "C01", "RW01"));
  CHECK_FALSE(link_in(draft, "C01", "C77"));
  REQUIRE_FALSE(draft.write());
  CHECK(file_text(copy.path / "logic/claims.md").find("- **Proof**: [E01, E02]\n") != std::string::npos);
  CHECK(file_text(copy.path / "trace/exploration_tree.yaml").find("also_depends_on: [N04]") != std::string::npos);
  ArtifactDraft again = copy.draft();
  REQUIRE(link_in(again, "C01", "E02"));
  CHECK(again.changes().empty());
}

TEST_CASE("a page of evidence gets its row in the index") {
  const Copy copy("clean");
  ArtifactDraft draft = copy.draft();
  const auto added = add_to(draft, {.kind = AddedKind::evidence,
                                    .id = "tables/table9",
                                    .title = "Nine | cells",
                                    .body = "| a | b |\n|---|---|\n| 1 | 2 |",
                                    .fields = {{"source", "Table 9"}, {"claims", "[C01]"}}});
  REQUIRE(added);
  CHECK(*added == "evidence/tables/table9.md");
  CHECK(draft.introduced().empty());
  REQUIRE_FALSE(draft.write());
  CHECK(
      file_text(copy.path / "evidence/README.md")
          .find(
              "Times on short lists |\n| [tables/table9.md](tables/table9.md) | Table 9 | C01 | Nine \\| cells |\n") !=
      std::string::npos);
  for (const char* name : {"../x/y", "tables/../../x", "nowhere/x", "tables", "tables/"}) {
    ArtifactDraft other = copy.draft();
    CHECK_FALSE(add_to(other, {.kind = AddedKind::evidence, .id = name, .title = "t"}));
  }
}

TEST_CASE("a sealed artifact, a link and a changed file are left alone") {
  const Copy copy("clean");
  {
    ArtifactDraft draft = copy.draft();
    REQUIRE(edit_in(draft, "C01", {{"status", "refuted"}}));
    REQUIRE(link_in(draft, "N03", "C01"));
    std::ofstream(copy.path / "trace/exploration_tree.yaml", std::ios::app) << "# somebody else\n";
    const std::string before = file_text(copy.path / "logic/claims.md");
    const auto problem = draft.write();
    REQUIRE(problem);
    CHECK(problem->why == "somebody changed the file meanwhile");
    CHECK(file_text(copy.path / "logic/claims.md") == before);  // Written first, and put back.
  }
  {
    const fs::path outside = copy.path.string() + "-outside";
    fs::create_directory(outside);
    fs::create_directory_symlink(outside, copy.path / "evidence/proofs");
    ArtifactDraft draft = copy.draft();
    CHECK_FALSE(add_to(draft, {.kind = AddedKind::evidence, .id = "proofs/p", .title = "t"}));
    CHECK(fs::is_empty(outside));
    fs::remove_all(outside);
  }
  std::ofstream(copy.path / "etude.json") << "{}";
  const auto sealed = ArtifactDraft::open(copy.path.string());
  REQUIRE_FALSE(sealed);
  CHECK(sealed.problem().what == "the artifact is sealed");
}
