#include "studyfile/sections/spdx_licenses.h"

#include <catch2/catch.hpp>

namespace {

/// "WRITTEN → LISTED; …"
std::string found(std::string_view expression) {
  std::string text;
  for (const auto& [written, listed] : studyfile::unlisted_licenses(expression))
    text += (text.empty() ? "" : "; ") + written + " → " + listed;
  return text;
}

}  // namespace

TEST_CASE("identifiers of the SPDX License List are taken, alone and in expressions") {
  for (const char* expression :
       {"MIT", "CC0-1.0", "CC-BY-4.0", "GPL-2.0", "GPL-2.0+", "GPL-3.0-or-later", "Apache-2.0 OR MIT",
        "(MIT AND (BSD-3-Clause OR ISC))", "GPL-2.0-only WITH Classpath-exception-2.0", "LicenseRef-mine",
        "DocumentRef-other:LicenseRef-theirs OR MIT"})
    CHECK(found(expression).empty());
}

TEST_CASE("a misspelt license is named with the listed one that was probably meant") {
  CHECK(found("Apache2") == "Apache2 → Apache-2.0");
  CHECK(found("Apache License 2.0") == "Apache License 2.0 → Apache-2.0");
  CHECK(found("apache-2.0") == "apache-2.0 → Apache-2.0");
  CHECK(found("CC-BY") == "CC-BY → CC-BY-4.0");
  CHECK(found("CC BY 4.0") == "CC BY 4.0 → CC-BY-4.0");
  CHECK(found("GPL3") == "GPL3 → GPL-3.0");
  CHECK(found("BSD 3 Clause") == "BSD 3 Clause → BSD-3-Clause");
  CHECK(found("MTI") == "MTI → MIT");
  CHECK(found("MITT") == "MITT → MIT");
  CHECK(found("Mozilla") == "Mozilla → ");
  CHECK(found("MIT OR Apache2") == "Apache2 → Apache-2.0");
  CHECK(found("Proprietary-of-Acme") == "Proprietary-of-Acme → ");
}
