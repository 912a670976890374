#pragma once
// One line of work being worked on: the conversation from where the journal left it to its end. Blocks its own thread
// while a model thinks or the kernel decides; `stop` wakes it. Used by Thinker only, whose parts it borrows.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/thinking/calls/journal_codec.h"
#include "agents/thinking/calls/role_model.h"
#include "agents/thinking/conversation/conversation_waiting.h"
#include "agents/thinking/conversation/thinker_parts.h"
#include "agents/thinking/tools/tool_result.h"
#include "agents/thinking/workspace/branch.h"

namespace agents {

class Conversation {
 public:
  Conversation(const ThinkerParts& parts, std::string study, std::string role, std::string id,
               kernel::LineSubject subject)
      : parts_(parts),
        study_(std::move(study)),
        role_(std::move(role)),
        id_(std::move(id)),
        subject_(std::move(subject)) {}

  /// Until it has ended, the study is paused, or it is told to stop.
  void run();
  /// Any thread.
  void stop();
  /// Any thread. The study is to be worked on: if it is about to rest, it does not. False: it is over, and nothing more
  /// is to come from it but the last message that it has posted.
  bool go_on();

 private:
  void converse();
  bool take_up();
  /// False: the study is paused; somebody may take the line up later.
  bool ask_model();
  void answer_calls(const models::Reply&, const std::vector<kernel::ToolReturn>& answered);
  models::Reply as_edited(models::Reply);
  models::ToolAnswer use(models::ToolCall);
  struct Standing;
  /// What was decided of this use of a tool, or what came of it, before the line rested.
  Standing standing_of(const models::ToolCall&);
  ToolResult evaluate(const models::ToolCall&, Branch&);
  /// A person or a run is waited for, by nobody: whoever takes the line up again finds what came of it.
  models::ToolAnswer rest();
  models::ToolAnswer answer(const models::ToolCall&, std::string text, bool refused);
  kernel::CommandBody returned(const models::ToolCall&, const std::string& text, bool refused);
  kernel::Outcome order(const models::ToolCall&, kernel::ScratchOrder);
  void nudge(const models::Reply&);
  /// The last thing that it says; `before`: stored with it.
  void end(std::string words, std::vector<kernel::CommandBody> before = {});
  /// The end in its own words, with the code that it wrote.
  kernel::Outcome finish(const std::string& words, kernel::CommandBody answer);
  kernel::Outcome propose_code(const kernel::WorkspaceHash& original, const Changes&, const std::string& words,
                               kernel::CommandBody answer);
  void pause(std::string why);
  void give_up(const char* why);
  /// Throws std::runtime_error where the command was not followed.
  static void done_or_throw(const kernel::Outcome&);
  /// What became of it, once it is stored.
  kernel::Outcome command(kernel::CommandBody, std::vector<kernel::CommandBody> then = {});
  /// With it, and before it, what waits to be told.
  kernel::Request request(kernel::CommandBody, std::vector<kernel::CommandBody> then);
  kernel::Command by_role(kernel::CommandBody) const;
  /// What `look` says of the study as it is now.
  template <typename T>
  T inspect(std::function<T(const kernel::Study&)> look) {
    return look_at<T>(study_, std::move(look), parts_.inbox, signal_);
  }
  Means means() const;
  bool goes_round(const models::ToolCall&);
  /// Writes once more what was written before the line was left.
  void write_again();
  /// What the model is shown.
  std::string clean(std::string text) const { return parts_.redact ? parts_.redact(text) : text; }
  /// Stores the request as it is now.
  kernel::BlobRef keep_request();

  const ThinkerParts& parts_;
  const std::string study_, role_, id_;
  const kernel::LineSubject subject_;
  Player player_;
  kernel::WorkspaceRecord base_;  ///< What the branch is of.
  std::vector<kernel::Paper> papers_;
  Branch branch_;
  Remembered remembered_;
  Earlier kept_;  ///< The newest request that is stored; none: the next is stored whole.
  /// What tools said that did nothing: stored with what comes next, for until then nobody builds on it.
  std::vector<kernel::CommandBody> untold_;
  int call_ = 0;      ///< The newest call's number.
  int pictures_ = 0;  ///< In the conversation.
  int nudges_ = 0;    ///< Replies in a row that called nothing.
  int repeats_ = 0;   ///< Of the same tool call, in a row.
  std::string last_use_;
  bool ended_ = false, resting_ = false;

  const std::shared_ptr<Signal> signal_ = std::make_shared<Signal>();
};

}  // namespace agents
