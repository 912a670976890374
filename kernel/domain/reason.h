#pragma once
// The reason for a decision or a finding: a code with values, which kernel/wording turns into a sentence. Texts of
// people, agents, jobs and other programs have no code, like the sentences in events of version 1. The supervisor
// includes this and links nothing of the kernel, so everything here is inline.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kernel {

/// The newest wording, kernel/domain/reasons.def. Since 2, a sentence within another ends with one full stop; since 6,
/// no full stop follows a question mark.
inline constexpr int wording_version = 11;
/// Codes in place of sentences, which no artifact has: a test sees by it which texts follow the wording of their study.
inline constexpr int codes_only = 0;

enum class ReasonCode {
  words,  ///< No code: `Reason::text` is the reason.
#define ETUDE_REASON(Code, ...) Code,
#include "kernel/domain/reasons.def"
};

struct Reason;

/// A value that a wording names. Reasons among the values become sentences in sequence.
using ReasonValue = std::variant<std::int64_t, double, std::string, std::vector<Reason>>;

struct Reason {
  ReasonCode code = ReasonCode::words;
  std::map<std::string, ReasonValue> values{};
  std::string text{};  ///< Only for `words`.

  bool empty() const { return code == ReasonCode::words && text.empty(); }
  bool operator==(const Reason&) const = default;
};

/// A reason that consists of another party's text.
inline Reason as_said(std::string text) {
  return {ReasonCode::words, {}, std::move(text)};
}

}  // namespace kernel
