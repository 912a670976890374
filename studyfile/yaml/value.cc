#include "studyfile/yaml/value.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/assert.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

constexpr double lowest = std::numeric_limits<double>::lowest();

std::string spelled(double number) {
  std::string out(32, '\0');
  const auto end = std::to_chars(out.data(), out.data() + out.size(), number).ptr;
  out.resize(static_cast<std::size_t>(end - out.data()));
  return out;
}

std::string trimmed(const std::string& text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos) return "";
  return text.substr(start, text.find_last_not_of(" \t\r\n") - start + 1);
}

}  // namespace

void Problems::add(YamlPlace place, std::string what, std::string why, std::string todo) {
  found_.push_back({false, place, {file_, place.line, std::move(what), std::move(why), std::move(todo)}});
}

void Problems::add_absent(YamlPlace place, std::string what, std::string todo) {
  found_.push_back({true, place, {file_, place.line, std::move(what), "it is missing", std::move(todo)}});
}

void Problems::warn(YamlPlace place, std::string what, std::string why, std::string todo) {
  warned_.push_back({false, place, {file_, place.line, std::move(what), std::move(why), std::move(todo)}});
}

bool Problems::before(const Found& a, const Found& b) {
  return std::tie(a.absent, a.place.line, a.place.column) < std::tie(b.absent, b.place.line, b.place.column);
}

const kernel::Problem& Problems::first() const {
  ETUDE_ASSERT(!found_.empty());
  return std::ranges::min_element(found_, before)->problem;
}

std::vector<kernel::Problem> Problems::warnings() const {
  std::vector<Found> sorted = warned_;
  std::ranges::stable_sort(sorted, before);
  std::vector<kernel::Problem> out;
  out.reserve(sorted.size());
  for (Found& found : sorted) out.push_back(std::move(found.problem));
  return out;
}

void Value::refuse(std::string why, std::string todo) const {
  problems_->add(place(), path_, std::move(why), std::move(todo));
}

void Value::refuse_key(std::string why, std::string todo) const {
  problems_->add(key_, path_, std::move(why), std::move(todo));
}

void Value::refuse_for_now(const std::string& spelling, std::string instead) const {
  problems_->add(key_, "`" + spelling + "` is not available yet", "", std::move(instead));
}

void Value::refuse_kind(std::string_view wanted, std::string todo) const {
  refuse("found " + described(*node_) + " where " + std::string(wanted) + " is needed", std::move(todo));
}

void Value::refuse_absent(std::string_view key, std::string todo) const {
  const std::string prefix = path_.empty() ? "" : path_ + ".";
  problems_->add_absent(key_, prefix + std::string(key), std::move(todo));
}

void Value::warn(std::string why, std::string todo) const {
  problems_->warn(key_, path_, std::move(why), std::move(todo));
}

Value Value::child(const YamlNode& node, YamlPlace key, const std::string& name, const std::string& step) const {
  return {node, key, path_.empty() ? shown(name) : path_ + step, name, *problems_};
}

std::optional<std::string> Value::text() const {
  if (!is_scalar()) return refuse_kind("a text"), std::nullopt;
  if (!node_->quoted && (looks_numeric(node_->text) || as_boolean(node_->text)))
    return refuse_kind("a text", "put it in quotes if it is meant as text"), std::nullopt;
  return spelling();
}

std::optional<std::string> Value::sentence() const {
  const std::optional<std::string> given = text();
  if (!given) return std::nullopt;
  if (given->size() > 5000) return refuse("a text of more than 5000 bytes", "be brief"), std::nullopt;
  std::string out;
  for (char c : *given) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space)
      out += c;
    else if (out.back() != ' ')
      out += ' ';
  }
  return out;
}

std::optional<std::string> Value::spelling() const {
  if (!is_scalar()) return refuse_kind("a single value"), std::nullopt;
  std::string out = trimmed(node_->text);
  if (out.empty()) return refuse("it is empty"), std::nullopt;
  return out;
}

std::optional<double> Value::number(double low, double high) const {
  std::string wanted = "a number";
  if (low > lowest && high < largest)
    wanted += " from " + spelled(low) + " to " + spelled(high);
  else if (low > lowest)
    wanted += " of at least " + spelled(low);
  if (!is_scalar() || !looks_numeric(node_->text)) return refuse_kind(wanted), std::nullopt;
  if (node_->quoted) return refuse_kind(wanted, "remove the quotes"), std::nullopt;
  const std::optional<double> value = as_number(node_->text);
  if (!value || *value < low || *value > high)
    return refuse(shown(node_->text) + " is out of range", "give " + wanted), std::nullopt;
  return value;
}

