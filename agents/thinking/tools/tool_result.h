#pragma once
// What the use of a tool comes to: words for the model, and what the conversation is to do before it says them.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/domain/recall.h"
#include "kernel/study/state.h"
#include "models/message.h"

namespace agents {

/// What a conversation has besides the files and the study.
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

}  // namespace agents
