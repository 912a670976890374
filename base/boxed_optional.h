#pragma once
// An optional value that is rarely there. It takes the room of a pointer, which matters because a study keeps up to a
// hundred thousand runs in memory. Copies are deep.

#include <memory>
#include <optional>
#include <utility>

#include "base/assert.h"

namespace kernel {

template <typename T>
class BoxedOptional {
 public:
  using value_type = T;

  BoxedOptional() = default;
  BoxedOptional(std::nullopt_t) {}
  BoxedOptional(T value) : value_(std::make_unique<T>(std::move(value))) {}
  BoxedOptional(std::optional<T> value) : value_(value ? std::make_unique<T>(std::move(*value)) : nullptr) {}
  BoxedOptional(const BoxedOptional& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  BoxedOptional(BoxedOptional&&) noexcept = default;
  BoxedOptional& operator=(BoxedOptional other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~BoxedOptional() = default;

  explicit operator bool() const { return value_ != nullptr; }
  bool has_value() const { return value_ != nullptr; }
  /// Precondition of these: there is a value.
  T& operator*() { return *checked(); }
  const T& operator*() const { return *checked(); }
  T* operator->() { return checked(); }
  const T* operator->() const { return checked(); }

  T value_or(T otherwise) const { return value_ ? *value_ : std::move(otherwise); }
  T& emplace() { return *(value_ = std::make_unique<T>()); }
  void reset() { value_.reset(); }

 private:
  T* checked() const {
    ETUDE_ASSERT(value_ != nullptr);
    return value_.get();
  }

  std::unique_ptr<T> value_;
};

}  // namespace kernel
