#pragma once
// Where a server that does not own its home serves the page: its address in HOME/page, which it holds by flock, so that
// other processes find it. A server that owns its home is asked over its socket instead. Linux releases the lock when
// the process ends, whichever way.

#include <optional>
#include <string>

#include "memory/files/file.h"

namespace server {

class PageAddress {
 public:
  /// Writes the address, unless another server holds the file.
  PageAddress(const std::string& home, const std::string& address);

 private:
  memory::Fd file_;
};

/// The address; none if no such server lives.
std::optional<std::string> page_address(const std::string& home);

}  // namespace server
