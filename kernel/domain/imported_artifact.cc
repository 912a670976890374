#include "kernel/domain/imported_artifact.h"

#include <algorithm>

namespace kernel {

const ForeignItem* ImportedArtifact::find(std::string_view wanted) const {
  const auto found = std::find_if(items.begin(), items.end(), [&](const ForeignItem& i) { return i.item == wanted; });
  return found == items.end() ? nullptr : &*found;
}

std::string foreign_id(std::string_view name) {
  constexpr std::size_t longest = 48;
  // The default artifact folder is the study file's name with "-ara".
  if (name.size() > 4 && name.ends_with("-ara")) name.remove_suffix(4);
  std::string id(foreign);
  for (const char c : name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (plain)
      id += c;
    else if (id.back() != '-' && id.back() != ':')
      id += '-';
    if (id.size() >= foreign.size() + longest) break;
  }
  while (id.back() == '-' || id.back() == '.') id.pop_back();
  return id.size() == foreign.size() ? id + "artifact" : id;
}

bool is_citable(const ForeignItem& item) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  return !item.item.empty() && item.item.size() <= 20 && std::all_of(item.item.begin(), item.item.end(), plain);
}

}  // namespace kernel
