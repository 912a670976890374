// What varies and what does not: factors with their levels, plain or as named bundles; constants; constraints.
#include <charconv>
#include <set>

#include "studyfile/sections/extend_section.h"
#include "studyfile/sections/sections.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

constexpr std::size_t max_levels = 1000;
constexpr std::size_t max_level_length = 1024;

kernel::FactorType type_of(const YamlNode& node) {
  if (node.quoted) return kernel::FactorType::text;
  if (is_integer(node.text)) return kernel::FactorType::integer;
  if (looks_numeric(node.text)) return kernel::FactorType::number;
  return as_boolean(node.text) ? kernel::FactorType::boolean : kernel::FactorType::text;
}

kernel::FactorType common_type(const std::vector<Value>& levels) {
  std::set<kernel::FactorType> types;
  for (const Value& level : levels) types.insert(type_of(level.node()));
  if (types == std::set{kernel::FactorType::integer, kernel::FactorType::number}) return kernel::FactorType::number;
  return types.size() == 1 ? *types.begin() : kernel::FactorType::text;
}

/// A text among numbers stays a text; otherwise every level has the type that the file asks for.
bool check_types(const std::vector<Value>& levels, kernel::FactorType type, const std::string& word) {
  if (type == kernel::FactorType::text) return true;
  for (const Value& level : levels) {
    const kernel::FactorType found = type_of(level.node());
    if (found == type || (type == kernel::FactorType::number && found == kernel::FactorType::integer)) continue;
    const bool in_quotes = level.node().quoted && looks_numeric(level.node().text);
    level.refuse("found " + described(level.node()) + " although `type: " + word + "`",
                 in_quotes ? "remove the quotes" : "mend the level or the type");
    return false;
  }
  return true;
}

/// An integer beyond 64 bits must be a name in quotes, or is a mistake.
bool check_range(const Value& value, const kernel::Scalar& scalar) {
  std::int64_t whole = 0;
  const std::string_view digits = std::string_view(scalar.text).substr(scalar.text.starts_with('+') ? 1 : 0);
  if (!is_integer(digits) ||
      std::from_chars(digits.data(), digits.data() + digits.size(), whole).ec != std::errc::result_out_of_range)
    return true;
  value.refuse(shown(scalar.text) + " is out of range", "quote it if it is a name, or give an integer of 64 bits");
  return false;
}

bool check_repeated(const Value& value, const kernel::Level& level, const kernel::Factor& factor) {
  for (const kernel::Level& earlier : factor.levels) {
    if (earlier.name == level.name) {
      value.refuse("the level `" + shown(level.name) + "` is repeated", "leave one of the two out");
      return false;
    }
    if (earlier.value.number && level.value.number && *earlier.value.number == *level.value.number) {
      value.refuse("the level `" + level.name + "` is the same number as `" + earlier.name + "`",
                   "leave one of the two out");
      return false;
    }
  }
  return true;
}

/// The value as written, and its number unless it is quoted.
std::optional<kernel::Scalar> read_scalar(const Value& value) {
  if (value.node().kind == YamlNode::Kind::null)
    return value.refuse("found nothing where a value is needed", "put the word null in quotes if it is meant"),
           std::nullopt;
  if (!value.is_scalar()) return value.refuse_kind("a single value"), std::nullopt;
  const YamlNode& node = value.node();
  if (node.text.size() > max_level_length || node.text.find('\n') != std::string::npos)
    return value.refuse("a value of several lines, or longer than 1024 bytes", "name a file instead"), std::nullopt;
  kernel::Scalar scalar{node.text, std::nullopt};
  if (node.quoted || !looks_numeric(node.text)) return scalar;
  scalar.number = as_number(node.text);
  if (!scalar.number)
    return value.refuse(shown(node.text) + " does not fit a double", "put it in quotes to pass it as text"),
           std::nullopt;
  return scalar;
}

