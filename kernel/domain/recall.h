#pragma once
// A query to the memory of a home, and its results. Plain values.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace kernel {

struct RecallQuery {
  std::string words;                 ///< Any text: results contain at least one of its words, best first.
  std::string study, kind, verdict;  ///< Only results of these; empty: no filter.
  int most = 10;
  bool papers = true;  ///< Also search pages of papers, if no kind is given.
};

struct Recollection {
  std::string address;  ///< STUDY/ID, STUDY/PATH with a place for a paper; imported artifacts: ara:NAME, ara:NAME/ITEM.
  std::string kind;     ///< One of `recalled_kinds`.
  std::string verdict;  ///< Of hypotheses and claims; empty if there is none yet.
  std::string title, text;
  std::string from{};  ///< Title and folder of an imported artifact, whose texts are unverified; else empty.
};

/// Narrows a query by "KEY=VALUE": study, kind, verdict (also called outcome). The problem is an unknown key or value.
std::optional<Problem> narrow(RecallQuery&, const std::string& where);

/// [{"address","study","kind","verdict":null|…,"title","excerpt","from":null|…}]; `words`: the query.
nlohmann::json recollections_shape(const std::vector<Recollection>&, const std::string& words);

}  // namespace kernel
