#pragma once
// A line of work as a journal has it, in the place of a model: it gives the replies that were given, as long as it is
// asked what was asked, and says where that is first otherwise. No network, no cost.

#include <string>
#include <vector>

#include "agents/thinking/calls/journal_codec.h"
#include "agents/thinking/calls/role_model.h"

namespace agents {

/// A call that was answered.
struct RecordedCall {
  int number = 0;
  std::string request, reply;  ///< As the journal keeps them.
};

class ReplayModel : public Model {
 public:
  /// `calls`: of one line, in their order.
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

/// Where two requests first differ, in words; empty: nowhere.
std::string first_difference(const models::Request& recorded, const models::Request& now);

}  // namespace agents
