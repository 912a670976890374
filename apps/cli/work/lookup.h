#pragma once
// Finds the study or run that a person means by its id or an unambiguous prefix, and looks up its documents, with a
// connection of its own per query. Problems are mistakes of the person (no such id); a store that cannot be read throws
// memory::StoreFault.

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/cli/terminal/command_context.h"
#include "base/result.h"
#include "memory/store/reader.h"

namespace cli {

/// The id in `ids` that equals `wanted`, or the only one that begins with it. The problem lists the candidates or the
/// nearest spelling, or says that there are no studies.
kernel::Result<std::string> find_study(const std::string& wanted, const std::vector<std::string>& ids);

/// STUDY-rNUMBER in parts; STUDY may be a prefix, NUMBER is 1 or more.
struct RunName {
  std::string study;
  int number = 0;
};
kernel::Result<RunName> read_run_name(const std::string& wanted);

/// The `study` JSON of the only study whose id begins with `wanted`.
kernel::Result<nlohmann::json> study_named(const memory::Reader&, const std::string& wanted);

/// The folder of an artifact that a person names by its path, or by the id of its study where no file has that name.
/// Problem: the study has none.
kernel::Result<std::string> artifact_named(const Context&, const std::string& wanted);

/// A run with its study; its metrics are as `Withheld` shows them.
struct NamedRun {
  nlohmann::json study, run;
};
kernel::Result<NamedRun> run_named(const memory::Reader&, const std::string& wanted);

/// The studies that the home's owner works on; none if no owner answers.
std::optional<std::set<std::string>> in_hand(const std::string& home);
/// Names for each study the process that works on it. An owner that does not answer may work on any.
void name_owners(const std::string& home, std::span<nlohmann::json> studies);

/// One entry per cause of failed runs, the most frequent first: {"fingerprint","runs","first","reason"}.
nlohmann::json failures_of(const memory::Reader&, const nlohmann::json& study);

/// Where the study's programs come from, as its start recorded it: {"use","machine": {fact: value},"programs":
/// [{"name","path","version"}]}. Null if the study has no such record.
nlohmann::json environment_of(const memory::Reader&, const std::string& study);

/// The problem of a home without a store.
kernel::Problem no_store(const Context&);

}  // namespace cli
