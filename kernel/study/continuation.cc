#include "kernel/study/continuation.h"

#include <algorithm>
#include <set>

namespace kernel {

namespace {

bool is_at_highest(const StudySpec& spec, const Cell& cell) {
  const Factor* factor = spec.factor(spec.fidelity->factor);
  const auto own = cell.find(spec.fidelity->factor);
  const Level* level = factor && own != cell.end() ? factor->level(own->second) : nullptr;
  return !level || std::ranges::none_of(factor->levels, [&](const Level& other) {
    return other.value.number.value_or(0) > level->value.number.value_or(0);
  });
}

bool left_its_files(const Run& run) {
  return std::ranges::any_of(run.kept, [](const KeptOutput& kept) { return kept.name == left_to_continue; });
}

}  // namespace

bool has_continued_runs(const StudySpec& spec) {
  return spec.fidelity && !spec.fidelity->continues.empty();
}

bool must_leave_files(const Study& study, const Run& run) {
  if (!has_continued_runs(study.spec) || !run.stage.empty()) return false;
  if (run.purpose == Purpose::smoke) return true;
  return run.purpose == Purpose::search && !is_at_highest(study.spec, study.cells[static_cast<std::size_t>(run.cell)]);
}

const Run* run_to_continue(const Study& study, const Cell& cell, int replicate) {
  std::set<int> continued;
  for (const Run& run : study.runs)
    if (run.continues > 0) continued.insert(study.latest(*study.run(run.continues)).number);
  for (auto run = study.runs.rbegin(); run != study.runs.rend(); ++run)
    if (run->purpose == Purpose::search && run->stage.empty() && !run->superseded &&
        run->state == RunState::succeeded && run->number > study.batch.amended_at && run->replicate == replicate &&
        !continued.contains(run->number) && left_its_files(*run) &&
        study.cells[static_cast<std::size_t>(run->cell)] == cell)
      return &*run;
  return nullptr;
}

std::vector<const KeptOutput*> continued_by(const RunBoard& study, const Run& run) {
  std::vector<const KeptOutput*> left;
  if (run.continues == 0) return left;
  for (const KeptOutput& kept : study.latest(*study.run(run.continues)).kept)
    if (kept.name == left_to_continue) left.push_back(&kept);
  return left;
}

}  // namespace kernel
