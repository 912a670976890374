#pragma once
// How artifacts write numbers: as prose does.

#include "prose/numbers.h"

namespace artifacts {

using prose::bytes_text;
using prose::counted;
using prose::duration_text;
using prose::half_width;
using prose::interval_text;
using prose::level_text;
using prose::percent;
using prose::percent_interval_text;
using prose::probability;
using prose::rounded;
using prose::with_unit;

}  // namespace artifacts
