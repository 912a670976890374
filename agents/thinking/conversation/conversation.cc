#include "agents/thinking/conversation/conversation.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include <fmt/format.h>

#include "agents/thinking/briefing/code_briefing.h"
#include "agents/thinking/briefing/prompts.h"
#include "agents/thinking/calls/fit_for_services.h"
#include "kernel/domain/journal.h"
#include "kernel/study/sealed_seeds.h"

namespace agents {

using kernel::Study;

namespace {

constexpr int most_nudges = 3;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

kernel::TokenCount counted(const models::TokenUsage& usage) {
  return {usage.input, usage.output, usage.cache_read, usage.cache_written};
}

std::vector<std::string> commands_of(const kernel::StudySpec& spec) {
  std::vector<std::string> words = spec.run.words;
  const auto add = [&](const kernel::CommandTemplate& command) {
    words.insert(words.end(), command.words.begin(), command.words.end());
  };
  for (const kernel::StageSpec& stage : spec.stages) add(stage.run);
  for (const auto& tier : {spec.evaluator.validation, spec.evaluator.test})
    if (tier) add(tier->command);
  return words;
}

}  // namespace

void Conversation::done_or_throw(const kernel::CommandOutcome& outcome) {
  if (const std::string* why = kernel::why_not(outcome)) throw std::runtime_error(*why);
}

void Conversation::run() {
  for (bool more = true; more;) {
    try {
      converse();
    } catch (const Stopped&) {
      give_up(kernel::ReasonCode::reply_not_awaited);
    } catch (const std::exception& e) {
      give_up(kernel::ReasonCode::conversation_broke_off);
      pause({kernel::ReasonCode::line_stopped,
             {{"line", id_},
              {"why", std::vector{kernel::Reason{kernel::ReasonCode::exception_thrown, {{"error", e.what()}}}}}}});
    }
    const std::lock_guard lock(signal_->mutex);
    signal_->cancel = nullptr;  // Posted messages keep the signal alive, so it must not keep the model.
    more = std::exchange(signal_->again, false) && !signal_->stopped && !signal_->over;
    if (!more) signal_->over = true;
  }
}

std::string Conversation::told(std::string text) {
  text = clean(std::move(text));
  return inspect<std::string>([&text](const Study& study) { return kernel::without_sealed_seeds(study, text); });
}

/// Records that no reply to an open call will come, if the study goes on.
void Conversation::give_up(kernel::ReasonCode why) {
  parts_.inbox.post(kernel::Command{study_, kernel::kernel_actor, kernel::GiveUpCalls{id_, {why}}});
}

bool Conversation::go_on() {
  const std::lock_guard lock(signal_->mutex);
  if (!signal_->over) signal_->again = true;
  return !signal_->over;
}

void Conversation::stop() {
  std::function<void()> cancel;
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->stopped = true;
    cancel = signal_->cancel;
  }
  signal_->changed.notify_all();
  if (cancel) cancel();
}

kernel::Command Conversation::by_role(kernel::CommandBody body) const {
  return {study_, role_, std::move(body)};
}

kernel::CommandRequest Conversation::request(kernel::CommandBody body, std::vector<kernel::CommandBody> then) {
  if (parts_.settle) parts_.settle();
  std::vector<kernel::CommandBody> all = std::exchange(untold_, {});
  all.push_back(std::move(body));
  all.insert(all.end(), std::make_move_iterator(then.begin()), std::make_move_iterator(then.end()));
  kernel::CommandRequest request{by_role(std::move(all.front())), {}};
  for (std::size_t i = 1; i < all.size(); ++i) request.then.push_back(by_role(std::move(all[i])));
  return request;
}

kernel::CommandOutcome Conversation::command(kernel::CommandBody body, std::vector<kernel::CommandBody> then) {
  const auto said = std::make_shared<Said<kernel::CommandOutcome>>();
  const auto tell = teller(said, signal_);
  kernel::CommandRequest asked = request(std::move(body), std::move(then));
  asked.answer = tell;
  parts_.inbox.post(std::move(asked));
  return wait_for(said, *signal_);
}

/// The last message of the conversation, which may be restarted as soon as this message is taken.
void Conversation::pause(kernel::Reason why) {
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->over = true;
  }
  parts_.inbox.post(
      kernel::Command{study_, kernel::kernel_actor, kernel::Pause{kernel::PauseReason::agent, std::move(why)}});
}

