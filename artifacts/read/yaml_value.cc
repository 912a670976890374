#include "artifacts/read/yaml_value.h"

#include <algorithm>
#include <map>
#include <new>

#include <fmt/format.h>
#include <yaml.h>

#include "artifacts/text/untrusted_text.h"
#include "base/utf8.h"

namespace artifacts {
namespace {

constexpr std::size_t most_levels = 500;
// An alias counts as what it expands to. This also bounds the depth that a chain of aliases can build (about the square
// root of twice this).
constexpr std::size_t most_values = 1'000'000;
constexpr std::size_t most_alias_bytes = 16u << 20;

struct Overgrown {
  int line;
};
struct TooDeep {
  int line;
};
struct Malformed {
  int line;
  std::string what;
};

/// Tabs before a comment, or on a line with nothing else, become blanks.
void allow_tabs(std::string& text) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::size_t first = std::min(text.find_first_not_of(" \t", start), end);
    if (first == end || text[first] == '#')
      std::replace(text.begin() + static_cast<std::ptrdiff_t>(start), text.begin() + static_cast<std::ptrdiff_t>(first),
                   '\t', ' ');
    start = end + 1;
  }
}

/// libyaml implements YAML 1.1, which has other line ends and fewer characters. Characters that it would not accept are
/// replaced by others of the same length.
std::string without_foreign(std::string_view text) {
  std::string result(text);
  if (text.find('\t') != text.npos) allow_tabs(result);
  for (const std::string_view foreign : {"\u2028", "\u2029", "\uFEFF", "\uFFFE", "\uFFFF"})
    for (std::size_t at = 0; (at = result.find(foreign, at)) != result.npos; at += foreign.size())
      result.replace(at, foreign.size(), "\uFFFD");
  return result;
}

struct Weight {
  std::size_t values = 1;
  std::size_t bytes = 0;
};

Weight weight_of(const YamlValue& value) {
  Weight weight{1, value.text.size()};
  for (const YamlValue::Key& key : value.keys) weight.bytes += key.text.size();
  for (const YamlValue& item : value.items) {
    const Weight inner = weight_of(item);
    weight.values += inner.values;
    weight.bytes += inner.bytes;
  }
  return weight;
}

/// A position in the text.
struct Place {
  int line = 0, column = 0;  ///< As in Value.
};

/// The events of libyaml, one after the other.
class Events {
 public:
  Events(std::string_view text, int first_line) : text_(text), first_line_(first_line) {
    if (!yaml_parser_initialize(&parser_)) throw std::bad_alloc();
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text_.data()), text_.size());
    for (std::size_t at = 0; at < text_.size(); ++at)
      if (text_[at] == '\n') starts_.push_back(at + 1);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }

  /// Valid until the next call.
  const yaml_event_t& next() {
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_)) return event_;
    if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    const bool placed = parser_.error == YAML_SCANNER_ERROR || parser_.error == YAML_PARSER_ERROR;
    throw Malformed{placed ? place(parser_.problem_mark).line : first_line_, parser_.problem ? parser_.problem : "?"};
  }

  Place place(const yaml_mark_t& mark) {
    const std::size_t start = starts_[std::min(mark.line, starts_.size() - 1)];
    // libyaml counts characters, not bytes. From the last place on, because a line may hold a million values.
    if (mark.line != line_ || mark.column < column_) {
      line_ = mark.line;
      column_ = 0;
      at_ = start;
    }
    for (; column_ < mark.column && at_ < text_.size(); ++column_) do
        ++at_;
      while (at_ < text_.size() && !kernel::begins_utf8(text_[at_]));
    return {static_cast<int>(mark.line) + first_line_, static_cast<int>(at_ - start)};
  }

 private:
  std::string_view text_;
  int first_line_;
  std::vector<std::size_t> starts_{0};  ///< Offsets of the lines.
  // The last place, as libyaml counts it, and its offset.
  std::size_t line_ = 0, column_ = 0, at_ = 0;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
};

std::string_view view(const yaml_char_t* text, std::size_t size) {
  return {reinterpret_cast<const char*>(text), size};
}

std::string name_of(const yaml_char_t* name) {
  return name ? reinterpret_cast<const char*>(name) : "";
}

bool is_null(std::string_view plain) {
  return plain.empty() || plain == "~" || plain == "null" || plain == "Null" || plain == "NULL";
}

class Builder {
 public:
  explicit Builder(Events& events) : events_(events) {}

  /// The first document.
  YamlValue build() {
    for (;;) {
      const yaml_event_t& event = events_.next();
      place_ = events_.place(event.start_mark);
      switch (event.type) {
        case YAML_SCALAR_EVENT:
          scalar(event);
          break;
        case YAML_SEQUENCE_START_EVENT:
          begin(YamlValue::Kind::list, name_of(event.data.sequence_start.anchor));
          break;
        case YAML_MAPPING_START_EVENT:
          begin(YamlValue::Kind::map, name_of(event.data.mapping_start.anchor));
          break;
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT:
          end();
          break;
        case YAML_ALIAS_EVENT:
          alias(name_of(event.data.alias.anchor));
          break;
        case YAML_DOCUMENT_END_EVENT:
          return std::move(root_);
        case YAML_STREAM_END_EVENT:
          ended_ = true;
          return std::move(root_);
        default:
          break;
      }
    }
  }

