#include "artifacts/read/model.h"

#include <algorithm>
#include <array>

#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::array<std::string_view, 7> node_types{"unknown",  "question", "experiment", "decision",
                                                     "dead_end", "pivot",    "insight"};

}  // namespace

const Field* Block::field(std::string_view name) const {
  const auto found = std::ranges::find_if(fields, [&](const Field& f) { return same_word(f.name, name); });
  return found == fields.end() ? nullptr : &*found;
}

const Block* Layer::find(std::string_view id) const {
  const auto found = std::ranges::find_if(blocks, [&](const Block& b) { return b.id == id; });
  return found == blocks.end() || id.empty() ? nullptr : &*found;
}

const YamlValue* TreeNode::field(std::string_view key) const {
  const auto found = std::ranges::find_if(fields, [&](const NodeField& f) { return f.key == key; });
  return found == fields.end() ? nullptr : &found->value;
}

const Entry* Artifact::file(std::string_view path) const {
  const auto found = std::ranges::lower_bound(files.entries, path, {}, &Entry::path);
  return found == files.entries.end() || found->path != path ? nullptr : &*found;
}

TreeNodeType node_type(std::string_view name) {
  const auto found = std::find(node_types.begin() + 1, node_types.end(), name);
  return found == node_types.end() ? TreeNodeType::unknown : static_cast<TreeNodeType>(found - node_types.begin());
}

std::string_view name_of(TreeNodeType type) {
  return node_types[static_cast<std::size_t>(type)];
}

}  // namespace artifacts
