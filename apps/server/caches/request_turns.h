#pragma once
// Turns for the tokens of requests that start studies, so that a request which is sent twice at once starts one study.
// Thread-safe.

#include <memory>
#include <string>

namespace server {

class RequestTurns {
 public:
  RequestTurns();

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

 private:
  const std::shared_ptr<Waiting> waiting_;
};

}  // namespace server
