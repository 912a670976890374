#include "artifacts/read/rules.h"

namespace artifacts {
namespace {

using enum Severity;

/// A rule's name with dashes.
template <std::size_t N>
struct Id {
  constexpr explicit Id(const char (&name)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = name[i] == '_' ? '-' : name[i];
  }
  char text[N]{};
};

#define ETUDE_RULE(name, ...) constexpr Id name##_id(#name);
#include "artifacts/read/rules.def"

constexpr Rule table[] = {
#define ETUDE_RULE(name, severity, mend) {RuleId::name, name##_id.text, severity, mend},
#include "artifacts/read/rules.def"
};

}  // namespace

std::string_view name_of(Severity severity) {
  switch (severity) {
    case info:
      return "info";
    case warning:
      return "warning";
    case error:
      return "error";
    case critical:
      return "critical";
  }
  return "error";
}

const Rule& rule_of(RuleId rule) {
  return table[static_cast<std::size_t>(rule)];
}

std::span<const Rule> all_rules() {
  return table;
}

std::span<const Rule> check_rules() {
  return all_rules().first(static_cast<std::size_t>(RuleId::no_record));
}

std::span<const Rule> audit_rules() {
  return all_rules().subspan(static_cast<std::size_t>(RuleId::no_record));
}

}  // namespace artifacts
