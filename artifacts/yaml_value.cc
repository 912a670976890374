#include "artifacts/yaml_value.h"

#include <istream>
#include <map>
#include <streambuf>

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "artifacts/text.h"

namespace artifacts {
namespace {

// yaml-cpp itself stops at 500 nested collections. An alias costs what it expands to, which also bounds the depth
// that a chain of aliases can build (about the square root of twice this).
constexpr std::size_t most_values = 1'000'000;
constexpr std::size_t most_alias_bytes = 16u << 20;

struct Overgrown {
  int line;
};
struct CircularAlias {
  int line;
};

/// Lets yaml-cpp read the text without a copy.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* start = const_cast<char*>(text.data());
    setg(start, start, start + text.size());
  }
};

struct Weight {
  std::size_t values = 1;
  std::size_t bytes = 0;
};

Weight weight_of(const Value& value) {
  Weight weight{1, value.text.size()};
  for (const Value::Key& key : value.keys) weight.bytes += key.text.size();
  for (const Value& item : value.items) {
    const Weight inner = weight_of(item);
    weight.values += inner.values;
    weight.bytes += inner.bytes;
  }
  return weight;
}

class Builder : public YAML::EventHandler {
 public:
  explicit Builder(int first_line) : first_line_(first_line) {}

  Value take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { attach(make(Value::Kind::null, mark), anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    Value value = make(Value::Kind::scalar, mark);
    value.text = text;
    value.was_quoted = tag == "!";
    attach(std::move(value), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(Value::Kind::list, mark, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(Value::Kind::map, mark, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapEnd() override { end(); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) throw CircularAlias{line_of(mark)};
    charge(found->second, line_of(mark));
    attach(found->second, 0);
  }

 private:
  struct Open {
    Value value;
    YAML::anchor_t anchor;
    bool has_key = false;
  };

  int line_of(const YAML::Mark& mark) const { return mark.line + first_line_; }

  Value make(Value::Kind kind, const YAML::Mark& mark) {
    if (++values_ > most_values) throw Overgrown{line_of(mark)};
    Value value;
    value.kind = kind;
    value.line = line_of(mark);
    value.column = mark.column;
    return value;
  }

  void begin(Value::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    open_.push_back({make(kind, mark), anchor});
  }

  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    attach(std::move(done.value), done.anchor);
  }

  void charge(const Value& copied, int line) {
    const Weight weight = weight_of(copied);
    values_ += weight.values;
    alias_bytes_ += weight.bytes;
    if (values_ > most_values || alias_bytes_ > most_alias_bytes) throw Overgrown{line};
  }

  void attach(Value value, YAML::anchor_t anchor) {
    if (anchor != 0) {
      charge(value, value.line);
      anchored_[anchor] = value;
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.value.kind == Value::Kind::map && !parent.has_key) {
      parent.value.keys.push_back({std::move(value.text), value.line, value.column});
      parent.has_key = true;
      return;
    }
    parent.has_key = false;
    parent.value.items.push_back(std::move(value));
  }

  int first_line_;
  Value root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Value> anchored_;
  std::size_t values_ = 0;
  std::size_t alias_bytes_ = 0;
};

}  // namespace

const Value* Value::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].text == key) return &items[i];
  return nullptr;
}

std::variant<Value, YamlTrouble> parse_yaml(std::string_view text, int first_line) {
  Builder builder(first_line);
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    return builder.take();
  } catch (const YAML::DeepRecursion& e) {
    return YamlTrouble{RuleId::too_deep, e.mark.line + first_line, "the YAML is nested more than 500 levels deep"};
  } catch (const YAML::Exception& e) {
    return YamlTrouble{RuleId::bad_yaml, std::max(e.mark.line, 0) + first_line, e.msg};
  } catch (const Overgrown& e) {
    return YamlTrouble{RuleId::too_large, e.line,
                       fmt::format("the YAML holds, or its aliases expand to, more than {} values", most_values)};
  } catch (const CircularAlias& e) {
    return YamlTrouble{RuleId::bad_yaml, e.line, "an alias stands inside the value that it names"};
  }
}

std::string flat(const Value& value) {
  std::string result;
  if (value.kind == Value::Kind::scalar) result = value.text;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i > 0) result += ", ";
    if (value.kind == Value::Kind::map) result += value.keys[i].text + ": ";
    result += flat(value.items[i]);
  }
  return std::string(trimmed(result));
}

}  // namespace artifacts
