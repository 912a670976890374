#pragma once
// The verbs about artifacts and transcripts. Each function adds one to the parser, as those of verbs.h do.

#include "apps/cli/verbs/verbs.h"

namespace cli {

// `ara` adds find, ask and what the other `ara_*` add.
AddVerb add_artifact, add_audit, add_check, add_reproduce, add_export, add_import, add_ara, add_ara_edits,
    add_ara_merge, add_conversation;

}  // namespace cli