bool read_plain_levels(const Value& value, const std::optional<Value>& type, kernel::Factor& factor) {
  const std::optional<std::vector<Value>> items = value.list("levels");
  if (!items) return false;
  bool sound = true;
  std::vector<Value> read;
  for (const Value& item : *items) {
    const std::optional<kernel::Scalar> scalar = read_scalar(item);
    if (scalar && scalar->text.empty()) item.refuse("an empty level", "give it a word, such as `none`");
    if (!scalar || scalar->text.empty()) {
      sound = false;
      continue;
    }
    if (!item.node().quoted) sound = check_range(item, *scalar) && sound;
    const kernel::Level level{scalar->text, *scalar, {}};
    sound = check_repeated(item, level, factor) && sound;
    factor.levels.push_back(level);
    read.push_back(item);
  }
  factor.type = common_type(read);
  if (!type) return sound;
  const auto wanted = type->choice<kernel::FactorType>({{"int", kernel::FactorType::integer},
                                                        {"number", kernel::FactorType::number},
                                                        {"float", kernel::FactorType::number},
                                                        {"text", kernel::FactorType::text},
                                                        {"bool", kernel::FactorType::boolean}});
  if (!wanted) return false;
  factor.type = *wanted;
  // A number that is declared as text has no position on an axis.
  if (*wanted == kernel::FactorType::text)
    for (kernel::Level& level : factor.levels) level.value.number.reset();
  return check_types(read, *wanted, type->node().text) && sound;
}

bool check_same_keys(const Value& entry, const kernel::Level& level, const kernel::Level& first) {
  const auto refuse = [&](const std::string& key, const char* has, const char* first_has) {
    entry.refuse_key(std::string("the bundle has ") + has + " `" + key + "`, which `" + first.name + "` " + first_has,
                     "give every bundle the same keys");
    return false;
  };
  for (const auto& [key, scalar] : first.bundle)
    if (!level.bundle.contains(key)) return refuse(key, "no", "has");
  for (const auto& [key, scalar] : level.bundle)
    if (!first.bundle.contains(key)) return refuse(key, "a", "has not");
  return true;
}

bool read_bundles(const Value& value, const std::optional<Value>& type, kernel::Factor& factor) {
  bool sound = true;
  const std::optional<std::vector<Value>> levels = value.entries("bundles");
  for (const Value& entry : *levels) {
    kernel::Level level{entry.name(), {entry.name(), std::nullopt}, {}};
    if (entry.name().empty() || entry.name().size() > max_level_length ||
        entry.name().find('\n') != std::string::npos) {
      entry.refuse_key("a level's name is empty, of several lines or too long", "name it with a word");
      sound = false;
    }
    bool whole = false;
    if (const auto members = entry.entries("values")) {
      whole = !members->empty();
      if (members->empty()) entry.refuse("an empty bundle", "give it values, or list the levels as `[…, …]`");
      for (const Value& member : *members) {
        const std::optional<kernel::Scalar> scalar = check_name(member) ? read_scalar(member) : std::nullopt;
        whole = whole && scalar;
        if (scalar) level.bundle[member.name()] = *scalar;
      }
    }
    if (whole && !factor.levels.empty() && sound) whole = check_same_keys(entry, level, factor.levels.front());
    sound = sound && whole;
    factor.levels.push_back(std::move(level));
  }
  if (type) {
    type->refuse_key("bundles have no type", "leave it out");
    sound = false;
  }
  return sound;
}

/// Fills `factor.levels` and `factor.type`. Returns false, with problems recorded, if not all could be read.
bool read_levels(const Value& value, const std::optional<Value>& type, kernel::Factor& factor) {
  const bool bundles = value.is_mapping();
  const bool sound = bundles ? read_bundles(value, type, factor) : read_plain_levels(value, type, factor);
  const std::size_t count = bundles ? value.node().entries.size() : value.node().items.size();
  if (count > max_levels) {
    value.refuse(std::to_string(count) + " levels", "a factor has at most " + std::to_string(max_levels));
    return false;
  }
  if (!sound || count >= 2) return sound;
  value.refuse(count == 0 ? "there are no levels" : "there is only one level",
               "give at least two, or make it one of `constants`");
  return false;
}

