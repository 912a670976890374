// The models of a ledger as users see them.
#include "kernel/views/models_shape.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/study/model_use.h"

using kernel::Ledger;

namespace {

kernel::CallEnd ended(std::optional<kernel::ReplyOrigin> origin, kernel::TokenCount tokens = {10, 5, 30, 10}) {
  kernel::CallEnd end;
  end.tokens = tokens;
  end.usd = 0.25;
  end.origin = std::move(origin);
  return end;
}

void answer(Ledger& ledger, const std::string& role, const kernel::AskedAs& as, const kernel::CallEnd& end) {
  kernel::ModelCall call;
  call.as = as;
  settle(model_use(ledger, role, "small"), call, end);
}

}  // namespace

TEST_CASE("calls are added up by role and model, and replies by how they were asked for and where they came from") {
  Ledger ledger;
  const kernel::AskedAs high{"gpt-x", "high", false};
  const kernel::ReplyOrigin first{"gpt-x-2026-01-01", "default", "fp_1"}, second{"gpt-x-2026-01-01", "flex", ""};
  answer(ledger, "hypothesis", high, ended(first));
  answer(ledger, "hypothesis", high, ended(second));
  answer(ledger, "hypothesis", high, ended(first));
  answer(ledger, "hypothesis", high, ended(std::nullopt, {100, 0, 0, 0}));  // no reply: charged, and answers nothing
  answer(ledger, "reviewer", {"gpt-x", "", true}, ended(kernel::ReplyOrigin{}));
  const nlohmann::json models = kernel::models_shape(ledger);
  REQUIRE(models.size() == 2);
  CHECK(models[0] == nlohmann::json::parse(R"({"role": "hypothesis", "model": "small", "calls": 4, "tokens_in": 250,
    "tokens_cached": 90, "tokens_out": 15, "usd": 1.0, "answers": [
      {"asked": "gpt-x", "effort": "high", "answered_by": "gpt-x-2026-01-01", "tier": "default", "fingerprint": "fp_1",
       "calls": 2},
      {"asked": "gpt-x", "effort": "high", "answered_by": "gpt-x-2026-01-01", "tier": "flex", "fingerprint": null,
       "calls": 1}]})"));
  CHECK(models[1].at("usd").is_null());
  CHECK(models[1].at("answers")[0].at("answered_by").is_null());
  CHECK(kernel::other_models_words(ledger).empty());
}

TEST_CASE("a sentence says that another model answered") {
  Ledger ledger;
  answer(ledger, "hypothesis", {"gpt-x", "", false}, ended(kernel::ReplyOrigin{"gpt-y", "", ""}));
  CHECK(kernel::other_models_words(ledger) ==
        std::vector<std::string>{"asked for gpt-x, gpt-y answered in 1 of 1 call"});
  answer(ledger, "reviewer", {"gpt-x", "", false}, ended(kernel::ReplyOrigin{"gpt-x", "", ""}));
  CHECK(kernel::other_models_words(ledger) ==
        std::vector<std::string>{"asked for gpt-x, gpt-y answered in 1 of 2 calls"});
}

TEST_CASE("a provider that states fewer tokens than its texts can be is found, once for a model in all its roles") {
  Ledger ledger;
  kernel::CallEnd end = ended(kernel::ReplyOrigin{"gpt-x", "", ""}, {900, 100, 0, 0});
  answer(ledger, "hypothesis", {}, end);
  CHECK(kernel::understated_words(ledger, kernel::wording_version).empty());
  end.understated = kernel::UnderstatedUse{7, 120};
  answer(ledger, "hypothesis", {}, end);
  answer(ledger, "reviewer", {}, end);
  CHECK(kernel::understated_words(ledger, kernel::wording_version) ==
        std::vector<std::string>{"The provider of model small states 14 tokens for 2 of 3 calls, whose texts have at "
                                 "least 240: the 2000 tokens that were set aside for them are charged"});
}

TEST_CASE("a ledger of an older log names no models") {
  Ledger ledger;
  answer(ledger, "hypothesis", {}, ended(std::nullopt));
  CHECK(kernel::models_shape(ledger).is_null());
}
