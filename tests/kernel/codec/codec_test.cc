#include "kernel/codec/codec.h"

#include <catch2/catch.hpp>

#include "kernel/codec/json_types.h"

TEST_CASE("queued runs are written one by one, and their bytes are those of the whole document") {
  kernel::RunsQueued queued{kernel::Purpose::registered, "E01", {{{"n", "1"}}, {{"n", "2"}}}, {}};
  for (int count : {0, 1, 3}) {
    queued.runs.clear();
    queued.tier = count == 1 ? kernel::Tier::test : kernel::Tier::none;
    for (int number = 1; number <= count; ++number)
      queued.runs.push_back({number, number % 2, 18446744073709551615u, number, 0, 1, "\"label\" \xff é"});
    const std::string bytes = kernel::encode(queued);
    CHECK(bytes == nlohmann::json(queued).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    const auto read = std::get<kernel::RunsQueued>(kernel::decode("RunsQueued", 1, bytes));
    CHECK(read.runs.size() == queued.runs.size());
    CHECK(read.tier == queued.tier);
  }
}
