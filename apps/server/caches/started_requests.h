#pragma once
// The studies that clients of the API started, by the token of the request, so that a request sent twice starts one
// study. Reads each study of the store once. Thread-safe.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace server {

class StartedRequests {
 public:
  explicit StartedRequests(std::string home);

  struct Waiting;
  /// While it exists, nobody else has the turn for the token. It may outlive the object that gave it.
  class Turn {
   public:
    Turn(std::shared_ptr<Waiting> waiting, std::string token);
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn();

   private:
    const std::shared_ptr<Waiting> waiting_;
    const std::string token_;
  };
  /// Waits while another thread starts a study for the token. Null if that takes too long.
  std::shared_ptr<const Turn> turn(const std::string& token);

  /// Precondition: the caller has the turn for the token.
  std::optional<std::string> study_of(const std::string& token);

 private:
  const std::string home_;
  const std::shared_ptr<Waiting> waiting_;
  std::mutex mutex_;
  std::set<std::string> read_;                  ///< Ids of the studies that were read.
  std::map<std::string, std::string> studies_;  ///< Token to id.
};

}  // namespace server
