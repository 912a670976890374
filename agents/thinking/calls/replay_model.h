#pragma once
// A recorded conversation in place of a model. It returns the recorded replies while the requests are the recorded
// ones, and otherwise reports the first difference. No network, no cost.

#include <string>
#include <vector>

#include "agents/thinking/calls/journal_codec.h"
#include "agents/thinking/calls/role_model.h"

namespace agents {

/// An answered call.
struct RecordedCall {
  int number = 0;
  std::string request, reply;  ///< As the journal stores them.
};

class ReplayModel : public Model {
 public:
  /// `calls` are those of one conversation, in their order.
  ReplayModel(std::string study, std::string line, std::vector<RecordedCall> calls, FetchBlob fetch)
      : study_(std::move(study)), line_(std::move(line)), calls_(std::move(calls)), fetch_(std::move(fetch)) {}

  std::uint64_t ask(const models::Request&, std::function<void(std::string_view)> on_text,
                    std::function<void(models::Outcome, Attempts)> on_end) override;
  void cancel(std::uint64_t) override {}

 private:
  models::Outcome answer(const models::Request&) const;
  const std::string study_, line_;
  const std::vector<RecordedCall> calls_;
  const FetchBlob fetch_;
};

/// The first difference of two requests, in words; empty if there is none.
std::string first_difference(const models::Request& recorded, const models::Request& now);

}  // namespace agents
