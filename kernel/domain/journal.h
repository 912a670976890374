#pragma once
// What agents asked of language models, and what came of it: the journal. A line of work is one turn of a role, from
// its first question to its end; its calls come one after the other. Plain values.

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "kernel/domain/records.h"

namespace kernel {

struct TokenCount {
  std::int64_t input = 0, output = 0, cache_read = 0, cache_written = 0;
  std::int64_t total() const { return input + output + cache_read + cache_written; }
};

/// What came of a call of a model.
struct CallEnd {
  BlobRef reply;        ///< Empty: there is none.
  std::string failure;  ///< Why there is none.
  TokenCount tokens;    ///< Taken; of a call without reply what had been set aside, if it may have been paid for.
  double usd = 0;
  bool maybe_paid = false;  ///< Without a reply, and nobody knows whether the provider charges for it.
  int attempts = 1;
  double seconds = 0;
};

enum class CallState { asked, answered, failed };

/// What a tool said to one of a reply's calls.
struct ToolReturn {
  std::string id;  ///< The model's, within its reply.
  std::string tool;
  BlobRef answer;
  bool refused = false;
};

struct ModelCall {
  int number = 0;  ///< Counts from 1 in the study.
  int line = 0;    ///< Index into Thinking::lines.
  std::string model;
  CallState state = CallState::asked;
  BlobRef request, reply;
  std::int64_t tokens = 0;  ///< Set aside; once it has ended, taken.
  double usd = 0;
  int account = 0;
  std::vector<ToolReturn> tools{};  ///< In the order in which they answered.
};

/// What a line of work is for.
enum class LinePurpose { other, propose, mend, require, review, unmet, vet, step, analyse, write };

/// What a line of work is for, with the ids of what it is about; those that its purpose does not need are empty. Two
/// lines with equal subjects are about the same.
struct LineSubject {
  LinePurpose purpose = LinePurpose::other;
  int batch = 0;
  std::string step{};       ///< CodeStep::id
  std::string version{};    ///< CodeVersion::id
  std::string workspace{};  ///< Hash of the code.
  std::string bound{};      ///< Hash of the requirements and the lines that they are bound to.
  int again = 0;            ///< How many lines about the same came before it.
  bool operator==(const LineSubject&) const = default;
};

struct LineOfWork {
  std::string id;    ///< "hypothesis-1"
  std::string role;  ///< As actors are called.
  LineSubject subject;
  int calls = 0;
  int last_call = 0;  ///< Its newest call's number; 0: none yet.
  bool ended = false;
  std::string ending{};                      ///< In its own words, or why it gave up.
  std::int64_t opened_ms = 0, ended_ms = 0;  ///< By the wall clock.
};

struct Thinking {
  std::vector<LineOfWork> lines;
  std::deque<ModelCall> calls;    ///< calls[i].number == i + 1
  int under_way = 0;              ///< Calls.
  std::int64_t tokens_aside = 0;  ///< Of those.
  double usd_aside = 0;
  std::map<int, ScratchOrder> orders{};  ///< By the number of the first run that follows it.
  std::vector<std::string> notes{};      ///< "role: text"
  std::vector<StudyRequirement> requirements{};
  std::vector<Section> sections{};

  const LineOfWork* line(const std::string& id) const;
  const ModelCall* call(int number) const;
  const StudyRequirement* requirement(const std::string& id) const;
  /// The run that was ordered by a tool call; 0: none was.
  int ordered(int call, const std::string& tool_call) const;
};

}  // namespace kernel
