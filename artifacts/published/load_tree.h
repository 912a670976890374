#pragma once
// Loads the exploration tree as the published reader does: which YAML it takes, and what shape each key must have. A
// tree that it would refuse is refused here, with one reason.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "artifacts/read/yaml_value.h"

namespace artifacts::published {

struct Keyed {
  std::string key;
  int line = 0;
};

struct NodeText {
  std::string text;
  int line = 0;
};

struct PublishedNode {
  int line = 0;
  std::string id;              ///< Trimmed; empty if there is none.
  std::string title;           ///< Empty if there is none.
  std::string type;            ///< Trimmed; empty if there is none.
  std::vector<Keyed> body;     ///< Keys that belong to some types only, and have a value.
  std::vector<Keyed> unknown;  ///< Sorted.
  std::vector<NodeText> evidence;
  std::vector<NodeText> also_depends_on;
  std::vector<PublishedNode> children;
};

struct LoadedTree {
  bool has_tree = false, has_root = false;
  int line = 1;  ///< Of the key with the nodes.
  std::vector<PublishedNode> nodes;
  std::vector<Keyed> unknown;  ///< Top-level keys.
};

struct Refused {
  int line = 0;
  std::string why;
};

std::variant<LoadedTree, Refused> load_tree(std::string_view text, ParsedYaml& parsed);

/// Whether a front matter of PAPER.md loads; the reason if it does not.
std::optional<Refused> front_matter_trouble(std::string_view yaml, int first_line);

}  // namespace artifacts::published
