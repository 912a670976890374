#include "agents/thinking/calls/service_model.h"

namespace agents {

std::uint64_t ServiceModel::ask(const models::Request& request, std::function<void(std::string_view)> on_text,
                                std::function<void(models::Outcome, Attempts)> on_end) {
  const auto attempts = std::make_shared<Attempts>();  // Used only on the service's thread.
  models::Asking asking;
  asking.on_text = std::move(on_text);
  asking.on_retry = [attempts](const models::Failure& failure, double) {
    ++attempts->all;
    attempts->begun += failure.began ? 1 : 0;
  };
  asking.on_end = [attempts, on_end = std::move(on_end)](models::Outcome outcome) {
    on_end(std::move(outcome), *attempts);
  };
  return service_->ask(model_, request, std::move(asking));
}

}  // namespace agents
