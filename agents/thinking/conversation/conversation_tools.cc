// What a conversation answers to the tool calls of a reply.
#include <algorithm>

#include <fmt/format.h>

#include "agents/thinking/briefing/code_briefing.h"
#include "agents/thinking/briefing/prompts.h"
#include "agents/thinking/calls/fit_for_services.h"
#include "agents/thinking/conversation/conversation.h"
#include "agents/thinking/tools/tools.h"
#include "agents/thinking/workspace/unified_diff.h"
#include "kernel/domain/journal.h"
#include "kernel/runs/run_keys.h"
#include "kernel/study/gates.h"
#include "kernel/wording/wording.h"
#include "models/protocols/dialect.h"

namespace agents {

using kernel::Study;

namespace {

constexpr int most_repeats = 4, most_pictures = 8;
constexpr int last_replies = 5;  ///< A line is told when so few are left.
constexpr std::size_t most_of_a_log = 20000;

/// From the first to the last changed line of each file that still exists, by the numbers of the new text.
std::vector<kernel::CodePlace> changed_lines(const std::string& diff) {
  std::vector<kernel::CodePlace> places;
  for (const FilePatch& file : read_diff(diff).files) {
    if (file.removes) continue;
    const auto hunks = places_changed(file);
    if (hunks.empty()) continue;
    kernel::CodePlace place{file.path, hunks.front().first, 0};
    for (const auto& [from, to] : hunks) place.to = std::max(place.to, to);
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace

/// The reply with the arguments that a person changed, because tools are used with these.
models::Reply Conversation::as_edited(models::Reply reply) {
  using Edits = std::map<std::string, std::string>;
  const auto edits = inspect<Edits>([this](const kernel::Journal& journal) {
    Edits found;
    for (const kernel::GateRecord& record : journal.gates)
      if (record.gate.call == call_ && !record.edited.empty()) found[record.gate.tool_call] = record.edited;
    return found;
  });
  for (models::ToolCall& call : reply.calls)
    if (const auto edit = edits.find(call.id); edit != edits.end()) call.arguments = edit->second;
  return reply;
}

/// Tool calls of the line before the newest reply.
int Conversation::tools_used() const {
  const std::vector<models::Message>& messages = remembered_.request.messages;
  std::size_t used = 0;
  for (std::size_t i = 0; i + 1 < messages.size(); ++i) used += messages[i].calls.size();
  return remembered_.used + static_cast<int>(used);
}

models::ToolAnswer Conversation::refuse_call(const models::ToolCall& call, const kernel::Reason& why) {
  return answer(call, newest_words(why), true, {}, why);
}

/// `answered` has the earlier answers of tools to this reply.
bool Conversation::answer_calls(const models::Reply& given, const std::vector<kernel::ToolReturn>& answered) {
  const models::Reply reply = given.calls.empty() ? given : as_edited(given);
  models::Message said;
  said.by = models::Speaker::assistant;
  if (reply.text.find_first_not_of(" \t\r\n") != reply.text.npos) said.text = reply.text;
  for (const models::ToolCall& call : reply.calls) said.calls.push_back(as_servers_take_it(call));
  said.opaque = reply.opaque;
  if (said.text.empty() && said.calls.empty()) {
    said.text = "(nothing)";  // Protocols refuse empty turns, and turns that only think.
    said.opaque = {};
  }
  remembered_.request.messages.push_back(said);
  if (reply.calls.empty()) return nudge(reply);
  const bool cut = reply.stop == models::Stop::length;
  nudges_ = 0;
  models::Message answers;
  int in_reply = 0, in_line = tools_used();
  bool rests = false;  // Runs that are ordered one after the other run together.
  for (const models::ToolCall& call : reply.calls) {
    ++in_reply;
    if (++in_line > assigned_.tools_in_line) {
      end({kernel::ReasonCode::line_of_most_tools,
           {{"calls", std::int64_t{in_line - 1}}, {"most", std::int64_t{assigned_.tools_in_line}}}});
      return true;
    }
    const auto known = std::ranges::find_if(answered, [&](const kernel::ToolReturn& one) { return one.id == call.id; });
    if (rests && (known != answered.end() || in_reply > assigned_.tools_in_reply || !orders_runs(call.name)))
      return true;
    if (known == answered.end()) {
      if (in_reply > assigned_.tools_in_reply) {
        answers.answers.push_back(refuse_call(
            call, {kernel::ReasonCode::tool_calls_in_reply, {{"most", std::int64_t{assigned_.tools_in_reply}}}}));
        continue;
      }
      // The last call of a reply that was cut off may lack its end.
      if (cut && in_reply == static_cast<int>(reply.calls.size()) && !models::own_json(call.arguments).is_object()) {
        answers.answers.push_back(refuse_call(
            call, {kernel::ReasonCode::call_cut_off, {{"most", std::int64_t{remembered_.request.max_output}}}}));
        continue;
      }
      answers.answers.push_back(use(call));
      if (ended_) return true;
      rests = rests || resting_;
      if (rests) continue;
      pictures_ += static_cast<int>(answers.answers.back().images.size());
      continue;
    }
    answers.answers.push_back({call.id, parts_.fetch(known->answer.sha256), {}, known->refused});
    if (known->refused || !(writes(call.name) || shows_pictures(call.name))) continue;
    answers.answers.back().images = use_tool(call, role_, nullptr, branch_, means()).images;
    pictures_ += static_cast<int>(answers.answers.back().images.size());
  }
  if (rests) return true;
  const int left = most_replies_ - replies_;
  if (left > 0 && left <= last_replies)
    answers.text = fmt::format("{} left before your part ends without a result: hand in what you have.\n",
                               left == 1 ? "1 reply" : fmt::format("{} replies", left));
  remembered_.request.messages.push_back(std::move(answers));
  if (replies_ >= most_replies_) end({kernel::ReasonCode::line_of_most_calls, {{"calls", std::int64_t{replies_}}}});
  return true;
}

kernel::CommandOutcome Conversation::finish(const std::string& words, kernel::CommandBody answer) {
  const Changes changes = branch_.changes();
  if (changes.empty()) {
    end(kernel::as_said(words), {std::move(answer)});
    return kernel::Done{};
  }
  const auto original = inspect<std::optional<kernel::WorkspaceHash>>([this](const kernel::StudyTerms& terms) {
    return terms.code.step(id_) ? std::optional(terms.workspace.hash) : std::nullopt;
  });
  if (original) return propose_code(*original, changes, words, std::move(answer));
  if (inspect<bool>([this](const kernel::StudyTerms& terms) { return version_meant(terms, subject_) != nullptr; })) {
    end({kernel::ReasonCode::line_drops_changes}, {std::move(answer)});
    return kernel::Done{};
  }
  struct Now {
    kernel::WorkspaceRecord workspace, of_person;
    std::vector<std::string> setup_files;
    kernel::SetupKey setup_key;
    kernel::BlobRef before;
  };
  const auto now = inspect<Now>([&](const kernel::StudyTerms& terms) {
    return Now{terms.workspace, terms.scoring, terms.spec.setup_files,
               kernel::setup_key_after(terms.spec, changes.written),
               terms.amendment() ? terms.amendment()->diff : kernel::BlobRef{}};
  });
  if (now.workspace.hash != base_.hash) {
    end({kernel::ReasonCode::line_of_older_code}, {std::move(answer)});
    return kernel::Done{};
  }
  // Also the files that an earlier change by an agent differs in.
  std::set<std::string> paths = changes.removed;
  for (const auto& [path, content] : changes.written) paths.insert(path);
  if (!now.before.sha256.empty())
    for (const std::string& path : files_in(parts_.fetch(now.before.sha256))) paths.insert(path);
  const std::string diff = diff_from(now.of_person.hash, paths);
  kernel::AmendWorkspace amended{parts_.freeze(base_, changes), words, base_.hash};
  amended.diff = parts_.keep(diff);
  amended.places = changed_lines(diff);
  amended.line = id_;
  if (!now.setup_key.empty()) {
    // The set-up may reach the network, so it only runs a person's code and added lines that a person has seen.
    Changes added;
    for (const std::string& file : now.setup_files)
      if (const auto text = changes.written.find(file); text != changes.written.end()) added.written.insert(*text);
    amended.setup = {now.setup_key, parts_.freeze(now.of_person, added)};
  }
  kernel::CommandOutcome outcome =
      command(std::move(amended), {std::move(answer), kernel::CloseLine{id_, kernel::as_said(words)}});
  ended_ = !kernel::why_not(outcome);
  return outcome;
}

/// The branch's difference from a workspace, in these files.
std::string Conversation::diff_from(const kernel::WorkspaceHash& original, const std::set<std::string>& paths) const {
  const Branch own(parts_.files(original), {});
  std::string diff;
  for (const std::string& path : paths) diff += diff_of(path, own.read(path), branch_.read(path));
  return clean(diff);
}

/// Proposes a version of the code, with its diff against the person's code.
kernel::CommandOutcome Conversation::propose_code(const kernel::WorkspaceHash& original, const Changes& changes,
                                                  const std::string& words, kernel::CommandBody answer) {
  std::set<std::string> paths = changes.removed;
  for (const auto& [path, content] : changes.written) paths.insert(path);
  const auto inherited = inspect<kernel::BlobRef>([this](const kernel::StudyTerms& terms) {
    const kernel::CodeVersion* parent = terms.code.version(terms.code.step(id_)->parents.front());
    return parent ? parent->diff : kernel::BlobRef{};
  });
  if (!inherited.sha256.empty())
    for (const std::string& path : files_in(parts_.fetch(inherited.sha256))) paths.insert(path);
  const std::string diff = diff_from(original, paths);
  kernel::CommandOutcome outcome =
      command(kernel::ProposeCode{id_, parts_.freeze(base_, changes), parts_.keep(diff), words, lines_changed(diff)},
              {std::move(answer), kernel::CloseLine{id_, kernel::as_said(words)}});
  ended_ = !kernel::why_not(outcome);
  return outcome;
}

Means Conversation::means() const {
  return {assigned_.sees,
          most_pictures - pictures_,
          parts_.recall,
          study_,
          papers_,
          parts_.fetch,
          kernel::may_change_code(subject_.purpose),
          commands_,
          subject_.purpose,
          useless_};
}

bool Conversation::goes_round(const models::ToolCall& call) {
  std::string now = call.name + ' ' + call.arguments;
  repeats_ = now == last_use_ ? repeats_ + 1 : 0;
  last_use_ = std::move(now);
  return repeats_ >= most_repeats;
}

struct Conversation::Standing {
  bool waits = false;
  bool needs_leave = false;
  bool known = false;  ///< Used before the conversation rested.
  bool refused = false;
  std::string said;    ///< A person's words; with `refused`, the reason.
  std::string edited;  ///< The arguments as a person changed them.
  std::optional<kernel::Run> run;
};

Conversation::Standing Conversation::standing_of(const models::ToolCall& call) {
  return inspect<Standing>([this, &call](const Study& study) {
    Standing s;
    if (const kernel::GateRecord* record = study.gate_of(call_, call.id)) {
      s.known = true;
      s.waits = !record->decided;
      s.edited = record->edited;
      const bool asked = record->gate.on == kernel::GateOn::question;
      if (record->decided && !record->approved) {
        s.refused = !asked;
        s.said = (asked ? "The person gives no answer" : "A person refused that") +
                 (record->why.empty() ? "." : ": " + newest_words(record->why));
      } else if (asked) {
        s.said = "The person says: " + newest_words(record->why);
      }
    } else {
      s.needs_leave = kernel::needs_leave(study, call.name);
    }
    if (const int ordered = study.thinking.ordered(call_, call.id)) {
      const kernel::Run& run = study.latest(*study.run(ordered));
      s.known = true;
      if (run.ended())
        s.run = run;
      else
        s.waits = true;
    }
    return s;
  });
}

models::ToolAnswer Conversation::rest() {
  resting_ = true;
  last_use_.clear();
  return {};
}

kernel::CommandBody Conversation::returned(const models::ToolCall& call, const std::string& text, bool refused,
                                           std::vector<kernel::ReadLines> read, kernel::Reason why) {
  return kernel::ReportTool{
      call_, {call.id, call.name.substr(0, 64), parts_.keep(text), refused, std::move(read), std::move(why)}};
}

models::ToolAnswer Conversation::answer(const models::ToolCall& call, std::string text, bool refused,
                                        std::vector<kernel::ReadLines> read, kernel::Reason why) {
  text = told(std::move(text));
  untold_.push_back(returned(call, text, refused, std::move(read), std::move(why)));
  return {call.id, std::move(text), {}, refused};
}

ToolResult Conversation::evaluate(const models::ToolCall& call, Branch& branch) {
  ToolResult result = looks_at_study(call.name) ? inspect<ToolResult>([this, &call, &branch](const Study& study) {
    return use_tool(call, role_, &study, branch, means());
  })
                                                : use_tool(call, role_, nullptr, branch, means());
  if (!result.shows.sha256.empty())
    result.text = quoted_tail(result.label, parts_.fetch(result.shows.sha256), most_of_a_log);
  return result;
}

kernel::CommandOutcome Conversation::order(const models::ToolCall& call, kernel::ScratchOrder wanted) {
  const Changes changes = branch_.changes();
  wanted.call = call_;
  wanted.tool_call = call.id;
  wanted.line = id_;
  wanted.workspace = changes.empty() ? base_ : parts_.freeze(base_, changes);
  const kernel::Resources usual =
      inspect<kernel::Resources>([](const kernel::StudyTerms& terms) { return terms.spec.resources; });
  const kernel::Resources asked = std::exchange(wanted.resources, usual);
  wanted.resources.gpus = asked.gpus;
  wanted.resources.timeout_s = asked.timeout_s;
  if (asked.gpus == 0) {
    wanted.resources.gpu_memory_bytes.reset();
    wanted.resources.gpu_share.reset();
  }
  return command(kernel::OrderScratch{std::move(wanted)});
}

models::ToolAnswer Conversation::use(models::ToolCall call) {
  const Standing standing = standing_of(call);
  if (standing.waits) return rest();
  // A person may have changed the arguments meanwhile; the conversation must show those that are used.
  if (!standing.edited.empty() && call.arguments != standing.edited) {
    call.arguments = standing.edited;
    for (models::ToolCall& said : remembered_.request.messages.back().calls)
      if (said.id == call.id) said = as_servers_take_it(call);
  }
  if (standing.run)
    return answer(call, scratch_text(*standing.run, [this](const std::string& hash) { return parts_.fetch(hash); }),
                  false);
  if (!standing.said.empty()) return answer(call, standing.said, standing.refused);
  if (!standing.known && goes_round(call)) {
    if (repeats_ < 2 * most_repeats)
      return answer(call, fmt::format("You have asked this {} times, and the answer is the same.", repeats_ + 1), true);
    end({kernel::ReasonCode::line_repeats_itself});
    return {};
  }
  Branch tried = standing.needs_leave ? branch_ : Branch();
  ToolResult result = evaluate(call, standing.needs_leave ? tried : branch_);
  if (result.refused) return answer(call, std::move(result.text), true, {}, std::move(result.why));
  const auto refusal = [&](const kernel::CommandOutcome& outcome, const std::string& why) {
    const auto* rejection = std::get_if<kernel::Rejection>(&outcome);
    return answer(call, why, true, {}, rejection ? rejection->stated : kernel::Reason{});
  };
  const auto or_rest = [&](const kernel::CommandOutcome& outcome) {
    const std::string* why = kernel::why_not(outcome);
    return why ? refusal(outcome, *why) : rest();
  };
  if (standing.needs_leave || !result.question.empty())
    return or_rest(command(kernel::AskLeave{call_, call.id, call.name, call.arguments, result.question}));
  if (result.scratch) return or_rest(order(call, std::move(*result.scratch)));
  kernel::CommandOutcome outcome;
  if (result.finished) {
    outcome = finish(*result.finished, returned(call, result.text, false));
    if (ended_) return {};
  } else if (result.command) {
    if (auto* judged = std::get_if<kernel::JudgeRequirement>(&*result.command)) judged->workspace = base_.hash;
    if (auto* bound = std::get_if<kernel::BindRequirement>(&*result.command)) {
      bound->requirement.workspace = base_.hash;
      result.text = bound_words(bound->requirement);
    }
    result.then.push_back(returned(call, result.text, false));
    outcome = command(std::move(*result.command), std::move(result.then));
  } else {
    models::ToolAnswer said = answer(call, std::move(result.text), false, std::move(result.read));
    said.images = std::move(result.images);
    return said;
  }
  const std::string* why = kernel::why_not(outcome);
  return why ? refusal(outcome, *why) : models::ToolAnswer{call.id, std::move(result.text), {}, false};
}

namespace {

/// The calls that changed the branch, in their order.
std::vector<models::ToolCall> writes_in(const std::vector<models::Message>& messages) {
  std::vector<models::ToolCall> list;
  for (std::size_t i = 0; i + 1 < messages.size(); ++i)
    for (const models::ToolCall& call : messages[i].calls)
      for (const models::ToolAnswer& answer : messages[i + 1].answers)
        if (answer.call == call.id && !answer.failed && writes(call.name)) list.push_back(call);
  return list;
}

}  // namespace

void Conversation::write_again() {
  std::vector<models::ToolCall> calls = remembered_.written;
  if (!remembered_.summing)  // Else they were put aside.
    std::ranges::move(writes_in(remembered_.request.messages), std::back_inserter(calls));
  for (const models::ToolCall& call : calls) use_tool(call, role_, nullptr, branch_, means());
}

/// Before the conversation begins anew.
void Conversation::put_aside_writes() {
  std::ranges::move(writes_in(remembered_.request.messages), std::back_inserter(remembered_.written));
  for (const models::Message& message : remembered_.request.messages)
    remembered_.used += static_cast<int>(message.calls.size());
}

}  // namespace agents
