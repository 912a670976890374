#include "models/service/habit_book.h"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <stdlib.h>

TEST_CASE("what was learnt of a server is known to the next program, and a damaged file counts as empty") {
  std::string folder = (std::filesystem::temp_directory_path() / "etude-test-XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const std::string file = folder + "/models.json";
  {
    models::HabitBook book(file);
    book.change("http://h m", [](models::Habits& habits) {
      habits.without = {"temperature"};
      habits.renamed = {{"max_tokens", "max_completion_tokens"}};
      habits.efforts = {"low"};
      habits.most_output = 8192;
      habits.context = 32768;
      habits.thinks = true;
    });
  }
  const models::Habits known = models::HabitBook(file).of("http://h m");
  CHECK(known.without == std::set<std::string>{"temperature"});
  CHECK(known.renamed.at("max_tokens") == "max_completion_tokens");
  CHECK((known.efforts.size() == 1 && known.most_output == 8192 && known.context == 32768 && known.thinks));
  CHECK(models::HabitBook(file).of("http://h other") == models::Habits{});
  std::ofstream(file) << "{\"v\":1,\"models\":[";
  models::HabitBook damaged(file);
  CHECK(damaged.of("http://h m") == models::Habits{});
  damaged.change("k", [](models::Habits& habits) { habits.thinks = true; });
  CHECK(models::HabitBook(file).of("k").thinks);
  std::filesystem::remove_all(folder);
}
