#include "artifacts/export/sealed_record.h"

#include <utility>

#include "artifacts/write/etude_json.h"

namespace artifacts {
namespace {

using nlohmann::json;

kernel::Problem broken(std::string why) {
  return {etude_json_file, 0, "", std::move(why), "restore the artifact; `etude check` says what was changed"};
}

}  // namespace

kernel::Result<SealedRecord> sealed_record(const SafeRoot& root, const LogObserver& observer) {
  const FileBytes read = root.read(etude_json_file, largest_etude_json);
  if (read.kind == FileKind::none)
    return kernel::Problem{etude_json_file, 0, "", "there is none, so etude did not make this artifact",
                           "give an artifact that `etude run` wrote"};
  if (!read.whole()) return broken("is no file, or is larger than 256 MB");
  json seal = json::parse(read.bytes, nullptr, false);
  if (!seal.is_object() || !seal.contains("etude")) return broken("is not the record of an artifact of etude");
  const std::optional<int> wording = wording_of(seal);
  if (!wording)
    return kernel::Problem{etude_json_file, 0, "wording", "a newer program wrote this artifact", "use that program"};
  auto log = read_log(root, observer);
  if (!log) return kernel::Problem{log_file, log.problem().line, "", log.problem().why, broken("").todo};
  const json events = seal.value("events", json::object());
  const json head = events.is_object() ? events.value("head", json()) : json();
  if (head != json(log->head)) return broken("names another head than the last event of " + std::string(log_file));
  if (!can_be_computed(log->study))
    return kernel::Problem{log_file, 0, "", "holds a study that cannot be computed", broken("").todo};
  put_in_words(log->study, *wording);
  return SealedRecord{std::move(seal), std::move(*log)};
}

}  // namespace artifacts
