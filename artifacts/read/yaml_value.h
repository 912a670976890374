#pragma once
// A YAML document as a plain tree of values with lines: aliases expanded, order and repeated keys kept. Depth and size
// are bounded, so that recursion over it is safe. Knows nothing of the artifact's keys.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "artifacts/read/findings.h"

namespace artifacts {

struct YamlValue {
  enum class Kind : unsigned char { null, scalar, list, map };
  struct Key {
    std::string text;  ///< Empty if the key is no scalar.
    int line = 0;
    int column = 0;  ///< Bytes before it on its line.
    bool operator==(const Key&) const = default;
  };

  Kind kind = Kind::null;
  bool was_quoted = false;
  int line = 0;    ///< 1-based.
  int column = 0;  ///< Bytes before it on its line.
  std::string text;
  std::vector<Key> keys;  ///< Of a map, parallel to items.
  std::vector<YamlValue> items;

  const YamlValue* find(std::string_view key) const;  ///< The first one with that name, or null.
  bool operator==(const YamlValue&) const = default;
};

struct YamlTrouble {
  RuleId rule;
  int line;
  std::string what;
};

/// The first document of `text`, which must be clean (untrusted_text.h); an empty document is a null value.
/// `first_line`: the number of its first line. `second_document`: set to the line where a second document starts, if
/// there is one; what follows the first document is then read, too, as far as that line.
std::variant<YamlValue, YamlTrouble> parse_yaml(std::string_view text, int first_line = 1,
                                                int* second_document = nullptr);

/// A document as parse_yaml reads it, and the line where a second one starts; 0 if none does.
struct YamlDocument {
  std::variant<YamlValue, YamlTrouble> value;
  int second_document = 0;
};

/// Parses a text once, for readers that read the same one after each other. For one thread.
class ParsedYaml {
 public:
  /// Of a clean text, from line 1. Valid until the next call with another text.
  const YamlDocument& of(std::string_view text);

 private:
  std::string text_;
  std::optional<YamlDocument> document_;  ///< Of `text_`.
};

/// The value on one line: a scalar's text, a list as "a, b", a map as "k: v, …".
std::string flat(const YamlValue& value);

}  // namespace artifacts
