#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "kernel/domain/enum_names.h"
#include "kernel/study/state.h"

namespace server {

namespace {

/// `tell` asks the session, which may refuse before the kernel is asked; answers with the study afterwards.
void tell_of_study(Api& api, const std::string& study, Response& response,
                   const std::function<std::optional<kernel::Problem>(kernel::Answer)>& tell) {
  const memory::Reader reader(api.session.home().root);
  if (!study_or_404(reader, study, response) || !obey(response, tell)) return;
  if (const auto document = study_or_404(reader, study, response)) answer(response, *document);
}

/// Sends the command for the study; answers with the study afterwards.
void command_study(Api& api, const std::string& study, kernel::CommandBody body, Response& response) {
  tell_of_study(api, study, response, [&](kernel::Answer answered) {
    return api.session.tell({study, kernel::person_actor, std::move(body)}, std::move(answered));
  });
}

void pause(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const std::string given = text_in(*body, "reason");
  const auto reason = given.empty() ? kernel::PauseReason::person : kernel::named<kernel::PauseReason>(given);
  if (reason != kernel::PauseReason::person && reason != kernel::PauseReason::interrupted)
    throw BadMember{"reason", "`person` or `interrupted`"};
  command_study(api, request.matches[1], kernel::Pause{*reason, kernel::as_said(text_in(*body, "detail"))}, response);
}

/// {"jobs", "priority", "budget": {"runs", "wall_s", …}}; also for a study that no kernel works on.
void resume(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  if (const auto other = another_executor(api, *body)) return refuse(response, *other);
  const session::ResumeRequest wanted{request.matches[1], integer_in(*body, "jobs", 1, 4096), budget_in(*body),
                                      priority_in(*body)};
  tell_of_study(api, wanted.study, response,
                [&](kernel::Answer answered) { return api.session.resume(wanted, std::move(answered)); });
}

void cancel(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const std::string why = text_in(*body, "why");
  command_study(api, request.matches[1], kernel::Cancel{why.empty() ? "a person asked for it" : why}, response);
}

void steer(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const std::string text = text_in(*body, "text");
  if (text.empty()) throw BadMember{"text", "a message, which is not empty"};
  command_study(api, request.matches[1], kernel::Steer{text}, response);
}

/// {"hypothesis", "why"}
void withdraw(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (body)
    command_study(api, request.matches[1],
                  kernel::WithdrawHypothesis{kernel::HypothesisId(text_in(*body, "hypothesis")), text_in(*body, "why")},
                  response);
}

/// {"requirement", "met", "why"}: a person's judgement.
void judge(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const auto met = body->find("met");
  if (met == body->end() || !met->is_boolean()) throw BadMember{"met", "true or false"};
  command_study(api, request.matches[1],
                kernel::JudgeRequirement{text_in(*body, "requirement"), met->get<bool>(), text_in(*body, "why")},
                response);
}

/// {"why"}: amends the study's code to the present files.
void amend(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const session::AmendRequest wanted{request.matches[1], text_in(*body, "why")};
  tell_of_study(api, wanted.study, response,
                [&](kernel::Answer answered) { return api.session.amend(wanted, std::move(answered)); });
}

/// {"at": SEQ, "output"}
void fork(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  session::ForkRequest wanted{request.matches[1], 0, text_in(*body, "output")};
  if (!body->contains("at") || !body->at("at").is_number_integer()) throw BadMember{"at", "the seq of an event"};
  wanted.at = body->at("at");
  const memory::Reader reader(api.session.home().root);
  if (!study_or_404(reader, wanted.study, response)) return;
  const auto id =
      opened_by(response, [&](kernel::Answer answered) { return api.session.fork(wanted, std::move(answered)); });
  if (id) answer_opened(api, *id, response);
}

/// GATE is STUDY-gN.
void decide_gate(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const std::string gate = request.matches[1], decision = text_in(*body, "decision");
  if (decision != "approve" && decision != "reject" && decision != "edit")
    throw BadMember{"decision", "`approve`, `reject` or `edit`"};
  const auto arguments = body->find("arguments");
  const bool edits = decision == "edit";
  if (edits && (arguments == body->end() || !arguments->is_object())) throw BadMember{"arguments", "an object"};
  const std::size_t dash = gate.rfind("-g");
  if (dash == std::string::npos) return refuse(response, 404, "there is no gate " + gate);
  command_study(api, gate.substr(0, dash),
                kernel::DecideGate{gate, edits || decision == "approve", kernel::as_said(text_in(*body, "why")),
                                   edits ? arguments->dump() : ""},
                response);
}

void cancel_run(Api& api, const Request& request, Response& response) {
  const std::string run = request.matches[1];
  if (kernel::run_number(run) == 0 || !memory::Reader(api.session.home().root).run(run))
    return refuse(response, 404, "there is no run " + run);
  command_study(api, kernel::run_study(run), kernel::CancelRun{kernel::run_number(run)}, response);
}

std::string folder_in(const json& body) {
  const std::string folder = text_in(body, "folder");
  std::error_code error;
  if (!std::filesystem::path(folder).is_absolute() || folder.find('\0') != folder.npos ||
      !std::filesystem::is_directory(folder, error))
    throw BadMember{"folder", "the absolute path of a folder that is there"};
  return folder;
}

double seconds_in(const json& body, const char* name, double most) {
  const auto found = body.find(name);
  if (found == body.end() || found->is_null()) return 0;
  if (!found->is_number() || !(found->get<double>() > 0) || found->get<double>() > most)
    throw BadMember{name, fmt::format("a number of seconds up to {:.0f}", most)};
  return found->get<double>();
}

/// {"folder", "question", "new"}: returns the study that is open there, or opens one.
void capture(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const session::CaptureRequest wanted{folder_in(*body), text_in(*body, "question")};
  const std::lock_guard one_at_a_time(api.capturing);
  std::string id = body->value("new", json()) == true ? "" : session::open_study(api.session.home(), wanted.folder);
  if (id.empty()) {
    const auto begun =
        opened_by(response, [&](kernel::Answer answered) { return api.session.capture(wanted, std::move(answered)); });
    if (!begun) return;
    id = *begun;
  }
  answer_opened(api, id, response);
}

/// {"command": [words], "folder", "environment", "sandbox", "cpus", "gpus", "timeout_s", "request"}
void exec(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  session::ExecRequest wanted;
  wanted.study = request.matches[1];
  wanted.arguments = texts_in(*body, "command");
  if (wanted.arguments.empty() || wanted.arguments.front().empty())
    throw BadMember{"command", "a list of words, the first a program"};
  wanted.folder = folder_in(*body);
  if (auto environment = environment_in(*body)) wanted.environment = std::move(*environment);
  wanted.sandbox = body->value("sandbox", json()) == true;
  wanted.cpus = integer_in(*body, "cpus", 1, 4096);
  wanted.gpus = integer_in(*body, "gpus", 1, 4096);
  wanted.timeout_s = seconds_in(*body, "timeout_s", 31'536'000);
  wanted.request = text_in(*body, "request");
  if (wanted.request.empty()) throw BadMember{"request", "a word by which the run is found again"};
  const session::HomePaths& home = api.session.home();
  if (!study_or_404(memory::Reader(home.root), wanted.study, response)) return;
  int run = session::ordered_run(home, wanted.study, wanted.request);
  if (run == 0) {
    if (!obey(response, [&](kernel::Answer answered) { return api.session.exec(wanted, std::move(answered)); })) return;
    run = session::ordered_run(home, wanted.study, wanted.request);
  }
  const auto document = memory::Reader(home.root).run(wanted.study + "-r" + std::to_string(run));
  answer(response, document ? json::parse(*document) : json(), 201);
}

/// {"type": "note"|"decision"|"dead_end", "text", "why", "lesson", "alternatives", "runs", "hypothesis"}
void remark(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const std::string type = text_in(*body, "type"), study = request.matches[1];
  kernel::Node node;
  if (type == "note")
    node.type = kernel::NodeType::insight;
  else if (type == "decision")
    node.type = kernel::NodeType::decision;
  else if (type == "dead_end")
    node.type = kernel::NodeType::dead_end;
  else
    throw BadMember{"type", "`note`, `decision` or `dead_end`"};
  node.title = text_in(*body, "text");
  node.hypothesis = kernel::HypothesisId(text_in(*body, "hypothesis"));
  node.alternatives = texts_in(*body, "alternatives");
  node.runs = texts_in(*body, "runs");
  const std::string why = text_in(*body, "why"), lesson = text_in(*body, "lesson");
  if (!why.empty()) node.fields[type == "decision" ? "rationale" : "why_failed"] = why;
  if (!lesson.empty()) node.fields["lesson"] = lesson;
  const memory::Reader reader(api.session.home().root);
  if (!study_or_404(reader, study, response)) return;
  if (!obey(response, [&](kernel::Answer answered) {
        return api.session.tell({study, kernel::person_actor, kernel::RecordNode{std::move(node)}},
                                std::move(answered));
      }))
    return;
  answer(response, json::parse(memory::Reader(api.session.home().root).graph(study)).at("nodes").back(), 201);
}

/// Concludes a study that captures work.
void conclude(Api& api, const Request& request, Response& response) {
  const std::string study = request.matches[1];
  if (!study_or_404(memory::Reader(api.session.home().root), study, response)) return;
  if (!obey(response, [&](kernel::Answer answered) {
        return api.session.tell({study, kernel::person_actor, kernel::Conclude{}}, std::move(answered));
      }))
    return;
  if (const auto document = study_or_404(memory::Reader(api.session.home().root), study, response))
    answer(response, *document);
}

}  // namespace

std::vector<Route> control_routes() {
  return {{"POST", "/studies/{id}/pause", "start nothing new", pause},
          {"POST", "/studies/{id}/resume", "continue, with more budget if given", resume},
          {"POST", "/studies/{id}/cancel", "kill what runs and conclude as cancelled", cancel},
          {"POST", "/studies/{id}/steer", "send a message to its agents", steer},
          {"POST", "/studies/{id}/withdraw", "withdraw a hypothesis that has no verdict", withdraw},
          {"POST", "/studies/{id}/judge", "say whether the code meets a requirement", judge},
          {"POST", "/studies/{id}/amend", "go on with the code as it is now", amend},
          creating({"POST", "/studies/{id}/fork", "start a new study from an event of this one", fork}),
          {"POST", "/gates/{id}", "approve or reject", decide_gate},
          {"POST", "/runs/{id}/cancel", "kill one run", cancel_run},
          creating({"POST", "/captures", "the study that is open in a folder, or one begun to capture the work there",
                    capture}),
          creating({"POST", "/studies/{id}/exec", "run a person's command, as a scratch run", exec}),
          creating({"POST", "/studies/{id}/remarks", "record a person's note, decision or dead end", remark}),
          {"POST", "/studies/{id}/conclude", "end a study that is captured, and package it", conclude}};
}

}  // namespace server
