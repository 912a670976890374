#pragma once
// Makes a study of one night of ideas: an agent changes the training of a tiny language model, one idea after another,
// and each is kept or discarded. Pure. The evaluator and the bundled text are those of the template `autoresearch`.

#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace benchmarks {

/// What decides how much a night can find. Nights with other terms cannot be compared.
struct NightTerms {
  double seconds = 20;          ///< Processor time of one training.
  int ideas = 20;               ///< Versions, those that fail included.
  int floor = 5;                ///< Runs that measure the noise first.
  int retest = 3;               ///< Fresh seeds on which a promising version and its base run again.
  int confirm = 12;             ///< Fresh seeds of the confirmation.
  std::string wall = "8h";      ///< A duration, of the whole night.
  std::optional<double> usd{};  ///< What its models may cost.
};

/// Path below the study's folder → bytes.
using NightFiles = std::map<std::string, std::string>;

/// What is wrong with a text that replaces the bundled one. Every character of val.txt and test.txt has to occur in
/// train.txt, since a model knows no others. Precondition: `text` has train.txt, val.txt and test.txt.
std::optional<kernel::Problem> refuse_night_text(const NightFiles& text, const std::string& folder);

/// The study's files. `shared` has evaluate.py, walls.py, train.txt, val.txt and test.txt; its other files are not
/// used.
NightFiles night_study(const NightTerms&, const std::string& profile, int night, const NightFiles& shared);

}  // namespace benchmarks
