#include "apps/cli/draft/known_licenses.h"

#include <vector>

namespace cli {

std::string license_of(const std::string& text) {
  const auto says = [&](const char* words) { return text.find(words) != text.npos; };
  for (const char* condition :
       {"advertising materials", "Commons Clause", "on-commercial", "oncommercial", "LLVM Exceptions"})
    if (says(condition)) return "";
  std::vector<std::string> found;
  if (says("Apache License") && says("Version 2.0")) found.push_back("Apache-2.0");
  if (says("Permission is hereby granted, free of charge, to any person")) found.push_back("MIT");
  if (says("Permission to use, copy, modify, and/or distribute this software")) found.push_back("ISC");
  if (says("Mozilla Public License Version 2.0")) found.push_back("MPL-2.0");
  if (says("CC0 1.0 Universal")) found.push_back("CC0-1.0");
  if (says("This is free and unencumbered software released into the public domain")) found.push_back("Unlicense");
  if (says("Redistribution and use in source and binary forms"))
    found.push_back(says("Neither the name") ? "BSD-3-Clause" : "BSD-2-Clause");
  return found.size() == 1 ? found.front() : "";
}

}  // namespace cli
