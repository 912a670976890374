// Modified z-scores: as SciPy's deviations make them, and what they say of samples that have no scale.

#include <cmath>

#include "stats/diagnostics/sample_checks.h"
#include "tests/stats/oracle.h"

using nlohmann::json;
using oracle::agree;
using Values = std::vector<double>;

TEST_CASE("modified z-scores agree with SciPy's median absolute deviations") {
  int without_mad = 0;
  for (const json& k : oracle::cases("outliers")) {
    const Values x = k["x"];
    const auto scores = stats::modified_z_scores(x);
    if (k["scores"].is_null()) {
      CHECK_FALSE(scores);
      continue;
    }
    REQUIRE(scores);
    REQUIRE(scores->size() == x.size());
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(agree((*scores)[i], k["scores"][i], 1e-9, 1e-3));
    without_mad += std::count(x.begin(), x.end(), x.front()) > static_cast<long>(x.size() / 2) ? 1 : 0;
  }
  CHECK(without_mad > 30);
}

TEST_CASE("a sample in which nothing varies, or in which something is no number, has no outliers") {
  CHECK_FALSE(stats::modified_z_scores(Values{}));
  CHECK_FALSE(stats::modified_z_scores(Values{3}));
  CHECK_FALSE(stats::modified_z_scores(Values{3, 3, 3, 3}));
  CHECK_FALSE(stats::modified_z_scores(Values{3, 4, NAN}));
  CHECK_FALSE(stats::modified_z_scores(Values{3, 4, HUGE_VAL}));
  const auto far = stats::modified_z_scores(Values{10, 10, 10, 10, 11, 10, 10, 10, 10, 60});
  REQUIRE(far);
  // No median deviation, so the mean one: 5.1.
  CHECK((*far)[9] == Approx(50 / (1.253314 * 5.1)));
  CHECK((*far)[9] > stats::far_out);
  CHECK((*far)[4] < 1);
}
