#include "agents/thinking/conversation/conversation.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "agents/thinking/briefing/briefing.h"
#include "agents/thinking/calls/fit_for_services.h"
#include "agents/thinking/tools/offers.h"
#include "kernel/domain/journal.h"
#include "kernel/study/requirements.h"
#include "kernel/study/sealed_seeds.h"

namespace agents {

using kernel::Study;

namespace {

constexpr int usual_most_replies = 80;

int answered_calls(const kernel::Journal& journal, const std::string& line) {
  int count = 0;
  for (const kernel::ModelCall& call : journal.thinking.calls)
    count += call.state == kernel::CallState::answered &&
             journal.thinking.lines.at(static_cast<std::size_t>(call.line)).id == line;
  return count;
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

void Conversation::stop(bool for_good) {
  std::function<void(bool)> cancel;
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->stopped = true;
    cancel = signal_->cancel;
  }
  signal_->changed.notify_all();
  if (cancel) cancel(for_good);
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
    int most_replies = 0;
  };
  const auto begin = inspect<Begin>([this](const kernel::StudyTerms& terms) {
    const kernel::WorkspaceRecord* version = code_base(terms, subject_);
    Begin seen{terms.spec.agents,
               version ? *version : terms.workspace,
               {},
               {},
               terms.spec.literature.papers,
               commands_of(terms.spec),
               terms.spec.code && terms.code.step(id_) ? terms.spec.code->calls : 0};
    for (const kernel::ProtectedFile& file : terms.workspace.protect) seen.frozen.insert(file.path);
    // All versions of the code use the environment that the study began with.
    std::set<std::string>& setup = terms.spec.code ? seen.frozen : seen.growing;
    setup.insert(terms.spec.setup_files.begin(), terms.spec.setup_files.end());
    return seen;
  });
  profile_ = begin.profile;
  most_replies_ = begin.most_replies > 0 ? begin.most_replies : usual_most_replies;
  if (!assign("")) return;
  base_ = begin.workspace;
  papers_ = begin.papers;
  commands_ = begin.commands;
  branch_ = Branch(parts_.files(begin.workspace.hash), begin.frozen, begin.growing);
  resting_ = false;
  kept_ = {};
  untold_.clear();  // The journal has everything that is needed.
  useless_.clear();
  shown_.clear();
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
    int replies = 0;
  };
  const auto left = inspect<Left>([this](const Study& study) {
    Left seen{subject_words(study, subject_), {}, {}, answered_calls(study, id_)};
    if (const kernel::LineOfWork* line = study.thinking.line(id_)) {
      seen.line = *line;
      if (const kernel::ModelCall* call = study.thinking.call(line->last_call)) seen.call = *call;
    }
    return seen;
  });
  if (left.line && left.line->ended) return false;
  replies_ = left.replies;
  counted_ = {};
  nudges_ = waits_ = too_long_ = 0;
  if (!left.call) {
    if (!left.line) done_or_throw(command(kernel::OpenLine{id_, left.about, subject_}));
    remembered_.request = assigned_.template_request;
    remembered_.context = assigned_.context;
    begin_with("");
    return true;
  }
  auto request = request_from_journal(parts_.fetch(left.call->request.sha256), parts_.fetch);
  if (!request) throw std::runtime_error(request.problem().text());
  remembered_ = std::move(*request);
  pictures_ = 0;
  // It took over before.
  if (!assigned_.fallback.empty() && assigned_.fallback == left.call->model && !assign(left.call->model)) return false;
  take_settings();
  for (const models::Message& message : remembered_.request.messages)
    for (const models::ToolAnswer& answer : message.answers) pictures_ += static_cast<int>(answer.images.size());
  write_again();
  call_ = left.call->number;
  if (left.call->in_batch()) return hear({models::set_aside(remembered_.request), left.call->usd, &*left.call->batch});
  if (left.call->state != kernel::CallState::answered) return true;  // The call is asked again.
  auto reply = reply_from_journal(parts_.fetch(left.call->reply.sha256));
  if (!reply) throw std::runtime_error(reply.problem().text());
  // A refusal is asked again.
  if (reply->stop == models::Stop::withheld && reply->calls.empty() && !remembered_.summing) return true;
  --replies_;  // It is counted when it is used.
  return use_reply(*reply, left.call->tools);
}

/// The configuration may have changed since the request was stored.
void Conversation::take_settings() {
  const models::Request& now = assigned_.template_request;
  if (now.model.empty()) return;
  models::Request& request = remembered_.request;
  request.model = now.model;
  request.max_output = now.max_output;
  request.temperature = now.temperature;
  request.effort = now.effort;
  request.extra = now.extra;
  request.stream = now.stream;
  remembered_.context = assigned_.context;
}

/// The model of the role, or another one by its name in the configuration. Returns false if the study is paused,
/// because there is none.
bool Conversation::assign(const std::string& instead) {
  auto assigned = parts_.find_model({profile_, role_, id_, instead});
  if (!assigned) {
    pause({kernel::ReasonCode::no_model_for_role, {{"problem", assigned.problem().text()}}});
    return false;
  }
  assigned_ = std::move(*assigned);
  return true;
}

void Conversation::begin_with(const std::string& before) {
  struct First {
    std::string rules, task, known;
    int heard;
  };
  const kernel::LinePurpose purpose = purpose_of(role_, subject_);
  const WorkspaceView view = view_of(branch_, quotes_files(purpose));
  useless_ = inspect<std::set<std::string>>([&](const Study& study) { return useless_tools(study, purpose, view); });
  remembered_.request.tools = tools_of(role_, means());
  Given offered;
  for (const models::Tool& tool : remembered_.request.tools) offered.insert(tool.name);
  const auto first = inspect<First>([&](const Study& study) {
    return First{rules_for(role_, subject_, study, offered), task_for(role_, subject_, study, view, parts_.fetch),
                 study.text, static_cast<int>(study.steering.size())};
  });
  remembered_.request.system = told(first.rules);
  remembered_.request.messages.assign(1, {});
  remembered_.request.messages[0].text = told(first.task) + before;
  remembered_.heard = first.heard;
  shown_ = purpose == kernel::LinePurpose::write ? std::vector<kernel::ReadLines>() : lines_shown(view, first.known);
}

/// "Recorded as R2, bound to lines 1 to 3 of that file."
std::string Conversation::bound_words(const kernel::StudyRequirement& bound) {
  const std::string id = !bound.id.empty() ? bound.id : inspect<std::string>([](const kernel::Journal& journal) {
    return kernel::next_requirement(journal);
  });
  return fmt::format(
      "Recorded as {}{}.", id,
      bound.file.empty() ? "" : fmt::format(", bound to lines {} to {} of that file", bound.from, bound.to));
}

kernel::BlobRef Conversation::keep_request() {
  const std::size_t size = remembered_.request.messages.size();
  if (!kept_.blob.sha256.empty()) kept_.messages = std::min(kept_.messages, size - 1);  // The last one may have grown.
  kept_.blob = parts_.keep(kept_.blob.sha256.empty() ? to_journal(remembered_) : to_journal(remembered_, kept_));
  kept_.messages = size;
  return kept_.blob;
}

}  // namespace agents
