#include "kernel/codec/codec.h"

#include <array>
#include <stdexcept>

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
  std::string text = bytes_of(json(RunsQueued{e.purpose, e.experiment, e.cells, {}, e.tier, e.order}));
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

}  // namespace kernel
