// Statements of hypotheses that agree with their tests, and such that contradict them.
#include "kernel/wording/statement.h"

#include <catch2/catch.hpp>

#include "kernel/wording/wording.h"

namespace {

using kernel::Direction;
using kernel::Goal;
using kernel::Hypothesis;
using kernel::HypothesisKind;
using kernel::SlopeScale;

kernel::StudySpec several_studies() {
  kernel::StudySpec spec;
  const auto factor = [&](const char* name, std::initializer_list<const char*> levels) {
    kernel::Factor& one = spec.factors.emplace_back();
    one.name = name;
    for (const char* level : levels) one.levels.emplace_back().name = level;
  };
  factor("algorithm", {"bubble", "quick", "merge", "heap"});
  factor("input", {"random", "sorted", "nearly_sorted"});
  factor("optimizer", {"sgd", "adam"});
  factor("cache", {"on", "off"});
  factor("batch_size", {"32", "64", "128"});
  factor("n", {"500", "1000"});
  factor("threads", {"1", "2", "4"});
  factor("model", {"small", "large", "linear", "forest"});
  factor("arm", {"slow", "fast"});
  const auto metric = [&](const char* name, const char* unit, Goal goal) {
    kernel::Metric& one = spec.metrics.emplace_back();
    one.name = name;
    one.unit = unit;
    one.goal = goal;
  };
  metric("time_ms", "ms", Goal::minimize);
  metric("accuracy", "", Goal::maximize);
  metric("val_loss", "", Goal::minimize);
  metric("peak_mb", "MB", Goal::minimize);
  metric("throughput", "1/s", Goal::maximize);
  metric("cost", "points", Goal::minimize);
  metric("errors", "", Goal::minimize);
  return spec;
}

struct Stated {
  const char* statement;
  Hypothesis hypothesis;

  std::string against(const kernel::StudySpec& spec) const {
    Hypothesis h = hypothesis;
    h.statement = statement;
    const kernel::Reason why = kernel::statement_against_test(spec, h, true);
    return why.empty() ? "" : statement + (": " + kernel::newest_words(why));
  }
};

Hypothesis compared(const char* metric, const char* factor, const char* treatment, const char* control,
                    Direction direction) {
  Hypothesis h;
  h.id = kernel::HypothesisId("H1");
  h.metric = metric;
  h.treatment = {{factor, treatment}};
  h.control = {{factor, control}};
  h.direction = direction;
  return h;
}

Hypothesis sloped(const char* metric, const char* along, SlopeScale scale, Direction direction, double value = 0) {
  Hypothesis h;
  h.id = kernel::HypothesisId("H1");
  h.kind = HypothesisKind::slope;
  h.metric = metric;
  h.along = along;
  h.slope_scale = scale;
  h.slope_value = value;
  h.direction = direction;
  return h;
}

Hypothesis sorts(Direction direction) {
  return compared("time_ms", "algorithm", "quick", "bubble", direction);
}

Hypothesis trains(Direction direction) {
  return compared("accuracy", "optimizer", "adam", "sgd", direction);
}

Hypothesis loses(Direction direction) {
  return compared("val_loss", "optimizer", "adam", "sgd", direction);
}

constexpr auto less = Direction::less, greater = Direction::greater, equal = Direction::equal,
               different = Direction::different, not_worse = Direction::not_worse;
constexpr auto linear = SlopeScale::linear, loglog = SlopeScale::loglog, semilog = SlopeScale::semilog,
               linlog = SlopeScale::linlog;

}  // namespace

