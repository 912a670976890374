#pragma once
// Tables that answer queries without replay: rows per study, hypothesis, run, metric, node and claim, with the JSON
// that users see. Written from the state in the transaction that appends the events; never read back into the state.

#include <string>
#include <vector>

#include "kernel/domain/event.h"
#include "kernel/study/state.h"
#include "memory/log/database.h"

namespace memory {

/// Rewrites the rows that `events`, all of one study, changed. `after` is the study with the events applied, `head` the
/// new head of its chain. The work depends on the events, not on the length of the study.
void update_read_models(Database&, const std::vector<const kernel::Event*>& events, const kernel::Study& after,
                        const std::string& head);

/// Writes every row of a study that has no rows yet.
void write_read_models(Database&, const kernel::Study&, const std::string& head);

/// To be raised when a row or document changes for the same events; a test checks it.
inline constexpr int read_model_version = 32;
/// The version of the stored rows; 0 if there never were any.
int stored_read_model_version(Database&);
/// Rewrites all rows of all studies from their events. The caller holds the transaction.
void rebuild_read_models(Database&);

/// With small ASCII letters, as `listed.words` has them.
std::string small_letters(std::string);

/// The tables, each with the columns that order a study's rows.
struct ReadModel {
  std::string table, study_column, order;
};
const std::vector<ReadModel>& read_models();

}  // namespace memory
