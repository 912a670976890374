#pragma once
// Reads a tree with known keys and types. Every accessor either returns a value or records a problem with its position,
// what was found and what is expected. Values and Fields borrow their YamlNode and Problems. Knows no study.

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "studyfile/yaml/document.h"

namespace studyfile {

/// The largest finite number: for values without an upper bound.
inline constexpr double largest = std::numeric_limits<double>::max();

/// The problems found so far. Only the first in file order is shown.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  void add(YamlPlace place, std::string what, std::string why, std::string todo);
  /// Records that something is missing; sorted after all problems of what is there.
  void add_absent(YamlPlace place, std::string what, std::string todo);
  void warn(YamlPlace place, std::string what, std::string why, std::string todo);

  bool empty() const { return found_.empty(); }
  /// Precondition: not empty.
  const kernel::Problem& first() const;
  /// In file order.
  std::vector<kernel::Problem> warnings() const;

 private:
  struct Found {
    bool absent;
    YamlPlace place;
    kernel::Problem problem;
  };
  static bool before(const Found& a, const Found& b);

  std::string file_;
  std::vector<Found> found_, warned_;
};

/// A key of a mapping: read here, not available yet, or belonging to another mapping.
struct Key {
  enum class Standing { read, later, elsewhere };
  constexpr Key(const char* key, Standing stands = Standing::read, std::string_view under = "")
      : name(key), standing(stands), home(under) {}

  std::string_view name;
  Standing standing;
  std::string_view home;  ///< The mapping that it belongs to, if it stands `elsewhere`.
};
/// A key that is not available yet.
constexpr Key later(const char* name) {
  return {name, Key::Standing::later};
}
/// A key that belongs under `home` but is often put here.
constexpr Key elsewhere(const char* name, std::string_view home) {
  return {name, Key::Standing::elsewhere, home};
}

template <typename T>
struct Choice {
  std::string_view word;
  T value;
};

class Fields;

class Value {
 public:
  Value(const YamlNode& node, YamlPlace key, std::string path, std::string name, Problems& problems)
      : node_(&node), key_(key), path_(std::move(path)), name_(std::move(name)), problems_(&problems) {}

  const YamlNode& node() const { return *node_; }
  const std::string& path() const { return path_; }
  YamlPlace place() const { return node_->place; }
  bool is_list() const { return node_->kind == YamlNode::Kind::list; }
  bool is_mapping() const { return node_->kind == YamlNode::Kind::mapping; }
  bool is_scalar() const { return node_->kind == YamlNode::Kind::scalar; }

  void refuse(std::string why, std::string todo = "") const;
  /// Reports the key's position instead of the value's.
  void refuse_key(std::string why, std::string todo = "") const;
  /// "`SPELLED` is not available yet".
  void refuse_for_now(const std::string& spelled, std::string instead) const;
  void refuse_kind(std::string_view wanted, std::string todo = "") const;
  void warn(std::string why, std::string todo) const;

  /// A text, trimmed and not empty.
  std::optional<std::string> text() const;
  /// A text whose line breaks and runs of spaces are single spaces.
  std::optional<std::string> sentence() const;
  /// The text of any scalar as written; not empty.
  std::optional<std::string> spelling() const;
  /// A number within [low, high]; the limits of double mean no limit.
  std::optional<double> number(double low, double high) const;
  std::optional<std::int64_t> integer(std::int64_t low, std::int64_t high) const;
  std::optional<bool> boolean() const;
  /// Seconds or bytes, above 0.
  std::optional<double> duration() const;
  std::optional<std::int64_t> size() const;
  /// The items of a list.
  std::optional<std::vector<Value>> list(std::string_view of) const;
  /// The entries of a mapping whose keys the author chooses.
  std::optional<std::vector<Value>> entries(std::string_view of) const;
  /// One entry of a mapping. Precondition: `is_mapping()`.
  std::optional<Value> entry(std::string_view key) const;
  std::optional<Fields> fields(std::vector<Key> known) const;

  template <typename T>
  std::optional<T> choice(std::initializer_list<Choice<T>> choices) const {
    std::vector<std::string_view> words;
    for (const Choice<T>& c : choices) words.push_back(c.word);
    const std::optional<std::size_t> chosen = choice(words);
    return chosen ? std::optional<T>((choices.begin() + *chosen)->value) : std::nullopt;
  }

  /// The place of the chosen word.
  std::optional<std::size_t> choice(std::span<const std::string_view> words) const;

  /// The key is missing in this mapping.
  void refuse_absent(std::string_view key, std::string todo) const;

  /// The key as written.
  const std::string& name() const { return name_; }

 private:
  void refuse_unknown(const std::vector<Key>& known) const;
  Value child(const YamlNode& node, YamlPlace key, const std::string& name, const std::string& step) const;

  const YamlNode* node_;
  YamlPlace key_;
  std::string path_, name_;
  Problems* problems_;
};

/// Copies the value if it was read; returns whether it was.
template <typename T>
bool keep(const std::optional<T>& read, T& into) {
  if (read) into = *read;
  return read.has_value();
}

/// A mapping with known keys. Made by Value::fields, which refuses unknown and unavailable keys.
class Fields {
 public:
  Fields(Value value, bool complete) : value_(std::move(value)), complete_(complete) {}

  const Value& value() const { return value_; }
  /// Whether it has no unknown or unavailable key.
  bool complete() const { return complete_; }
  bool has(std::string_view key) const;
  std::optional<Value> find(std::string_view key) const;
  /// Records that the key is missing, unless an unknown key may be its misspelling.
  std::optional<Value> need(std::string_view key, std::string todo) const;
  /// Reads a whole number within [low, high] into `into`, if the key is there.
  void count(std::string_view key, int low, int high, int& into) const;

 private:
  Value value_;
  bool complete_;
};

}  // namespace studyfile
