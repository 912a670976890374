#pragma once
// Agents that think: each line of work is a conversation with a model on a thread of its own, which asks the kernel for
// leave before every call and records every reply, and every tool's answer, before it uses it. So a line is taken up
// again from the journal, by whoever comes next, and nothing answered is asked twice. Owns its threads; borrows the
// inbox for its lifetime.

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "agents/thinking/model.h"
#include "agents/thinking/tools.h"
#include "kernel/loop/due.h"
#include "kernel/loop/inbox.h"
#include "kernel/loop/loop.h"

namespace agents {

struct ThinkerParts {
  kernel::Inbox& inbox;
  Casting casting;
  std::function<kernel::BlobRef(std::string_view)> keep;        ///< Durable once `settle` has returned. Any thread.
  std::function<std::string(const std::string& sha256)> fetch;  ///< Any thread.
  std::function<Files(const std::string& workspace)> files;     ///< Of a frozen workspace. Any thread.
  /// A frozen workspace with these changes, ready to be run, and durable. Any thread.
  std::function<kernel::WorkspaceRecord(const kernel::WorkspaceRecord&, const Changes&)> freeze{};
  /// What the home's studies have left behind. Any thread; may be empty.
  std::function<std::vector<kernel::Recollection>(const kernel::RecallQuery&)> recall{};
  /// A line's reply as it grows, for whoever watches. Any thread; may be empty.
  std::function<void(const std::string& study, const std::string& line, std::string_view text)> on_text{};
  /// Makes durable all that was kept, before an event names it; empty: it is. Any thread.
  std::function<void()> settle{};
  /// What models are shown, without keys; empty: there are none. Any thread.
  std::function<std::string(std::string_view)> redact{};
};

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

  /// What a line of work needs, whoever runs it; see line.h.
  struct Shared;

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
                                              const std::string& of);
  std::optional<kernel::RoleAnswer> until_done(const kernel::Study&, const std::string& role, const std::string& about,
                                               int most);
  std::optional<kernel::RoleAnswer> line_about(const kernel::Study&, const std::string& role, const std::string& about,
                                               int most);
  static bool may_engineer(const kernel::Study&);
  void work_on(const kernel::Study&, const std::string& role, const std::string& line, const std::string& about);

  std::shared_ptr<Shared> shared_;
  std::map<std::string, std::unique_ptr<Worker>> workers_;  ///< By STUDY/LINE.
};

}  // namespace agents
