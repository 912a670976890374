#pragma once
// Composes an artifact from the study's record: every page but etude.json, in the order that the indexes need.
// Packaging writes the pages to disk; an audit keeps them in memory and compares. Draws nothing; decides nothing.

#include <future>
#include <vector>

#include "artifacts/write/evidence.h"
#include "artifacts/write/package_input.h"
#include "artifacts/write/staging.h"

namespace artifacts {

/// The figures and tables of a study.
struct Drawings {
  FigureStyle style = FigureStyle::newest;
  std::vector<Figure> figures;
  std::vector<TablePage> tables;
  std::shared_future<Drawn> drawn;  ///< The pictures; awaited once all other files are written.

  std::vector<Drawing> to_draw() const;
  /// The files of each picture.
  Formats formats() const;
  /// Of the picture's files within the artifact, without their endings.
  std::string path_of(const std::string& drawing) const;
};

/// The drawings of a study in an artifact of that layout, before they are drawn. Pictures that an older program drew
/// and logged keep their style. Learning curves read the points of runs, where the artifact has them.
Drawings drawings_of(const kernel::Study&, int layout, const BlobReader&);

/// Returns the number of events in the log. Throws if the workspace's manifest is missing or damaged. Precondition:
/// `drawn` is set.
long long compose(Staging&, const PackageInput&, const Drawings&);

}  // namespace artifacts
