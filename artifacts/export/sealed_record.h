#pragma once
// The record of an artifact that etude made, for exports that answer from it alone: etude.json and the verified event
// log, which must end with the head that etude.json names. Refuses every other artifact. Reads only below the root.

#include <nlohmann/json.hpp>

#include "artifacts/read/record.h"

namespace artifacts {

struct SealedRecord {
  nlohmann::json seal;  ///< The content of etude.json, an object.
  RecordedLog log;      ///< Its study has the wording of the artifact, and can be computed.
};

/// The problem says what the artifact lacks, or what in its record is broken.
kernel::Result<SealedRecord> sealed_record(const SafeRoot&, const LogObserver& = {});

}  // namespace artifacts
