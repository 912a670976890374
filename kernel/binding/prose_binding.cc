#include "kernel/binding/prose_binding.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernel/binding/addresses.h"

namespace kernel {

namespace {

/// The largest text of a field in a record.
constexpr std::size_t most_bytes = 20'000;

std::string replaced(const Study& study, const std::string& text, std::vector<prose::Objection>* findings) {
  std::string out;
  std::size_t done = 0;
  for (const prose::Span& reference : prose::references_in(text)) {
    out += text.substr(done, reference.offset - done);
    AddressValue value = value_at(study, prose::address_of(text, reference));
    if (const auto* none = std::get_if<NoValue>(&value)) {
      if (findings)
        findings->push_back({prose::Kind::address, reference.offset, reference.length, none->why, none->todo});
      out += text.substr(reference.offset, reference.length);
    } else {
      out += std::get<std::string>(value);
    }
    done = reference.end();
  }
  return out + text.substr(done);
}

std::string words(const std::string& field, const std::string& text, const std::vector<prose::Objection>& findings) {
  constexpr std::size_t most = 5;
  std::string out;
  for (std::size_t i = 0; i < findings.size() && i < most; ++i)
    out += fmt::format("{}{}, {}", out.empty() ? "" : "; ", field, prose::described(text, findings[i]));
  if (findings.size() > most) out += fmt::format("; and {} more", findings.size() - most);
  return out;
}

using Texts = std::vector<std::pair<std::string, std::string*>>;

Texts texts_of(Claim& claim) {
  Texts texts = {{"title", &claim.title},
                 {"statement", &claim.statement},
                 {"conditions", &claim.conditions},
                 {"falsification", &claim.falsification}};
  for (std::size_t i = 0; i < claim.tags.size(); ++i) texts.emplace_back(fmt::format("tag {}", i + 1), &claim.tags[i]);
  return texts;
}

Texts texts_of(Node& node) {
  Texts texts = {{"title", &node.title}};
  for (auto& [name, text] : node.fields) texts.emplace_back(name, &text);
  for (std::size_t i = 0; i < node.alternatives.size(); ++i)
    texts.emplace_back(fmt::format("alternative {}", i + 1), &node.alternatives[i]);
  return texts;
}

Texts texts_of(Section& section) {
  return {{section.name, &section.text}};
}

/// H1, H2, …
bool counted(const HypothesisId& id) {
  const std::string& text = id.text();
  return text.size() > 1 && text[0] == 'H' && text.find_first_not_of("0123456789", 1) == std::string::npos;
}

}  // namespace

Binding::Binding(const Study& study) : study_(study), facts_(facts_of(study)) {}

Bound Binding::bind(const std::string& text, const prose::Rules& rules) const {
  Bound bound;
  bound.text = replaced(study_, text, &bound.findings);
  for (prose::Objection& finding : prose::lint(text, facts_, rules)) bound.findings.push_back(std::move(finding));
  std::ranges::stable_sort(bound.findings, [](const auto& a, const auto& b) { return a.offset < b.offset; });
  return bound;
}

std::string Binding::field(const std::string& name, std::string& text, std::map<std::string, std::string>& written,
                           const prose::Rules& rules) const {
  if (text.size() > most_bytes) return fmt::format("{}: more than {} bytes are no {}", name, most_bytes, name);
  Bound bound = bind(text, rules);
  if (!bound.findings.empty()) return words(name, text, bound.findings);
  if (bound.text != text) written[name] = std::exchange(text, bound.text);
  return "";
}

std::string Binding::bind(Hypothesis& h, const std::string& actor) const {
  // A hypothesis that the study file lists is proposed exactly as it stands there.
  for (const Hypothesis& own : study_.spec.hypotheses)
    if (own.id == h.id && own.statement == h.statement && own.mechanism == h.mechanism) return h = own, "";
  h.by = actor;
  if (!counted(h.id)) return fmt::format("`{}` is no id: count on from H1", h.id.text().substr(0, 40));
  prose::Facts facts = facts_;
  add_constants(facts, study_.spec, h);
  for (const Predecessor& earlier : study_.predecessors) {  // `difference` may name them.
    if (counted(earlier.hypothesis)) facts.ids.insert(earlier.hypothesis.text());
    facts.names.insert(earlier.study);
  }
  HypothesisRecord proposed;
  proposed.hypothesis = h;
  const prose::HypothesisFacts own = hypothesis_facts(study_.spec, proposed);
  for (const auto& [name, text] : {std::pair<const char*, const std::string&>{"statement", h.statement},
                                   {"mechanism", h.mechanism},
                                   {"difference", h.difference}}) {
    if (text.size() > most_bytes) return fmt::format("{}: more than {} bytes", name, most_bytes);
    if (text.find("{{") != std::string::npos)
      return fmt::format("{}: a hypothesis comes before the values that it could refer to", name);
    // A mechanism is a conjecture about the cause.
    const prose::Rules rules{prose::Markup::plain, false, &text == &h.statement, &own};
    if (const auto findings = prose::lint(text, facts, rules); !findings.empty()) return words(name, text, findings);
  }
  return "";
}

std::string Binding::bind(Claim& claim) const {
  claim.written.clear();
  const prose::Rules rules{.of = facts_.hypothesis(claim.hypothesis.text())};
  for (const auto& [name, text] : texts_of(claim))
    if (std::string refusal = field(name, *text, claim.written, rules); !refusal.empty()) return refusal;
  for (const std::string& on : claim.depends_on)
    if (std::ranges::none_of(study_.claims, [&](const Claim& other) { return other.id == on; }))
      return fmt::format("depends_on: there is no claim {}", on);
  return "";
}

std::string Binding::bind(Section& section) const {
  section.written.clear();
  if (section.text.empty()) return "it says nothing";
  return field(section.name, section.text, section.written, {prose::Markup::markdown, true});
}

std::string Binding::bind(Node& node) const {
  node.written.clear();
  for (const auto& [name, text] : texts_of(node))
    if (std::string refusal = field(name, *text, node.written); !refusal.empty()) return refusal;
  // Keys are shown with the texts, so they must not hold prose.
  for (const auto& [key, text] : node.fields)
    if (key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != std::string::npos)
      return fmt::format("fields: `{}` is no key: small letters and underscores", key.substr(0, 40));
  if (!node.hypothesis.empty() && !study_.hypothesis(node.hypothesis))
    return fmt::format("there is no hypothesis {}", node.hypothesis.text().substr(0, 40));
  if (!node.experiment.empty() && !study_.experiment(node.experiment))
    return fmt::format("there is no experiment {}", node.experiment.text().substr(0, 40));
  for (const std::string& evidence : node.evidence)
    if (evidence.find_first_of(" \t\n") != std::string::npos)
      return fmt::format("evidence: `{}` is neither an id nor a path", evidence.substr(0, 40));
  return "";
}

std::string with_values(const Study& study, const std::string& text) {
  return replaced(study, text, nullptr);
}

namespace {

/// With values in place of the addresses in its texts.
template <typename Record>
Record filled(const Study& study, Record record) {
  for (const auto& [name, text] : texts_of(record)) {
    const std::string before = std::exchange(*text, with_values(study, *text));
    if (*text != before) record.written[name] = before;
  }
  return record;
}

bool of_agent(const std::string& actor) {
  return !is_person(actor) && actor != kernel_actor;
}

/// True if a model wrote the text: its role has a conversation, or none is recorded. Built-in texts are fixed.
bool by_model(const StudySpec& spec, const Journal& journal, const std::string& actor) {
  const std::vector<LineOfWork>& lines = journal.thinking.lines;
  return spec.agents != "builtin" &&
         (lines.empty() || std::ranges::any_of(lines, [&](const LineOfWork& line) { return line.role == actor; }));
}

}  // namespace

template <typename Record>
std::string bind_words(const Study& study, const std::string& actor, Record& record, bool built_in) {
  if (!of_agent(actor)) return "";
  Record bound = record;
  std::string refusal = Binding(study).bind(bound);
  if (!refusal.empty() && !built_in && by_model(study.spec, study, actor)) return refusal;
  record = refusal.empty() ? std::move(bound) : filled(study, std::move(record));
  return "";
}
template std::string bind_words(const Study&, const std::string&, Claim&, bool);
template std::string bind_words(const Study&, const std::string&, Node&, bool);
template std::string bind_words(const Study&, const std::string&, Section&, bool);

std::string bind_words(const Study& study, const std::string& actor, Hypothesis& hypothesis, bool built_in) {
  if (!of_agent(actor)) return "";
  std::string refusal = Binding(study).bind(hypothesis, actor);
  return !built_in && by_model(study.spec, study, actor) ? refusal : "";
}

}  // namespace kernel
