#pragma once
// Encodes and decodes events and other stored values. Bytes are canonical: sorted keys, no spaces, shortest numbers. A
// stored event carries the hash that chains it to the previous one: the form of the store, of `log` and of artifacts.
// Pure; docs/events.md describes it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kernel/domain/event.h"
#include "kernel/domain/imported_artifact.h"

namespace kernel {

/// The name of a type of event, e.g. "RunEnded".
template <typename T>
inline constexpr std::string_view event_name;
#define ETUDE_EVENT(Type, ...) \
  template <>                  \
  inline constexpr std::string_view event_name<Type> = #Type;
#include "kernel/domain/events.def"

/// The name of the alternative.
std::string_view type_name(const EventBody&);
std::string encode(const EventBody&);
/// Decodes events of this and older versions. Throws std::runtime_error with type and version for any other bytes.
EventBody decode(std::string_view type, int version, std::string_view payload);

/// Canonical bytes of a registration; its SHA-256 is the registration's hash.
std::string canonical(const Registration&);
std::string canonical(const SearchPlan&);
std::string canonical(const EnvironmentRecord&);

/// `read_import` throws nlohmann::json::exception if the text is no such record.
std::string record_of(const ImportedArtifact&);
ImportedArtifact read_import(std::string_view record);

/// `prev` of a study's first event.
inline constexpr std::string_view chain_start = "0000000000000000000000000000000000000000000000000000000000000000";

struct StoredEvent {
  std::int64_t seq = 0;  ///< Order over all studies of a store; not hashed, as the chain orders each study.
  std::string study;
  int version = event_version;
  std::int64_t time = 0, boot = 0;  ///< Milliseconds: wall clock (for display) and boot clock.
  std::string actor, type, payload;
  std::string prev, hash;  ///< Lower-case hex.

  /// The value that `hash` must have: SHA-256 of the canonical byte string of all members except `seq` and `hash`.
  std::string chain_hash() const;
  /// One JSON object without newline. `payload` is last, unchanged from the store.
  std::string json_line() const;
  /// Throws std::runtime_error with the type if the payload is no such event.
  Event decoded() const;
  /// Whether it is a `T`, without decoding it.
  template <typename T>
  bool is() const {
    return type == event_name<T>;
  }
};

/// The event in the form to store after `prev`; the store sets `seq`.
StoredEvent to_stored(const Event&, std::string prev, int version = event_version);

/// Checks the chain of one study, event by event.
class Chain {
 public:
  /// Continues after the event with that hash.
  explicit Chain(std::string head = std::string(chain_start)) : head_(std::move(head)) {}
  /// Why the next event breaks the chain, as the end of a sentence about it; empty if it continues the chain.
  std::string add(const StoredEvent&);
  /// Hash of the last event.
  const std::string& head() const { return head_; }

 private:
  std::string head_;
};

/// Reads a line of `json_line`; none if it is not such a line.
std::optional<StoredEvent> read_event_line(std::string_view line);

}  // namespace kernel
