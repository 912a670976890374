#include "memory/log/commit_fault.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <signal.h>
#include <unistd.h>

#include "memory/files/store_fault.h"

namespace memory {

CommitFault::CommitFault(const std::string& wanted) {
  if (wanted.empty()) return;
  for (const auto& [kind, at] :
       {std::pair<std::string_view, std::int64_t*>{"kill-before-commit:", &before_}, {"kill-after-commit:", &after_}}) {
    if (!wanted.starts_with(kind)) continue;
    const char* end = wanted.data() + wanted.size();
    const auto read = std::from_chars(wanted.data() + kind.size(), end, *at);
    if (read.ec == std::errc() && read.ptr == end && *at > 0) return;
  }
  throw StoreFault("ETUDE_FAULT", "is not kill-before-commit:N or kill-after-commit:N", "unset it: it is for tests");
}

CommitFault CommitFault::of_environment() {
  const char* wanted = std::getenv("ETUDE_FAULT");
  return CommitFault(wanted ? wanted : "");
}

void CommitFault::strike(std::int64_t at, std::int64_t now) {
  if (at > 0 && at == now) ::kill(::getpid(), SIGKILL);
}

}  // namespace memory
