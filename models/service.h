#pragma once
// Asks models: a queue for each, retries with back-off, text as it comes. Calls back on its own thread, and forgets
// what was asked once it has answered: who must not ask twice keeps a journal in front of it.

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
#include "models/endpoint.h"
#include "models/exchange.h"
#include "models/http.h"
#include "models/queue.h"

namespace models {

/// A model as it is configured.
struct Model {
  std::string name;  ///< The configuration's name for it.
  Endpoint endpoint;
  RateLimits limits{};
  int most_attempts = 6;
  /// What is taken out of a reply: a server may quote the key that it was sent, a model one that it was shown.
  kernel::Redactor redact{};
};

struct Asking {
  std::function<void(std::string_view)> on_text{};  ///< As it comes. After a failed attempt it begins anew.
  /// An attempt failed and will be repeated after so many seconds.
  std::function<void(const Failure&, double)> on_retry{};
  std::function<void(Outcome)> on_end;  ///< Once, unless the service is destroyed before.
  Urgency urgency = Urgency::critical;
};

/// What texts are embedded to: one vector each, in their order, of one length; and what it took.
struct Embedded {
  std::vector<std::vector<float>> vectors;
  Usage usage{};
};

class Service {
 public:
  Service();

  /// Answers the call's number. From any thread.
  std::uint64_t ask(const Model&, Request, Asking);
  /// Embeds texts, a bounded batch of them after the other; `on_end` is called once, on the service's thread, unless
  /// it is destroyed before. The whole fails with the first batch that does. `model`: the provider's name. Of OpenAI's
  /// protocol only. From any thread.
  void embed(const Model&, const std::string& model, std::vector<std::string> texts,
             std::function<void(std::variant<Embedded, Failure>)> on_end, Urgency = Urgency::critical);
  /// It ends as cancelled, unless it has ended.
  void cancel(std::uint64_t call);

 private:
  struct Call {
    std::string model;
    Endpoint endpoint;
    int most_attempts = 1;
    kernel::Redactor redact;
    Request request;
    Asking asking;
    std::int64_t tokens = 0;  ///< Set aside.
    int attempt = 0;
    bool sent = false;
    std::uint64_t exchange = 0;
    std::unique_ptr<ReplyReader> reader;
    std::unique_ptr<kernel::RedactedStream> shown;  ///< Of the reply at hand.
  };

  struct Embedding;
  void embed_more(const std::shared_ptr<Embedding>&);
  void add(const Model&, std::unique_ptr<Call>, std::uint64_t id);
  void send_next(const std::string& model);
  void send(std::uint64_t id, Call&);
  void ended(std::uint64_t id, const HttpEnd&);
  void finish(std::uint64_t id, Outcome);

  std::map<std::uint64_t, std::unique_ptr<Call>> calls_;
  std::map<std::string, Queue> queues_;  ///< By model.
  std::map<std::string, double> woken_;  ///< When a queue is looked at again.
  std::minstd_rand chance_{std::random_device{}()};
  std::atomic<std::uint64_t> last_ = 0;
  Http http_;  ///< Last: its thread ends first.
};

}  // namespace models
