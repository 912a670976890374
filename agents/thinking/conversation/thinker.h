#pragma once
// Agents with models: each conversation has its own thread. It asks the kernel before every call, and records every
// reply and every tool's answer before it uses them. So a later program can continue it from the journal, and no
// answered call is asked again. Owns its threads; borrows the inbox for its lifetime.

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
  /// Stops all conversations at once; the journal has their state.
  ~Thinker();
  Thinker(const Thinker&) = delete;
  Thinker& operator=(const Thinker&) = delete;

  /// One turn of a role in a study with models. On the kernel thread.
  kernel::RoleAnswer turn(kernel::Role, const kernel::Study&);
  /// Stops the study's conversations and cancels their open calls. Their batches go on, unless it is for good. On the
  /// kernel thread.
  void let_go(const std::string& study, bool for_good);

 private:
  struct Worker;
  kernel::RoleAnswer propose(const kernel::Study&);
  kernel::RoleAnswer search_code(const kernel::Study&);
  // None if there is nothing to do, or if it was tried before.
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
  /// Ends the conversation of a line that ends.
  void close(const std::string& study, const std::string& line);
  void work_on(const kernel::Study&, const std::string& role, const std::string& line, const kernel::LineSubject&);

  const ThinkerParts parts_;
  std::map<std::string, std::unique_ptr<Worker>> workers_;  ///< Keys are STUDY/LINE.
};

}  // namespace agents
