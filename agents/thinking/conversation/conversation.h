#pragma once
// A conversation of a role with a model, from where the journal left it to its end. It blocks its own thread while a
// model or the kernel works; `stop` wakes it. Only Thinker uses it, and it borrows Thinker's parts.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agents/thinking/calls/journal_codec.h"
#include "agents/thinking/calls/role_model.h"
#include "agents/thinking/calls/room.h"
#include "agents/thinking/conversation/thinker_parts.h"
#include "agents/thinking/tools/tools.h"
#include "agents/thinking/workspace/branch.h"
#include "kernel/loop/inbox.h"

namespace agents {

/// Thrown by a wait if the conversation was stopped.
struct Stopped {};

/// Requests of other threads to a conversation. Shared with threads that still have a result for it, because the
/// conversation may be destroyed before.
struct Signal {
  std::mutex mutex;
  std::condition_variable changed;
  bool stopped = false, over = false, again = false;
  std::function<void(bool for_good)> cancel;  ///< Cancels the current call; for good: with its batch.
  bool is_stopped() {
    const std::lock_guard lock(mutex);
    return stopped;
  }
};

/// A result that another thread delivers once; guarded by the signal's mutex.
template <typename T>
struct Said {
  std::optional<T> value;
};

/// The function with which the other thread delivers the result.
template <typename T>
std::function<void(T)> teller(const std::shared_ptr<Said<T>>& said, const std::shared_ptr<Signal>& signal) {
  return [said, signal](T value) {
    {
      const std::lock_guard lock(signal->mutex);
      said->value.emplace(std::move(value));
    }
    signal->changed.notify_all();
  };
}

/// Blocks until the result is there. Throws Stopped.
template <typename T>
T wait_for(const std::shared_ptr<Said<T>>& said, Signal& signal) {
  std::unique_lock lock(signal.mutex);
  signal.changed.wait(lock, [&] { return signal.stopped || said->value; });
  if (!said->value) throw Stopped{};
  return std::move(*said->value);
}

/// Blocks until the kernel thread has called `look` with the study. Throws Stopped, also if there is no such study.
template <typename T>
T look_at(const std::string& study, std::function<T(const kernel::Study&)> look, kernel::Inbox& inbox,
          const std::shared_ptr<Signal>& signal) {
  const auto said = std::make_shared<Said<std::optional<T>>>();
  const auto tell = teller(said, signal);
  // The kernel thread stops a conversation before it destroys it; after that, `look` may refer to destroyed objects.
  inbox.post(kernel::Inspect{study, [tell, look, signal](const kernel::Study* seen) {
                               if (!signal->is_stopped()) tell(seen ? std::optional<T>(look(*seen)) : std::nullopt);
                             }});
  std::optional<T> seen = wait_for(said, *signal);
  if (!seen) throw Stopped{};
  return std::move(*seen);
}

class Conversation {
 public:
  Conversation(const ThinkerParts& parts, std::string study, std::string role, std::string id,
               kernel::LineSubject subject)
      : parts_(parts),
        study_(std::move(study)),
        role_(std::move(role)),
        id_(std::move(id)),
        subject_(std::move(subject)) {}

  /// Runs until the conversation ends, the study is paused, or `stop` is called.
  void run();
  /// Any thread. `for_good`: no later conversation takes up what it waits for.
  void stop(bool for_good = false);
  /// Any thread. Continues instead of resting, if it is about to rest. Returns false if the conversation is over; then
  /// only its last message, already posted, may follow.
  bool go_on();