TEST_CASE("statements that agree with their tests are accepted") {
  const kernel::StudySpec spec = several_studies();
  const Stated honest[] = {
      {"Quicksort is faster than bubble sort.", sorts(less)},
      {"Quicksort takes less time than bubble sort.", sorts(less)},
      {"Quicksort takes less than half of bubble sort's time.", sorts(less)},
      {"Bubble sort is slower than quicksort.", sorts(less)},
      {"Bubble sort takes more time than quicksort.", sorts(less)},
      {"time_ms is lower under quick than under bubble.", sorts(less)},
      {"time_ms is higher under bubble than under quick.", sorts(less)},
      {"Compared with bubble, quick reduces the time.", sorts(less)},
      {"Quick outperforms bubble.", sorts(less)},
      {"Bubble is outperformed by quick.", sorts(less)},
      {"Quick takes more time than bubble on input that is already sorted.", sorts(greater)},
      {"Quick is slower than bubble.", sorts(greater)},
      {"Quick takes longer than bubble.", sorts(greater)},
      {"Quick takes twice as long as bubble.", sorts(greater)},
      {"Quick takes half as long as bubble.", sorts(less)},
      {"Quick is at least twice as fast as bubble.", sorts(less)},
      {"Quick is not slower than bubble.", sorts(not_worse)},
      {"Quick is no slower than bubble.", sorts(not_worse)},
      {"Quick is as fast as bubble.", sorts(equal)},
      {"Quick and bubble take the same time.", sorts(equal)},
      {"There is no difference in time between quick and bubble.", sorts(equal)},
      {"Quick takes the same time as bubble, within a third.", sorts(equal)},
      {"Quick and bubble differ in time.", sorts(different)},
      {"The algorithm affects the time.", sorts(different)},
      {"The choice of algorithm changes the time.", sorts(different)},
      {"Quick makes fewer comparisons, so it needs less time than bubble.", sorts(less)},
      {"Partitioning pays.", sorts(less)},
      {"Quick wins.", sorts(less)},
      {"Sorting with quick costs more memory and saves time.", sorts(less)},
      {"Quick uses more memory than bubble, and in exchange it is faster.", sorts(less)},
      {"Adam reaches a higher accuracy than SGD.", trains(greater)},
      {"Adam is better than SGD.", trains(greater)},
      {"SGD is worse than Adam.", trains(greater)},
      {"Adam improves accuracy over SGD.", trains(greater)},
      {"At a small learning rate, Adam reaches a much higher accuracy than SGD in the same number of steps.",
       trains(greater)},
      {"Adam and SGD reach the same accuracy to within five points.", trains(equal)},
      {"Adam is at least as accurate as SGD.", trains(not_worse)},
      {"Adam is not worse than SGD.", trains(not_worse)},
      {"Adam loses accuracy compared with SGD.", trains(less)},
      {"Adam's accuracy is below SGD's.", trains(less)},
      {"Adam lowers the loss.", loses(less)},
      {"Adam's validation loss is lower than SGD's.", loses(less)},
      {"Adam converges faster than SGD.", loses(less)},
      {"SGD ends at a higher loss than Adam.", loses(less)},
      {"Adam does not reduce the loss.", loses(not_worse)},
      {"A larger batch lowers the loss.", compared("val_loss", "batch_size", "128", "32", less)},
      {"A batch of 128 gives a lower loss than a batch of 32.", compared("val_loss", "batch_size", "128", "32", less)},
      {"A smaller batch raises the loss.", compared("val_loss", "batch_size", "32", "128", greater)},
      {"Larger batches change the loss.", compared("val_loss", "batch_size", "128", "32", different)},
      {"More threads raise the throughput.", compared("throughput", "threads", "4", "1", greater)},
      {"Four threads are faster than one.", compared("throughput", "threads", "4", "1", greater)},
      {"The large model is more accurate than the small one.",
       compared("accuracy", "model", "large", "small", greater)},
      {"A linear model is as accurate as a forest.", compared("accuracy", "model", "linear", "forest", equal)},
      {"With the cache on, requests take less time.", compared("time_ms", "cache", "on", "off", less)},
      {"Caching saves time.", compared("time_ms", "cache", "on", "off", less)},
      {"Caching needs more memory.", compared("peak_mb", "cache", "on", "off", greater)},
      {"Turning the cache off slows requests down.", compared("time_ms", "cache", "off", "on", greater)},
      {"Fast costs less.", compared("cost", "arm", "fast", "slow", less)},
      {"Fast costs more.", compared("cost", "arm", "fast", "slow", greater)},
      {"Slow costs more than fast.", compared("cost", "arm", "fast", "slow", less)},
      {"The fast arm costs less than the slow one.", compared("cost", "arm", "fast", "slow", less)},
      {"The treatment costs less than the control.", compared("cost", "arm", "fast", "slow", less)},
      {"It makes fewer errors than the baseline.", compared("errors", "arm", "fast", "slow", less)},
      {"Fast is cheap.", compared("cost", "arm", "fast", "slow", less)},
      {"Bubble sort's time grows with the square of n.", sloped("time_ms", "n", loglog, equal, 2)},
      {"Merge sort's time grows almost in proportion to n.", sloped("time_ms", "n", loglog, equal, 1)},
      {"Time grows faster than linearly.", sloped("time_ms", "n", loglog, greater, 1)},
      {"Time grows less than quadratically.", sloped("time_ms", "n", loglog, less, 2)},
      {"Time grows linearly with n.", sloped("time_ms", "n", linear, greater)},
      {"Time grows with the logarithm of n.", sloped("time_ms", "n", linlog, greater)},
      {"Time grows exponentially with n.", sloped("time_ms", "n", semilog, greater)},
      {"Errors fall with the number of threads.", sloped("errors", "threads", linear, less)},
      {"The throughput rises with threads.", sloped("throughput", "threads", linear, greater)},
      {"Time does not depend on n.", sloped("time_ms", "n", linear, equal)},
      {"Time does not grow exponentially with n.", sloped("time_ms", "n", linear, less, 3)},
      {"The loss decreases as a power of n.", sloped("val_loss", "n", loglog, less)},
  };
  CHECK(std::size(honest) >= 60);
  for (const Stated& one : honest) CHECK(one.against(spec).empty());
}

