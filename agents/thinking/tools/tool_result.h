#pragma once
// The result of a tool's use: text for the model, and what the conversation does before it sends the text.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/domain/recall.h"
#include "kernel/study/state.h"
#include "models/message.h"

namespace agents {

/// What a conversation can use besides the files and the study.
struct Means {
  bool sees = false;  ///< Whether its model accepts pictures.
  int pictures_left = 0;
  std::function<std::vector<kernel::Recollection>(const kernel::RecallQuery&)> recall{};  ///< May be empty.
  std::string study{};                                                                    ///< Its id.
  std::vector<kernel::Paper> papers{};                                                    ///< Its corpus.
  std::function<std::string(const std::string& sha256)> fetch{};                          ///< A blob's bytes.
};

struct ToolResult {
  std::string text;  ///< For the model; if there are commands, only after they were accepted.
  bool refused = false;
  std::optional<kernel::CommandBody> command{};
  std::vector<kernel::CommandBody> then{};  ///< Either all of them are accepted or none.
  std::optional<std::string> finished{};    ///< Ends the conversation with these words.
  /// Shows the end of this blob under the label.
  kernel::BlobRef shows{};
  std::string label{};
  /// Asks a person this question.
  std::string question{};
  /// Runs a command on the branch in its present state.
  std::optional<kernel::ScratchOrder> scratch{};
  std::vector<models::Image> images{};  ///< Blobs of the frozen workspace.
};

}  // namespace agents
