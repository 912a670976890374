#pragma once
// Where the body of a request ends (RFC 9112, 6.3), in cases in which httplib would wait until the client closes.
// Include httplib first.

#include <optional>

#include <httplib.h>

#include "apps/server/access/access.h"

namespace server {

/// The length of the body by the head; none if only its end shows it.
std::optional<std::size_t> body_size(const httplib::Request&);
/// To be called before the body is read. Without a length and without chunks there is no body. Ranges are kept only for
/// logs, because httplib would cut streams as well.
void normalise_body_headers(httplib::Request&);
/// The refusal if the end of the body cannot be found.
std::optional<Refusal> refuses_framing(const httplib::Request&);

}  // namespace server
