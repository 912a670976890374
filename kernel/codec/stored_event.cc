#include "kernel/codec/stored_event.h"

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/json_scan.h"
#include "kernel/codec/codec.h"

namespace kernel {

namespace {

std::string quoted_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

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
  line += ",\"study\":" + quoted_json(study);
  line += ",\"v\":" + std::to_string(version);
  line += ",\"time\":" + std::to_string(time);
  line += ",\"boot\":" + std::to_string(boot);
  line += ",\"actor\":" + quoted_json(actor);
  line += ",\"type\":" + quoted_json(type);
  line += ",\"prev\":" + quoted_json(prev);
  line += ",\"hash\":" + quoted_json(hash);
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
