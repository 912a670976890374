#pragma once
// The verbs that print what the parser offers in another form: `completion` and `man`.

#include "apps/cli/verbs/verbs.h"

namespace cli {

AddVerb add_completion, add_man;

}  // namespace cli
