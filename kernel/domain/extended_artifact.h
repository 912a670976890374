#pragma once
// What a study that extends an artifact takes from it.

#include <map>
#include <string>
#include <vector>

#include "kernel/domain/identifiers.h"

namespace kernel {

/// An approach that failed before: its node in the artifact, and the lesson that the artifact states.
struct ForeignDeadEnd {
  std::string id, title, lesson;
};

/// The artifact that the study builds on, copied when the study was prepared; the original is not read afterwards.
struct Extended {
  std::string source;  ///< A folder (absolute after parsing) or the id of an imported artifact; empty if there is none.
  std::string id;      ///< "ara:NAME"
  std::string title, doi;
  std::string files;                            ///< SHA-256 of the list of its files, which identifies the artifact.
  std::string head;                             ///< Chain head of its event log; empty if it has no log.
  WorkspaceHash workspace;                      ///< Its code, if the study uses it; empty if the study has its own.
  std::map<std::string, std::string> controls;  ///< Factor → level that the artifact used as control.
  std::vector<ForeignDeadEnd> dead_ends;

  bool empty() const { return source.empty(); }
};

}  // namespace kernel
