#pragma once
// Tables that answer questions without replaying: rows per study, hypothesis, run, metric, node and claim, each with
// the JSON that users see. Written from state in the transaction that appends the events; never read back into state.

#include <string>
#include <vector>

#include "kernel/domain/event.h"
#include "kernel/study/state.h"
#include "memory/log/database.h"

namespace memory {

/// Rewrites what `events`, all of this one study, have touched. `after` holds the study with the events applied; `head`
/// is its chain's new head. The work depends on the events, not on the length of the study.
void update_read_models(Database&, const std::vector<const kernel::Event*>& events, const kernel::Study& after,
                        const std::string& head);

/// Writes every row of the study, which has none yet.
void write_read_models(Database&, const kernel::Study&, const std::string& head);

/// Raised whenever a row or document comes out differently for the same events; a test reminds you.
inline constexpr int read_model_version = 20;
/// Of the rows that are there; 0 when there never were any.
int stored_read_model_version(Database&);
/// Writes all rows of all studies anew, from their events. Its caller holds the transaction.
void rebuild_read_models(Database&);

/// The tables, each with the columns that order a study's rows.
struct ReadModel {
  std::string table, study_column, order;
};
const std::vector<ReadModel>& read_models();

}  // namespace memory
