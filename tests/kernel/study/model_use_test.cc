// Whether another model answered than was asked, and how much of what servers state is kept.
#include "kernel/study/model_use.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using kernel::is_same_model;
using kernel::Ledger;

namespace {

void answer(Ledger& ledger, const std::string& role, const kernel::AskedAs& as,
            std::optional<kernel::ReplyOrigin> origin) {
  kernel::ModelCall call;
  call.as = as;
  kernel::CallEnd end;
  end.origin = std::move(origin);
  settle(model_use(ledger, role, "small"), call, end);
}

}  // namespace

TEST_CASE("a dated name and one of another vendor's list are the same model, and another model is not") {
  for (const auto& [asked, answered] : {std::pair{"gpt-x", "gpt-x"},
                                        {"gpt-x", "gpt-x-2026-01-01"},
                                        {"gpt-x-2026-01-01", "gpt-x"},
                                        {"claude-opus-4", "claude-opus-4-20250514"},
                                        {"claude-x", "claude-x@20260101"},
                                        {"gpt-4", "gpt-4-0613"},
                                        {"gemini-2.0-flash", "models/gemini-2.0-flash-001"},
                                        {"google/gemini-3", "gemini-3-05-06"},
                                        {"mistral-large-latest", "mistral-large-2411"},
                                        {"Qwen3", "qwen3:latest"},
                                        {"qwen3:8b", "QWEN3:8b"}}) {
    CAPTURE(asked, answered);
    CHECK(is_same_model(asked, answered));
  }
  for (const auto& [asked, answered] : {std::pair{"gpt-x", "gpt-y"},
                                        {"gpt-x", "gpt-x-mini"},
                                        {"claude-opus-4", "claude-opus-4-1"},
                                        {"claude-opus-4", "claude-opus-4-1-20250805"},
                                        {"gpt-x-2026-01-01", "gpt-x-2026-05-01"},
                                        {"gpt-4", "gpt-4-32k"},
                                        {"qwen3:8b", "qwen3:70b"},
                                        {"llama-3", "llama-3-70"},
                                        {"gpt-4", "gpt-4-"},
                                        {"gpt-4", "gpt-4--2026"}}) {
    CAPTURE(asked, answered);
    CHECK_FALSE(is_same_model(asked, answered));
  }
}

TEST_CASE("another model that answered is counted over all roles") {
  Ledger ledger;
  for (const char* role : {"hypothesis", "reviewer"})
    for (const char* by : {"gpt-x-2026-01-01", "gpt-y", "gpt-x", ""})
      answer(ledger, role, {"gpt-x", "", false}, kernel::ReplyOrigin{by, "", ""});
  answer(ledger, "engineer", {"", "", false}, kernel::ReplyOrigin{"gpt-z", "", ""});  // a replay asks nobody
  answer(ledger, "engineer", {"gpt-a", "", false}, kernel::ReplyOrigin{"gpt-b", "", ""});
  const std::vector<kernel::OtherModel> others = other_models(ledger);
  REQUIRE(others.size() == 2);
  CHECK((others[0].asked == "gpt-x" && others[0].answered == "gpt-y" && others[0].calls == 2 && others[0].of == 8));
  CHECK((others[1].asked == "gpt-a" && others[1].answered == "gpt-b" && others[1].calls == 1 && others[1].of == 1));
}

TEST_CASE("a ledger of an older log states no origins") {
  Ledger ledger;
  answer(ledger, "hypothesis", {}, std::nullopt);
  CHECK(ledger.models.size() == 1);
  CHECK_FALSE(states_origins(ledger));
}

TEST_CASE("a server that states a new fingerprint with each reply does not fill the ledger") {
  Ledger ledger;
  for (int i = 0; i < 500; ++i)
    answer(ledger, "hypothesis", {"gpt-x", "", false}, kernel::ReplyOrigin{"gpt-x", "", fmt::format("fp_{}", i)});
  REQUIRE(ledger.models[0].answers.size() == 65);
  CHECK(ledger.models[0].answers.back().origin == kernel::ReplyOrigin{"gpt-x", "", ""});
  CHECK(ledger.models[0].answers.back().calls == 436);
}