  /// The line where another document starts after the first one; 0 if none does.
  int next_document() {
    while (!ended_) {
      const yaml_event_t& event = events_.next();
      ended_ = event.type == YAML_STREAM_END_EVENT;
      if (event.type == YAML_DOCUMENT_START_EVENT) return events_.place(event.start_mark).line;
    }
    return 0;
  }

 private:
  struct Open {
    YamlValue value;
    std::string anchor;
    bool has_key = false;
  };

  void scalar(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    const std::string_view text = view(scalar.value, scalar.length);
    const bool plain = scalar.style == YAML_PLAIN_SCALAR_STYLE && !scalar.tag;
    YamlValue value = make(plain && is_null(text) ? YamlValue::Kind::null : YamlValue::Kind::scalar);
    if (value.kind == YamlValue::Kind::scalar) {
      value.text = text;
      value.was_quoted = scalar.tag ? name_of(scalar.tag) == "!" : !plain;
    }
    attach(std::move(value), name_of(scalar.anchor));
  }

  void alias(const std::string& name) {
    const auto found = anchored_.find(name);
    if (found == anchored_.end()) {
      const bool circular = std::ranges::any_of(open_, [&](const Open& o) { return o.anchor == name; });
      throw Malformed{place_.line,
                      circular ? "an alias stands inside the value that it names"
                               : fmt::format("there is no anchor of the name that the alias {} has", quote(name))};
    }
    charge(found->second, place_.line);
    put(YamlValue(found->second));
  }

  YamlValue make(YamlValue::Kind kind) {
    if (++values_ > most_values) throw Overgrown{place_.line};
    YamlValue value;
    value.kind = kind;
    value.line = place_.line;
    value.column = place_.column;
    return value;
  }

  void begin(YamlValue::Kind kind, std::string anchor) {
    if (open_.size() >= most_levels) throw TooDeep{place_.line};
    anchored_.erase(anchor);  // From here on the anchor's name refers to this node.
    open_.push_back({make(kind), std::move(anchor)});
  }

  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    attach(std::move(done.value), done.anchor);
  }

  void charge(const YamlValue& copied, int line) {
    const Weight weight = weight_of(copied);
    values_ += weight.values;
    alias_bytes_ += weight.bytes;
    if (values_ > most_values || alias_bytes_ > most_alias_bytes) throw Overgrown{line};
  }

  void attach(YamlValue&& value, const std::string& anchor) {
    if (!anchor.empty()) {
      charge(value, value.line);
      anchored_[anchor] = value;
    }
    put(std::move(value));
  }

  void put(YamlValue&& value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.value.kind == YamlValue::Kind::map && !parent.has_key) {
      parent.value.keys.push_back({std::move(value.text), value.line, value.column});
      parent.has_key = true;
      return;
    }
    parent.has_key = false;
    parent.value.items.push_back(std::move(value));
  }

  Events& events_;
  Place place_;  ///< Position of the present event.
  bool ended_ = false;
  YamlValue root_;
  std::vector<Open> open_;
  std::map<std::string, YamlValue> anchored_;
  std::size_t values_ = 0;
  std::size_t alias_bytes_ = 0;
};

}  // namespace

const YamlValue* YamlValue::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].text == key) return &items[i];
  return nullptr;
}

std::variant<YamlValue, YamlTrouble> parse_yaml(std::string_view text, int first_line, int* second_document) {
  const std::string readable = without_foreign(text);
  try {
    Events events(readable, first_line);
    Builder builder(events);
    YamlValue document = builder.build();
    if (second_document) *second_document = builder.next_document();
    return document;
  } catch (const TooDeep& e) {
    return YamlTrouble{RuleId::too_deep, e.line,
                       fmt::format("the YAML is nested more than {} levels deep", most_levels)};
  } catch (const Malformed& e) {
    return YamlTrouble{RuleId::bad_yaml, e.line, e.what};
  } catch (const Overgrown& e) {
    return YamlTrouble{RuleId::too_large, e.line,
                       fmt::format("the YAML holds, or its aliases expand to, more than {} values", most_values)};
  }
}

const YamlDocument& ParsedYaml::of(std::string_view text) {
  if (document_ && text_ == text) return *document_;
  text_ = text;
  YamlDocument& document = document_.emplace();
  document.value = parse_yaml(text, 1, &document.second_document);
  return document;
}

std::string flat(const YamlValue& value) {
  std::string result;
  if (value.kind == YamlValue::Kind::scalar) result = value.text;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i > 0) result += ", ";
    if (value.kind == YamlValue::Kind::map) result += value.keys[i].text + ": ";
    result += flat(value.items[i]);
  }
  return std::string(trimmed(result));
}

}  // namespace artifacts
