#pragma once
// What a study that extends an artifact has of it.

#include <map>
#include <string>
#include <vector>

#include "kernel/domain/identifiers.h"

namespace kernel {

/// What was tried in vain before: its node in the artifact, and what it is said to teach.
struct ForeignDeadEnd {
  std::string id, title, lesson;
};

/// The artifact that the study builds on, as it was when the study was prepared: nobody needs it afterwards.
struct Extended {
  std::string source;  ///< A folder, absolute after parsing, or the address of an imported artifact; empty: none.
  std::string id;      ///< "ara:NAME"
  std::string title, doi;
  std::string files;                            ///< SHA-256 of the list of its files: which artifact it is.
  std::string head;                             ///< Of the event log that it carries; empty: it carries none.
  WorkspaceHash workspace;                      ///< Its code, where that is the study's; empty: the study has its own.
  std::map<std::string, std::string> controls;  ///< Factor → the level that the artifact tested against.
  std::vector<ForeignDeadEnd> dead_ends;

  bool empty() const { return source.empty(); }
};

}  // namespace kernel
