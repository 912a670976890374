#include "artifacts/published/pages.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/utf8.h"

namespace artifacts::published {
namespace {

constexpr std::uint64_t largest_page = 16u << 20;
/// Of evidence only the names matter; pages beyond this are taken for UTF-8.
constexpr std::uint64_t most_evidence = 256u << 20;
constexpr std::array<std::string_view, 4> categories{"figures", "proofs", "results", "tables"};

std::optional<std::string> page(const SafeRoot& root, const std::string& path) {
  FileBytes read = root.read(path, largest_page);
  if (!read.whole() || !kernel::valid_utf8(read.bytes)) return std::nullopt;
  return std::move(read.bytes);
}

}  // namespace

Pages read_pages(const SafeRoot& root, const Listing& files) {
  Pages pages{page(root, tree_file),
              page(root, claims_file),
              page(root, paper_file),
              page(root, concepts_file),
              page(root, related_work_file),
              page(root, evidence_index_file),
              {}};
  std::uint64_t left = most_evidence;
  for (const Entry& entry : files.entries) {
    std::string_view path = entry.path;
    if (entry.kind != FileKind::regular || !path.starts_with("evidence/") || !path.ends_with(".md")) continue;
    path.remove_prefix(std::string_view("evidence/").size());
    const auto slash = path.find('/');
    const std::string_view category = path.substr(0, slash);
    if (slash == path.npos || std::ranges::find(categories, category) == categories.end()) continue;
    const std::string_view name = path.substr(slash + 1);
    if (name == ".md" || name.find('/') != name.npos || entry.size > largest_page) continue;
    if (entry.size <= left && !page(root, entry.path)) continue;
    left -= std::min(left, entry.size);
    pages.evidence.push_back({std::string(category), std::string(name.substr(0, name.size() - 3))});
  }
  return pages;
}

}  // namespace artifacts::published
