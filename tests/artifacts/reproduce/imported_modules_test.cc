#include "artifacts/reproduce/imported_modules.h"

#include <catch2/catch.hpp>

namespace {

std::set<std::string> modules_of(std::string_view text) {
  std::set<std::string> modules;
  artifacts::add_imported_modules(text, modules);
  return modules;
}

}  // namespace

TEST_CASE("the first names of imported modules are read, however the import is written") {
  CHECK(modules_of("import os, numpy.linalg as la\n  from sklearn.svm import SVC; import Yaml\n") ==
        std::set<std::string>{"numpy", "os", "sklearn", "yaml"});
  CHECK(modules_of("important = 1\nfrom . import here\nfromage = 2\nimport\n# import torch\n").empty());
  CHECK(modules_of("").empty());
}

TEST_CASE("a library is imported under its own name or the one that its module has") {
  const std::set<std::string> modules = modules_of("import sklearn, typing_extensions, PIL\n");
  for (const char* library : {"scikit-learn", "scikit_learn", "Typing.Extensions", "pillow"}) {
    CAPTURE(library);
    CHECK(artifacts::is_imported(library, modules));
  }
  CHECK_FALSE(artifacts::is_imported("numpy", modules));
}
