#pragma once
// Why a model did not answer. Values; any thread.

#include <optional>
#include <string>
#include <string_view>

namespace models {

struct Failure {
  enum class Kind {
    unreachable,   ///< No connection.
    timed_out,     ///< Connected, and then too slow.
    busy,          ///< 408, 409, 429: come again later.
    server,        ///< 5xx, or an error in the middle of a stream.
    cut_off,       ///< The stream broke before its end.
    garbled,       ///< What came is not of the protocol.
    too_large,     ///< More than a reply may be.
    unauthorised,  ///< 401, 403: the key.
    refused,       ///< Other 4xx: the request itself.
    cancelled,     ///< By us.
  };
  Kind kind = Kind::unreachable;
  int status = 0;       ///< HTTP's; 0: none came.
  std::string message;  ///< For people: one line, bounded, without control characters.
  /// Seconds that the server asks to be left alone.
  std::optional<double> retry_after_s{};
  /// Some of the reply came, so it was paid for.
  bool began = false;
};

std::string_view name(Failure::Kind);

/// The same request may yet be answered.
bool may_pass(const Failure&);

/// The first line of a stranger's text: at most 300 bytes of valid UTF-8, control characters as spaces.
std::string one_line_of(std::string_view);

/// Seconds to wait before attempt `attempt` + 1, after `attempt` (from 1) has failed like this: doubling from half a
/// second to a minute, spread evenly over its upper half by `chance` in [0, 1) so that many do not come back at once
/// (Brooker, "Exponential backoff and jitter", AWS Architecture Blog 2015); never before the server asks for it. None:
/// not worth another one, or the server asks for more than `longest_s`.
std::optional<double> wait_before_retry(const Failure&, int attempt, int most_attempts, double chance,
                                        double longest_s = 300);

/// Seconds of an HTTP Retry-After header: a number, or a date against `now_s` (seconds since 1970). None: neither.
std::optional<double> retry_after_s(std::string_view header, double now_s);

}  // namespace models
