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

/// Is told what an event refers to. The members without a body of their own in a derived class do nothing.
class EventReferences {
 public:
  virtual ~EventReferences() = default;

  /// A run whose record the event changes.
  virtual void run(int /*number*/) {}
  virtual void hypothesis(const std::string& /*id*/) {}
  virtual void every_hypothesis() {}
  /// `sha256` is not empty. `bytes`: -1 where the event does not say.
  virtual void blob(const std::string& /*sha256*/, std::int64_t /*bytes*/) {}
  /// `manifest`: hash of the folder's manifest, which is a blob; not empty.
  virtual void folder(FolderUse, const std::string& /*manifest*/) {}
};

void each_reference(const EventBody&, EventReferences&);

/// Whether events of this type name folders, as far as the stored text tells without being decoded: true wherever one
/// is named.
bool may_name_folders(std::string_view type, std::string_view payload);

/// The types of the events that are part of a study's history: all but what happens to its runs and its models' calls.
std::vector<std::string_view> moment_types();

}  // namespace kernel