bool is_reserved(const std::string& name) {
  for (const char* ours : {"seed", "run_dir", "cpus", "gpus", "port", "data"})
    if (name == ours) return true;
  return false;
}

bool read_factor(const Value& entry, kernel::StudyKind kind, kernel::Factor& factor) {
  const std::optional<Fields> fields = entry.fields({"levels", "baseline", "type", "range", "scale"});
  if (!fields) return false;
  if (const auto range = fields->find("range")) return read_range(*fields, *range, kind, factor);
  if (const auto scale = fields->find("scale")) {
    scale->refuse_key("a scale is for a `range`", "leave it out");
    return false;
  }
  const std::optional<Value> levels = fields->need("levels", "list them: `levels: [a, b]`");
  if (!levels || !read_levels(*levels, fields->find("type"), factor)) return false;
  const auto baseline = fields->find("baseline");
  if (baseline) factor.baseline = find_level(*baseline, factor);
  return !baseline || factor.baseline;
}

}  // namespace

void read_factors(const Value& value, Draft& draft) {
  const std::optional<std::vector<Value>> entries = value.entries("factors");
  if (!entries) return;
  if (entries->empty()) return value.refuse("there are no factors", "name at least one thing that varies");
  draft.all_factors = true;
  for (const Value& entry : *entries) {
    kernel::Factor factor;
    factor.name = entry.name();
    bool sound = check_name(entry);
    if (is_reserved(entry.name())) {
      entry.refuse_key("`{" + entry.name() + "}` is a placeholder of its own", "give the factor another name");
      sound = false;
    }
    if (!read_factor(entry, draft.spec.kind, factor) || !sound || !adopt_control(entry, draft, factor))
      draft.unsure.insert(factor.name);
    draft.spec.factors.push_back(std::move(factor));
  }
}

void read_constants(const Value& value, Draft& draft) {
  const std::optional<std::vector<Value>> entries = value.entries("constants");
  draft.all_constants = entries.has_value();
  if (!entries) return;
  for (const Value& entry : *entries) {
    if (is_reserved(entry.name()))
      entry.refuse_key("`{" + entry.name() + "}` is a placeholder of its own", "give the constant another name");
    else if (draft.spec.factor(entry.name()) != nullptr)
      entry.refuse_key("a factor has the same name", "rename one of the two");
    else
      check_name(entry);
    draft.spec.constants[entry.name()] = read_scalar(entry).value_or(kernel::Scalar{});
  }
}

void read_constraints(const Value& value, Draft& draft) {
  draft.constraints = value;
  const std::optional<std::vector<Value>> items = value.list("constraints");
  if (!items) return;
  for (const Value& item : *items) {
    const std::optional<Fields> fields = item.fields({"exclude"});
    const auto exclude = fields ? fields->need("exclude", "write `{exclude: {factor: level}}`") : std::nullopt;
    const auto entries = exclude ? exclude->entries("factors and levels") : std::nullopt;
    if (!entries) continue;
    if (entries->empty()) exclude->refuse("it names no factor", "write `{exclude: {factor: level}}`");
    std::map<std::string, std::vector<std::string>> cells;
    for (const Value& entry : *entries) {
      const kernel::Factor* factor = find_factor(entry, draft);
      if (factor == nullptr) continue;
      if (factor->range) {
        entry.refuse_key("a constraint excludes levels, and `" + factor->name + "` is a range",
                         "narrow the range instead");
        continue;
      }
      std::vector<Value> levels = {entry};
      if (entry.is_list()) levels = *entry.list("levels");
      if (levels.empty()) entry.refuse("an empty list", "name the levels to exclude");
      for (const Value& level : levels)
        if (const auto name = find_level(level, *factor)) cells[factor->name].push_back(*name);
    }
    if (!cells.empty()) draft.spec.excludes.push_back(std::move(cells));
  }
}

}  // namespace studyfile
