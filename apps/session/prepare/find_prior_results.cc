#include "apps/session/prepare/find_prior_results.h"

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "kernel/codec/json_types.h"
#include "kernel/design/design.h"
#include "kernel/evidence/prior_results.h"
#include "kernel/study/state.h"
#include "memory/store/reader.h"

namespace session {

namespace {

/// The contrasts of the hypotheses that are known already, by which the same question is found under other commands.
std::vector<std::string> contrasts_of(const kernel::StudySpec& spec) {
  std::vector<std::string> contrasts;
  for (const kernel::Hypothesis& h : spec.hypotheses.empty() ? kernel::derived_hypotheses(spec) : spec.hypotheses)
    contrasts.push_back(kernel::contrast_key(h));
  return contrasts;
}

}  // namespace

std::vector<kernel::Predecessor> predecessors(const std::string& home, const kernel::StudyOpened& study) {
  constexpr int most = 500;
  std::vector<kernel::Predecessor> list;
  const std::string here = kernel::context_key(study.spec, study.workspace, study.data);
  memory::Reader(home).judged_in(
      kernel::kin_key(study.spec), std::filesystem::path(study.spec.file).parent_path().string(),
      contrasts_of(study.spec), most,
      [&](const std::string& earlier, std::string_view context, std::string_view document) {
        const auto h = nlohmann::json::parse(document);
        list.push_back({earlier, h.at("id"), h.at("contrast"), h.at("verdict").get<kernel::Verdict>(), h.at("reason"),
                        context != here});
      });
  return list;
}

std::vector<kernel::Predecessor> found_since(const std::string& home, const kernel::ForkStudy& fork) {
  kernel::State state;
  for (const kernel::Event& event : fork.events) kernel::apply(state, event);
  const auto& opened = std::get<kernel::StudyOpened>(fork.events.front().body);
  const kernel::Study& past = *state.study(opened.id);
  std::vector<kernel::Predecessor> list = predecessors(home, opened);
  std::erase_if(list, [&](const kernel::Predecessor& p) {
    const kernel::HypothesisRecord* own = p.study == fork.from ? past.hypothesis(p.hypothesis) : nullptr;
    return (own && own->result) ||
           std::any_of(past.predecessors.begin(), past.predecessors.end(), [&](const kernel::Predecessor& known) {
             return known.study == p.study && known.hypothesis == p.hypothesis;
           });
  });
  return list;
}

}  // namespace session
