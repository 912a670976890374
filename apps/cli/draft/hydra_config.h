#pragma once
// The settings of a program that reads its configuration by Hydra, as overrides of its command line. Reads YAML files
// without running anything; what it does not understand is left out.

#include <map>
#include <string>
#include <vector>

#include "apps/cli/draft/command_options.h"

namespace cli {

/// Numbers and seeds of the primary configuration and of the files that its defaults list chooses, each as an override
/// `model.optimizer.lr=VALUE`; empty for a program without `@hydra.main`. `folder`: the absolute path of the program's
/// folder. `overrides`: what the command gives already, such as `{"model", "large"}` or `{"--config-name", "small"}`.
std::vector<ScriptOption> hydra_options(const std::string& source, const std::string& folder,
                                        const std::map<std::string, std::string>& overrides);

}  // namespace cli