void Conversation::end(kernel::Reason ending, std::vector<kernel::CommandBody> before) {
  ended_ = true;
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->over = true;
  }
  before.push_back(kernel::CloseLine{id_, std::move(ending)});
  kernel::CommandBody first = std::move(before.front());
  before.erase(before.begin());
  parts_.inbox.post(request(std::move(first), std::move(before)));
}

void Conversation::converse() {
  struct Begin {
    std::string profile;
    kernel::WorkspaceRecord workspace;
    std::set<std::string> frozen, growing;
    std::vector<kernel::Paper> papers;
    std::vector<std::string> commands;
  };
  const auto begin = inspect<Begin>([this](const kernel::StudyTerms& terms) {
    const kernel::WorkspaceRecord* version = code_base(terms, subject_);
    Begin seen{terms.spec.agents,      version ? *version : terms.workspace, {}, {}, terms.spec.literature.papers,
               commands_of(terms.spec)};
    for (const kernel::ProtectedFile& file : terms.workspace.protect) seen.frozen.insert(file.path);
    // All versions of the code use the environment that the study began with.
    std::set<std::string>& setup = terms.spec.code ? seen.frozen : seen.growing;
    setup.insert(terms.spec.setup_files.begin(), terms.spec.setup_files.end());
    return seen;
  });
  auto assigned = parts_.find_model(begin.profile, role_, id_);
  if (!assigned) return pause({kernel::ReasonCode::no_model_for_role, {{"problem", assigned.problem().text()}}});
  assigned_ = std::move(*assigned);
  base_ = begin.workspace;
  papers_ = begin.papers;
  commands_ = begin.commands;
  branch_ = Branch(parts_.files(begin.workspace.hash), begin.frozen, begin.growing);
  resting_ = false;
  kept_ = {};
  untold_.clear();  // The journal has everything that is needed.
  if (!take_up()) return;
  while (!ended_ && !resting_)
    if (!ask_model()) return;
}

/// Continues from the journal if it has a call, else begins. Returns false if the conversation has ended meanwhile.
bool Conversation::take_up() {
  struct Left {
    std::string about;
    std::optional<kernel::LineOfWork> line;
    std::optional<kernel::ModelCall> call;
  };
  const auto left = inspect<Left>([this](const Study& study) {
    Left seen{subject_words(study, subject_), {}, {}};
    if (const kernel::LineOfWork* line = study.thinking.line(id_)) {
      seen.line = *line;
      if (const kernel::ModelCall* call = study.thinking.call(line->last_call)) seen.call = *call;
    }
    return seen;
  });
  if (left.line && left.line->ended) return false;
  if (!left.call) {
    if (!left.line) done_or_throw(command(kernel::OpenLine{id_, left.about, subject_}));
    remembered_.request = assigned_.template_request;
    remembered_.context = assigned_.context;
    remembered_.request.tools = tools_of(role_, means());
    struct First {
      std::string rules, task;
      int heard;
    };
    const auto first = inspect<First>([this](const Study& study) {
      const std::string code = code_notes(study, subject_, parts_.fetch);
      return First{rules_for(role_, subject_, study), task_for(role_, subject_, study, branch_.entries(), code),
                   static_cast<int>(study.steering.size())};
    });
    remembered_.request.system = told(first.rules);
    remembered_.request.messages.resize(1);
    remembered_.request.messages[0].text = told(first.task);
    remembered_.heard = first.heard;
    return true;
  }
  auto request = request_from_journal(parts_.fetch(left.call->request.sha256), parts_.fetch);
  if (!request) throw std::runtime_error(request.problem().text());
  remembered_ = std::move(*request);
  pictures_ = 0;
  // The configuration may have changed since.
  const models::Request& now = assigned_.template_request;
  if (!now.model.empty()) {
    remembered_.request.model = now.model;
    remembered_.request.max_output = now.max_output;
    remembered_.request.temperature = now.temperature;
    remembered_.context = assigned_.context;
  }
  for (const models::Message& message : remembered_.request.messages)
    for (const models::ToolAnswer& answer : message.answers) pictures_ += static_cast<int>(answer.images.size());
  write_again();
  call_ = left.call->number;
  if (left.call->state != kernel::CallState::answered) return true;  // The call is asked again.
  auto reply = reply_from_journal(parts_.fetch(left.call->reply.sha256));
  if (!reply) throw std::runtime_error(reply.problem().text());
  answer_calls(*reply, left.call->tools);
  return true;
}

