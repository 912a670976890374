#pragma once
// The verbs that tell what the parser offers: `help`, and in other forms `completion` and `man`.

#include "apps/cli/verbs/verbs.h"

namespace cli {

AddVerb add_help, add_completion, add_man;

}  // namespace cli
