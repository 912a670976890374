#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
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
    return api.session.tell({study, "person", std::move(body)}, std::move(answered));
  });
}

void pause(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const std::string reason = text_in(*body, "reason");
  if (!reason.empty() && reason != "person" && reason != "interrupted")
    throw BadMember{"reason", "`person` or `interrupted`"};
  command_study(api, request.matches[1], kernel::Pause{reason.empty() ? "person" : reason, text_in(*body, "detail")},
                response);
}

/// {"jobs", "budget": {"runs", "wall_s", …}}; also for a study that no kernel works on.
void resume(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const session::ResumeRequest wanted{request.matches[1], integer_in(*body, "jobs", 1, 4096), budget_in(*body)};
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
  if (body) command_study(api, request.matches[1], kernel::Steer{text_in(*body, "text")}, response);
}

/// {"hypothesis", "why"}
void withdraw(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (body)
    command_study(api, request.matches[1],
                  kernel::WithdrawHypothesis{text_in(*body, "hypothesis"), text_in(*body, "why")}, response);
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
  if (!id) return;
  if (const auto study = study_or_404(reader, *id, response)) answer(response, *study);
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
  command_study(
      api, gate.substr(0, dash),
      kernel::DecideGate{gate, edits || decision == "approve", text_in(*body, "why"), edits ? arguments->dump() : ""},
      response);
}

void cancel_run(Api& api, const Request& request, Response& response) {
  const std::string run = request.matches[1];
  if (kernel::run_number(run) == 0 || !memory::Reader(api.session.home().root).run(run))
    return refuse(response, 404, "there is no run " + run);
  command_study(api, kernel::run_study(run), kernel::CancelRun{kernel::run_number(run)}, response);
}

}  // namespace

std::vector<Route> control_routes() {
  return {{"POST", "/studies/{id}/pause", "start nothing new", pause},
          {"POST", "/studies/{id}/resume", "go on, with more budget if given", resume},
          {"POST", "/studies/{id}/cancel", "kill what runs and conclude as cancelled", cancel},
          {"POST", "/studies/{id}/steer", "say something to its agents", steer},
          {"POST", "/studies/{id}/withdraw", "withdraw a hypothesis that has no verdict", withdraw},
          {"POST", "/studies/{id}/judge", "say whether the code meets a requirement", judge},
          {"POST", "/studies/{id}/amend", "go on with the code as it is now", amend},
          creating({"POST", "/studies/{id}/fork", "a new study from a point of this one", fork}),
          {"POST", "/gates/{id}", "approve or reject", decide_gate},
          {"POST", "/runs/{id}/cancel", "kill one run", cancel_run}};
}

}  // namespace server
