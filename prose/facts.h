#pragma once
// What a text about a study may state, as plain values: names, constants, and the directions that the verdicts support.
// The caller takes them from the study; this folder knows no study.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace prose {

/// A number that the study file fixes: a level, a constant, a margin, alpha.
struct Constant {
  std::string spelling;  ///< As written in the study file.
  std::optional<double> value;
  std::vector<std::string> names;  ///< One of them must be near the number in a text: "n", "smallest effect".
  std::string what;                ///< Such as "a level of `n`".
  std::string unit;                ///< May follow the number.
  bool share = false;              ///< May be written as a percentage.
};

/// What a text may say about the truth after one hypothesis's verdict. The effect is treatment minus or over control;
/// of a slope hypothesis it is the slope.
struct Licence {
  bool less = false, greater = false, equal = false, different = false;
  bool not_less = false, not_greater = false;
};

struct HypothesisFacts {
  std::string id, metric;
  std::set<std::string> treatment, control;  ///< The levels by which its arms differ.
  std::set<std::string> foreign;             ///< Levels of the factors that it fixes, at which it was not tested.
  bool lower_is_better = true;
  std::string verdict;  ///< Empty if there is none yet.
  Licence licence;
  bool every = false;       ///< It is tested in every setting of the study.
  bool randomised = false;  ///< Its runs are in random order.
};

/// A work that may be cited.
struct Cited {
  std::set<std::string> authors;      ///< Family names in lower case: "kingma".
  std::set<std::string> identifiers;  ///< DOIs and arXiv numbers, in lower case.
};

struct Facts {
  std::vector<Constant> constants;
  std::set<std::string> names;         ///< Of levels, metrics, programs …; digits in them are never read as numbers.
  std::set<std::string> ids;           ///< Such as H1, E01, C01, N01.
  int runs = 0;                        ///< r1 to rN are ids of runs.
  std::set<int> proposals;             ///< Numbers of hypotheses that a text may say were proposed.
  std::set<std::string> metrics;       ///< Their names.
  std::set<std::string> units;         ///< Units of the metrics.
  std::set<std::string> subjects;      ///< Words that show what a sentence is about: metrics, their parts, levels.
  std::map<std::string, Cited> works;  ///< By citation key.
  std::vector<HypothesisFacts> hypotheses;

  const HypothesisFacts* hypothesis(const std::string& id) const {
    for (const HypothesisFacts& h : hypotheses)
      if (h.id == id) return &h;
    return nullptr;
  }
};

}  // namespace prose
