#pragma once
// What is wrong with the configuration of a model that does not answer, found by asking its server otherwise: in
// another protocol, at a neighbouring address, with the key in another header, or for a whole reply. Records nothing.

#include <functional>
#include <optional>
#include <string>

#include "models/failure.h"
#include "models/message.h"
#include "models/service/service.h"

namespace cli {

/// Tries up to `attempts` times, as long as the failure may pass. `on_learnt`: what the server refused, and how it was
/// asked instead.
models::ModelOutcome ask_and_wait(const models::Model&, models::Request, int attempts,
                                  std::function<void(std::string)> on_learnt = {});

/// Under which settings the server answers the request, as what to write; none if it does not.
std::optional<std::string> working_settings(const models::Model&, const models::Request&, const models::Failure&);

/// Whether the address is of this machine or of a private network, where a server's context is whatever it was started
/// with.
bool is_local(const std::string& base_url);

/// Asks with a prompt as long as agents need, and says what is wrong if the server does not read all of it; none if it
/// does. `tiny`: a request that was answered, and the tokens that its prompt had.
struct Trouble {
  std::string what, remedy;
};
std::optional<Trouble> context_trouble(const models::Model&, const models::Request& tiny, std::int64_t tokens);

}  // namespace cli
