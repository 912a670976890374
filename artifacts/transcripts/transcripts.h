#pragma once
// What the agents of an artifact's study said to models, and what models and tools answered: one transcript for each
// conversation, in the order of the event log. The artifact has the SHA-256 of every text; the texts are blobs of the
// home in which the study ran. Reads only below the root, and what `fetch` returns.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "artifacts/read/record.h"
#include "artifacts/read/safe_root.h"
#include "base/result.h"
#include "kernel/domain/event.h"
#include "kernel/domain/journal.h"
#include "models/message.h"

namespace artifacts {

/// Returns a blob's bytes by its SHA-256; none if there is no such blob.
using FetchText = std::function<std::optional<std::string>(const std::string& sha256)>;

/// A model's call of a tool.
struct TranscriptCall {
  std::string id;  ///< The model's; unique within its step.
  std::string tool;
  std::string arguments;  ///< JSON as the model wrote it; it may be malformed.
  std::optional<std::string> answer{};
  bool refused = false;
};

enum class SpokenBy { system, user, agent };

struct TranscriptStep {
  SpokenBy by = SpokenBy::user;
  int line = 0;            ///< Of the event log.
  std::int64_t at_ms = 0;  ///< Wall clock.
  std::string text{};
  bool anew = false;  ///< Of the user: the conversation begins anew here, because it had filled the model's context.
  // The rest only of the agent.
  int call = 0;            ///< ModelCall::number
  std::string thoughts{};  ///< A summary of its thinking, where the provider shows one.
  std::string model{}, effort{};
  std::vector<TranscriptCall> calls{};
  kernel::TokenCount tokens{};
  std::optional<double> usd{};  ///< None if the model's price is not known.
  bool understated = false;     ///< The provider stated fewer tokens; what was set aside counts.
};

struct Transcript {
  std::string line, role;
  kernel::LineSubject subject{};
  std::vector<models::Tool> tools{};  ///< As first offered.
  std::vector<TranscriptStep> steps{};
  int unanswered = 0;         ///< Calls of the model without a reply.
  double usd_unanswered = 0;  ///< What the provider may have charged for them.
  std::int64_t ended_ms = 0;  ///< Wall clock; 0 if the conversation did not end.
  kernel::Reason ending{};    ///< The agent's closing words, or why its turn was ended.
};

/// The analysis of a registered experiment.
struct RecordedAnalysis {
  int line = 0;  ///< Of the event log.
  kernel::ExperimentId experiment;
  std::string payload;  ///< JSON, as the log has it.
};

struct Transcripts {
  std::vector<Transcript> all;  ///< Without conversations that asked no model.
  std::vector<RecordedAnalysis> analyses;
};

/// Where the transcripts are from.
struct TranscriptSource {
  std::string head;          ///< Of the event log.
  std::string tool_version;  ///< Of the program that ran the study.
};

/// Reads the events of one study, in their order.
class TranscriptReader {
 public:
  explicit TranscriptReader(FetchText fetch) : fetch_(std::move(fetch)) {}

  /// `line`: of the event log. A problem if a text is missing or damaged.
  std::optional<kernel::Problem> take(const kernel::Event&, int line);
  /// What was read so far; also conversations that have asked no model yet.
  const Transcripts& so_far() const { return read_; }
  Transcripts finish();

 private:
  struct Asked {
    std::size_t transcript = 0;
    std::string model, effort;
    bool unpriced = false;
  };

  std::string text_of(const std::string& sha256) const;
  void apply(const kernel::Event&);
  void ask(const kernel::ModelAsked&, std::size_t transcript);
  void add_new(Transcript& into, const std::vector<models::Message>& before, const std::vector<models::Message>& now);
  void answer(const kernel::ModelAnswered&, const Asked&);
  void tool_answer(const kernel::ToolReturned&, const Asked&);

  FetchText fetch_;
  int line_ = 0;
  std::int64_t at_ms_ = 0;
  Transcripts read_;
  std::vector<std::vector<models::Message>> said_;  ///< Of each transcript: the messages of its last request.
  std::map<std::string, std::size_t> where_;        ///< By the line's id.
  std::map<int, Asked> calls_;                      ///< By ModelCall::number.
};

struct RecordedTranscripts {
  RecordedLog log;
  Transcripts transcripts;
};

/// A problem if there is no sound event log, if no model was asked, or if a text is missing.
kernel::Result<RecordedTranscripts> read_transcripts(const SafeRoot&, const FetchText&);

}  // namespace artifacts