std::optional<std::int64_t> Value::integer(std::int64_t low, std::int64_t high) const {
  const std::string range = "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
  if (!is_scalar() || !looks_numeric(node_->text)) return refuse_kind(range), std::nullopt;
  if (node_->quoted) return refuse_kind(range, "remove the quotes"), std::nullopt;
  if (!is_integer(node_->text)) return refuse_kind(range), std::nullopt;
  const std::string digits = node_->text[0] == '+' ? node_->text.substr(1) : node_->text;
  std::int64_t value = 0;
  const auto error = std::from_chars(digits.data(), digits.data() + digits.size(), value).ec;
  if (error != std::errc() || value < low || value > high)
    return refuse(shown(node_->text) + " is out of range", "give " + range), std::nullopt;
  return value;
}

std::optional<bool> Value::boolean() const {
  if (is_scalar() && !node_->quoted)
    if (const std::optional<bool> value = as_boolean(node_->text)) return value;
  return refuse_kind("`true` or `false`"), std::nullopt;
}

std::optional<double> Value::duration() const {
  const std::string todo = "write a number with a unit: `500ms`, `60s`, `10m` or `2h`";
  const std::optional<double> seconds = is_scalar() ? duration_s(node_->text) : std::nullopt;
  if (!seconds) return refuse_kind("a duration", todo), std::nullopt;
  if (*seconds <= 0) return refuse("a duration of nothing", todo), std::nullopt;
  return seconds;
}

std::optional<std::int64_t> Value::size() const {
  const std::string todo = "write a number with a unit: `100K`, `512M`, `1G` or `1T` (powers of 1024)";
  const std::optional<std::int64_t> bytes = is_scalar() ? size_bytes(node_->text) : std::nullopt;
  if (!bytes) return refuse_kind("a size", todo), std::nullopt;
  if (*bytes <= 0) return refuse("a size of nothing", todo), std::nullopt;
  return bytes;
}

std::optional<std::vector<Value>> Value::list(std::string_view of) const {
  if (!is_list()) return refuse_kind("a list of " + std::string(of), "write it as `[…, …]`"), std::nullopt;
  std::vector<Value> out;
  for (std::size_t i = 0; i < node_->items.size(); ++i) {
    const YamlNode& item = node_->items[i];
    out.push_back(child(item, item.place, std::to_string(i + 1), "[" + std::to_string(i + 1) + "]"));
  }
  return out;
}

std::optional<std::vector<Value>> Value::entries(std::string_view of) const {
  if (!is_mapping()) {
    const bool joined = is_scalar() && node_->text.find(':') != std::string::npos;
    return refuse_kind("a mapping of " + std::string(of), joined ? "put a space behind the `:`" : ""), std::nullopt;
  }
  std::vector<Value> out;
  for (const YamlEntry& entry : node_->entries)
    out.push_back(child(entry.value, entry.place, entry.key, "." + shown(entry.key)));
  return out;
}

std::optional<Value> Value::entry(std::string_view key) const {
  ETUDE_ASSERT(is_mapping());
  for (const YamlEntry& entry : node_->entries)
    if (entry.key == key) return child(entry.value, entry.place, entry.key, "." + shown(entry.key));
  return std::nullopt;
}

std::optional<Fields> Value::fields(std::vector<Key> known) const {
  const std::optional<std::vector<Value>> all = entries("keys and values");
  if (!all) return std::nullopt;
  for (const Value& entry : *all) {
    const auto key = std::ranges::find_if(known, [&](const Key& k) { return k.name == entry.name(); });
    if (key != known.end() && key->standing == Key::Standing::read) continue;
    if (key == known.end())
      entry.refuse_unknown(known);
    else if (key->standing == Key::Standing::later)
      entry.refuse_for_now(entry.path(), "leave it out");
    else
      entry.refuse_key("an unknown key here", "it belongs under `" + std::string(key->home) + "`");
    // One problem is enough, because only the first in the file is shown.
    return Fields(*this, false);
  }
  return Fields(*this, true);
}

void Value::refuse_unknown(const std::vector<Key>& known) const {
  std::vector<std::string> names;
  for (const Key& key : known)
    if (key.standing != Key::Standing::elsewhere) names.emplace_back(key.name);
  refuse_key("an unknown key", suggestion(name_, names, "known here:"));
}

std::optional<std::size_t> Value::choice(std::span<const std::string_view> words) const {
  const std::vector<std::string> known(words.begin(), words.end());
  if (!is_scalar()) return refuse_kind("one of " + listed(known)), std::nullopt;
  const auto found = std::ranges::find(words, node_->text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  return refuse("found " + described(*node_), suggestion(node_->text, known, "use")), std::nullopt;
}

bool Fields::has(std::string_view key) const {
  return find(key).has_value();
}

std::optional<Value> Fields::find(std::string_view key) const {
  return value_.entry(key);
}

std::optional<Value> Fields::need(std::string_view key, std::string todo) const {
  std::optional<Value> value = find(key);
  if (!value && complete_) value_.refuse_absent(key, std::move(todo));
  return value;
}

void Fields::count(std::string_view key, int low, int high, int& into) const {
  const std::optional<Value> given = find(key);
  if (const auto number = given ? given->integer(low, high) : std::nullopt) into = static_cast<int>(*number);
}

}  // namespace studyfile
