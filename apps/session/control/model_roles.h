#pragma once
// Assigns models to roles. The configuration is read when a study needs it; one service serves all models.
// Thread-safe.

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "agents/thinking/calls/role_model.h"
#include "agents/thinking/tools/tools.h"
#include "agents/thinking/workspace/branch.h"
#include "memory/files/blobs.h"

namespace models {
class HabitBook;
class Service;
}  // namespace models

namespace session {

class ModelRoles {
 public:
  /// `config`: the path of --config; empty for the default.
  ModelRoles(std::string config, std::string home, const memory::Blobs& blobs);
  ~ModelRoles();

  /// The model of the role in the profile, with its key. For the profile `replay:ID`, the replies that the journal of
  /// that study has for the conversation.
  kernel::Result<agents::AssignedModel> assigned_model(const agents::ModelQuery&);
  /// Why a study's agents cannot work; none if they can.
  std::optional<kernel::Problem> missing(const kernel::StudySpec&);

 private:
  kernel::Result<agents::AssignedModel> recorded(const std::string& study, const std::string& line) const;

  const std::string config_, home_;
  const memory::Blobs& blobs_;
  std::mutex mutex_;
  std::shared_ptr<models::HabitBook> habits_;
  std::shared_ptr<models::Service> service_;  ///< Made when it is first needed, because it has a thread.
};

/// The study in `replay:ID`; empty for another profile.
std::string replayed_study(const std::string& profile);

/// A frozen workspace's files, read from its blobs.
agents::Files frozen_files(const memory::Blobs&, const kernel::WorkspaceHash& workspace);

/// The workspace with these changes, frozen and ready to run. Throws if it cannot be stored.
kernel::WorkspaceRecord frozen_anew(memory::Blobs&, const std::string& workspaces, const kernel::WorkspaceRecord& base,
                                    const agents::Changes& changes);

}  // namespace session
