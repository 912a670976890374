#include "benchmarks/scoring.h"

#include <catch2/catch.hpp>

#include "benchmarks/judging.h"

using namespace benchmarks;

namespace {

ExpTask sorting_task() {
  ExpTask task;
  task.id = "1-1";
  task.paper = "1";
  task.question = "Does sorting 1234 items help?";
  task.method = "Sort.";
  task.outcome = "Yes";
  task.design = {
      {{"length", {"200"}}}, {{"algorithm", {"insertion sort", "merge sort"}}}, {{"comparisons", {"a count"}}}};
  task.masked = {"compare.py"};
  task.requirements = {"Count in `compare.py`", "Call `merge_sort`"};
  return task;
}

HandedIn good_work() {
  HandedIn handed;
  handed.version = true;
  handed.answer = R"({"design": {"constant_variables": {"Length": 200},
      "independent_variables": {"algorithm": ["Merge sort", "insertion-sort"]},
      "dependent_variables": {"comparisons": "how many"}}, "conclusion": "yes."})";
  handed.files = {
      {"compare.py", "merge_sort(x)"}, {experiment_file, "python3 compare.py"}, {answer_file, handed.answer}};
  handed.diff = "+++ b/compare.py\n+merge_sort(x)\n";
  handed.runs = handed.succeeded = 2;
  return handed;
}

std::optional<double> share_of(const HandedIn& handed, std::string_view measure, const ExpTask& task = sorting_task()) {
  return share(score_by_rule(task, handed, "stub"), measure);
}

std::optional<bool> right_of(const HandedIn& handed, std::string_view measure, const ExpTask& task = sorting_task()) {
  return right(score_by_rule(task, handed, "stub"), measure);
}

/// What the conclusion is worth by rule.
std::optional<bool> concluded(const std::string& truth, const std::string& said) {
  ExpTask task = sorting_task();
  task.outcome = truth;
  HandedIn handed = good_work();
  handed.answer = R"({"conclusion": ")" + said + R"("})";
  return score_by_rule(task, handed, "stub").conclusion.items.at(0).met;
}

/// Whether the monitor finds the call clean of paper access and git.
std::pair<bool, bool> clean(const std::string& tool, const std::string& text) {
  HandedIn handed = good_work();
  handed.actions = {{tool, text}};
  const MonitorFindings found = score_by_rule(sorting_task(), handed, "stub").monitor;
  return {*found.paper.met, *found.git.met};
}

}  // namespace

TEST_CASE("the same names, levels, files and words are right by rule") {
  const HandedIn handed = good_work();
  CHECK(share_of(handed, "design") == 1.0);
  CHECK(share_of(handed, "setup") == 1.0);
  CHECK(share_of(handed, "execution") == 1.0);
  CHECK(right_of(handed, "C·D") == true);
}

TEST_CASE("no rule says that code does what is required, but that a name is nowhere in it") {
  CHECK(share_of(good_work(), "implementation") == std::nullopt);
  CHECK(right_of(good_work(), "All·E") == std::nullopt);
  HandedIn handed = good_work();
  handed.files["compare.py"] = "sorted(x)";
  const TaskScore score = score_by_rule(sorting_task(), handed, "stub");
  CHECK(score.implementation.items[0].met == std::nullopt);
  CHECK(score.implementation.items[1].met == false);
  CHECK(score.implementation.items[1].why == "no file holds `merge_sort`");
  CHECK(right(score, "I·E") == false);
  CHECK(right(score, "All") == false);
}

TEST_CASE("nothing handed in is zero in every part") {
  for (const char* measure : measures) {
    INFO(measure);
    CHECK(share_of({}, measure) == 0.0);
    CHECK(right_of({}, measure) == false);
  }
}

TEST_CASE("a variable with other levels is left to the judge, one of a kind that the answer lacks is not met") {
  HandedIn handed = good_work();
  handed.answer = R"({"design": {"independent_variables": {"algorithm": ["merge sort"]},
      "dependent_variables": {"comparisons": ""}}})";
  const auto items = score_by_rule(sorting_task(), handed, "stub").design.items;
  REQUIRE(items.size() == 3);
  CHECK(items[0].met == false);
  CHECK(items[1].met == std::nullopt);
  CHECK(items[2].met == true);
}

TEST_CASE("a conclusion is compared as words, as a number or as yes and no") {
  CHECK(concluded("Merge sort wins.", "merge sort  wins") == true);
  CHECK(concluded("Merge sort wins.", "it wins") == std::nullopt);
  CHECK(concluded("0.5", "0.50") == true);
  CHECK(concluded("0.5", "0.4") == false);
  CHECK(concluded("0.5", "-0.5") == false);
  CHECK(concluded("0.5", "about one half") == std::nullopt);
  CHECK(concluded("Yes", "no") == false);
  CHECK(concluded("Yes", "it does") == std::nullopt);
  CHECK(concluded("Yes", "") == false);
}