TEST_CASE("statements that contradict their tests are refused, with what they say and what the test asks") {
  const kernel::StudySpec spec = several_studies();
  const Stated contradictory[] = {
      {"Quicksort is faster than bubble sort.", sorts(greater)},
      {"Quicksort takes less time than bubble sort.", sorts(greater)},
      {"Bubble sort is slower than quicksort.", sorts(greater)},
      {"time_ms is lower under quick than under bubble.", sorts(greater)},
      {"time_ms is higher under bubble than under quick.", sorts(greater)},
      {"Compared with bubble, quick reduces the time.", sorts(greater)},
      {"Quick outperforms bubble.", sorts(greater)},
      {"Quick is slower than bubble.", sorts(less)},
      {"Quick takes longer than bubble.", sorts(less)},
      {"Bubble is faster than quick.", sorts(less)},
      {"Bubble sort takes less time than quicksort.", sorts(less)},
      {"Bubble outperforms quick.", sorts(less)},
      {"The baseline is faster than the treatment.", sorts(less)},
      {"Quick is not faster than bubble.", sorts(less)},
      {"Quick and bubble take the same time.", sorts(less)},
      {"There is no difference in time between quick and bubble.", sorts(less)},
      {"Quick is as fast as bubble.", sorts(less)},
      {"Quick is faster than bubble.", sorts(equal)},
      {"Quick differs from bubble in time.", sorts(equal)},
      {"Quick is faster than bubble.", sorts(different)},
      {"Quick is as fast as bubble.", sorts(different)},
      {"Quick is slower than bubble.", sorts(not_worse)},
      {"Quick needs less peak_mb than bubble.", sorts(less)},
      {"The accuracy of quick is higher.", sorts(less)},
      {"Quick has a lower peak_mb than bubble.", sorts(less)},
      {"Throughput is higher under quick than under bubble.", sorts(less)},
      {"Adam reaches a higher accuracy than SGD.", trains(less)},
      {"Adam is better than SGD.", trains(less)},
      {"SGD reaches a higher accuracy than Adam.", trains(greater)},
      {"SGD is better than Adam.", trains(greater)},
      {"Adam's loss is lower than SGD's.", loses(greater)},
      {"Adam lowers the loss.", loses(greater)},
      {"SGD ends at a lower loss than Adam.", loses(less)},
      {"Adam is worse than SGD.", trains(not_worse)},
      {"Fast costs more.", compared("cost", "arm", "fast", "slow", less)},
      {"Fast costs less.", compared("cost", "arm", "fast", "slow", greater)},
      {"Slow costs less than fast.", compared("cost", "arm", "fast", "slow", less)},
      {"The fast arm costs less than the slow one.", compared("cost", "arm", "fast", "slow", greater)},
      {"The control costs less than the treatment.", compared("cost", "arm", "fast", "slow", less)},
      {"Time grows with the logarithm of n.", sloped("time_ms", "n", linear, greater)},
      {"Time is logarithmic in n.", sloped("time_ms", "n", linear, greater)},
      {"Time grows exponentially with n.", sloped("time_ms", "n", linear, greater)},
      {"Time grows exponentially with n.", sloped("time_ms", "n", loglog, greater)},
      {"Time grows with the square of n.", sloped("time_ms", "n", linear, greater)},
      {"Time grows with the square of n.", sloped("time_ms", "n", loglog, equal, 1)},
      {"Time grows in proportion to n.", sloped("time_ms", "n", loglog, equal, 2)},
      {"Time grows linearly with n.", sloped("time_ms", "n", semilog, greater)},
      {"Time falls with n.", sloped("time_ms", "n", linear, greater)},
      {"Time grows with n.", sloped("time_ms", "n", linear, less)},
      {"Time grows with n.", sloped("time_ms", "n", linear, equal)},
      {"Time falls with n.", sloped("time_ms", "n", loglog, equal, 2)},
  };
  CHECK(std::size(contradictory) >= 40);
  for (const Stated& one : contradictory) {
    INFO(one.statement);
    CHECK_FALSE(one.against(spec).empty());
  }
  CHECK(contradictory[0].against(spec) ==
        "Quicksort is faster than bubble sort.: the statement of H1 says that `time_ms` is lower under quick "
        "(treatment) than under bubble (control); its test "
        "asks whether it is higher there");
}

TEST_CASE("of a derived metric no direction is read: to lose less may be a greater difference") {
  kernel::StudySpec spec = several_studies();
  spec.metrics.emplace_back().name = "loss_to_noise";
  spec.metrics.back().derived = kernel::Derived{"accuracy", {}, false};
  for (const Direction direction : {less, greater}) {
    const Stated one = {"Fast loses less accuracy than slow.",
                        compared("loss_to_noise", "arm", "fast", "slow", direction)};
    CHECK(one.against(spec).empty());
  }
}

TEST_CASE("without a goal, better and faster say nothing of a metric that is no time") {
  kernel::StudySpec spec = several_studies();
  Hypothesis h = compared("cost", "arm", "fast", "slow", greater);
  h.statement = "Fast is better than slow.";
  CHECK(kernel::statement_against_test(spec, h, false).empty());
  CHECK_FALSE(kernel::statement_against_test(spec, h, true).empty());
}
