#pragma once
// Is this text? Jobs and file names are strangers: their bytes are checked before they are called UTF-8.

#include <string_view>

namespace kernel {

/// Well-formed UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
bool valid_utf8(std::string_view bytes);

}  // namespace kernel
