// The study that a request of a client opened, found again by its token.
#include <catch2/catch.hpp>

#include "memory/files/home_folder.h"
#include "memory/store/reader.h"
#include "memory/store/store.h"
#include "tests/memory/story.h"

TEST_CASE("a study is found by the token of the request that opened it, also in a store of schema 11") {
  story::TempFolder home;
  story::Teller teller;
  {
    memory::Store store(home);
    for (const auto& [id, request] : std::vector<std::pair<std::string, std::string>>{
             {"s1", ""}, {"s2", "night"}, {"s3", "night 2\nabc"}, {"s4", "night\nabc"}, {"s5", "\"é\"\nabc"}}) {
      kernel::Event opened = teller.open(id);
      std::get<kernel::StudyOpened>(opened.body).request = request;
      store.append({opened}, teller.state);
    }
  }
  const auto check = [&] {
    const memory::Reader reader(home);
    CHECK(reader.opened_by("night") == "s2");
    CHECK(reader.opened_by("night 2") == "s3");
    CHECK(reader.opened_by("\"é\"") == "s5");
    for (const char* unknown : {"nigh", "night 3", "abc", "s2"}) CHECK_FALSE(reader.opened_by(unknown));
  };
  check();
  memory::Database(memory::database_path(home), memory::Database::Access::write)
      .run_script("DROP INDEX events_opening; PRAGMA user_version = 11");
  { memory::Store store(home); }
  check();
}
