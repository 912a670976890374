#include "benchmarks/exp_task.h"

#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

#include "tests/places.h"

using namespace benchmarks;

namespace {

std::string bench_file(const std::string& name) {
  std::ifstream in(tests::source_dir() + "/tests/benchmarks/tasks/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

ReadTask only_task(const std::string& text) {
  auto tasks = read_exp_tasks(R"({"questions": [)" + text + "]}", "/dir/17388_complete_final.json");
  REQUIRE(tasks);
  REQUIRE(tasks->size() == 1);
  return (*tasks)[0];
}

std::string refused(const std::string& text) {
  const ReadTask task = only_task(text);
  const auto* refusal = std::get_if<RefusedTask>(&task);
  return refusal ? std::string(name(refusal->kind)) + ": " + refusal->why : "";
}

constexpr const char* design = R"("design_complexity": {"independent_variables": {"arm": ["a", 2]}})";

}  // namespace

TEST_CASE("the forms of a task in different files give the same task") {
  const auto tasks = read_exp_tasks(bench_file("71001_complete_final.json"), "71001_complete_final.json");
  REQUIRE(tasks);
  REQUIRE(tasks->size() == 6);
  for (std::size_t i = 0; i < 5; ++i) {
    INFO(i);
    const auto& task = std::get<ExpTask>((*tasks)[i]);
    CHECK(task.id == "71001-" + std::to_string(i + 1));
    CHECK(task.masked == std::vector<std::string>{"compare.py"});
    CHECK(task.requirements.size() == 2);
    REQUIRE(task.design.independent.size() == 2);
    CHECK(task.design.independent[0].values == std::vector<std::string>{"insertion sort", "merge sort"});
    CHECK(task.design.constant.size() == 1);
    CHECK(task.unused.empty());
  }
  const auto& last = std::get<ExpTask>((*tasks)[5]);
  CHECK(last.design.independent[0].values == std::vector<std::string>{"100", "200"});
  CHECK(last.unused == std::vector<std::string>{"remarks: no member of that name is known"});
}

TEST_CASE("a task without a solution in the code masks nothing") {
  const auto tasks = read_exp_tasks(bench_file("71002_complete_final.json"), "71002_complete_final.json");
  REQUIRE(tasks);
  const auto& task = std::get<ExpTask>(tasks->at(3));
  CHECK(task.masked.empty());
  CHECK(task.requirements.empty());
}

TEST_CASE("a task that lacks what scoring needs is refused by what it lacks") {
  const std::string rest = std::string(R"("method": "m", "expected_outcome": "o", )") + design;
  CHECK(refused("7") == "malformed: the task is no JSON object");
  CHECK(refused("{" + rest + "}") == "malformed: it has no `question`");
  CHECK(refused(R"({"question": " ", )" + rest + "}") == "malformed: it has no `question`");
  CHECK(refused(R"({"question": "q", "method": "m", "expected_outcome": "o"})") ==
        "malformed: it has no `design_complexity`");
  CHECK(refused(R"({"question": "q", "method": "m", "expected_outcome": "o", "design_complexity": {}})") ==
        "malformed: `design_complexity`: it names neither independent nor dependent variables");
  CHECK(refused(R"({"question": "q", "masked_source": ["/workspace/../secret"], )" + rest + "}") ==
        "outside: `../secret` does not lie in the paper's folder");
  CHECK(refused(R"({"question": "q", )" + rest + "}").empty());
}

TEST_CASE("items that are no texts are left out and named") {
  const ReadTask read =
      only_task(R"({"hypothesis": "q", "method": "m", "expected_outcome": "o", "requirements": ["a", 1],
      "source": "/workspace/a.py", )" +
                std::string(design) + "}");
  const auto& task = std::get<ExpTask>(read);
  CHECK(task.question == "q");
  CHECK(task.requirements == std::vector<std::string>{"a"});
  CHECK(task.masked == std::vector<std::string>{"a.py"});
  CHECK(task.unused == std::vector<std::string>{"requirements: an item is no text"});
}

TEST_CASE("a list of the solution's files that cannot be read is refused; an empty one is that of `source`") {
  const auto with = [](const std::string& members) {
    return "{" + members + R"(, "question": "q", "method": "m", "expected_outcome": "o", )" + design + "}";
  };
  const std::string source = R"(, "source": ["/workspace/solution.py"])";
  for (const std::string mask :
       {"5", "true", "[5]", R"([["a.py"]])", R"([""])", R"(" ")", R"(["a.py", null])", R"({"a.py": 1})", "{}"}) {
    INFO(mask);
    CHECK(refused(with("\"masked_source\": " + mask + source)) == "malformed: `masked_source` is no list of paths");
    CHECK(refused(with("\"source\": " + mask)) == "malformed: `source` is no list of paths");
  }
  for (const std::string mask : {"null", "[]"}) {
    INFO(mask);
    const ReadTask read = only_task(with("\"masked_source\": " + mask + source));
    CHECK(std::get<ExpTask>(read).masked == std::vector<std::string>{"solution.py"});
    CHECK(std::get<ExpTask>(only_task(with("\"masked_source\": " + mask))).masked.empty());
  }
  // `source` is not asked where a mask is given.
  const ReadTask read = only_task(with(R"("masked_source": "/workspace/b.py", "source": 5)"));
  CHECK(std::get<ExpTask>(read).masked == std::vector<std::string>{"b.py"});
}

TEST_CASE("a file whose `questions` is no list is one refusal, by the paper's number") {
  for (const char* text : {R"({"questions": {"1": {}}})", R"({"questions": null})", "{}", "7"}) {
    INFO(text);
    const auto tasks = read_exp_tasks(text, "/dir/17388_complete_final.json");
    REQUIRE(tasks);
    REQUIRE(tasks->size() == 1);
    const auto& refusal = std::get<RefusedTask>(tasks->front());
    CHECK(refusal.id == "17388");
    CHECK(refusal.kind == TaskRefusal::malformed);
    CHECK(refusal.why == "/dir/17388_complete_final.json has no list of tasks of the name `questions`");
  }
}

TEST_CASE("a file that holds no tasks is a problem that says where") {
  CHECK(read_exp_tasks(R"({"questions": [)", "a.json").problem().text() ==
        "a.json: byte 16: it is no JSON there: fetch the file again");
  CHECK(read_exp_tasks(R"({"questions": []})", "/x/_.json").problem().what == "its name");
}
