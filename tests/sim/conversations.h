#pragma once
// Agents with a model that is made up: their lines of work go through the kernel as those of agents/thinking do,
// without threads. Once a line has ended, the role acts as the built-in one; engineers write versions of the code.
// Replies are streamed and read by the program's own readers. The provider outlives kernels and knows what it charged
// for.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernel/loop/inbox.h"
#include "kernel/loop/loop.h"
#include "tests/sim/core.h"
#include "tests/sim/rates.h"
#include "tests/sim/replies.h"

namespace sim {

/// A call as the provider saw it.
struct ProviderCall {
  std::int64_t reserved = 0, tokens = 0;
  double usd = 0;
  Sent sent;
};

class Provider {
 public:
  std::map<std::pair<std::string, int>, ProviderCall> calls;  ///< By study and number of the call.
};

/// How code begins that fails whenever it runs.
inline constexpr const char* broken_code = "broken code";

/// What a model costs, in US dollars per token.
inline constexpr double usd_per_token = 0.0001;

/// The conversations of one kernel; they end with it.
class Conversations {
 public:
  Conversations(Core&, const Rates&, Provider&, std::function<void(kernel::LoopMessage)> post);
  ~Conversations() { *alive_ = false; }
  Conversations(const Conversations&) = delete;
  Conversations& operator=(const Conversations&) = delete;

  kernel::RoleAnswer turn(kernel::Role, const kernel::Study&);
  /// Replies to the study's calls are no longer awaited.
  void let_go(const std::string& study);

  /// Whether a model works for the study.
  bool works(const std::string& study) const;
  /// Called before a model is asked: whether the log holds the intent.
  std::function<void(const std::string& study, int call)> intended;
  /// Keeps a text as a file of code, or as a blob; returns the frozen code, or the blob.
  std::function<kernel::WorkspaceHash(const std::string& text)> freeze;
  std::function<kernel::BlobRef(const std::string& text)> keep;

 private:
  struct Line {
    std::string study, role, id;
    kernel::LineSubject subject;
    bool operator<(const Line& other) const { return std::tie(study, id) < std::tie(other.study, other.id); }
  };
  /// Goes on with the line from where the journal left it, unless it waits.
  void work_on(const kernel::Study&, const Line&);
  kernel::RoleAnswer search_code(const kernel::Study&);
  kernel::RoleAnswer review(const kernel::Study&, const kernel::CodeVersion&);
  void end_line(const kernel::Study&, const Line&);
  /// The line does something now; what it did before no longer counts.
  int begin(const Line&);
  bool still(const Line&, int turn) const;
  void ask(const Line&, bool opens);
  void asked(const Line&, int turn, int call, std::int64_t tokens);
  void answered(const Line&, int turn, int call, kernel::CallEnd);
  void go_on(const kernel::Study&, const Line&, const kernel::LineOfWork&);
  void use_reply(const kernel::Study&, const Line&, const kernel::ModelCall&);
  void report_tool(const Line&, int call, const std::string& tool, bool refused);
  /// Sends a command, and calls back if the line still waits for it.
  void send(const Line&, kernel::CommandBody, std::function<void(int turn, const kernel::CommandOutcome&)>,
            std::vector<kernel::CommandBody> then = {});
  void rest(const Line& line) { working_.erase(line); }

  Core& core_;
  const Rates& rates_;
  Provider& provider_;
  std::function<void(kernel::LoopMessage)> post_;
  std::map<Line, int> working_;  ///< Lines with a message or a call under way, and their turn.
  int turns_ = 0;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace sim
