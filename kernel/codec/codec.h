#pragma once
// Events to stored bytes and back. The bytes are canonical: keys sorted, no spaces, numbers in shortest form.

#include <string>
#include <string_view>

#include "kernel/domain/event.h"

namespace kernel {

/// "RunEnded" and so on: the alternative's own name.
std::string_view type_name(const EventBody&);
std::string encode(const EventBody&);
/// Of this version or an older one. Throws std::runtime_error naming type and version when the bytes are no such event.
EventBody decode(std::string_view type, int version, std::string_view payload);

/// Canonical bytes of a registration; its SHA-256 is the registration's hash.
std::string canonical(const Registration&);
std::string canonical(const SearchPlan&);
/// Canonical bytes of an environment record.
std::string canonical(const EnvironmentRecord&);

}  // namespace kernel
