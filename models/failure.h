#pragma once
// Why a model did not answer. Values; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace models {

struct Failure {
  enum class Kind {
    unreachable,   ///< No connection was made.
    timed_out,     ///< Connected, but too slow.
    busy,          ///< 408, 409, 429: try again later.
    server,        ///< 5xx, or an error in the middle of a stream.
    cut_off,       ///< The stream broke before its end.
    garbled,       ///< The reply does not follow the protocol.
    too_large,     ///< Larger than the limit of a reply.
    unauthorised,  ///< 401, 403: the key is wrong.
    refused,       ///< Other 4xx: the request is wrong.
    too_long,      ///< Request and reply do not fit into the model's context.
    no_model,      ///< The provider does not serve this model, or no longer.
    unpaid,        ///< 402, or a quota that is used up.
    withheld,      ///< The provider refuses this topic.
    cancelled,     ///< By us.
  };
  Kind kind = Kind::unreachable;
  int status = 0;       ///< The HTTP status; 0 if none came.
  std::string message;  ///< For people: one line, bounded, without control characters.
  /// Seconds that the server asks to wait.
  std::optional<double> retry_after_s{};
  /// Whether part of the reply came, so that it was paid for.
  bool began = false;
  std::int64_t context = 0;  ///< Of `too_long`: the limit in tokens that the server names; 0 if it names none.
  std::string detail{};      ///< Of `refused`: the error as it came, bounded, to learn from.
};

/// Whether the same request may succeed later without anybody's doing: the provider is out of reach or overloaded.
bool may_pass(const Failure&);

std::string_view name(Failure::Kind);

/// The first line of an untrusted text: at most 600 bytes of valid UTF-8, control characters as spaces.
std::string one_line_of(std::string_view);

/// Seconds to wait after attempt `attempt` (from 1) has failed: half a second, doubling up to a minute, and never less
/// than the server asks for. `chance` in [0, 1) spreads the wait over its upper half, so that clients do not return at
/// once (Brooker, "Exponential backoff and jitter", AWS Architecture Blog 2015). None if a retry is useless, or the
/// server asks for more than `longest_s`.
std::optional<double> wait_before_retry(const Failure&, int attempt, int most_attempts, double chance,
                                        double longest_s = 300);

/// Seconds of an HTTP Retry-After header: a number, or a date relative to `now_s` (seconds since 1970). None if it is
/// neither.
std::optional<double> retry_after_s(std::string_view header, double now_s);

}  // namespace models
