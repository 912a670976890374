#pragma once
// One event as it is stored, bytes and all, and the hash that chains it to the one before: what the store keeps, what
// `log` prints and what an artifact carries. Pure; docs/events.md is its page.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kernel/domain/event.h"

namespace kernel {

/// `prev` of a study's first event.
inline constexpr std::string_view chain_start = "0000000000000000000000000000000000000000000000000000000000000000";

struct StoredEvent {
  std::int64_t seq = 0;  ///< Order over all studies of a store; not hashed, the chain is the order within one.
  std::string study;
  int version = event_version;
  std::int64_t time = 0, boot = 0;  ///< Milliseconds: wall clock (for display) and boot clock.
  std::string actor, type, payload;
  std::string prev, hash;  ///< Lower-case hex.

  /// What `hash` must be: SHA-256 over the canonical byte string of everything but `seq` and `hash`.
  std::string chain_hash() const;
  /// One JSON object without newline; `payload` comes last, byte for byte as stored.
  std::string json_line() const;
  /// Throws std::runtime_error naming the type when the payload is no such event.
  Event decoded() const;
};

/// The event as it is to be stored after `prev`; `seq` is left to the store.
StoredEvent to_stored(const Event&, std::string prev, int version = event_version);

/// Follows the chain of one study, event by event.
class Chain {
 public:
  /// Goes on after the event of that hash.
  explicit Chain(std::string head = std::string(chain_start)) : head_(std::move(head)) {}
  /// What is wrong with the next event, as the end of a sentence about it; empty when it continues the chain.
  std::string add(const StoredEvent&);
  /// The hash of the last event.
  const std::string& head() const { return head_; }

 private:
  std::string head_;
};

/// Reads what `json_line` wrote; none when it is no such line.
std::optional<StoredEvent> read_event_line(std::string_view line);

}  // namespace kernel
