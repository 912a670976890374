# Script: writes embedded/NAME.h and NAME.cc holding the bytes of FILES (see embed.cmake). Bytes are written in hex.
file(MAKE_DIRECTORY ${OUT}/embedded)
file(WRITE ${OUT}/embedded/${NAME}.h
"#pragma once
#include <string_view>
#include <vector>
namespace embedded {
/// The bytes of one file of ${NAME}; empty when there is none of that name.
std::string_view ${NAME}(std::string_view file);
std::vector<std::string_view> ${NAME}_files();
}  // namespace embedded
")
set(body "#include \"embedded/${NAME}.h\"\n\nnamespace {\n")
set(table "")
set(index 0)
list(SORT FILES)
foreach(f ${FILES})
  file(READ ${FOLDER}/${f} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND body "const unsigned char f${index}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${f}\", {reinterpret_cast<const char*>(f${index}), sizeof f${index} - 1}},\n")
  math(EXPR index "${index}+1")
endforeach()
string(APPEND body "struct Entry {\n  std::string_view name, bytes;\n};\nconst Entry entries[] = {\n${table}    {\"\", \"\"}};\n}  // namespace\n
namespace embedded {
std::string_view ${NAME}(std::string_view file) {
  for (const Entry& e : entries)
    if (e.name == file) return e.bytes;
  return {};
}
std::vector<std::string_view> ${NAME}_files() {
  std::vector<std::string_view> names;
  for (const Entry& e : entries)
    if (!e.name.empty()) names.push_back(e.name);
  return names;
}
}  // namespace embedded\n")
file(WRITE ${OUT}/${NAME}.cc "${body}")
