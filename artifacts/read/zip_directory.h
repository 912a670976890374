#pragma once
// Counts the entries that the directory of a zip lists, without unpacking any, so that a zip with too many is refused
// before the work. Reads little of the file; what cannot be read is left to who unpacks it.

#include <cstdint>

namespace artifacts {

/// The larger of the number that the directory states and of the entries that stand there, of which at most `most` + 1
/// are counted; 0 if there is no directory. Layout: APPNOTE.TXT of PKWARE, 4.3.12 to 4.3.16.
std::uint64_t entries_of_zip(int file, std::uint64_t most);

}  // namespace artifacts
