#pragma once
// What is asked of the memory of a home, and what it answers. Plain values.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace kernel {

struct RecallQuery {
  std::string words;                 ///< Any text: whatever holds one of its words is found, the best first.
  std::string study, kind, verdict;  ///< Only of these; empty: of all.
  int most = 10;
  bool papers = true;  ///< Pages of papers, too, where no kind is asked for.
};

/// What it is about is at `address`: a study, STUDY/ID, of a paper STUDY/PATH and where in it; or an imported artifact,
/// ara:NAME, or ara:NAME/ITEM.
struct Recollection {
  std::string address;
  std::string kind;     ///< One of `recalled_kinds`.
  std::string verdict;  ///< Of hypotheses and claims; empty: there is none yet.
  std::string title, text;
  std::string from{};  ///< Of an imported artifact: its title and its folder. Nobody here vouches for it.
};

/// Narrows a query by "KEY=VALUE": study, kind, verdict (also called outcome). A problem: there is no such key or
/// value.
std::optional<Problem> narrow(RecallQuery&, const std::string& where);

/// [{"address","study","kind","verdict":null|…,"title","excerpt","from":null|…}]; `words`: what was asked for.
nlohmann::json recollections_shape(const std::vector<Recollection>&, const std::string& words);

}  // namespace kernel
