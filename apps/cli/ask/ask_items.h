#pragma once
// Asks a configured model every item of a file outside of any study, and keeps what was asked, answered and paid in a
// file that is a journal: each request is on disk before it is sent, each answer before the next request. A study then
// has the file as data. One thread; knows nothing of right answers.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "models/service/service.h"

namespace cli {

/// One question. Further members of its line, such as the right answer, are never read.
struct Item {
  std::string id;
  std::string question;
};

/// JSON lines with `id` and `question`, at most 16 MiB and 20,000 items.
kernel::Result<std::vector<Item>> read_items(const std::string& path);

/// Whom to ask, how, and where the answers stand.
struct Questioning {
  std::string name;  ///< Of the model in the configuration.
  const config::ModelEntry& entry;
  const models::Model& model;
  std::string instruction;  ///< The system prompt; may be empty.
  std::string path;         ///< Of the answers.
  std::optional<double> most_usd{};
  std::optional<std::int64_t> most_tokens{};
};

struct AskingEnd {
  enum class Kind { complete, budget, failure };
  Kind kind = Kind::complete;
  std::string why{};                   ///< Unless complete.
  std::size_t kept = 0, answered = 0;  ///< Answers from earlier calls, and of this one.
  std::size_t without = 0;      ///< Of both: those in which the model gave none, because it refuses the topic or the
                                ///< question is too long for it.
  std::int64_t tokens = 0;      ///< All that the file has cost, and what may have been paid without an answer.
  std::optional<double> usd{};  ///< None if the model has no price.
};

/// Asks what the file does not answer yet. A budget counts all of the file. A problem if the file cannot be written, is
/// used by another process, holds something else, or answers to other questions or by another model. It is unchanged
/// then. `on_answer`: how many items have answers, after each.
kernel::Result<AskingEnd> ask_items(const std::vector<Item>& items, const Questioning& asked,
                                    const std::function<void(std::size_t)>& on_answer);

}  // namespace cli
