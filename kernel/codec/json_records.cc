// The JSON of plain structs, from the lists of their members.
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "kernel/codec/json_types.h"
#include "kernel/codec/records_of_texts.h"
#include "kernel/wording/wording.h"

namespace kernel {

using nlohmann::json;

// A map by hypothesis is an object, as a map by name is.
void to_json(json& j, const std::map<HypothesisId, int>& map) {
  j = json::object();
  for (const auto& [id, number] : map) j[id.text()] = number;
}
void from_json(const json& j, std::map<HypothesisId, int>& map) {
  for (const auto& [id, number] : j.get_ref<const json::object_t&>()) map[HypothesisId(id)] = number.get<int>();
}

template <typename T>
bool is_set(const T& value) {
  if constexpr (requires { value.has_value(); })
    return value.has_value();
  else if constexpr (requires { value.empty(); })
    return !value.empty();
  else
    return value != T{};
}

// One instantiation per member type; nlohmann's own macros make one per member, which takes minutes to compile.
template <typename T>
void write_member(json::object_t& object, const char* name, const T& value) {
  object[name] = value;
}
template <typename T>
void write_later_member(json::object_t& object, const char* name, const T& value) {
  if (is_set(value)) object[name] = value;
}
template <typename T>
void read_member(const json& object, const char* name, T& value) {
  const auto found = object.find(std::string(name));
  if (found != object.end()) found->get_to(value);
}

#define ETUDE_WRITE(member) write_member(object, #member, value.member);
#define ETUDE_WRITE_LATER(member) write_later_member(object, #member, value.member);
#define ETUDE_READ(member) read_member(j, #member, value.member);
#define ETUDE_EACH(Do, ...) NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(Do, __VA_ARGS__))
#define ETUDE_UNWRAP(...) __VA_ARGS__

#define ETUDE_JSON_AS(Type, write, read)                                                    \
  void to_json(json& j, const Type& value) {                                                \
    json::object_t object;                                                                  \
    write j = std::move(object);                                                            \
  }                                                                                         \
  void from_json(const json& j, Type& value) {                                              \
    if (!j.is_object()) throw json::type_error::create(302, #Type " is not an object", &j); \
    value = Type{};                                                                         \
    read                                                                                    \
  }

#define ETUDE_JSON(Type, ...) \
  ETUDE_JSON_AS(Type, ETUDE_EACH(ETUDE_WRITE, __VA_ARGS__), ETUDE_EACH(ETUDE_READ, __VA_ARGS__))

#define ETUDE_JSON_LATER(Type, Later, ...)                                                                    \
  ETUDE_JSON_AS(Type, ETUDE_EACH(ETUDE_WRITE, __VA_ARGS__) ETUDE_EACH(ETUDE_WRITE_LATER, ETUDE_UNWRAP Later), \
                ETUDE_EACH(ETUDE_READ, __VA_ARGS__) ETUDE_EACH(ETUDE_READ, ETUDE_UNWRAP Later))

#include "kernel/codec/json_records.def"

// In JSON, a requirement that the kernel stated is its reason.
void to_json(json& j, const StudyRequirement& requirement) {
  to_json(j, RequirementOfTexts{requirement});
  if (!requirement.stated.empty()) j["text"] = requirement.stated;
}

void from_json(const json& j, StudyRequirement& requirement) {
  json texts = j;
  Reason stated;
  if (texts.is_object() && texts.contains("text") && is_reason(texts["text"])) {
    stated = texts["text"].get<Reason>();
    texts["text"] = newest_words(stated);
  }
  RequirementOfTexts read;
  from_json(texts, read);
  requirement = std::move(read);
  requirement.stated = std::move(stated);
}

// In JSON, a text that the kernel stated is its reason.
void to_json(json& j, const Node& node) {
  to_json(j, NodeOfTexts{node});
  for (const auto& [field, reason] : node.stated) (field == "title" ? j["title"] : j["fields"][field]) = reason;
}

void from_json(const json& j, Node& node) {
  std::map<std::string, Reason> stated;
  json texts = j;
  const auto take = [&](const std::string& field, json& text) {
    if (!is_reason(text)) return;
    stated[field] = text.get<Reason>();
    text = newest_words(stated[field]);
  };
  if (texts.is_object() && texts.contains("title")) take("title", texts["title"]);
  if (texts.is_object() && texts.contains("fields"))
    for (auto& [field, text] : texts["fields"].items()) take(field, text);
  NodeOfTexts read;
  from_json(texts, read);
  node = std::move(read);
  node.stated = std::move(stated);
}

void to_json(json& j, const MetricSource& source) {
  struct Members {
    json& j;
    void operator()(const FromMetricsFile&) { j = {{"from", "metrics"}}; }
    void operator()(const FromStdout& out) { j = {{"from", "stdout"}, {"pattern", out.pattern}}; }
    void operator()(const FromJsonFile& at) { j = {{"from", "file"}, {"file", at.file}, {"pointer", at.pointer}}; }
    void operator()(const FromJsonLines& lines) {
      j = {{"from", "jsonl"}, {"file", lines.file}, {"key", lines.key}, {"step", lines.step}};
    }
    void operator()(const FromEvaluator&) { j = {{"from", "evaluator"}}; }
    void operator()(const FromCsv& table) {
      j = {{"from", "csv"}, {"file", table.file}, {"key", table.key}, {"step", table.step}};
    }
  };
  std::visit(Members{j}, source);
}

void from_json(const json& j, MetricSource& source) {
  const std::string from = j.value("from", "metrics");
  if (from == "stdout")
    source = FromStdout{j.at("pattern")};
  else if (from == "file")
    source = FromJsonFile{j.at("file"), j.at("pointer")};
  else if (from == "jsonl")
    source = FromJsonLines{j.at("file"), j.at("key"), j.at("step")};
  else if (from == "csv")
    source = FromCsv{j.at("file"), j.at("key"), j.at("step")};
  else if (from == "evaluator")
    source = FromEvaluator{};
  else
    source = FromMetricsFile{};
}

namespace {

/// How an older log names the subject of a line of work: the first word, and the positions of the ids; 0 if absent.
struct SubjectWords {
  std::string_view first;
  LinePurpose purpose;
  std::size_t batch = 0, version = 0, workspace = 0, bound = 0;
};
constexpr SubjectWords subject_words[] = {
    {"what", LinePurpose::propose},                   // "what to test"
    {"mend", LinePurpose::mend, 0, 0, 1},             // "mend HASH"
    {"requirements", LinePurpose::require, 3, 0, 5},  // "requirements of batch 1 on HASH"
    {"review", LinePurpose::review, 0, 0, 1, 2},      // "review HASH BOUND"
    {"unmet", LinePurpose::unmet, 0, 0, 2},           // "unmet by HASH"
    {"vetting", LinePurpose::vet, 0, 1, 3},           // "vetting v2 on HASH"
    {"batch", LinePurpose::analyse, 1},               // "batch 1"
    {"the", LinePurpose::write},                      // "the report"
};

/// Derives the subject of a line of work of an older log. "…, time 2" means that one such line came before.
LineSubject subject_in(const std::string& line, const std::string& about) {
  std::istringstream text(about);
  std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
  LineSubject subject;
  if (words.size() > 2 && words[words.size() - 2] == "time") {
    subject.again = std::atoi(words.back().c_str()) - 1;
    words.resize(words.size() - 2);
    words.back().pop_back();  // Removes the comma.
  }
  const auto word = [&](std::size_t n) { return n > 0 && n < words.size() ? words[n] : ""; };
  for (const SubjectWords& form : subject_words) {
    if (words.empty() || words.front() != form.first) continue;
    subject.purpose = form.purpose;
    subject.batch = std::atoi(word(form.batch).c_str());
    subject.version = word(form.version);
    subject.workspace = word(form.workspace);
    subject.bound = word(form.bound);
  }
  // "improve v2"; the line has the step's id.
  if (!words.empty() && named<CodeOperator>(words.front())) {
    subject.purpose = LinePurpose::step;
    subject.step = line;
  }
  return subject;
}

}  // namespace

void to_json(json& j, const LineOpened& e) {
  j = {{"line", e.line}, {"role", e.role}, {"about", e.about}};
  if (!e.upcast) j["subject"] = e.subject;
}

void from_json(const json& j, LineOpened& e) {
  e.line = j.value("line", "");
  e.role = j.value("role", "");
  e.about = j.value("about", "");
  e.upcast = !j.contains("subject");
  e.subject = e.upcast ? subject_in(e.line, e.about) : j.at("subject").get<LineSubject>();
}

void to_json(json& j, const MetricValue& m) {
  j = {{"value", number_json(m.value)}};
  if (m.censored) j["censored"] = true;
  if (m.worst) j["worst"] = true;
}

void from_json(const json& j, MetricValue& m) {
  m.value = number_from_json(j.at("value"));
  m.censored = j.value("censored", false);
  m.worst = j.value("worst", false);
}

}  // namespace kernel
