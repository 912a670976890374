#pragma once
// Binds prose to a study: replaces addresses by values, and refuses unsupported text with its position. prose/lint.h
// decides what a text may say; addresses.h gives the values. Pure; any thread.

#include <string>
#include <vector>

#include "kernel/binding/known_facts.h"
#include "prose/lint.h"

namespace kernel {

struct Bound {
  std::string text;  ///< Addresses are replaced by values; those without a value stay.
  std::vector<prose::Objection> findings;
};

class Binding {
 public:
  /// Borrows the study.
  explicit Binding(const Study& study);
  explicit Binding(Study&&) = delete;

  Bound bind(const std::string& text, const prose::Rules& rules = {}) const;
  /// Binds the texts of an agent's record, and returns why it is refused, or an empty string. `written` gets the
  /// original of each text that held addresses.
  std::string bind(Claim&) const;
  std::string bind(Node&) const;
  std::string bind(Section&) const;
  /// A hypothesis that the study file has word for word is a person's, so it is not checked; any other is `actor`'s.
  std::string bind(Hypothesis&, const std::string& actor) const;

 private:
  /// Binds one text; returns why it is refused, or an empty string.
  std::string field(const std::string& name, std::string& text, std::map<std::string, std::string>& written,
                    const prose::Rules& rules = {}) const;

  const Study& study_;
  prose::Facts facts_;
};

/// Binds a record's texts, and returns why it is refused, or an empty string. Texts of people always pass. Texts of
/// built-in agents pass, too: their sentences are fixed, and the names in them must not cost a study its write-up.
/// `Record`: Claim, Node or Section.
template <typename Record>
std::string bind_words(const Study&, const std::string& actor, Record&, bool built_in = false);
std::string bind_words(const Study&, const std::string& actor, Hypothesis&, bool built_in = false);

/// Replaces addresses by values, without checks.
std::string with_values(const Study&, const std::string& text);

}  // namespace kernel
