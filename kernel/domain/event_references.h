#pragma once
// What an event refers to, as the table of events says (events.def).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/event.h"

namespace kernel {

/// What a study uses a frozen folder for.
enum class FolderUse { workspace, code_version, setup, scoring, evaluator_data };

/// Receives what an event refers to. A derived class overrides the functions that it needs.
class EventReferences {
 public:
  virtual ~EventReferences() = default;

  /// A run whose record the event changes.
  virtual void run(int /*number*/) {}
  virtual void hypothesis(const std::string& /*id*/) {}
  virtual void every_hypothesis() {}
  /// `sha256` is not empty. `bytes`: -1 where the event does not say.
  virtual void blob(const std::string& /*sha256*/, std::int64_t /*bytes*/) {}
  /// `manifest`: SHA-256 of the folder's manifest, which is a blob; not empty.
  virtual void folder(FolderUse, const std::string& /*manifest*/) {}
};

/// Calls the functions of EventReferences, once for each thing that the event refers to.
void each_reference(const EventBody&, EventReferences&);

/// False: the event names no folder. True: it may name one. Reads only the stored text, so that most events need not be
/// decoded.
bool may_name_folders(std::string_view type, std::string_view payload);

/// The types of the events that make up a study's history, in the order of the table.
std::vector<std::string_view> moment_types();

}  // namespace kernel
