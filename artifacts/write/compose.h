#pragma once
// What an artifact says, from what the study recorded: every page but etude.json, in the order in which indexes need
// them. Packaging writes it to disk, an audit keeps it in memory and compares. Draws nothing itself; decides nothing.

#include <future>
#include <vector>

#include "artifacts/write/evidence.h"
#include "artifacts/write/package_input.h"
#include "artifacts/write/staging.h"

namespace artifacts {

/// The figures and tables of a study.
struct Drawings {
  std::vector<Figure> figures;
  std::vector<TablePage> tables;
  std::shared_future<Drawn> drawn;  ///< The pictures that there are; waited for once the rest is written.

  std::vector<Drawing> to_draw() const;
};

/// Not drawn yet.
Drawings drawings_of(const kernel::Study&);

/// How many events the log has. Throws where the workspace's manifest is missing or damaged. `drawn` is set.
long long compose(Staging&, const PackageInput&, const Drawings&);

}  // namespace artifacts
