#pragma once
// Turns the history of a search into a folder for its confirmation: the study file, the code of the versions and
// confirm.json. Finds the command, the seed, the environment and the metric's source where the history's files show
// them. Reads; what it returns is written by the verb.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/session/plan/new_folder.h"
#include "base/result.h"
#include "histories/confirm/confirmation.h"

namespace cli {

struct ConfirmOptions {
  std::string path, output, run, metric, goal, study, baseline, against = "both", replicates, folder, pattern;
  std::vector<std::string> skip, data, resources, budget;
  std::optional<std::size_t> top;
  std::string here;                 ///< Where a command of parameters runs without `folder`; empty: it needs one.
  std::string virtual_environment;  ///< $VIRTUAL_ENV of the person.
  int jobs = 0;
  bool no_run = false;
};

struct ConfirmFolder {
  histories::Confirmation confirmation;
  std::map<std::string, std::string> files;  ///< As `write_new_folder` takes them.
  session::FileKinds kinds;
  std::vector<std::string> notes;  ///< For the person, before anything runs.
};

/// `output`: the absolute path of the folder that will have the files.
kernel::Result<ConfirmFolder> confirm_folder(const ConfirmOptions&, const std::string& output);

}  // namespace cli
