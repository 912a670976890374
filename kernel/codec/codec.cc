#include "kernel/codec/codec.h"

#include <array>
#include <stdexcept>

#include "base/digest.h"
#include "base/json_scan.h"
#include "kernel/codec/json_types.h"

namespace kernel {

using nlohmann::json;

namespace {

#define ETUDE_EVENT(Type, ...) #Type,
constexpr std::array<std::string_view, std::variant_size_v<EventVariant>> names = {
#include "kernel/domain/events.def"
};

std::string bytes_of(const json& j) {
  // Job output may be invalid UTF-8. An event gets replacement characters; the blob keeps the bytes.
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

template <typename Body>
std::string payload_of(const Body& e) {
  return bytes_of(json(e));
}

/// The same bytes with less memory: of up to a hundred thousand runs, only one at a time is a JSON document.
std::string payload_of(const RunsQueued& e) {
  RunsQueued others = e;
  others.runs.clear();
  std::string text = bytes_of(json(others));
  constexpr std::string_view none = "\"runs\":[]";
  const std::size_t at = text.rfind(none);
  if (at == text.npos) throw std::logic_error("RunsQueued has no runs");
  const std::string rest = text.substr(at + none.size() - 1);
  text.resize(at + none.size() - 1);
  for (const PlannedRun& run : e.runs) {
    if (text.back() != '[') text += ',';
    text += bytes_of(json(run));
  }
  return text += rest;
}

template <std::size_t I = 0>
EventBody decode_alternative(std::size_t index, const json& payload) {
  if constexpr (I < std::variant_size_v<EventVariant>) {
    if (index == I) return payload.get<std::variant_alternative_t<I, EventVariant>>();
    return decode_alternative<I + 1>(index, payload);
  } else {
    throw std::logic_error("no such event");
  }
}

}  // namespace

std::string_view type_name(const EventBody& body) {
  return names[body.index()];
}

std::string encode(const EventBody& body) {
  return std::visit([](const auto& e) { return payload_of(e); }, body);
}

EventBody decode(std::string_view type, int version, std::string_view payload) {
  const std::string label = std::string(type) + " version " + std::to_string(version);
  if (version < 1 || version > event_version)
    throw std::runtime_error("event " + label + " is newer than this program");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != type) continue;
    try {
      return decode_alternative(i, json::parse(payload));
    } catch (const json::exception& e) {
      throw std::runtime_error("event " + label + " cannot be read: " + e.what());
    }
  }
  throw std::runtime_error("event " + label + " is unknown");
}

std::string canonical(const Registration& registration) {
  return bytes_of(json(registration));
}
std::string canonical(const SearchPlan& plan) {
  return bytes_of(json(plan));
}
std::string canonical(const EnvironmentRecord& environment) {
  return bytes_of(json(environment));
}

std::string record_of(const ImportedArtifact& artifact) {
  return bytes_of(json(artifact));
}
ImportedArtifact read_import(std::string_view record) {
  return json::parse(record).get<ImportedArtifact>();
}

std::string StoredEvent::chain_hash() const {
  // Every field is preceded by its length, so that different events have different bytes.
  std::string bytes = "etude-event/1\n";
  for (const std::string& field :
       {prev, study, std::to_string(version), std::to_string(time), std::to_string(boot), actor, type})
    bytes.append(std::to_string(field.size())).append(":").append(field).append("\n");
  bytes.append(std::to_string(payload.size())).append(":");
  Sha256 digest;
  digest.update(bytes);
  digest.update(payload);
  digest.update("\n");
  return digest.hex();
}

std::string StoredEvent::json_line() const {
  std::string line = "{\"seq\":" + std::to_string(seq);
  line += ",\"study\":" + bytes_of(study);
  line += ",\"v\":" + std::to_string(version);
  line += ",\"time\":" + std::to_string(time);
  line += ",\"boot\":" + std::to_string(boot);
  line += ",\"actor\":" + bytes_of(actor);
  line += ",\"type\":" + bytes_of(type);
  line += ",\"prev\":" + bytes_of(prev);
  line += ",\"hash\":" + bytes_of(hash);
  return line.append(",\"payload\":").append(payload).append("}");
}

Event StoredEvent::decoded() const {
  return {study, actor, {time, boot}, decode(type, version, payload)};
}

StoredEvent to_stored(const Event& event, std::string prev, int version) {
  StoredEvent stored;
  stored.version = version;
  stored.study = event.study;
  stored.time = event.at.wall_ms;
  stored.boot = event.at.boot_ms;
  stored.actor = event.actor;
  stored.type = type_name(event.body);
  stored.payload = encode(event.body);
  stored.prev = std::move(prev);
  stored.hash = stored.chain_hash();
  return stored;
}

std::string Chain::add(const StoredEvent& event) {
  std::string wrong;
  if (event.prev != head_) wrong = "the chain is broken before it";
  if (event.hash != event.chain_hash())
    wrong += std::string(wrong.empty() ? "" : ", and ") + "its hash is not that of its content";
  head_ = event.hash;
  return wrong;
}

std::optional<StoredEvent> read_event_line(std::string_view line) {
  StoredEvent event;
  JsonScan scan(line);
  if (scan.peek() != JsonScan::Kind::object) return std::nullopt;
  scan.enter();
  std::string key;
  int known = 0;
  while (scan.next_key(key)) {
    std::int64_t* number = key == "seq"    ? &event.seq
                           : key == "time" ? &event.time
                           : key == "boot" ? &event.boot
                                           : nullptr;
    std::string* text = key == "study"   ? &event.study
                        : key == "actor" ? &event.actor
                        : key == "type"  ? &event.type
                        : key == "prev"  ? &event.prev
                        : key == "hash"  ? &event.hash
                                         : nullptr;
    ++known;
    if (text) {
      *text = scan.string();
    } else if (number || key == "v") {
      const auto value = scan.integer();
      if (!value) return std::nullopt;
      if (number)
        *number = *value;
      else
        event.version = static_cast<int>(*value);
    } else {
      const std::size_t begin = scan.position();
      scan.skip();
      if (key == "payload")
        event.payload = line.substr(begin, scan.position() - begin);
      else
        --known;
    }
  }
  if (scan.failed() || !scan.at_end() || known != 10) return std::nullopt;
  return event;
}

}  // namespace kernel
