#pragma once
// Models that answer agents: a service over HTTP, or a recorded conversation. A recorded conversation returns the
// recorded replies as long as the requests equal the recorded ones; then it reports the first difference. It uses no
// network.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/thinking/calls/journal_codec.h"
#include "base/result.h"
#include "kernel/domain/study_spec.h"
#include "models/batches/batch_run.h"
#include "models/message.h"
#include "models/protocols/dialect.h"
#include "models/service/service.h"

namespace agents {

/// How often a call was sent.
struct Attempts {
  int all = 1;
  int begun = 0;                      ///< Failed attempts before the last that the provider may charge for.
  std::vector<std::string> learnt{};  ///< What the server refused, and how it is asked instead.
  bool by_batch = false;              ///< The reply came by the provider's batch API.
};

class RoleModel {
 public:
  virtual ~RoleModel() = default;
  /// Asks the model. `on_end` is called once, on any thread, unless the model is destroyed before; `on_text` gets the
  /// reply as it grows. Returns a number with which the call can be cancelled, which ends it.
  virtual std::uint64_t ask(const models::Request&, std::function<void(std::string_view)> on_text,
                            std::function<void(models::ModelOutcome, Attempts)> on_end) = 0;
  /// Asks in a batch of the provider, for at most `patience_s`. With a ticket, takes up the batch of an earlier
  /// program. `on_submitted` is called once there is a batch, and again if it is submitted otherwise; `on_end` as in
  /// `ask`. A model without a batch API misses at once.
  virtual std::uint64_t ask_in_batch(const models::Request&, double /*patience_s*/,
                                     std::optional<models::BatchTicket> /*ticket*/,
                                     std::function<void(models::BatchTicket)> /*on_submitted*/,
                                     std::function<void(models::BatchOutcome, Attempts)> on_end) {
    on_end(models::BatchMissed{}, {});
    return 0;
  }
  virtual void cancel(std::uint64_t call) = 0;
  /// The same, and the provider is asked to cancel the call's batch, if it has one.
  virtual void cancel_batch(std::uint64_t call) { cancel(call); }
  /// What is known of the model's server by now. Any thread.
  virtual models::Habits habits() const { return {}; }
};

/// A model for a role, with the settings of its requests.
struct AssignedModel {
  std::shared_ptr<RoleModel> model;
  std::string name;                    ///< The name in the configuration.
  models::Request template_request{};  ///< Model, limits and temperature; no conversation.
  std::optional<models::Price> price{};
  bool sees = false;                             ///< The model accepts pictures.
  std::int64_t context = 0;                      ///< Tokens of a request and its reply together; 0 if unknown.
  int tools_in_reply = 16, tools_in_line = 200;  ///< The most tool calls.
  std::string fallback{};                        ///< The configured name of the model that takes over; may be empty.
  double patience_s = 0;                         ///< How long a reply may take by a batch; 0: it is asked at once.
};

/// Whether the provider may charge for a failed attempt: a part of the reply came, or it may have been served.
bool maybe_charged(const models::Failure&);

/// Whose model is looked for.
struct ModelQuery {
  std::string profile, role, line;
  std::string instead{};  ///< The configured name of another model than the role's.
};
/// A problem if there is none.
using FindModel = std::function<kernel::Result<AssignedModel>(const ModelQuery&)>;

class ServiceModel : public RoleModel {
 public:
  /// `wire_name`: the provider's name of the model.
  ServiceModel(std::shared_ptr<models::Service> service, models::Model model, std::string wire_name)
      : service_(std::move(service)), model_(std::move(model)), wire_name_(std::move(wire_name)) {}

  std::uint64_t ask(const models::Request&, std::function<void(std::string_view)> on_text,
                    std::function<void(models::ModelOutcome, Attempts)> on_end) override;
  std::uint64_t ask_in_batch(const models::Request&, double patience_s, std::optional<models::BatchTicket>,
                             std::function<void(models::BatchTicket)> on_submitted,
                             std::function<void(models::BatchOutcome, Attempts)> on_end) override;
  void cancel(std::uint64_t call) override { service_->cancel(call); }
  void cancel_batch(std::uint64_t call) override { service_->cancel_batch(call); }
  models::Habits habits() const override;

 private:
  const std::shared_ptr<models::Service> service_;
  const models::Model model_;
  const std::string wire_name_;
};

/// An answered call.
struct RecordedCall {
  int number = 0;
  std::string request, reply;  ///< As the journal stores them.
};

class ReplayModel : public RoleModel {
 public:
  /// `calls` are those of one conversation, in their order.
  ReplayModel(std::string study, std::string line, std::vector<RecordedCall> calls, FetchBlob fetch)
      : study_(std::move(study)), line_(std::move(line)), calls_(std::move(calls)), fetch_(std::move(fetch)) {}

  std::uint64_t ask(const models::Request&, std::function<void(std::string_view)> on_text,
                    std::function<void(models::ModelOutcome, Attempts)> on_end) override;
  void cancel(std::uint64_t) override {}

 private:
  models::ModelOutcome answer(const models::Request&) const;
  const std::string study_, line_;
  const std::vector<RecordedCall> calls_;
  const FetchBlob fetch_;
};

}  // namespace agents
