#include "models/certificates.h"

#include <fstream>

#include <catch2/catch.hpp>

#include "base/scratch_folder.h"

TEST_CASE("certificates come from the variable, else from the first place that has them") {
  const kernel::ScratchFolder folder = kernel::ScratchFolder::in_tmp("etude-certificates-");
  const std::string usual = folder.file("usual.pem"), other = folder.file("other.pem"), own = folder.file("own.pem");
  const std::vector<std::string> places{usual, other, own};
  CHECK_FALSE(models::certificates("", places));
  std::ofstream(own) << "x";
  CHECK(models::certificates("", places) == own);
  std::ofstream(other) << "x";
  CHECK(models::certificates("", places) == other);
  CHECK(models::certificates("/mine.pem", places) == "/mine.pem");
  std::ofstream(usual) << "x";
  // The library's own default.
  CHECK_FALSE(models::certificates("", places));
}
