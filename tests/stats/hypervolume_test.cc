// Areas below two responses against pymoo's, expected gains against quadrature over pymoo's areas, and small cases by
// hand.

#include "stats/surrogate/hypervolume.h"

#include "tests/stats/oracle.h"

using nlohmann::json;
using oracle::agree;
using stats::TwoValues;

namespace {

json areas_of(const char* part) {
  std::ifstream in(tests::source_dir() + "/tests/stats/oracle/hypervolume.json");
  return json::parse(in).at(part);
}

}  // namespace

TEST_CASE("a front has the points that no other beats, each once") {
  const std::vector<TwoValues> front = stats::front_of({{3, 1}, {1, 3}, {2, 2}, {2, 3}, {1, 4}, {2, 2}, {4, 1}});
  CHECK(front == std::vector<TwoValues>{{1, 3}, {2, 2}, {3, 1}});
  CHECK(stats::front_of({}).empty());
}

TEST_CASE("hypervolumes agree with pymoo's, and with boxes added by hand") {
  for (const json& k : areas_of("areas")) {
    const std::vector<TwoValues> points = k["points"];
    CHECK(agree(stats::hypervolume(points, k["reference"]), k["area"], 1e-12));
  }
  // Boxes of 3 × 1, 2 × 1 and 1 × 1.
  CHECK(stats::hypervolume({{1, 3}, {2, 2}, {3, 1}}, {4, 4}) == 6);
  CHECK(stats::hypervolume({{1, 3}, {4, 0}, {0, 4}}, {4, 4}) == 3);
  CHECK(stats::hypervolume({}, {4, 4}) == 0);
}

TEST_CASE("expected gains agree with quadrature") {
  for (const json& k : areas_of("gains")) {
    CAPTURE(k.dump());
    const std::array<double, 2> mean = k["mean"], sd = k["sd"];
    const double ours = stats::log_expected_hypervolume_improvement({{{mean[0], sd[0]}, {mean[1], sd[1]}}}, k["points"],
                                                                    k["reference"]);
    CHECK(agree(std::exp(ours), k["gain"], 1e-6));
  }
}

TEST_CASE("an expected gain far away is small and not nothing, and nearer is more") {
  const std::vector<TwoValues> front = {{1, 3}, {2, 2}};
  const auto gain = [&](double mean) {
    return stats::log_expected_hypervolume_improvement({{{mean, 0.1}, {mean, 0.1}}}, front, {4, 4});
  };
  CHECK(gain(50) > -std::numeric_limits<double>::infinity());
  for (const double mean : {50.0, 10.0, 4.0, 2.0}) CHECK(gain(mean - 0.5) > gain(mean));
  // Where there is no front it is the product of two expected improvements.
  const double alone = stats::log_expected_hypervolume_improvement({{{1, 0.5}, {2, 0.3}}}, {}, {1.5, 2});
  CHECK(alone == Approx(stats::log_expected_improvement({1, 0.5}, 1.5) + stats::log_expected_improvement({2, 0.3}, 2)));
}

TEST_CASE("the widest points add most area to those before them") {
  const std::vector<TwoValues> points = {{1, 9}, {5, 5}, {9, 1}, {4.9, 5.2}, {6, 6}, {11, 0}};
  CHECK(stats::widest(points, {}, {10, 10}, 1) == std::vector<std::size_t>{1});
  // The second that is nearly the first adds less than an end, and one that another beats adds nothing.
  CHECK(stats::widest(points, {}, {10, 10}, 3) == std::vector<std::size_t>{1, 0, 2});
  CHECK(stats::widest(points, {}, {10, 10}, 9).size() == 4);
  CHECK(stats::widest(points, {{0.5, 0.5}}, {10, 10}, 3).empty());
}
