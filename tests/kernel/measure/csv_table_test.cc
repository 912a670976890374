// Values from tables: RFC 4180 as programs write it, and what is no table.

#include <catch2/catch.hpp>

#include "kernel/wording/wording.h"
#include "tests/kernel/measure/measured.h"

namespace {

using namespace kernel;

Measured of_table(const std::string& text, const std::string& column, const std::string& step = "") {
  Metric m = measured::from(measured::metric("x", SummaryKind::last, true), FromCsv{"log.csv", column, step});
  return measure(measured::study({m}), {"", "", [&](const std::string&) { return FileText(text); }});
}

std::vector<double> values_of(const Measured& got) {
  std::vector<double> values;
  for (const MetricPoint& p : got.points) values.push_back(p.value);
  return values;
}

}  // namespace

TEST_CASE("a column of a table is read by its header, with another column as the step") {
  const Measured got = of_table("epoch,\"val, \"\"loss\"\"\",acc\r\n0,3.5,nan\r\n10,\" 2.5 \",0\r\n20,1e-1,1\r\n",
                                "val, \"loss\"", "epoch");
  CHECK(values_of(got) == std::vector<double>{3.5, 2.5, 0.1});
  CHECK(got.points.at(1).step == 10);
  CHECK(got.measurement.malformed == 0);
  CHECK_FALSE(got.measurement.verdict);
}

TEST_CASE("without a step values count from 0, and empty fields hold none") {
  const Measured got = of_table("\xEF\xBB\xBFloss\n1\n\n2\n", "loss");
  CHECK(values_of(got) == std::vector<double>{1, 2});
  CHECK(got.points.at(1).step == 1);
  CHECK(values_of(of_table("loss,lr\n,1\n3,\n", "loss")) == std::vector<double>{3});
}

TEST_CASE("a quoted field may hold commas, quotes and lines") {
  const Measured got = of_table("note,loss\n\"two\nlines, \"\"quoted\"\"\",4\n", "loss");
  CHECK(values_of(got) == std::vector<double>{4});
  CHECK(got.measurement.malformed == 0);
}

TEST_CASE("rows that are broken, short or hold no number are counted and change no other") {
  const Measured got = of_table("loss,n\n1,1\n2\nx,1\n3,1,1\n\"4\"x,1\nab\"c,1\n5,1\n\"6,1\n", "loss");
  CHECK(values_of(got) == std::vector<double>{1, 5});
  CHECK(got.measurement.malformed == 6);
  CHECK(of_table("n,loss\n1.5,3\n", "loss", "n").measurement.malformed == 1);
  CHECK(of_table("loss\n" + std::string(100000, '1') + "\n7\n", "loss").points.size() == 1);
}

TEST_CASE("a column that is not there is named") {
  CHECK(kernel::newest_words(of_table("loss\n1\n", "los").measurement.reason) ==
        "no value for the primary metric `x`: `log.csv` has no column `los`");
  CHECK(kernel::newest_words(of_table("loss\n1\n", "loss", "epoch").measurement.reason) ==
        "no value for the primary metric `x`: `log.csv` has no column `epoch`");
  CHECK(kernel::newest_words(of_table("", "loss").measurement.reason) ==
        "no value for the primary metric `x`: `log.csv` has no column `loss`");
  CHECK(kernel::newest_words(of_table("loss\n", "loss").measurement.reason) ==
        "no value for the primary metric `x`: `log.csv` has no number in its column `loss`");
}