 private:
  void converse();
  bool take_up();
  bool assign(const std::string& instead);
  void take_settings();
  /// The offered tools, the rules, and the first message: the task as the kernel knows it now, and what was `before`.
  void begin_with(const std::string& before);
  /// Returns false if the study is paused; the conversation may be continued later. So do the functions below.
  bool ask_model();
  bool make_room();
  bool use_reply(const models::Reply&, const std::vector<kernel::ToolReturn>& answered);
  bool after_failure(const models::Failure&, kernel::ReportReply);
  bool learn_context(const models::Failure&);
  bool hand_over(kernel::Reason instead, kernel::Reason otherwise);
  bool nudge(const models::Reply&);
  /// What is known of a granted call before it is asked, or was known to an earlier program.
  struct Asked {
    models::TokenUsage aside;                  ///< What was set aside.
    std::optional<double> usd;                 ///< None if the price is unknown.
    const kernel::CallBatch* batch = nullptr;  ///< That an earlier program submitted.
  };
  /// The reply to the newest call and what follows from it. Returns false if the study is paused.
  bool hear(const Asked&);
  using Heard = std::pair<models::ModelOutcome, Attempts>;
  Heard ask_at_once();
  /// By the provider's batch API if the role has the patience. None if the study is paused and the batch goes on.
  std::optional<Heard> heard(const kernel::CallBatch* taken_up);
  std::pair<models::BatchOutcome, Attempts> ask_in_batch(const kernel::CallBatch* taken_up);
  /// Makes `stop` cancel the call. `in_batch`: its batch too, if the study is stopped for good.
  void may_be_cancelled(std::uint64_t number, bool in_batch);
  void wait_for_provider(const models::Failure&, kernel::ReportReply);
  void begin_anew(const std::string& summary);
  std::int64_t context() const;
  /// Returns false if the study is paused.
  bool answer_calls(const models::Reply&, const std::vector<kernel::ToolReturn>& answered);
  models::Reply as_edited(models::Reply);
  models::ToolAnswer use(models::ToolCall);
  struct Standing;
  /// The decision about this use of a tool, or its result, if the conversation rested for it.
  Standing standing_of(const models::ToolCall&);
  ToolResult evaluate(const models::ToolCall&, Branch&);
  /// Ends the thread's work while a person or a run is waited for; the continued conversation finds the result.
  models::ToolAnswer rest();
  models::ToolAnswer answer(const models::ToolCall&, std::string text, bool refused,
                            std::vector<kernel::ReadLines> read = {}, kernel::Reason why = {});
  models::ToolAnswer refuse_call(const models::ToolCall&, const kernel::Reason& why);
  kernel::CommandBody returned(const models::ToolCall&, const std::string& text, bool refused,
                               std::vector<kernel::ReadLines> read = {}, kernel::Reason why = {});
  int tools_used() const;
  std::string bound_words(const kernel::StudyRequirement&);
  kernel::CommandOutcome order(const models::ToolCall&, kernel::ScratchOrder);
  /// Posts the end as the last message; `before` is stored with it.
  void end(kernel::Reason ending, std::vector<kernel::CommandBody> before = {});
  /// Ends the conversation in the model's words, with the code that it wrote.
  kernel::CommandOutcome finish(const std::string& words, kernel::CommandBody answer);
  std::string diff_from(const kernel::WorkspaceHash& original, const std::set<std::string>& paths) const;
  kernel::CommandOutcome propose_code(const kernel::WorkspaceHash& original, const Changes&, const std::string& words,
                                      kernel::CommandBody answer);
  void pause(kernel::Reason why);
  void give_up(kernel::ReasonCode why);
  /// Throws std::runtime_error if the command was not followed.
  static void done_or_throw(const kernel::CommandOutcome&);
  /// The outcome of a command, after it is stored.
  kernel::CommandOutcome command(kernel::CommandBody, std::vector<kernel::CommandBody> then = {});
  /// A request with the command, preceded by the tool answers that are not stored yet.
  kernel::CommandRequest request(kernel::CommandBody, std::vector<kernel::CommandBody> then);
  kernel::Command by_role(kernel::CommandBody) const;
  /// The result of `look` on the study as it is now.
  template <typename T>
  T inspect(std::function<T(const kernel::Study&)> look) {
    return look_at<T>(study_, std::move(look), parts_.inbox, signal_);
  }
  Means means() const;
  bool goes_round(const models::ToolCall&);
  /// Repeats the file changes that were made before the conversation was interrupted.
  void write_again();
  void put_aside_writes();
  /// The text without keys.
  std::string clean(std::string text) const { return parts_.redact ? parts_.redact(text) : text; }
  /// The text as the model may see it: without keys, and without seeds of experiments that are not judged.
  std::string told(std::string text);
  /// Stores the current request.
  kernel::BlobRef keep_request();

  const ThinkerParts& parts_;
  const std::string study_, role_, id_;
  const kernel::LineSubject subject_;
  std::string profile_;
  AssignedModel assigned_;
  kernel::Reason instead_{};      ///< Why another model than the role's is asked.
  kernel::WorkspaceRecord base_;  ///< The workspace under the branch.
  std::vector<kernel::Paper> papers_;
  std::vector<std::string> commands_;     ///< Words of the study's commands.
  std::set<std::string> useless_;         ///< Means::useless
  std::vector<kernel::ReadLines> shown_;  ///< Lines that the task quotes, until a call is granted.
  Branch branch_;
  Remembered remembered_;
  Earlier kept_;  ///< The newest stored request; if there is none, the next is stored whole.
  /// Answers of tools without effect. They are stored with the next command, because nothing depends on them before.
  std::vector<kernel::CommandBody> untold_;
  int call_ = 0;          ///< Number of the newest call.
  int replies_ = 0;       ///< Replies of the line by now.
  int most_replies_ = 0;  ///< The most that it may have.
  int too_long_ = 0;      ///< Consecutive requests that did not fit into the context.
  int waits_ = 0;         ///< Consecutive waits for the provider.
  Counted counted_;       ///< The newest request that its server counted.
  int pictures_ = 0;      ///< Pictures in the conversation.
  int nudges_ = 0;        ///< Consecutive replies without tool calls.
  int repeats_ = 0;       ///< Consecutive repeats of the same tool call.
  std::string last_use_;
  bool ended_ = false, resting_ = false;

  const std::shared_ptr<Signal> signal_ = std::make_shared<Signal>();
};

}  // namespace agents
