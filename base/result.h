#pragma once
// Bad input as a value: what was found, where, and what to do about it. Faults (a full disk, a broken invariant) are
// exceptions instead.

#include <string>
#include <utility>
#include <variant>

namespace kernel {

/// One piece of bad input, good enough for a person or a model to act on.
struct Problem {
  std::string file;      ///< Empty if the input was no file.
  int line = 0;          ///< 1-based; 0 when unknown.
  std::string what;      ///< The part of the input: "factors.n", "workspace".
  std::string why;       ///< What is wrong with it.
  std::string todo;      ///< What to do; may be empty.
  bool machine = false;  ///< Whether the input is right but this machine cannot do it.

  /// `file:line: what: why: todo`, without the parts that are empty.
  std::string text() const {
    std::string out = file;
    if (!file.empty() && line > 0) out += ":" + std::to_string(line);
    for (const std::string& part : {what, why, todo})
      if (!part.empty()) out += (out.empty() ? "" : ": ") + part;
    return out;
  }
};

/// `P`: `Problem`, or a type derived from it with more for the caller to decide by.
template <typename T, typename P = Problem>
class Result {
 public:
  Result(T value) : content_(std::move(value)) {}
  Result(P problem) : content_(std::move(problem)) {}

  explicit operator bool() const { return std::holds_alternative<T>(content_); }
  /// Throws std::bad_variant_access where it holds a problem.
  T& value() { return std::get<T>(content_); }
  const T& value() const { return std::get<T>(content_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  /// Throws std::bad_variant_access where it holds a value.
  const P& problem() const { return std::get<P>(content_); }

 private:
  std::variant<T, P> content_;
};

}  // namespace kernel
