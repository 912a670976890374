#pragma once
// Model calls and their results. A line of work is one turn of a role; its calls are sequential. Plain values.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/boxed_optional.h"
#include "kernel/domain/records.h"

namespace kernel {

struct TokenCount {
  std::int64_t input = 0, output = 0, cache_read = 0, cache_written = 0;
  std::int64_t total() const { return input + output + cache_read + cache_written; }
};

/// What a reply states of where it came from; empty where it states nothing.
struct ReplyOrigin {
  std::string model;        ///< The model that answered, by the provider's name.
  std::string tier;         ///< The service tier.
  std::string fingerprint;  ///< Of the provider's configuration.
  bool operator==(const ReplyOrigin&) const = default;
};

/// The tokens of a call that its provider states, where its texts cannot be so few.
struct UnderstatedUse {
  std::int64_t stated = 0;
  std::int64_t least = 0;  ///< The fewest that the texts can be.
};

struct CallEnd {
  BlobRef reply;      ///< Empty if there is none.
  Reason failure;     ///< Why there is no reply; empty if there is one.
  TokenCount tokens;  ///< Used tokens; without a reply the reserved ones, if the provider may charge for them.
  double usd = 0;
  bool maybe_paid = false;  ///< No reply, and the provider may have charged for the call.
  int attempts = 1;
  double seconds = 0;
  double again_in_s = 0;  ///< No reply, and the line asks again after so long; 0 if it does not.
  std::vector<std::string>
      notes{};  ///< What the server refused of the request, in its words, and how it was asked then.
  std::optional<ReplyOrigin> origin{};          ///< None without a reply, and in older logs.
  bool by_batch = false;                        ///< The reply came by the provider's batch API, at its price.
  std::optional<UnderstatedUse> understated{};  ///< What was set aside is charged then.
};

/// A batch of a call's provider that has its request, so that any later program can take its reply up.
struct CallBatch {
  std::string id;                           ///< The provider's; untrusted.
  std::string service;                      ///< The address where it was submitted.
  std::int64_t since_ms = 0, until_ms = 0;  ///< Wall clock: when it was recorded, and how long it is waited for.
};

enum class CallState { asked, answered, failed };

/// How a model is asked; empty in older logs.
struct AskedAs {
  std::string model;      ///< The provider's name for it.
  std::string effort;     ///< How much it is to think: "high"; empty if nothing is said of it.
  bool unpriced = false;  ///< Its price is not known, so what it cost is not either.
  bool operator==(const AskedAs&) const = default;
};

/// Lines of a workspace's file that a tool showed; they count from 1.
struct ReadLines {
  std::string file;
  int from = 0, to = 0;
};

struct ToolReturn {
  std::string id;  ///< Id that the model gave the tool call, unique within its reply.
  std::string tool;
  BlobRef answer;
  bool refused = false;
  std::vector<ReadLines> read{};  ///< What `read_file` showed.
  Reason why{};                   ///< Why it was refused, if that has a code.
};

struct ModelCall {
  int number = 0;     ///< Counts from 1 in the study.
  int line = 0;       ///< Index into Thinking::lines.
  std::string model;  ///< The name in the configuration.
  AskedAs as{};
  CallState state = CallState::asked;
  BlobRef request, reply;
  std::int64_t tokens = 0;  ///< Reserved tokens; after the call's end, used tokens.
  double usd = 0;
  int account = 0;
  std::vector<ToolReturn> tools{};   ///< In the order of their answers.
  std::vector<ReadLines> shown{};    ///< Lines of files that its request's task quotes.
  BoxedOptional<CallBatch> batch{};  ///< The batch that has its request, if there is one.
  bool in_batch() const { return state == CallState::asked && batch; }
};

enum class LinePurpose { other, propose, mend, require, review, unmet, vet, step, analyse, write };
/// True if the work may change code. Work that draws up requirements or judges by them must not.
constexpr bool may_change_code(LinePurpose purpose) {
  return purpose == LinePurpose::mend || purpose == LinePurpose::unmet || purpose == LinePurpose::step ||
         purpose == LinePurpose::other;
}

/// Purpose and subject of a line of work; ids that it does not need are empty. Lines with equal subjects do equal work.
struct LineSubject {
  LinePurpose purpose = LinePurpose::other;
  int batch = 0;
  std::string step{};       ///< CodeStep::id
  std::string version{};    ///< CodeVersion::id
  std::string workspace{};  ///< Hash of the code.
  std::string bound{};      ///< Hash of the requirements and their bound source lines.
  int again = 0;            ///< Number of earlier lines with the same subject.
  bool operator==(const LineSubject&) const = default;
};

struct LineOfWork {
  std::string id;    ///< "hypothesis-1"
  std::string role;  ///< The role's name, as in `Event::actor`.
  LineSubject subject;
  int calls = 0;
  int last_call = 0;  ///< Number of its newest call; 0 before the first.
  bool ended = false;
  Reason ending{};                           ///< The role's final words, or why its turn was ended.
  Reason waits{};                            ///< For what outside it waits, such as its model's provider.
  std::int64_t opened_ms = 0, ended_ms = 0;  ///< Wall clock.
};

struct Thinking {
  std::vector<LineOfWork> lines;
  std::deque<ModelCall> calls;    ///< calls[i].number == i + 1
  int under_way = 0;              ///< Number of calls without an answer yet.
  std::int64_t tokens_aside = 0;  ///< Tokens reserved for those calls.
  double usd_aside = 0;
  std::map<int, ScratchOrder> orders{};  ///< By the number of the first run of the order.
  std::vector<std::string> notes{};      ///< "role: text"
  std::vector<StudyRequirement> requirements{};
  std::vector<Section> sections{};

  const LineOfWork* line(const std::string& id) const { return find_by(lines, &LineOfWork::id, id); }
  const ModelCall* call(int number) const {
    return number >= 1 && number <= std::ssize(calls) ? &calls[static_cast<std::size_t>(number) - 1] : nullptr;
  }
  /// The newest call of the line; null before the first.
  const ModelCall* newest_call(const LineOfWork& of) const { return call(of.last_call); }
  /// Number of calls whose reply a program must wait for, because no later one could take it up.
  int awaited() const {
    int in_batches = 0;
    for (const LineOfWork& one : lines)
      if (const ModelCall* newest = newest_call(one)) in_batches += newest->in_batch() ? 1 : 0;
    return under_way - in_batches;
  }
  const StudyRequirement* requirement(const std::string& id) const {
    return find_by(requirements, &StudyRequirement::id, id);
  }
  /// The run that a tool call ordered; 0 if it ordered none.
  int ordered(int call_number, const std::string& tool_call) const {
    for (const auto& [run, order] : orders)
      if (order.call == call_number && order.tool_call == tool_call) return run;
    return 0;
  }
};

}  // namespace kernel
