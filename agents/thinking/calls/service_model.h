#pragma once
// A model that a service asks over HTTP.

#include <memory>

#include "agents/thinking/calls/role_model.h"
#include "models/service.h"

namespace agents {

class ServiceModel : public Model {
 public:
  ServiceModel(std::shared_ptr<models::Service> service, models::Model model)
      : service_(std::move(service)), model_(std::move(model)) {}

  std::uint64_t ask(const models::Request&, std::function<void(std::string_view)> on_text,
                    std::function<void(models::Outcome, Attempts)> on_end) override;
  void cancel(std::uint64_t call) override { service_->cancel(call); }

 private:
  const std::shared_ptr<models::Service> service_;
  const models::Model model_;
};

}  // namespace agents
