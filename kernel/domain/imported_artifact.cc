#include "kernel/domain/imported_artifact.h"

#include <algorithm>

namespace kernel {

namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string foreign_id(std::string_view name) {
  constexpr std::size_t longest = 48;
  // The default artifact folder is the study file's name with "-ara".
  if (name.size() > 4 && name.ends_with("-ara")) name.remove_suffix(4);
  std::string id(foreign);
  for (const char c : name) {
    if (is_letter_or_digit(c) || c == '_' || c == '.')
      id += c;
    else if (id.back() != '-' && id.back() != ':')
      id += '-';
    if (id.size() >= foreign.size() + longest) break;
  }
  while (id.back() == '-' || id.back() == '.') id.pop_back();
  return id.size() == foreign.size() ? id + "artifact" : id;
}

bool is_citable(const ForeignItem& item) {
  return !item.item.empty() && item.item.size() <= 20 && std::ranges::all_of(item.item, is_letter_or_digit);
}

}  // namespace kernel
