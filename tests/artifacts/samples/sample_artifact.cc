#include <catch2/catch.hpp>

#include "artifacts/write/package.h"
#include "tests/artifacts/samples/sample_study.h"

std::string sample_artifact(const SampleStudy& sample, const std::string& name) {
  const auto result = artifacts::package(sample.input(), sample.place(name));
  REQUIRE(result);
  CHECK(result->warnings.empty());
  CHECK(result->report_html == result->path + "/report.html");
  return result->path;
}
