#pragma once
// Sends requests to models: at once, with a queue per model, retries with back-off and text as it arrives, or in
// batches of their providers. Calls back on its own thread. It keeps no record, so a caller that must not ask twice
// needs a journal.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/redact.h"
#include "models/batches/batch_run.h"
#include "models/http.h"
#include "models/protocols/exchange.h"
#include "models/queue.h"
#include "models/service/habit_book.h"

namespace models {

/// A model of the configuration.
struct Model {
  std::string name;  ///< Its name in the configuration.
  Endpoint endpoint;
  RateLimits limits{};
  int most_attempts = 6;
  /// Redacts keys in replies: a server may quote the key it was sent, a model one that it was shown.
  kernel::Redactor redact{};
  /// What servers were found to refuse; null for a book of the service's own.
  std::shared_ptr<HabitBook> habits{};
};

struct Asking {
  std::function<void(std::string_view)> on_text{};  ///< Text as it arrives. After a failed attempt it begins again.
  /// Called if an attempt failed and will be repeated after so many seconds.
  std::function<void(const Failure&, double)> on_retry{};
  /// Called if the server refused a parameter and the request is repeated otherwise; says what changed, and the
  /// server's words.
  std::function<void(std::string)> on_learnt{};
  std::function<void(ModelOutcome)> on_end;  ///< Called once, unless the service is destroyed before.
  Urgency urgency = Urgency::critical;
};

/// The reply or the failure of a request in a batch, or why none comes by it.
using BatchOutcome = std::variant<ModelOutcome, BatchMissed, BatchLeft>;

struct BatchAsking {
  double patience_s = 0;                ///< How long the batch may take.
  std::optional<BatchTicket> ticket{};  ///< Of a batch that was submitted before, which is taken up.
  /// Called once there is a batch; again if it is submitted otherwise, because the server refused a parameter.
  std::function<void(const BatchTicket&)> on_submitted{};
  std::function<void(const Failure&, double)> on_retry{};  ///< Asking::on_retry
  std::function<void(std::string)> on_learnt{};            ///< Asking::on_learnt
  std::function<void(BatchOutcome)> on_end;                ///< Called once, unless the service is destroyed before.
  std::optional<BatchPace> pace{};                         ///< None for that of the patience.
};

/// Embeddings: one vector per text, in order, all of one length; and the usage.
struct Embedded {
  std::vector<std::vector<float>> vectors;
  TokenUsage usage{};
};

class Service {
 public:
  Service();
  ~Service();

  /// Returns the call's number. From any thread.
  std::uint64_t ask(const Model&, Request, Asking);
  /// The same in a batch of one at the model's provider, which has limits of its own. From any thread.
  std::uint64_t ask_in_batch(const Model&, Request, BatchAsking);
  /// Embeds texts batch by batch; the first failed batch fails the call. Calls `on_end` once, on the service's thread,
  /// unless it is destroyed before. `model`: the provider's name. Only for OpenAI's protocol. From any thread.
  void embed(const Model&, const std::string& model, std::vector<std::string> texts,
             std::function<void(std::variant<Embedded, Failure>)> on_end, Urgency = Urgency::critical);
  /// The call ends as cancelled, unless it has ended. A batch goes on, and can be taken up.
  void cancel(std::uint64_t call);
  /// The same, and the provider is asked to cancel the call's batch.
  void cancel_batch(std::uint64_t call);

 private:
  struct Call {
    std::string model;
    Endpoint endpoint;
    int most_attempts = 1;
    kernel::Redactor redact;
    std::shared_ptr<HabitBook> habits;
    Request request;
    Asking asking;
    std::int64_t tokens = 0;  ///< Tokens reserved.
    int attempt = 0;
    bool sent = false;
    std::uint64_t exchange = 0;
    std::unique_ptr<ReplyReader> reader;
    std::unique_ptr<kernel::RedactedStream> shown;  ///< The text of the present reply.
  };

  struct Batched;
  void begin_batch(std::uint64_t id);
  void batch_ended(std::uint64_t id, BatchRun::End);
  void end_batch(std::uint64_t id, BatchOutcome);
  void leave_batch(std::uint64_t id, bool cancels);
  struct Embedding;
  void embed_more(const std::shared_ptr<Embedding>&);
  void add(const Model&, std::unique_ptr<Call>, std::uint64_t id);
  void send_next(const std::string& model);
  void send(std::uint64_t id, Call&);
  void ended(std::uint64_t id, const HttpEnd&);
  void finish(std::uint64_t id, ModelOutcome);

  std::map<std::uint64_t, std::unique_ptr<Call>> calls_;
  std::map<std::uint64_t, std::unique_ptr<Batched>> batched_;
  std::map<std::string, std::string> without_batches_;  ///< By `habit_key`: the words in which the server said so.
  std::map<std::string, Queue> queues_;                 ///< By model.
  std::map<std::string, double> woken_;                 ///< When each queue is checked again.
  std::minstd_rand chance_{std::random_device{}()};
  std::atomic<std::uint64_t> last_ = 0;
  const std::shared_ptr<HabitBook> habits_ = std::make_shared<HabitBook>();
  Http http_;  ///< The last member, so that its thread ends first.
};

}  // namespace models