TEST_CASE("the execution counts only if every run left results") {
  HandedIn handed = good_work();
  handed.succeeded = 1;
  CHECK(right_of(handed, "execution") == false);
  handed.runs = handed.succeeded = 0;
  CHECK(right_of(handed, "execution") == false);
}

TEST_CASE("the experiment must be another than the stub, and a masked file must hold something") {
  HandedIn handed = good_work();
  handed.files[experiment_file] = "stub";
  handed.files["compare.py"] = " \n";
  CHECK(share_of(handed, "setup") == 0.0);
}

TEST_CASE("git operations and looks at papers are found in what was called and written") {
  CHECK(clean("run_scratch", R"({"command": "cd lib && git log -p"})") == std::pair(true, false));
  CHECK(clean("run_scratch", R"({"command": "git --no-pager checkout HEAD compare.py"})") == std::pair(true, false));
  CHECK(clean("run_scratch", R"({"command": "python3 compare.py; ls digit"})") == std::pair(true, true));
  CHECK(clean("write_file", R"({"content": "legit diff of two lists"})") == std::pair(true, true));
  CHECK(clean("write_file", R"({"content": "see https://arxiv.org/abs/1"
})") == std::pair(false, true));
  CHECK(clean("read_paper", "{}") == std::pair(false, true));
  CHECK(clean("finish", R"({"summary": "no git log was used"})") == std::pair(true, true));
}

TEST_CASE("numbers of the conclusion that stand in the code are made up, unless the task states them") {
  HandedIn handed = good_work();
  handed.answer = R"({"conclusion": "yes: 87.31 % of 1234, and 100 and 0.05"})";
  handed.diff = "+++ b/compare.py\n+accuracy = 87.31  # of 1234, 100, 0.05\n";
  CHECK(literals_in_conclusion(sorting_task(), handed) == std::vector<std::string>{"87.31"});
  for (const char* measure : measures) CHECK(share_of(handed, measure) == 0.0);
  handed.diff = "+++ b/etude-task/answer.json\n+yes: 87.31\n+++ b/a.py\n-accuracy = 87.31\n";
  CHECK(literals_in_conclusion(sorting_task(), handed).empty());
}

TEST_CASE("the judge decides what is left, also of made-up data, and then all is known") {
  const HandedIn handed = good_work();
  TaskScore score = score_by_rule(sorting_task(), handed, "stub");
  const auto questions = judge_questions(handed, score);
  REQUIRE(questions.size() == 2);
  CHECK(questions[0].part == "implementation");
  CHECK(questions[0].items.size() == 2);
  CHECK(questions[1].part == "monitor");
  apply(questions[0], {{true, ""}, {false, "it does not"}}, score);
  apply(questions[1], {{true, ""}}, score);
  CHECK(share(score, "implementation") == 0.5);
  CHECK(right(score, "I·E") == false);
  CHECK(right(score, "C·D") == true);
  apply(questions[1], {{false, "random numbers"}}, score);
  for (const char* measure : measures) CHECK(share(score, measure) == 0.0);
}

TEST_CASE("a judge's reply is read with or without words around it, and refused if a verdict is missing") {
  const auto read = read_judgements(
      "Here:\n```json\n{\"verdicts\": [{\"id\": 2, \"met\": false, \"why\": \"w\"},"
      " {\"id\": 1, \"met\": true}]}\n```",
      2);
  REQUIRE(read);
  CHECK((*read)[0].met);
  CHECK((*read)[1].why == "w");
  CHECK(read_judgements(R"({"verdicts": [{"id": 1, "met": true}]})", 2).problem().why == "number 2 has no verdict");
  CHECK(read_judgements(R"({"verdicts": [{"id": 3, "met": true}]})", 2).problem().why == "there is no number 3");
  CHECK(read_judgements(R"({"verdicts": [{"id": 1, "met": "yes"}]})", 1).problem().why ==
        "a verdict has no `id` or no `met`");
  CHECK(read_judgements("I cannot", 1).problem().why == "it has no `verdicts`");
}

TEST_CASE("planted answers are the task's own, and other tasks' that differ") {
  ExpTask a = sorting_task(), b = sorting_task();
  b.paper = "2";
  b.outcome = "No";
  const auto planted = planted_questions({a, b});
  REQUIRE(planted.size() == 8);
  CHECK(planted[0].question.items.size() == 3);
  CHECK(planted[2].question.handed == "No");
  CHECK_FALSE(planted[2].met);
  CHECK(planted_questions({a, a}).size() == 4);
}
