#pragma once
// Who plays which role: the configuration, read when a study needs it, and one service for all models. Thread-safe.

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "agents/thinking/model.h"
#include "agents/thinking/tools.h"
#include "memory/blobs.h"

namespace models {
class Service;
}

namespace session {

class Cast {
 public:
  /// `config`: the file that was named; empty: the usual one.
  explicit Cast(std::string config);
  ~Cast();

  /// The model that plays the role in the profile, with its key.
  kernel::Result<agents::Player> player(const std::string& profile, const std::string& role);
  /// Why a study's agents cannot work; none: they can.
  std::optional<kernel::Problem> missing(const kernel::StudySpec&);

 private:
  const std::string config_;
  std::mutex mutex_;
  std::shared_ptr<models::Service> service_;  ///< Once somebody needs it: it has a thread.
};

/// A frozen workspace's files, read from its blobs.
agents::Files frozen_files(const memory::Blobs&, const std::string& workspace);

}  // namespace session
