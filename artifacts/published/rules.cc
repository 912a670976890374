#include "artifacts/published/rules.h"

#include <cstddef>

namespace artifacts::published {
namespace {

using enum Severity;

constexpr PublishedRule table[] = {
#define PUBLISHED_RULE(number, severity, fixable, meaning, mend) \
  {Code::ARA##number, "ARA" #number, severity, fixable, meaning, mend},
#include "artifacts/published/rules.def"
};

}  // namespace

std::span<const PublishedRule> rules() {
  return table;
}

const PublishedRule& rule_of(Code code) {
  return table[static_cast<std::size_t>(code)];
}

}  // namespace artifacts::published
