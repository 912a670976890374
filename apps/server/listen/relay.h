#pragma once
// Serves a home that another kernel owns. It sends requests to that kernel over its socket. Events come from the store,
// as soon as the kernel reports them. Thread-safe.

#include <atomic>
#include <string>

#include "apps/server/api/api.h"
#include "apps/server/protocol/kernel_client.h"

namespace server {

class Relay {
 public:
  /// `reading`: answers what needs no kernel, and streams events; borrowed, as is the access control.
  Relay(session::Session& reading, AccessControl&);

  /// Passes the kernel's news on to the streams until the kernel leaves, or `stop`.
  void follow();
  /// Ends `follow`, also the next one.
  void stop();
  bool stopped() const { return stopped_; }
  /// Ends every stream of events, so that clients ask again.
  void end_streams() { api_.end_streams(); }

  /// The answer of the kernel, or 503 if none answers.
  void answer(const Route&, const httplib::Request&, httplib::Response&);
  int streams() const { return api_.streams; }

 private:
  void forward(const httplib::Request&, httplib::Response&) const;
  static std::string asked_at_once(const httplib::Request&);

  Api api_;
  const std::string home_;
  KernelClient owner_;
  std::atomic<bool> stopped_{false};
};

}  // namespace server
