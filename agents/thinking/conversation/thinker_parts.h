#pragma once
// The parts of the program that conversations borrow: the kernel's inbox, models for roles, and the store of blobs and
// workspaces.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/thinking/calls/role_model.h"
#include "agents/thinking/workspace/branch.h"
#include "kernel/domain/recall.h"
#include "kernel/loop/inbox.h"

namespace agents {

struct ThinkerParts {
  kernel::Inbox& inbox;
  FindModel find_model;
  std::function<kernel::BlobRef(std::string_view)> keep;        ///< Durable once `settle` has returned. Any thread.
  std::function<std::string(const std::string& sha256)> fetch;  ///< Any thread.
  std::function<Files(const kernel::WorkspaceHash&)> files;     ///< The files of a frozen workspace. Any thread.
  /// Freezes a workspace with these changes, so that it is durable and can run. Any thread.
  std::function<kernel::WorkspaceRecord(const kernel::WorkspaceRecord&, const Changes&)> freeze{};
  /// Searches the memory of the home's studies. Any thread; may be empty.
  std::function<std::vector<kernel::Recollection>(const kernel::RecallQuery&)> recall{};
  /// Receives a conversation's reply while it grows, for live views. Any thread; may be empty.
  std::function<void(const std::string& study, const std::string& line, std::string_view text)> on_text{};
  /// Makes everything kept durable, before an event names it; empty if `keep` does so itself. Any thread.
  std::function<void()> settle{};
  /// Removes keys from text for models; empty if there are no keys. Any thread.
  std::function<std::string(std::string_view)> redact{};
  /// How many times faster than the clock the waits for a provider pass; tests push it.
  double wait_speed = 1;
};

}  // namespace agents
