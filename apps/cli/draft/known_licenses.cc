#include "apps/cli/draft/known_licenses.h"

namespace cli {

std::string license_of(const std::string& text) {
  const auto says = [&](const char* words) { return text.find(words) != text.npos; };
  if (says("Apache License") && says("Version 2.0")) return "Apache-2.0";
  if (says("Permission is hereby granted, free of charge, to any person")) return "MIT";
  if (says("Permission to use, copy, modify, and/or distribute this software")) return "ISC";
  if (says("Mozilla Public License Version 2.0")) return "MPL-2.0";
  if (says("CC0 1.0 Universal")) return "CC0-1.0";
  if (says("This is free and unencumbered software released into the public domain")) return "Unlicense";
  if (says("Redistribution and use in source and binary forms"))
    return says("Neither the name") ? "BSD-3-Clause" : "BSD-2-Clause";
  return "";
}

}  // namespace cli
