#include "artifacts/transcripts/transcripts.h"

#include <algorithm>

#include <fmt/format.h>

#include "agents/thinking/calls/journal_codec.h"
#include "artifacts/text/untrusted_text.h"
#include "base/digest.h"
#include "kernel/codec/codec.h"

namespace artifacts {
namespace {

/// Thrown if a text that the log names is missing or cannot be read.
struct Unread {
  kernel::Problem problem;
};

std::string pictures(const std::vector<models::Image>& images) {
  std::string text;
  for (const models::Image& image : images)
    text += fmt::format("\n[picture: {}, SHA-256 {}]", image.media_type, kernel::sha256_hex(image.bytes));
  return text;
}

bool same(const models::Message& a, const models::Message& b) {
  const auto same_call = [](const models::ToolCall& x, const models::ToolCall& y) {
    return x.id == y.id && x.name == y.name && x.arguments == y.arguments;
  };
  const auto same_answer = [](const models::ToolAnswer& x, const models::ToolAnswer& y) {
    return x.call == y.call && x.text == y.text;
  };
  return a.by == b.by && a.text == b.text && std::ranges::equal(a.calls, b.calls, same_call) &&
         std::ranges::equal(a.answers, b.answers, same_answer);
}

/// Answers that have no event of their own, and pictures.
void complete(Transcript& into, const models::ToolAnswer& said) {
  for (auto step = into.steps.rbegin(); step != into.steps.rend(); ++step)
    for (TranscriptCall& call : step->calls)
      if (call.id == said.call) {
        if (!call.answer) {
          call.answer = said.text;
          call.refused = said.failed;
        }
        const std::string shown = pictures(said.images);
        if (!call.answer->ends_with(shown)) *call.answer += shown;
        return;
      }
}

}  // namespace

std::optional<kernel::Problem> TranscriptReader::take(const kernel::Event& event, int line) {
  line_ = line;
  at_ms_ = event.at.wall_ms;
  try {
    apply(event);
  } catch (const Unread& unread) {
    return unread.problem;
  }
  return std::nullopt;
}

void TranscriptReader::apply(const kernel::Event& event) {
  const auto of_line = [this](const std::string& id) -> std::optional<std::size_t> {
    const auto at = where_.find(id);
    return at == where_.end() ? std::nullopt : std::optional(at->second);
  };
  if (const auto* opened = std::get_if<kernel::LineOpened>(&event.body)) {
    where_[opened->line] = read_.all.size();
    Transcript& transcript = read_.all.emplace_back();
    transcript.line = opened->line;
    transcript.role = opened->role;
    transcript.subject = opened->subject;
    said_.emplace_back();
  } else if (const auto* asked = std::get_if<kernel::ModelAsked>(&event.body)) {
    if (const auto at = of_line(asked->line)) ask(*asked, *at);
  } else if (const auto* answered = std::get_if<kernel::ModelAnswered>(&event.body)) {
    if (const auto call = calls_.find(answered->call); call != calls_.end()) answer(*answered, call->second);
  } else if (const auto* returned = std::get_if<kernel::ToolReturned>(&event.body)) {
    if (const auto call = calls_.find(returned->call); call != calls_.end()) tool_answer(*returned, call->second);
  } else if (const auto* ended = std::get_if<kernel::LineEnded>(&event.body)) {
    if (const auto at = of_line(ended->line)) {
      read_.all[*at].ended_ms = at_ms_;
      read_.all[*at].ending = ended->ending;
    }
  } else if (const auto* analysed = std::get_if<kernel::ExperimentAnalysed>(&event.body)) {
    read_.analyses.push_back({line_, analysed->experiment, kernel::encode(event.body)});
  }
}

Transcripts TranscriptReader::finish() {
  std::erase_if(read_.all, [](const Transcript& one) { return one.steps.empty(); });
  return std::move(read_);
}

std::string TranscriptReader::text_of(const std::string& sha256) const {
  if (sha256.empty()) return "";
  auto text = fetch_(sha256);
  if (!text)
    throw Unread{{"", 0, "the conversations of the study",
                  fmt::format("the artifact has only the SHA-256 of their texts, and this home does not have {}",
                              shortened(printable(sha256), 64)),
                  "name the home in which the study ran with --home"}};
  return std::move(*text);
}

void TranscriptReader::ask(const kernel::ModelAsked& asked, std::size_t transcript) {
  const auto fetch = [this](const std::string& sha256) { return text_of(sha256); };
  auto read = agents::request_from_journal(text_of(asked.request.sha256), fetch);
  if (!read) throw Unread{read.problem()};
  models::Request& request = read->request;
  const std::string model = asked.as.model.empty() ? asked.model : asked.as.model;
  calls_[asked.call] = {transcript, model, asked.as.effort, asked.as.unpriced};
  Transcript& into = read_.all[transcript];
  if (into.steps.empty()) {
    into.tools = request.tools;
    if (!request.system.empty()) into.steps.push_back({SpokenBy::system, line_, at_ms_, request.system});
  }
  add_new(into, said_[transcript], request.messages);
  said_[transcript] = std::move(request.messages);
}

/// Adds what the user said since the last request. The assistant's turns are there already, as replies.
void TranscriptReader::add_new(Transcript& into, const std::vector<models::Message>& before,
                               const std::vector<models::Message>& now) {
  const auto first = static_cast<std::size_t>(std::ranges::mismatch(before, now, same).in2 - now.begin());
  bool anew = first == 0 && !before.empty();
  for (std::size_t i = first; i < now.size(); ++i) {
    if (now[i].by == models::Speaker::assistant) continue;
    for (const models::ToolAnswer& said : now[i].answers) complete(into, said);
    const std::string text = now[i].text + pictures(now[i].images);
    if (text.empty()) continue;
    into.steps.push_back({SpokenBy::user, line_, at_ms_, text, anew});
    anew = false;
  }
}

void TranscriptReader::answer(const kernel::ModelAnswered& answered, const Asked& asked) {
  Transcript& into = read_.all[asked.transcript];
  const kernel::CallEnd& end = answered.end;
  if (end.reply.sha256.empty()) {
    ++into.unanswered;
    into.usd_unanswered += end.usd;
    return;
  }
  auto reply = agents::reply_from_journal(text_of(end.reply.sha256));
  if (!reply) throw Unread{reply.problem()};
  TranscriptStep step{SpokenBy::agent, line_, at_ms_, reply->text.empty() ? reply->refusal : reply->text};
  step.call = answered.call;
  step.thoughts = std::move(reply->thoughts);
  step.model = asked.model;
  step.effort = asked.effort;
  for (models::ToolCall& call : reply->calls)
    step.calls.push_back({std::move(call.id), std::move(call.name), std::move(call.arguments)});
  step.tokens = end.tokens;
  if (!asked.unpriced) step.usd = end.usd;
  step.understated = end.understated.has_value();
  into.steps.push_back(std::move(step));
}

void TranscriptReader::tool_answer(const kernel::ToolReturned& returned, const Asked& asked) {
  std::vector<TranscriptStep>& steps = read_.all[asked.transcript].steps;
  const auto step = std::ranges::find(steps, returned.call, &TranscriptStep::call);
  if (step == steps.end()) return;
  const auto call = std::ranges::find(step->calls, returned.answer.id, &TranscriptCall::id);
  if (call == step->calls.end()) return;
  call->answer = text_of(returned.answer.answer.sha256);
  call->refused = returned.answer.refused;
}

kernel::Result<RecordedTranscripts> read_transcripts(const SafeRoot& root, const FetchText& fetch) {
  if (root.look(log_file).kind != FileKind::regular)
    return kernel::Problem{"", 0, "the artifact", std::string("it has no event log (") + log_file + ")",
                           "give an artifact that etude wrote"};
  TranscriptReader reader(fetch);
  std::optional<kernel::Problem> unread;
  auto log = read_log(root, [&](const kernel::Study*, const kernel::Event& event, int line) {
    if (!unread) unread = reader.take(event, line);
  });
  if (!log) return log.problem();
  if (unread) return *unread;
  RecordedTranscripts read{std::move(*log), reader.finish()};
  if (read.transcripts.all.empty())
    return kernel::Problem{"", 0, "the artifact", "no agent of its study talked to a model",
                           "there is no conversation to export"};
  return read;
}

}  // namespace artifacts
