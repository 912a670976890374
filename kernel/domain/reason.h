#pragma once
// Why something was decided or found: a code with its values. kernel/wording makes the sentence of it that people read.
// What people, agents, jobs and other programs say has no code and stands as it is, and so does every sentence of an
// event of version 1.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kernel {

/// The newest wording, kernel/domain/reasons.def.
inline constexpr int wording_version = 1;

enum class ReasonCode {
  words,  ///< None: `Reason::text` as it stands.
#define ETUDE_REASON(Code, ...) Code,
#include "kernel/domain/reasons.def"
};

struct Reason;

/// A value that a wording names. Reasons among the values become sentences, one after the other.
using ReasonValue = std::variant<std::int64_t, double, std::string, std::vector<Reason>>;

struct Reason {
  ReasonCode code = ReasonCode::words;
  std::map<std::string, ReasonValue> values{};
  std::string text{};  ///< Of `words` only.

  /// There is none.
  bool empty() const { return code == ReasonCode::words && text.empty(); }
};

bool operator==(const Reason&, const Reason&);

/// What somebody else says.
Reason as_said(std::string text);

std::string_view name(ReasonCode);

}  // namespace kernel
