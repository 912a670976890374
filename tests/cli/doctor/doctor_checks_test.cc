#include "apps/cli/doctor/doctor_checks.h"

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "executors/make_backend.h"
#include "tests/cli/draft/temp_folder.h"

using namespace cli;

namespace {

DoctorQuery query_at(const test::TempFolder& temp) {
  DoctorQuery query;
  query.home = temp.path("home");
  query.path = temp.path("bin");
  return query;
}

void write_program(const test::TempFolder& temp, const std::string& path, const std::string& says) {
  temp.write(path, "#!/bin/sh\necho '" + says + "'\n");
  chmod(temp.path(path).c_str(), 0755);
}

}  // namespace

TEST_CASE("a home that does not exist yet is judged by the folder that would hold it, and not made") {
  const test::TempFolder temp;
  const MachineCheck check = check_home(query_at(temp));
  CHECK(check.health != Health::missing);
  CHECK(check.detail.find(temp.path("home") + " on ") == 0);
  CHECK_FALSE(std::filesystem::exists(temp.path("home")));
}

TEST_CASE("a home below a file is no home") {
  const test::TempFolder temp;
  temp.write("home", "a file");
  DoctorQuery query = query_at(temp);
  query.home += "/below";
  const MachineCheck check = check_home(query);
  CHECK(check.health == Health::missing);
  CHECK(check.remedy.find("--home") != std::string::npos);
}

TEST_CASE("optional programs are named with their package when they are missing, and with their version when not") {
  const test::TempFolder temp;
  CHECK(check_gnuplot(query_at(temp)).health == Health::warn);
  CHECK(check_gnuplot(query_at(temp)).remedy == "apt-get install gnuplot-nox");
  CHECK(check_graphviz(query_at(temp)).remedy == "apt-get install graphviz");
  CHECK(check_interpreter(query_at(temp), *executors::make_backend()).health == Health::warn);
  write_program(temp, "bin/gnuplot", "gnuplot 5.4");
  CHECK(check_gnuplot(query_at(temp)).detail == "gnuplot 5.4 (" + temp.path("bin/gnuplot") + ")");
}

TEST_CASE("the format's own checker is named where it is installed") {
  const test::TempFolder temp;
  CHECK(check_ara(query_at(temp)).detail.find("not installed") != std::string::npos);
  write_program(temp, "bin/ara", "ara 1.0");
  CHECK(check_ara(query_at(temp)).detail == temp.path("bin/ara"));
}

TEST_CASE("an interpreter that a run could not use is a warning that names it") {
  const test::TempFolder temp;
  write_program(temp, "bin/python3", "not a Python at all");
  DoctorQuery query = query_at(temp);
  query.variables = {{"PATH", query.path}};
  const MachineCheck check = check_interpreter(query, *executors::make_backend());
  CHECK(check.health == Health::warn);
  CHECK(check.detail.find("python3") != std::string::npos);
}

TEST_CASE("whatever is not fine says how to mend it") {
  const test::TempFolder temp;
  const auto backend = executors::make_backend();
  for (const MachineCheck& check : doctor_checks(query_at(temp), *backend)) {
    INFO(check.name);
    CHECK_FALSE(check.detail.empty());
    CHECK((check.health == Health::ok || !check.remedy.empty()));
  }
}
