#include "studyfile/draft/crossed_levels.h"

#include <algorithm>
#include <set>

namespace studyfile {
namespace {

class Search {
 public:
  Search(const kernel::StudySpec& spec, std::vector<kernel::Cell> arms) : spec_(spec), arms_(std::move(arms)) {
    std::set<std::string> open;
    for (const auto& exclude : spec_.excludes)
      for (const auto& [factor, levels] : exclude) open.insert(factor);
    for (const std::string& name : open)
      if (arms_.front().count(name) == 0) open_.push_back(spec_.factor(name));
  }

  bool finds_one(std::size_t depth = 0) {
    if (++steps_ > 100000) return true;
    if (excluded()) return false;
    if (depth == open_.size()) return true;
    const kernel::Factor& factor = *open_[depth];
    for (const kernel::Level& level : factor.levels) {
      for (kernel::Cell& arm : arms_) arm[factor.name] = level.name;
      if (finds_one(depth + 1)) return true;
    }
    for (kernel::Cell& arm : arms_) arm.erase(factor.name);
    return false;
  }

 private:
  /// Whether a constraint already applies to the present choice, whatever the open factors become.
  bool excluded() const {
    for (const kernel::Cell& arm : arms_)
      for (const auto& exclude : spec_.excludes) {
        const bool all = std::all_of(exclude.begin(), exclude.end(), [&](const auto& entry) {
          const auto chosen = arm.find(entry.first);
          return chosen != arm.end() &&
                 std::find(entry.second.begin(), entry.second.end(), chosen->second) != entry.second.end();
        });
        if (all) return true;
      }
    return false;
  }

  const kernel::StudySpec& spec_;
  std::vector<kernel::Cell> arms_;
  std::vector<const kernel::Factor*> open_;
  int steps_ = 0;
};

}  // namespace

bool leaves_a_cell(const kernel::StudySpec& spec, const std::vector<kernel::Cell>& arms) {
  return Search(spec, arms).finds_one();
}

std::size_t crossed_cells(const kernel::StudySpec& spec, const kernel::Cell& fixed, std::size_t limit) {
  std::size_t cells = 1;
  for (const kernel::Factor& factor : spec.factors) {
    if (fixed.count(factor.name) > 0) continue;
    cells *= std::max<std::size_t>(1, factor.levels.size());
    if (cells > limit) return limit;
  }
  return cells;
}

}  // namespace studyfile
