#pragma once
// The tools that agents have: one table (agents/tools/NAME.json: what each is for, who has it, the JSON Schema of its
// arguments) and what each does. A tool looks, or asks for one command of the kernel; whatever is refused comes back as
// words that the model can act on. Pure but for the files that it is given.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/domain/recall.h"
#include "kernel/study/state.h"
#include "models/message.h"

namespace agents {

/// The workspace as it was frozen: paths and bytes, without a file system behind them.
struct Files {
  struct Entry {
    std::string path;
    std::int64_t bytes = 0;
  };
  std::vector<Entry> entries;                                                 ///< By path.
  std::function<std::optional<std::string>(const std::string& path)> read{};  ///< Of an entry.
  std::vector<std::string> links{};                                           ///< Paths that are neither.
};

/// What a branch has other than the files it is of.
struct Changes {
  std::map<std::string, std::string> written;
  std::set<std::string> removed;

  bool empty() const { return written.empty() && removed.empty(); }
  bool operator==(const Changes&) const = default;
};

class Branch;

/// What a line of work has beside the files and the study.
struct Means {
  bool sees = false;  ///< Its model takes pictures.
  int pictures_left = 0;
  std::function<std::vector<kernel::Recollection>(const kernel::RecallQuery&)> recall{};  ///< May be empty.
  std::string study{};                                                                    ///< Its id.
  std::vector<kernel::Paper> papers{};                                                    ///< Its corpus.
  std::function<std::string(const std::string& sha256)> fetch{};                          ///< A blob's bytes.
};

struct ToolResult {
  std::string text;  ///< For the model; with a command, once that has been followed.
  bool refused = false;
  std::optional<kernel::CommandBody> command{};
  std::vector<kernel::CommandBody> then{};  ///< Followed with it, or none is.
  std::optional<std::string> finished{};    ///< The line of work ends with these words.
  /// The end of this blob is to be shown, under the label.
  kernel::BlobRef shows{};
  std::string label{};
  /// A person is to be asked this.
  std::string question{};
  /// A command is to be run on the branch as it is.
  std::optional<kernel::ScratchOrder> scratch{};
  std::vector<models::Image> images{};  ///< Of the frozen workspace, whose blobs they are.
};

/// Some tool has a name that the glob fits.
bool fits_a_tool(const std::string& glob);

/// What a role may use, as a model is told.
std::vector<models::Tool> tools_of(std::string_view role, const Means& = {});

/// It looks at the study, and not at the files: it is quick, and belongs on the thread that has the study.
bool looks_at_study(std::string_view tool);

/// Checks the arguments against the tool's schema, then does what it does. Any name and any bytes may come. `study`:
/// null for a tool that does not look at it.
ToolResult use_tool(const models::ToolCall&, std::string_view role, const kernel::Study* study, Branch&,
                    const Means& = {});

/// It answers with pictures, which come from the frozen workspace again.
bool shows_pictures(std::string_view tool);

/// It changes the branch, and nothing else.
bool writes(std::string_view tool);

}  // namespace agents
