#include "tests/artifacts/samples/artifact_writer.h"

#include <algorithm>

#include <yaml-cpp/yaml.h>

#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

bool reads_plainly(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return is_alnum(c) || c == '_'; });
}

void emit_scalar(YAML::Emitter& out, const std::string& text) {
  if (reads_plainly(text))
    out << text;
  else
    out << YAML::DoubleQuoted << text;
}

void emit_value(YAML::Emitter& out, const YamlValue& value) {
  switch (value.kind) {
    case YamlValue::Kind::null:
      out << YAML::Null;
      break;
    case YamlValue::Kind::scalar:
      // What was quoted is text, even where it looks like a number or like nothing.
      if (value.was_quoted)
        out << YAML::DoubleQuoted << value.text;
      else
        emit_scalar(out, value.text);
      break;
    case YamlValue::Kind::list:
      out << YAML::BeginSeq;
      for (const YamlValue& item : value.items) emit_value(out, item);
      out << YAML::EndSeq;
      break;
    case YamlValue::Kind::map:
      out << YAML::BeginMap;
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        out << YAML::Key << YAML::DoubleQuoted << value.keys[i].text << YAML::Value;
        emit_value(out, value.items[i]);
      }
      out << YAML::EndMap;
      break;
  }
}

class TreeWriter {
 public:
  explicit TreeWriter(const Tree& tree) : tree_(tree), below_(tree.nodes.size()) {
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const int parent = tree.nodes[i].parent;
      (parent < 0 ? roots_ : below_[static_cast<std::size_t>(parent)]).push_back(i);
    }
  }

  std::string text() {
    out_ << YAML::BeginMap << YAML::Key << "tree" << YAML::Value << YAML::BeginSeq;
    for (const std::size_t root : roots_) node(root);
    out_ << YAML::EndSeq << YAML::EndMap;
    return std::string(out_.c_str()) + "\n";
  }

 private:
  void put(const char* key, const std::string& text) {
    if (text.empty()) return;
    out_ << YAML::Key << key << YAML::Value;
    emit_scalar(out_, text);
  }

  void put(const char* key, const std::vector<Text>& texts) {
    if (texts.empty()) return;
    out_ << YAML::Key << key << YAML::Value << YAML::BeginSeq;
    for (const Text& text : texts) emit_scalar(out_, text.text);
    out_ << YAML::EndSeq;
  }

  void node(std::size_t index) {
    const TreeNode& node = tree_.nodes[index];
    out_ << YAML::BeginMap;
    put("id", node.id);
    put("type", node.type_written);
    put("title", node.title);
    put("support_level", node.support_level);
    put("source_refs", node.source_refs);
    put("provenance", node.provenance);
    put("timestamp", node.timestamp);
    for (const NodeField& field : node.fields) {
      out_ << YAML::Key << field.key << YAML::Value;
      emit_value(out_, field.value);
    }
    put("evidence", node.evidence);
    put("also_depends_on", node.also_depends_on);
    put("parent", node.parent_ids);
    children(index);
    out_ << YAML::EndMap;
  }

  void children(std::size_t index) {
    const TreeNode& node = tree_.nodes[index];
    if (below_[index].empty() && node.children_ids.empty()) return;
    out_ << YAML::Key << "children" << YAML::Value << YAML::BeginSeq;
    for (const Text& id : node.children_ids) emit_scalar(out_, id.text);
    for (const std::size_t child : below_[index]) this->node(child);
    out_ << YAML::EndSeq;
  }

  const Tree& tree_;
  std::vector<std::vector<std::size_t>> below_;
  std::vector<std::size_t> roots_;
  YAML::Emitter out_;
};

std::string row_of_cells(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) {
    row += ' ';
    for (const char c : cell) row += c == '|' ? "\\|" : std::string(1, c);
    row += " |";
  }
  return row + "\n";
}

std::string table_text(const MarkdownTable& table) {
  std::string text = row_of_cells(table.header) + "|";
  for (std::size_t i = 0; i < std::max<std::size_t>(table.header.size(), 1); ++i) text += "---|";
  text += "\n";
  for (const TableRow& row : table.rows) text += row_of_cells(row.cells);
  return text;
}

std::string field_text(const Field& field) {
  std::string text = "- **" + std::string(canonical_field(field.name)) + "**:";
  bool first = field.text_line <= field.line;
  if (field.text.empty()) return text + "\n";
  text += first ? " " : "\n";
  for (const std::string_view line : lines_of(field.text)) {
    if (!first && !trimmed(line).empty()) text += "  ";
    text += std::string(line) + "\n";
    first = false;
  }
  return text;
}

/// A piece of a block, in the place where it stood.
struct Piece {
  int line;
  bool prose;
  std::string text;
};

void add_block(std::string& text, const Block& block) {
  if (block.level > 0) {
    if (!text.empty()) text += "\n";
    text += std::string(static_cast<std::size_t>(block.level), '#') + " ";
    text += block.id.empty() ? block.heading : block.id + ":" + (block.title.empty() ? "" : " " + block.title);
    text += "\n";
  }
  std::vector<Piece> pieces;
  for (const Field& field : block.fields) pieces.push_back({field.line, false, field_text(field)});
  for (const MarkdownTable& table : block.tables)
    pieces.push_back({table.line, false, "\n" + table_text(table) + "\n"});
  // A blank in front keeps what only looks like a heading from becoming one.
  for (const Text& line : block.prose)
    pieces.push_back({line.line, true, (line.text.starts_with('#') ? " " : "") + line.text + "\n"});
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.line < b.line; });
  int last_prose = -1;
  for (const Piece& piece : pieces) {
    // Prose that follows a field without a blank line would go on with it.
    if (piece.prose && piece.line != last_prose + 1) text += "\n";
    if (piece.prose) last_prose = piece.line;
    text += piece.text;
  }
}

}  // namespace

std::string_view canonical_field(std::string_view name) {
  return same_word(name, "Falsification") ? "Falsification criteria" : name;
}

std::string write_tree(const Tree& tree) {
  return TreeWriter(tree).text();
}

std::string write_layer(const Layer& layer) {
  std::string text;
  for (const Block& block : layer.blocks) add_block(text, block);
  return text;
}

std::string write_paper(const PaperPage& paper) {
  std::string text;
  if (paper.has_front_matter) {
    YAML::Emitter out;
    emit_value(out, paper.front);
    text = "---\n" + std::string(out.c_str()) + "\n---\n\n";
  }
  return text + write_layer(paper.body);
}

std::map<std::string, std::string> write_artifact(const Artifact& artifact) {
  std::map<std::string, std::string> pages;
  if (artifact.paper.body.present) pages[artifact.paper.body.file] = write_paper(artifact.paper);
  const auto add = [&](const Layer& layer) {
    if (layer.present) pages[layer.file] = write_layer(layer);
  };
  for (const Layer* layer : {&artifact.problem, &artifact.claims, &artifact.concepts, &artifact.experiments,
                             &artifact.heuristics, &artifact.related_work, &artifact.evidence_readme})
    add(*layer);
  for (const Layer& page : artifact.evidence) add(page);
  if (artifact.tree.readable) pages[artifact.tree.file] = write_tree(artifact.tree);
  return pages;
}

}  // namespace artifacts
