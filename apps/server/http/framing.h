#pragma once
// Where the body of a request ends (RFC 9112, 6.3), where the library would wait for a client to hang up. Include
// httplib first.

#include <optional>

#include <httplib.h>

#include "apps/server/access/access.h"

namespace server {

/// A body's length as the head tells it; nothing: only its end tells.
std::optional<std::size_t> body_size(const httplib::Request&);
/// Before the body is read: with neither a length nor pieces there is none, and only logs are given in ranges, where
/// the library would cut streams as well.
void put_right(httplib::Request&);
/// Why the end of its body cannot be found.
std::optional<Refusal> refuses_framing(const httplib::Request&);

}  // namespace server