kernel::BlobRef Conversation::keep_request() {
  const std::size_t size = remembered_.request.messages.size();
  if (!kept_.blob.sha256.empty()) kept_.messages = std::min(kept_.messages, size - 1);  // The last one may have grown.
  kept_.blob = parts_.keep(kept_.blob.sha256.empty() ? to_journal(remembered_) : to_journal(remembered_, kept_));
  kept_.messages = size;
  return kept_.blob;
}

bool Conversation::ask_model() {
  const auto words = inspect<std::pair<std::string, int>>([this](const kernel::Journal& journal) {
    return std::pair(words_of_people(journal, remembered_.heard), static_cast<int>(journal.steering.size()));
  });
  std::vector<models::Message>& messages = remembered_.request.messages;
  if (!words.first.empty()) {
    models::Message& last = messages.back();
    last.text += (last.text.empty() ? "" : "\n\n") + told(words.first);
  }
  remembered_.heard = words.second;
  if (make_room(remembered_.request, remembered_.context)) kept_ = {};
  const models::TokenUsage aside = models::set_aside(remembered_.request);
  kernel::AskModel ask{id_, assigned_.name, keep_request(), aside.total(), {}};
  if (assigned_.price) ask.usd = models::cost(*assigned_.price, aside);
  {
    // Only calls of `go_on` after this point count.
    const std::lock_guard lock(signal_->mutex);
    signal_->again = false;
  }
  const kernel::CommandOutcome granted = command(ask);
  if (const auto* refused = std::get_if<kernel::Rejection>(&granted))
    pause({kernel::ReasonCode::line_stopped, {{"line", id_}, {"why", std::vector{refused->stated}}}});
  const auto* done = std::get_if<kernel::Done>(&granted);
  if (!done || !done->call) return false;
  call_ = *done->call;

  const auto said = std::make_shared<Said<std::pair<models::ModelOutcome, Attempts>>>();
  const auto tell = teller(said, signal_);
  const double asked_at = now_s();
  const std::uint64_t number = assigned_.model->ask(
      remembered_.request,
      [on_text = parts_.on_text, study = study_, line = id_](std::string_view text) {
        if (on_text) on_text(study, line, text);
      },
      [tell](models::ModelOutcome outcome, Attempts attempts) {
        tell({std::move(outcome), attempts});
      });
  bool stopped = false;
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->cancel = [model = assigned_.model, number] { model->cancel(number); };
    stopped = signal_->stopped;  // `stop` came before `cancel` was set.
  }
  if (stopped) assigned_.model->cancel(number);
  auto [outcome, attempts] = wait_for(said, *signal_);
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->cancel = nullptr;
  }
  kernel::ReportReply report{call_, {}};
  report.end.attempts = attempts.all;
  // The provider may charge for attempts that broke off, but does not report how much.
  const auto add_lost = [&] {
    report.end.tokens.input += attempts.begun * aside.total();
    report.end.usd += attempts.begun * ask.usd.value_or(0);
  };
  report.end.seconds = now_s() - asked_at;
  if (const auto* failure = std::get_if<models::Failure>(&outcome)) {
    const std::string words_of_failure = fmt::format("{}: {}", models::name(failure->kind), failure->message);
    report.end.failure = kernel::as_said(words_of_failure);
    if (failure->began) {
      report.end.tokens = counted(aside);
      report.end.usd = ask.usd.value_or(0);
    }
    report.end.maybe_paid = failure->began || attempts.begun > 0;
    add_lost();
    command(std::move(report));
    pause({kernel::ReasonCode::model_without_reply,
           {{"line", id_}, {"model", assigned_.name}, {"failure", words_of_failure}}});
    return false;
  }
  auto& reply = std::get<models::Reply>(outcome);
  name_calls_apart(reply);
  // If a provider reports no use, or less than the texts can be, the amount that was set aside is charged.
  const models::TokenUsage taken = reply.usage.known && reply.usage.total() > 0 ? reply.usage : aside;
  report.end.reply = parts_.keep(to_journal(reply));
  report.end.tokens = counted(taken);
  report.end.usd = assigned_.price ? models::cost(*assigned_.price, taken) : 0;
  add_lost();
  done_or_throw(command(std::move(report)));
  answer_calls(reply, {});
  return true;
}

void Conversation::nudge(const models::Reply& reply) {
  if (++nudges_ > most_nudges) return end({kernel::ReasonCode::line_without_tools});
  models::Message message;
  message.text = reply.stop == models::Stop::length
                     ? "Your reply was cut off: it was too long. Say less at once, and go on."
                     : "Text outside of tool calls has no effect: call a tool, or `finish` if your part is done.";
  remembered_.request.messages.push_back(std::move(message));
}

}  // namespace agents
