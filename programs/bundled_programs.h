#pragma once
// Finds the programs that etude itself runs: gnuplot, bubblewrap, pdftotext, dot. A bundle (cmake/dist.py) has some of
// them. Executes nothing.

#include <string>
#include <vector>

namespace programs {

/// The bundle's own, whose version is known, and the program on `path`, as far as there are any.
std::vector<std::string> places_of_helper(const std::string& name, const std::string& path);
/// The first of these; empty if there is none.
std::string find_helper(const std::string& name, const std::string& path);

}  // namespace programs
