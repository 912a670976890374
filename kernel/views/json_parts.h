#pragma once
// Parts that the JSON shapes of studies, hypotheses and runs share. Include only in files that make shapes.

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "kernel/domain/study_spec.h"

namespace kernel {

/// Null for an empty text, for time 0 and for no number.
nlohmann::json or_null(const std::string&);
nlohmann::json time_or_null(std::int64_t wall_ms);
nlohmann::json number_or_null(const std::optional<double>&);
/// [low|null, high|null]
nlohmann::json interval_shape(const std::optional<double>& low, const std::optional<double>& high);
/// {"relative"|"absolute": x}, or null.
nlohmann::json margin_shape(const std::optional<Margin>&);
/// The cell with levels as their values if these are numbers.
nlohmann::json cell_shape(const StudySpec&, const Cell&);
/// The levels of such a shape as texts. Two cells with equal values have equal texts, however their study files spell
/// them.
Cell shown_cell(const nlohmann::json& shape);

}  // namespace kernel
