#pragma once
// Whoever answers what agents ask: a service over HTTP, a script, a recording.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kernel/domain/study_spec.h"
#include "models/dialect.h"
#include "models/price.h"

namespace agents {

/// How often a call was sent.
struct Attempts {
  int all = 1;
  int begun = 0;  ///< Of those that failed before the last: some of the reply had come.
};

class Model {
 public:
  virtual ~Model() = default;
  /// Asks; `on_end` is called once, on any thread, unless the model is destroyed before. `on_text`: the reply as it
  /// grows. Answers a number by which it may be cancelled, which ends it.
  virtual std::uint64_t ask(const models::Request&, std::function<void(std::string_view)> on_text,
                            std::function<void(models::Outcome, Attempts)> on_end) = 0;
  virtual void cancel(std::uint64_t call) = 0;
};

/// A model that plays a role, as it is to be asked.
struct Player {
  std::shared_ptr<Model> model;
  std::string name;                    ///< The configuration's.
  models::Request template_request{};  ///< Its model, limits and temperature; no conversation.
  std::optional<models::Price> price{};
  bool sees = false;         ///< Takes pictures.
  std::int64_t context = 0;  ///< Tokens of a request and its reply together; 0: not known.
};

/// Who plays a role in a profile, on that line of work; a problem: nobody can.
using Casting =
    std::function<kernel::Result<Player>(const std::string& profile, const std::string& role, const std::string& line)>;

}  // namespace agents
