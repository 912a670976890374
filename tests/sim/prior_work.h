#pragma once
// What a home knows of its other studies when it opens or forks one: earlier results and looks at test data. It is
// found in the states alone; apps/session finds it in the store.

#include <string>
#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/study/state.h"
#include "tests/sim/storage.h"

namespace sim {

/// Contrasts by which earlier results on the study's hypotheses are found.
std::vector<std::string> contrasts_of(const kernel::StudySpec&);

/// StudyOpened::predecessors. Demands that the store finds the same.
std::vector<kernel::Predecessor> known_results(const kernel::State&, Storage&, const kernel::StudyOpened&);
/// StudyOpened::earlier_looks. Demands that the store finds the same.
std::vector<kernel::EarlierLooks> known_looks(const kernel::State&, Storage&, const std::vector<kernel::SealedData>&);

/// What the fork's author may know and the fork's past does not: StudyForked::predecessors.
std::vector<kernel::Predecessor> found_since(const kernel::State&, Storage&, const kernel::ForkStudy&);
/// Whether the study is a fork of the other one, or of a fork of it.
bool descends(const kernel::State&, const kernel::Study&, const std::string& from);
/// Slots that other forks of the study, and forks of those, used on their own.
int slots_of_forks(const kernel::State&, Storage&, const std::string& study);

}  // namespace sim
