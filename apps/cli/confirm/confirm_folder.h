#pragma once
// The folder of a confirmation: its place, how it is written, and the record in it.

#include <optional>
#include <string>

#include "apps/cli/confirm/confirm_setup.h"
#include "base/result.h"
#include "histories/confirm/confirmation.h"

namespace cli {

/// The path of confirm.json in the folder.
std::string confirm_record_in(const std::string& folder);
/// Beside what is confirmed: `night-confirm` for `night`, `tune-confirm` for `tune.db`. `path`: absolute.
std::string default_confirm_folder(const std::string& path);
/// A problem if something is in the place of a new folder.
std::optional<kernel::Problem> confirm_folder_in_the_way(const std::string& folder);
/// Writes the folder, if its study can be started: all of it or nothing.
std::optional<kernel::Problem> write_confirm_folder(const std::string& home, const ConfirmFolder&,
                                                    const std::string& folder);
kernel::Result<histories::Confirmation> read_confirm_record(const std::string& folder);

}  // namespace cli
