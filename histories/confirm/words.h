#pragma once
// What became of each improvement, in one of four words, from the study that tested it. The verdicts are the kernel's;
// nothing is computed here but the direction of a gain. Pure.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "histories/confirm/confirmation.h"
#include "kernel/study/state.h"

namespace histories {

enum class Word {
  holds,                 ///< A gain is shown on fresh seeds.
  not_shown,             ///< Undecided: neither a gain nor the absence of one as large as recorded.
  no_gain_of_that_size,  ///< Gains as large as recorded are excluded, or it is worse.
  cannot_be_run,
};
std::string_view name_of(Word);

struct Told {
  Word word = Word::not_shown;
  std::string hypothesis;      ///< Empty if it never came to a test.
  std::string control;         ///< The arm that it was compared with.
  double recorded = 0;         ///< The gain that the history recorded.
  std::optional<double> gain;  ///< On fresh seeds; positive is better.
  std::optional<double> low, high;
  double level = 0;
  std::optional<double> p_corrected, power;  ///< Power for the recorded gain.
  std::array<int, 2> n = {0, 0}, failed = {0, 0};
  std::string why;
  /// The gain is shown, and gains as large as recorded are excluded.
  bool smaller = false;
  /// Not shown, and the runs had less power for the recorded gain than the design asks for.
  bool short_of_power = false;
};

struct ToldImprovement {
  const Improvement* improvement = nullptr;  ///< Borrowed from the confirmation.
  std::optional<Told> baseline, before;      ///< None if it is not compared so, or not judged yet.
};

/// In the history's order.
std::vector<ToldImprovement> tell(const Confirmation&, const kernel::Study&);

/// {"history","study","baseline","improvements","summary"}; docs/confirm.md.
nlohmann::json told_json(const Confirmation&, const kernel::Study&, const std::vector<ToldImprovement>&);

}  // namespace histories
