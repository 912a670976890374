#pragma once
// JSON Schemas (2020-12) of the records in events, made from the lists of members by which they are written
// (kernel/codec/json_records.def). Records are described as people see them: a reason is a sentence.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace kernel {

/// The name of a record's schema: "record_RunEnded" of the payload of that event, "record_Hypothesis".
std::string schema_name(std::string_view record);

/// {name: schema} of the payload of every event and of the records in them, which refer to one another as
/// "#/components/schemas/NAME". `required` are the members that this program always writes; those of later versions are
/// absent unless they are set, and records of older programs may lack more.
nlohmann::json record_schemas();

}  // namespace kernel
