#pragma once
// A search that somebody else made, as its own files tell it: entries in the order in which they were tried, with the
// value that each was recorded with. Imported evidence: it says what is worth a test, and never counts in one. Plain
// values; nothing here reads files.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace histories {

/// Who wrote it. The names are those of `name_of`.
enum class Source { autoresearch, optuna, wandb, mlflow, trackio, aide, openevolve, shinka };
std::string_view name_of(Source);

/// What an entry of the history is, so that it can be run again.
enum class Form {
  commit,      ///< A commit of the history's git repository.
  program,     ///< One source file, whose text the history has.
  parameters,  ///< Values of parameters, for a command that a person gives.
};

enum class Status { kept, discarded, crashed };
std::string_view name_of(Status);

struct HistoryEntry {
  std::string id;  ///< As the history names it: a commit, the number of a trial, the name of a run.
  Status status = Status::discarded;
  std::optional<double> value;  ///< None if it has none that is finite.
  std::string description;      ///< Of the history's author, who may be a model; may be empty.
  /// Form::parameters: name and value, spelled for a command line; sorted by name.
  std::map<std::string, std::string> parameters{};
  std::string program{};  ///< Form::program.
  int line = 0;           ///< Of the history's table; 0 if it is none.
};

struct History {
  Source source = Source::autoresearch;
  Form form = Form::commit;
  std::string path;                  ///< Absolute: what was read.
  std::string metric;                ///< As the history names it; empty: it does not say.
  std::optional<kernel::Goal> goal;  ///< None: it does not say.
  bool decided = false;              ///< True: `kept` is the history's own word. Else nothing is kept.
  std::vector<HistoryEntry> entries;
  std::string repository{};  ///< Form::commit: the folder of the repository.
  std::string suffix{};      ///< Form::program: ".py".
};

/// What a person says of a history that does not say it itself.
struct Asked {
  std::string metric;  ///< Empty: the history's own.
  std::string study;   ///< Of a database with several studies, experiments or projects; empty: the only one.
  std::optional<kernel::Goal> goal;  ///< None: as the history says, or as what it kept shows.
};

}  // namespace histories
