#pragma once
// Stores as text: the SQL that makes one, row by row, for the golden files of tests/memory/golden.

#include <string>

namespace golden {

/// The path of a file in tests/memory/golden.
std::string path(const std::string& name);
/// The store of a home as SQL, its schema's number first.
std::string dump_of(const std::string& home);
/// Makes the home's store from such a file; fails the test where there is no such file.
void restore(const std::string& home, const std::string& file);

}  // namespace golden
