#pragma once
// One request in a batch of its provider: submitted, looked at with growing pauses, and fetched, over Http and on its
// thread. It keeps no record, so a caller that must not submit twice needs a journal. Borrows the Http.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "models/batches/batch_protocol.h"
#include "models/failure.h"
#include "models/http.h"

namespace models {

/// With what a later program takes a batch up.
struct BatchTicket {
  std::string id;             ///< The provider's.
  std::string service;        ///< Where it was submitted, by `shown_url`.
  std::int64_t until_ms = 0;  ///< How long it is waited for: milliseconds since the Unix epoch.
};

/// How long the batch is still waited for; negative if no longer.
double seconds_until(const BatchTicket&);

/// No reply comes by the batch, and the request may be sent at once.
struct BatchMissed {
  std::string why;          ///< In words; untrusted.
  bool maybe_paid = false;  ///< The provider may have served it, and may charge for it.
  bool none_here = false;   ///< The server knows no batches.
};

/// The batch goes on, but cannot be looked at, for instance because the key is wrong now.
struct BatchLeft {
  Failure failure;
};

/// In seconds. Pauses between two looks grow by half.
struct BatchPace {
  double first = 5, longest = 60;
  double cancelled = 600;  ///< How long a batch is still looked at once it was to be cancelled.
};
/// The longer a batch may take, the rarer it is looked at.
BatchPace pace_for(double patience_s);

class BatchRun : public std::enable_shared_from_this<BatchRun> {
 public:
  /// A Failure came before there was a batch, and may pass.
  using End = std::variant<batches::BatchedReply, BatchMissed, BatchLeft, Failure>;
  /// `on_end` is called once, unless `stop` is called before. Neither may destroy the Http.
  struct Handlers {
    std::function<void(const BatchTicket&)> on_submitted;
    std::function<void(End)> on_end;
  };

  BatchRun(Http& http, Endpoint endpoint, BatchPace pace, Handlers handlers);

  // Only on the thread of the Http.
  /// `body`: the request's, as it would be sent alone.
  void submit(const nlohmann::json& body, double patience_s);
  void take_up(const BatchTicket&);
  /// Ends it without a call of `on_end`. `cancels`: asks the provider to cancel the batch.
  void stop(bool cancels);

 private:
  using Step = void (BatchRun::*)(const HttpEnd&, const std::string& body);
  void send(const HttpRequest&, Step);
  void uploaded(const HttpEnd&, const std::string& body);
  void created(const HttpEnd&, const std::string& body);
  void look();
  void looked(const HttpEnd&, const std::string& body);
  void cancelled(const HttpEnd&, const std::string& body);
  void fetch();
  void fetched(const HttpEnd&, const std::string& body);
  void wait(double at_least_s = 0);
  void go_on_after(double seconds, void (BatchRun::*)());
  /// None if the reply to a submission has what it must; else ends the run.
  bool refused(const HttpEnd&, const std::string& body);
  void end(End);

  Http& http_;
  const Endpoint endpoint_;
  const BatchPace pace_;
  Handlers handlers_;
  nlohmann::json body_;
  double patience_s_ = 0;
  BatchTicket ticket_;
  double pause_ = 0;                      ///< Before the next look.
  std::optional<double> cancel_until_{};  ///< By Http::now; none while nothing is cancelled.
  std::vector<std::string> results_{};    ///< Not read yet, the next one last.
  std::string why_{};                     ///< How the batch ended.
  int fetches_ = 0;                       ///< Failed attempts to read a result.
  std::uint64_t exchange_ = 0;            ///< 0 if none is under way.
  bool over_ = false;
};

}  // namespace models
