#pragma once
// What a text about a study may rest on, as plain values: its names, its constants, and which directions its verdicts
// license. Whoever knows the study makes them; nothing in this folder does.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace prose {

/// A number that the study file fixes: a level, a constant, a margin, alpha.
struct Constant {
  std::string spelling;  ///< As the study file has it.
  std::optional<double> value;
  std::vector<std::string> names;  ///< One of them stands beside it in every text: "n", "smallest effect".
  std::string what;                ///< "a level of `n`"
  std::string unit;                ///< May follow it.
  bool share = false;              ///< May be written as percent.
};

/// What may be said of the truth by one hypothesis's verdict. The effect is that of treatment over control, of a slope
/// the slope.
struct Licence {
  bool less = false, greater = false, equal = false, different = false;
  bool not_less = false, not_greater = false;
};

struct HypothesisFacts {
  std::string id, metric;
  std::set<std::string> treatment, control;  ///< The levels by which its arms differ.
  std::set<std::string> foreign;             ///< Levels of the factors it fixes, at which it was not tested.
  bool lower_is_better = true;
  std::string verdict;  ///< Empty: none yet.
  Licence licence;
};

/// A work that may be cited.
struct Cited {
  std::set<std::string> authors;      ///< What they are called by, in lower case: "kingma".
  std::set<std::string> identifiers;  ///< DOI and arXiv's number, in lower case.
};

struct Facts {
  std::vector<Constant> constants;
  std::set<std::string> names;     ///< Of levels, metrics, programs …: never read as numbers, whatever is in them.
  std::set<std::string> ids;       ///< H1, E01, C01, N01
  int runs = 0;                    ///< r1 … are runs.
  std::set<std::string> metrics;   ///< Their names.
  std::set<std::string> units;     ///< Theirs.
  std::set<std::string> subjects;  ///< Words that say what a sentence is about: metrics, their parts, levels.
  std::map<std::string, Cited> works;  ///< By the keys that may be cited.
  std::vector<HypothesisFacts> hypotheses;

  const HypothesisFacts* hypothesis(const std::string& id) const {
    for (const HypothesisFacts& h : hypotheses)
      if (h.id == id) return &h;
    return nullptr;
  }
};

}  // namespace prose
