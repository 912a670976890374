#pragma once
// What agents that think borrow from the program: the kernel's inbox, models for roles, and the store of blobs and
// workspaces.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/thinking/calls/role_model.h"
#include "agents/thinking/workspace/workspace_files.h"
#include "kernel/domain/recall.h"
#include "kernel/loop/inbox.h"

namespace agents {

struct ThinkerParts {
  kernel::Inbox& inbox;
  Casting casting;
  std::function<kernel::BlobRef(std::string_view)> keep;        ///< Durable once `settle` has returned. Any thread.
  std::function<std::string(const std::string& sha256)> fetch;  ///< Any thread.
  std::function<Files(const kernel::WorkspaceHash&)> files;     ///< Of a frozen workspace. Any thread.
  /// A frozen workspace with these changes, ready to be run, and durable. Any thread.
  std::function<kernel::WorkspaceRecord(const kernel::WorkspaceRecord&, const Changes&)> freeze{};
  /// What the home's studies have left behind. Any thread; may be empty.
  std::function<std::vector<kernel::Recollection>(const kernel::RecallQuery&)> recall{};
  /// A conversation's reply while it grows, for live views. Any thread; may be empty.
  std::function<void(const std::string& study, const std::string& line, std::string_view text)> on_text{};
  /// Makes durable all that was kept, before an event names it; empty: it is. Any thread.
  std::function<void()> settle{};
  /// What models are shown, without keys; empty: there are none. Any thread.
  std::function<std::string(std::string_view)> redact{};
};

}  // namespace agents
