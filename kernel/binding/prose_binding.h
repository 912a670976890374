#pragma once
// Binds prose to a study: addresses become values, and what nothing supports is refused with its place. What a text
// may say is prose/lint.h's business, what stands at an address addresses.h's. Pure; any thread.

#include <optional>
#include <string>
#include <vector>

#include "kernel/binding/known_facts.h"
#include "prose/lint.h"

namespace kernel {

struct Bound {
  std::string text;  ///< With values where there were addresses; those without a value stay.
  std::vector<prose::Objection> findings;
};

class Binding {
 public:
  /// Borrows the study.
  explicit Binding(const Study& study);
  explicit Binding(Study&&) = delete;

  Bound bind(const std::string& text, const prose::Rules& rules = {}) const;
  /// A record of an agent: why it is refused, or empty, and then its texts are bound; `written` has those that held
  /// addresses.
  std::string bind(Claim&) const;
  std::string bind(Node&) const;
  std::string bind(Section&) const;
  /// One that stands in the study file word for word is a person's, and may say what it likes; any other is `actor`'s.
  std::string bind(Hypothesis&, const std::string& actor) const;

 private:
  /// Binds one text; empty: it passes.
  std::string field(const std::string& name, std::string& text, std::map<std::string, std::string>& written,
                    const prose::Rules& rules = {}) const;

  const Study& study_;
  prose::Facts facts_;
};

/// Why a record of this actor does not pass, or empty, and then its texts are bound. What people write is theirs. The
/// built-in agents' sentences are fixed: whatever names a study puts into them, it is not to lose its write-up to the
/// lint.
std::string bind_words(const Study&, const std::string& actor, Claim&);
std::string bind_words(const Study&, const std::string& actor, Node&);
std::string bind_words(const Study&, const std::string& actor, Section&);
std::string bind_words(const Study&, const std::string& actor, Hypothesis&);

/// The values alone, nothing refused.
std::string with_values(const Study&, const std::string& text);
Claim with_values(const Study&, Claim);
Node with_values(const Study&, Node);
Section with_values(const Study&, Section);

}  // namespace kernel
