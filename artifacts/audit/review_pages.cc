#include <algorithm>

#include "artifacts/audit/model_review.h"
#include "artifacts/read/safe_root.h"
#include "artifacts/read/unpack.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::size_t largest_reviewed = 4u << 20;

/// The most important first: paths, or folders with all pages below.
constexpr std::string_view order[] = {
    "logic/claims.md",    "logic/experiments.md",  "trace/exploration_tree.yaml",
    "logic/problem.md",   "logic/solution/",       "PAPER.md",
    "evidence/README.md", "evidence/tables/",      "evidence/results/",
    "logic/concepts.md",  "logic/related_work.md", "evidence/",
    "src/environment.md", "src/configs/",          "logic/",
    "data/dataset.md",
};

std::size_t rank(const std::string& path) {
  for (std::size_t i = 0; i < std::size(order); ++i)
    if (order[i].ends_with('/') ? path.starts_with(order[i]) : path == order[i]) return i;
  return std::size(order);
}

bool is_page(const Entry& entry) {
  return entry.kind == FileKind::regular && (entry.path.ends_with(".md") || entry.path.ends_with(".yaml")) &&
         rank(entry.path) < std::size(order);
}

}  // namespace

kernel::Result<ReviewPages> review_pages(const std::string& artifact, std::size_t most_bytes) {
  const auto arrived = Arrived::open(artifact);
  if (!arrived) return arrived.problem();
  auto root = SafeRoot::open(arrived->folder());
  if (!root) return root.problem();
  std::vector<std::string> paths;
  for (const Entry& entry : root->list().entries)
    if (is_page(entry)) paths.push_back(entry.path);
  std::ranges::stable_sort(paths, [](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
  ReviewPages pages;
  std::size_t room = most_bytes;
  for (const std::string& path : paths) {
    const FileBytes read = root->read(path, largest_reviewed);
    // Less than this of a page says less than the name of a missing page.
    constexpr std::size_t least = 400;
    if (read.kind != FileKind::regular || read.too_large || room < std::min(least, read.bytes.size())) {
      pages.left_out.push_back(printable(path));
      continue;
    }
    ReviewPage page{printable(path), clean(read.bytes).text, 0};
    page.bytes = page.text.size();
    // No page may take the room of all others.
    const std::size_t share = std::max(least, std::min(room, most_bytes * 2 / 5));
    if (page.text.size() > share) page.text = shortened(page.text, share - std::string_view("…").size());
    room -= std::min(room, page.text.size());
    pages.shown.push_back(std::move(page));
  }
  return pages;
}

}  // namespace artifacts
