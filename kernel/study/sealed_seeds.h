#pragma once
// The seeds of registered runs are sealed from agents until their experiment was judged: if its code is amended before
// a primary value was seen, the next registration keeps the seeds. People see everything. Pure; any thread.

#include <string>

#include "kernel/study/state.h"

namespace kernel {

/// True until the experiment, or one that amended it, has its verdicts, or until no registration can keep its seeds any
/// more. Never in studies of earlier programs.
bool seeds_are_sealed(const Study&, const Experiment&);

/// In place of a sealed seed in a text.
inline constexpr const char* sealed_seed = "‹seed›";

/// The text with `sealed_seed` in place of each number that is a sealed seed: in decimal, also with separated
/// thousands, or in hexadecimal.
std::string without_sealed_seeds(const Study&, const std::string& text);

}  // namespace kernel
