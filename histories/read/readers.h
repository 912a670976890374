#pragma once
// One function for each program whose records can be read. Each gets an absolute path that looks like such a record.
// `goal` of what they return is empty if the record does not tell.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "histories/read/history.h"

namespace memory {
class Database;
}

namespace histories {

// Files and folders.
/// `table`: results.tsv, in or below the git repository.
kernel::Result<History> read_autoresearch(const std::filesystem::path& table, const Asked&);
/// `folders`: run folders of W&B, offline or synchronised.
kernel::Result<History> read_wandb(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& root,
                                   const Asked&);
/// `root`: a folder `mlruns`.
kernel::Result<History> read_mlruns(const std::filesystem::path& root, const Asked&);
/// `journal`: journal.json, or filtered_journal.json.
kernel::Result<History> read_aide(const std::filesystem::path& journal, const Asked&);
/// `checkpoint`: the folder with metadata.json and programs/.
kernel::Result<History> read_openevolve(const std::filesystem::path& checkpoint, const Asked&);

// Databases. `path` is what messages name.
kernel::Result<History> read_optuna(memory::Database&, const std::string& path, const Asked&);
kernel::Result<History> read_mlflow_database(memory::Database&, const std::string& path, const Asked&);
kernel::Result<History> read_trackio(memory::Database&, const std::string& path, const Asked&);
kernel::Result<History> read_shinka(memory::Database&, const std::string& path, const Asked&);

/// The bytes of a file, at most 64 MB; a problem if there are more, or it cannot be read.
kernel::Result<std::string> read_file(const std::filesystem::path&);

/// The metric of a record with several: the wanted one, else the only one. `of`: what messages name.
kernel::Result<std::string> choose_metric(const std::string& of, const Asked&, const std::vector<std::string>& known);
/// The study, experiment or project of a database with several.
kernel::Result<std::string> choose_study(const std::string& of, const Asked&, const std::vector<std::string>& known);

/// The name or number as a command line has it: without quotes; a number as short as possible.
std::string spelled(double);

}  // namespace histories
