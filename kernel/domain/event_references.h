#pragma once
// The references of an event to other records, as the table of events lists them (events.def).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/event.h"

namespace kernel {

/// The purpose for which a study uses a frozen folder.
enum class FolderUse { workspace, code_version, setup, scoring, evaluator_data };

/// Receives the references of an event. A derived class overrides the functions that it needs.
class EventReferences {
 public:
  virtual ~EventReferences() = default;

  /// A run whose record the event changes.
  virtual void run(int /*number*/) {}
  virtual void hypothesis(const HypothesisId& /*id*/) {}
  virtual void every_hypothesis() {}
  /// `sha256` is not empty. `bytes` is -1 if the event does not state it.
  virtual void blob(const std::string& /*sha256*/, std::int64_t /*bytes*/) {}
  /// `manifest`: SHA-256 of the folder's manifest blob; not empty.
  virtual void folder(FolderUse, const std::string& /*manifest*/) {}
};

/// Calls the functions of EventReferences once for each reference of the event.
void each_reference(const EventBody&, EventReferences&);

/// False: the event names no folder. Reads only the stored text, so that most events need no decoding.
bool may_name_folders(std::string_view type, std::string_view payload);

/// Types of the events that make up a study's history, in the order of the table.
std::vector<std::string_view> moment_types();

}  // namespace kernel
