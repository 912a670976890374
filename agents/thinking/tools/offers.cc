#include "agents/thinking/tools/offers.h"

#include <algorithm>

#include "agents/thinking/briefing/hypothesis_format.h"

namespace agents {

using kernel::LinePurpose;

namespace {

bool ends_with_any(std::string path, std::initializer_list<const char*> endings) {
  std::ranges::transform(path, path.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (path.ends_with(".gz")) path.resize(path.size() - 3);
  return std::ranges::any_of(endings, [&](const char* ending) { return path.ends_with(ending); });
}

bool has_file(const WorkspaceView& view, std::initializer_list<const char*> endings) {
  return std::ranges::any_of(view.entries,
                             [&](const Files::Entry& entry) { return ends_with_any(entry.path, endings); });
}

void add_of_files(const WorkspaceView& view, LinePurpose purpose, std::set<std::string>& useless) {
  if (view.names_all()) useless.insert("list_files");
  if (view.whole && !may_change_code(purpose)) useless.insert({"read_file", "grep"});
  if (!has_file(view, {".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".npy", ".txt", ".dat"}))
    useless.insert("inspect_data");
  if (!has_file(view, {".png", ".jpg", ".jpeg", ".gif", ".webp"})) useless.insert("view_image");
}

void add_of_design(const kernel::StudySpec& spec, std::set<std::string>& useless) {
  const auto varies = [](const kernel::Factor& factor) { return factor.levels.size() > 1; };
  if (spec.setup_files.empty()) useless.insert("add_dependency");
  if (spec.resources.gpus == 0) useless.insert("run_scratch/gpus");
  if (!has_along(spec))
    for (const char* member : {"kind", "along", "levels"}) useless.insert(std::string("propose_hypothesis/") + member);
  if (!has_slope(spec)) useless.insert({"propose_hypothesis/scale", "propose_hypothesis/value"});
  if (std::ranges::count_if(spec.factors, varies) < 2)
    useless.insert({"propose_hypothesis/over", "propose_hypothesis/where"});
  if (spec.metrics.size() < 2) useless.insert("propose_hypothesis/requires");
}

}  // namespace

std::set<std::string> useless_tools(const kernel::Study& study, LinePurpose purpose, const WorkspaceView& view) {
  std::set<std::string> useless;
  add_of_files(view, purpose, useless);
  add_of_design(study.spec, useless);
  const auto judged = [](const kernel::HypothesisRecord& record) { return record.result.has_value(); };
  if (purpose == LinePurpose::propose && std::ranges::none_of(study.hypotheses, judged)) useless.insert("read_results");
  if (static_cast<int>(study.hypotheses.size()) >= study.family) useless.insert("change_direction");
  // A report cites an imported artifact by what `recall` finds of it.
  const auto& works = study.spec.literature.works;
  if (purpose == LinePurpose::write &&
      std::ranges::none_of(works, [](const kernel::Work& work) { return !work.parts.empty(); }))
    useless.insert("recall");
  return useless;
}

}  // namespace agents
