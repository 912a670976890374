#pragma once
// Agents that think: each line of work is a conversation with a model on a thread of its own, which asks the kernel for
// leave before every call and records every reply, and every tool's answer, before it uses it. So a line is taken up
// again from the journal, by whoever comes next, and nothing answered is asked twice. Owns its threads; borrows the
// inbox for its lifetime.

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agents/thinking/conversation/thinker_parts.h"
#include "kernel/loop/due.h"
#include "kernel/loop/loop.h"

namespace agents {

class Thinker {
 public:
  explicit Thinker(ThinkerParts parts);
  /// Stops all lines where they are; the journal has them.
  ~Thinker();
  Thinker(const Thinker&) = delete;
  Thinker& operator=(const Thinker&) = delete;

  /// One turn of a role of a study whose agents think. On the kernel thread.
  kernel::RoleAnswer turn(kernel::Role, const kernel::Study&);
  /// The study is not worked on any more: its lines stop, and what they are asking is cancelled. On the kernel thread.
  void let_go(const std::string& study);

 private:
  struct Worker;
  kernel::RoleAnswer propose(const kernel::Study&);
  kernel::RoleAnswer search_code(const kernel::Study&);
  // None: there is nothing to do, or it has been tried.
  std::optional<kernel::RoleAnswer> mend(const kernel::Study&);
  std::optional<kernel::RoleAnswer> require(const kernel::Study&);
  std::optional<kernel::RoleAnswer> review(const kernel::Study&, const kernel::CodeVersion&);
  std::optional<kernel::RoleAnswer> write_up(const kernel::Study&);
  std::optional<kernel::RoleAnswer> open_line(const kernel::Study&, std::initializer_list<std::string_view> roles,
                                              const std::string* workspace = nullptr);
  std::optional<kernel::RoleAnswer> until_done(const kernel::Study&, const std::string& role, kernel::LineSubject,
                                               int most);
  std::optional<kernel::RoleAnswer> line_about(const kernel::Study&, const std::string& role,
                                               const kernel::LineSubject&, int most);
  static bool may_engineer(const kernel::Study&);
  void work_on(const kernel::Study&, const std::string& role, const std::string& line, const kernel::LineSubject&);

  const ThinkerParts parts_;
  std::map<std::string, std::unique_ptr<Worker>> workers_;  ///< By STUDY/LINE.
};

}  // namespace agents
