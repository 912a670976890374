#pragma once
// A tool is a name, which agents/tools/NAME.json describes, and a function. The function takes the arguments and the
// means of a conversation. It returns text for the model, and what the conversation must do before it sends the text.

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "agents/thinking/workspace/branch.h"
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
  bool may_write = true;                ///< Whether its task is to change code; see kernel::may_change_code.
  std::vector<std::string> commands{};  ///< Words of the study's commands.
  kernel::LinePurpose purpose = kernel::LinePurpose::other;  ///< Its tools are offered; `other`: all of the role.
  /// Tools that are of no use now, so they are not offered: NAME, or NAME/MEMBER for a member of the arguments.
  std::set<std::string> useless{};
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
  std::vector<models::Image> images{};    ///< Blobs of the frozen workspace.
  std::vector<kernel::ReadLines> read{};  ///< Lines of files that the text shows.
  kernel::Reason why{};                   ///< Why it was refused, if that has a code.
};

constexpr std::size_t most_shown = 40000;  ///< Default limit of an answer, in bytes.

/// Everything that a tool gets; `arguments` match its schema.
struct ToolInput {
  const nlohmann::json& arguments;
  std::string_view role;
  const kernel::Study& study;  ///< For tools that read the study.
  Branch& branch;              ///< For the other tools.
  const Means& means;

  std::string text(const char* key) const { return arguments.value(key, std::string()); }
};

struct NamedTool {
  const char* name;
  ToolResult (*act)(const ToolInput&);
};

/// Tools that read the workspace's files, the home's memory and the study's papers.
std::vector<NamedTool> tools_that_look();
/// Tools that change the branch and nothing else.
std::vector<NamedTool> tools_that_write();
/// Tools that read the study and may issue one command.
std::vector<NamedTool> tools_of_study();
/// Tools that ask the kernel, a person or the machine, and do not read the study.
std::vector<NamedTool> tools_that_ask();
// Tools with a file of their own, tool_NAME.cc.
ToolResult grep(const ToolInput&);
ToolResult inspect_data(const ToolInput&);
ToolResult propose_hypothesis(const ToolInput&);
/// The test of a proposal of the wrong shape, with the right one where it can be told; for a refusal.
std::string mended_test(const ToolInput&);

inline ToolResult say(std::string text) {
  return {.text = std::move(text)};
}
/// A result that issues the command; `done` is the text after it was accepted.
inline ToolResult ask(kernel::CommandBody command, std::string done) {
  return {.text = std::move(done), .command = std::move(command)};
}
inline ToolResult refuse(std::string why) {
  return {.text = std::move(why), .refused = true};
}

/// That there is no such file, with the nearest name.
std::string no_such_file(const Branch&, const std::string& path);
/// "; the nearest is …"; empty if none is near.
std::string nearest_file(const Branch&, const std::string& path);

/// Whether `path` is `under` or lies below it; an empty `under` contains everything.
inline bool is_under(const std::string& path, std::string under) {
  while (under.ends_with('/')) under.pop_back();
  while (under.starts_with("./")) under.erase(0, 2);
  return under.empty() || under == "." || path == under || path.starts_with(under + "/");
}

}  // namespace agents
