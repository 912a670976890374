#pragma once
// An artifact as it is on disk, in its own words and order, so that writing and reading it gives the same content.
// Markdown is not parsed further. Knows no rules and no kernel types. Plain values; single owner.

#include <string>
#include <string_view>
#include <vector>

#include "artifacts/read/safe_root.h"
#include "artifacts/read/yaml_value.h"

namespace artifacts {

struct Text {
  std::string text;
  int line = 0;
  bool operator==(const Text&) const = default;
};

/// `- **Name**: text`, or a deeper heading `### Name` with its text.
struct Field {
  std::string name;
  std::string text;  ///< Markdown as written; continuation lines joined by '\n', without their common indentation.
  int line = 0;
  int text_line = 0;  ///< The line where the text starts: that of the name, or a later one.
  bool operator==(const Field&) const = default;
};

struct TableRow {
  std::vector<std::string> cells;
  int line = 0;
  bool operator==(const TableRow&) const = default;
};

struct MarkdownTable {
  std::vector<std::string> header;
  std::vector<TableRow> rows;
  int line = 0;
  bool operator==(const MarkdownTable&) const = default;
};

/// The separator of id and title in a header: `## C01: t`, `## C01 — t`, `## C01 t`.
enum class HeaderStyle { none, colon, dash, bare };

/// One heading and its content up to the next heading. The first block of a layer is the content before any heading
/// (level 0).
struct Block {
  int level = 0;
  int line = 0;
  std::string heading;  ///< As written, without the hashes.
  std::string id;       ///< "C01"; empty if the heading has no id.
  std::string title;    ///< The heading without the id.
  HeaderStyle style = HeaderStyle::none;
  std::vector<Field> fields;
  std::vector<MarkdownTable> tables;
  std::vector<Text> prose;  ///< Lines that are neither field nor table, without blank ones.

  const Field* field(std::string_view name) const;  ///< Ignores case; null if there is none.
  bool operator==(const Block&) const = default;
};

/// One Markdown file.
struct Layer {
  std::string file;
  bool present = false;
  std::vector<Block> blocks;
  int open_fence = 0;  ///< The line of a code fence that is never closed, which is read as text; 0 if there is none.

  const Block* find(std::string_view id) const;
  bool operator==(const Layer&) const = default;
};

enum class TreeNodeType { unknown, question, experiment, decision, dead_end, pivot, insight };

struct NodeField {
  std::string key;      ///< Canonical: `why_failed` also if the file has `reason`.
  std::string written;  ///< As in the file.
  int line = 0;
  YamlValue value;
  bool operator==(const NodeField&) const = default;
};

struct TreeNode {
  std::string id;
  TreeNodeType type = TreeNodeType::unknown;
  std::string type_written;
  std::string title;
  int line = 0;
  int parent = -1;  ///< Index into Tree::nodes, by nesting; -1 for a root.
  std::string support_level;
  std::string provenance;
  std::string timestamp;
  std::vector<Text> source_refs;
  std::vector<Text> also_depends_on;
  std::vector<Text> evidence;      ///< One entry if the file has a string.
  std::vector<Text> parent_ids;    ///< From the key `parent`.
  std::vector<Text> children_ids;  ///< Children given by id instead of by nesting.
  std::vector<NodeField> fields;   ///< Every other key, in the file's order.

  const YamlValue* field(std::string_view key) const;  ///< By canonical key.
  bool operator==(const TreeNode&) const = default;
};

struct Tree {
  std::string file;
  bool present = false;
  bool readable = false;  ///< The file has exactly one of `tree:` and `root:`, or at least `tree:`.
  bool legacy_root = false;
  std::vector<TreeNode> nodes;  ///< In the order of the file: parents before their children.
  bool operator==(const Tree&) const = default;
};

struct PaperPage {
  Layer body;
  bool has_front_matter = false;
  bool broken_front_matter = false;  ///< It starts, and cannot be read; the reader has said so.
  YamlValue front;                   ///< A map with every key in the order of the file.
  std::string title;
  std::vector<std::string> authors;
  std::string year;
  std::string venue;
  std::string doi;
  std::string ara_version;
  std::string domain;
  std::vector<std::string> keywords;
  std::vector<std::string> claims_summary;
  std::string abstract;
};

/// One row of the Layer Index or of the evidence index.
struct IndexRow {
  std::string target;  ///< The link's target, or the plain path.
  std::string text;    ///< The link's text; empty for a plain path.
  std::string folder;  ///< The layer's folder as the section names it ("logic"), or empty.
  std::string rest;    ///< The other cells, joined by " | ".
  int line = 0;
  bool operator==(const IndexRow&) const = default;
};

struct Artifact {
  PaperPage paper;
  Layer problem;
  Layer claims;
  Layer concepts;
  Layer experiments;
  Layer heuristics;
  Layer related_work;
  Layer evidence_readme;
  std::vector<Layer> evidence;  ///< Every other .md file beneath evidence/.
  std::vector<IndexRow> layer_index;
  bool has_layer_index = false;
  std::vector<IndexRow> evidence_index;
  Tree tree;
  Listing files;

  const Entry* file(std::string_view path) const;
};

TreeNodeType node_type(std::string_view name);
std::string_view name_of(TreeNodeType type);

}  // namespace artifacts
