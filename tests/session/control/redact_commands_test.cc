#include "apps/session/control/redact_commands.h"

#include <catch2/catch.hpp>

TEST_CASE("what a person says is recorded without keys") {
  const kernel::Redactor redact({kernel::Secret{"here key", "open-sesame-1"}});
  const std::string said = "use open-sesame-1 for it", kept = "use [redacted: here key] for it";
  const auto recorded = [&](kernel::CommandBody body) {
    return session::redacted({"s1", "person", std::move(body)}, redact).body;
  };
  CHECK(std::get<kernel::Steer>(recorded(kernel::Steer{said})).text == kept);
  CHECK(std::get<kernel::Cancel>(recorded(kernel::Cancel{said})).why == kept);
  CHECK(std::get<kernel::Pause>(recorded(kernel::Pause{kernel::PauseReason::person, kernel::as_said(said)}))
            .detail.text == kept);
  CHECK(std::get<kernel::DecideGate>(recorded(kernel::DecideGate{"g1", true, kernel::as_said(said)})).why.text == kept);
  CHECK(std::get<kernel::WithdrawHypothesis>(recorded(kernel::WithdrawHypothesis{"H1", said})).why == kept);
}
