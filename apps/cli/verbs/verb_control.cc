
#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/signals.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/views/gate_text.h"
#include "apps/cli/work/follow_studies.h"
#include "apps/cli/work/lookup.h"
#include "apps/cli/work/send_command.h"
#include "apps/session/home/home.h"
#include "apps/session/plan/gate_plan.h"
#include "apps/session/watch/waiting_gates.h"
#include "kernel/domain/enum_names.h"
#include "memory/store/reader.h"

namespace cli {

namespace {

struct ControlOptions {
  std::string id, text, hypothesis, requirement;
  bool met = false, unmet = false;
  std::int64_t at = 0;
  std::string edited;
};

/// Prints the present state of the study.
int show_standing(const Context& context, const std::string& id, const std::string& said) {
  if (context.json)
    print_json(nlohmann::json::parse(memory::Reader(context.home()).study(id).value()));
  else
    fmt::print("{}\n", said);
  return ok;
}

template <typename Body>
int command_study(const Context& context, const std::string& wanted, const char* path, Body body,
                  const nlohmann::json& request, const std::string& said) {
  const auto study = study_named(memory::Reader(context.home()), wanted);
  if (!study) return fail(bad_input, study.problem());
  const std::string id = text_at(*study, "id");
  const int code = tell(context, {id, kernel::person_actor, std::move(body)}, "/studies/" + id + path, request);
  return code == ok ? show_standing(context, id, fmt::format(fmt::runtime(said), id)) : code;
}

int pause(const Context& context, const ControlOptions& options) {
  return command_study(context, options.id, "/pause", kernel::Pause{kernel::PauseReason::person},
                       {{"reason", name(kernel::PauseReason::person)}},
                       "{0} starts no new runs; `etude resume {0}` continues it");
}

int steer(const Context& context, const ControlOptions& options) {
  return command_study(context, options.id, "/steer", kernel::Steer{options.text}, {{"text", options.text}},
                       "{0}: recorded; agents with a model will read it, the built-in agents do not");
}

int withdraw(const Context& context, const ControlOptions& options) {
  return command_study(context, options.id, "/withdraw",
                       kernel::WithdrawHypothesis{kernel::HypothesisId(options.hypothesis), options.text},
                       {{"hypothesis", options.hypothesis}, {"why", options.text}},
                       "{0}: " + options.hypothesis + " is withdrawn; it keeps its slot in the family");
}

int judge(const Context& context, const ControlOptions& options) {
  const auto study = study_named(memory::Reader(context.home()), options.id);
  const bool ended = study && text_at(*study, "state") == "ended";
  const std::string again = ended ? "; write the artifact again: `etude artifact {0} -o DIR`" : "";
  return command_study(
      context, options.id, "/judge", kernel::JudgeRequirement{options.requirement, options.met, options.text},
      {{"requirement", options.requirement}, {"met", options.met}, {"why", options.text}},
      "{0}: " + options.requirement + " is " + (options.met ? "met" : "not met") + ", as you judged" + again);
}

/// The new ids of hypotheses: withdrawn ones are in the same order as those that replace them.
std::string tested_anew(const nlohmann::json& before, const nlohmann::json& after) {
  std::vector<std::string> withdrawn, fresh;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const nlohmann::json& h = after[i];
    if (i >= before.size())
      fresh.push_back(text_at(h, "id") +
                      (text_at(h, "status") == "exploratory" ? " (explored only: the family is full)" : ""));
    else if (h.at("withdrawn") != before[i].at("withdrawn"))
      withdrawn.push_back(text_at(h, "id"));
  }
  if (fresh.empty()) return "; no value had been seen, so every hypothesis keeps its slot";
  return fmt::format("; values had been seen, so {} {} withdrawn and tested anew as {}", fmt::join(withdrawn, ", "),
                     withdrawn.size() == 1 ? "is" : "are", fmt::join(fresh, ", "));
}

/// An amendment takes the files of the workspace and nothing of the study file.
void warn_of_changed_file(const memory::Reader& reader, const std::string& id) {
  const auto opened = reader.moments(id, 0, 1, "StudyOpened");
  if (opened.empty()) return;
  const auto payload = nlohmann::json::parse(opened.front().payload);
  const std::string path = payload.at("spec").at("file");
  std::ifstream file(path, std::ios::binary);
  if (!file) return;
  const std::string now{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (now == payload.value("text", now)) return;
  fmt::print(stderr,
             "warning: {}: it has changed since {} was opened, and the study keeps what it said then; for another "
             "command or design, start a new study\n",
             printable(path), id);
}

int amend(const Context& context, const ControlOptions& options) {
  const memory::Reader reader(context.home());
  const auto study = study_named(reader, options.id);
  if (!study) return fail(bad_input, study.problem());
  const std::string id = text_at(*study, "id");
  const auto before = nlohmann::json::parse(reader.hypotheses(id));
  warn_of_changed_file(reader, id);
  if (const int code = tell_amended(context, {id, options.text}); code != ok) return code;
  const auto after = nlohmann::json::parse(memory::Reader(context.home()).hypotheses(id));
  return show_standing(
      context, id,
      id + ": its code was frozen as it is now; the check, the sizing and the registration are repeated" +
          tested_anew(before, after));
}

/// If no kernel owns the home, this process adopts the study's runs and ends them.
int cancel(const Context& context, const ControlOptions& options) {
  const auto study = study_named(memory::Reader(context.home()), options.id);
  if (!study) return fail(bad_input, study.problem());
  if (text_at(*study, "state") == "ended")
    return fail(bad_input, "study " + text_at(*study, "id"), "has ended", "`etude show` says how");
  FollowRequest request;
  request.resume.study = text_at(*study, "id");
  request.cancel = true;
  request.why = options.text.empty() ? "a person asked for it" : options.text;
  hold_signals();
  // The output is one JSON document, without the events.
  LiveView view(context.json ? LiveView::Style::silent : LiveView::style_for(false));
  session::Notifier notifier = notifier_of(context, view);
  const auto ended = follow_studies(context, view, notifier, {std::move(request)});
  release_signals();
  if (!ended) return fail(bad_input, ended.problem());
  print_endings(context, *ended);
  return ended->empty() || ended->front().state != kernel::StudyState::ended ? interrupted : ok;
}

int fork(const Context& context, const ControlOptions& options) {
  const auto study = study_named(memory::Reader(context.home()), options.id);
  if (!study) return fail(bad_input, study.problem());
  session::ForkRequest request{text_at(*study, "id"), options.at, ""};
  if (!options.text.empty()) request.output = absolute_path(options.text);
  const auto id = fork_anywhere(context, request);
  if (!id) return fail(bad_input, id.problem());
  return show_standing(
      context, *id,
      fmt::format("{0}: forked from {1} at event {2}; `etude resume {0}` goes on", *id, request.study, options.at));
}

/// The study of a gate: STUDY-gN.
kernel::Result<std::string> study_of_gate(const Context& context, const std::string& gate) {
  const std::size_t dash = gate.rfind("-g");
  const std::string study = dash == std::string::npos ? "" : gate.substr(0, dash);
  if (memory::Reader(context.home()).study(study)) return study;
  return kernel::Problem{"", 0, "gate `" + gate + "`", "no gate has this id", "`etude gates` lists them"};
}

int decide_gate(const Context& context, const ControlOptions& options, bool approve) {
  const auto study = study_of_gate(context, options.id);
  if (!study) return fail(bad_input, study.problem());
  nlohmann::json request = {{"decision", approve ? "approve" : "reject"}, {"why", options.text}};
  if (!options.edited.empty()) {
    request["decision"] = "edit";
    request["arguments"] = nlohmann::json::parse(options.edited, nullptr, false);
    if (!request["arguments"].is_object())
      return fail(bad_input, {"", 0, "--edit", "it is not a JSON object", "give all arguments of the tool"});
  }
  const int code = tell(context,
                        {*study, kernel::person_actor,
                         kernel::DecideGate{options.id, approve, kernel::as_said(options.text), options.edited}},
                        "/gates/" + options.id, request);
  if (code != ok) return code;
  const bool waited_for = session::owner_of(session::HomePaths{context.home()}).has_value();
  return show_standing(context, *study,
                       fmt::format("gate {} {}{}", options.id, approve ? "approved" : "rejected",
                                   waited_for ? "" : "; `etude resume " + *study + "` goes on"));
}

int gates(const Context& context, const ControlOptions& options) {
  const memory::Reader reader(context.home());
  nlohmann::json list = nlohmann::json::array();
  if (options.id.empty()) {
    list = session::waiting_gates(reader);
  } else {
    const auto study = study_named(reader, options.id);
    if (!study) return fail(bad_input, study.problem());
    for (nlohmann::json gate : study->at("gates")) {
      gate["study"] = study->at("id");
      list.push_back(std::move(gate));
    }
  }
  if (context.json) {
    print_json(list);
    return ok;
  }
  std::optional<nlohmann::json> study;
  for (const nlohmann::json& gate : list) {
    if (!study || study->at("id") != gate.at("study")) {
      study = nlohmann::json::parse(reader.study(text_at(gate, "study")).value());
      add_allowed(context, reader, *study);
    }
    const auto known =
        std::ranges::find(study->at("gates"), gate.at("id"), [](const nlohmann::json& one) { return one.at("id"); });
    print_text(gate_text(*study, known == study->at("gates").end() ? gate : *known, standard_screen()));
  }
  if (list.empty()) fmt::print("no gate {}\n", options.id.empty() ? "waits" : "has been opened");
  return ok;
}

}  // namespace

void add_allowed(const Context& context, const memory::Reader& reader, nlohmann::json& study) {
  if (study.at("state") == "ended") return;
  const std::string home = context.home(), id = text_at(study, "id");
  const session::PlanPlace place{home, *context.backend, nullptr};
  std::optional<kernel::State> state;
  for (nlohmann::json& gate : study.at("gates")) {
    const auto on = kernel::named<kernel::GateOn>(text_at(gate, "on"));
    if (!gate.at("decision").is_null() || !on) continue;
    if (*on != kernel::GateOn::hypotheses && *on != kernel::GateOn::experiments) continue;
    if (!state) state = reader.load_active(id);
    if (const kernel::Study* loaded = state->study(id)) gate["allows"] = session::gate_plan_shape(*loaded, *on, place);
  }
}

void add_control(CLI::App& app, Context& context) {
  const auto add = [&](const char* name, const char* what, int (*act)(const Context&, const ControlOptions&)) {
    return add_verb(app, context, name, what, act);
  };
  const auto add_for_study = [&](const char* name, const char* what, auto act) {
    const auto added = add(name, what, act);
    added.first->add_option("ID", added.second->id, "the study")->required();
    return added;
  };
  add_for_study("pause", "start no new runs; running ones continue to their end", pause);
  const auto [cancelling, cancelled] =
      add_for_study("cancel", "kill the running jobs, and conclude the study as cancelled", cancel);
  cancelling->add_option("--why", cancelled->text, "the reason, which is recorded");
  const auto [steering, steered] = add_for_study("steer", "send a message to a study's agents", steer);
  steering->add_option("TEXT", steered->text, "the message")->required();
  const auto [withdrawing, withdrawn] =
      add_for_study("withdraw", "withdraw a hypothesis that has no verdict yet", withdraw);
  withdrawing->add_option("HYPOTHESIS", withdrawn->hypothesis, "its id, such as H2")->required();
  withdrawing->add_option("--why", withdrawn->text, "the reason, which is recorded")->required();
  const auto [judging, judged] = add_for_study("judge", "say whether the code does what the question requires", judge);
  judging->add_option("REQUIREMENT", judged->requirement, "its id, such as R2; `etude show` lists them")->required();
  CLI::Option_group* verdict = judging->add_option_group("verdict");
  verdict->require_option(1);
  verdict->add_flag("--met", judged->met, "the code does it");
  verdict->add_flag("--unmet", judged->unmet, "it does not");
  judging->add_option("--why", judged->text, "the reason, which is recorded")->required();
  const auto [amending, amended] = add_for_study("amend", "continue with the code as it is now", amend);
  amending->add_option("--why", amended->text, "the reason, which is recorded")->required();
  const auto [forking, forked] = add_for_study("fork", "start a new study from an event of this one", fork);
  forking->add_option("--at", forked->at, "number of the last event that the new study keeps")->required();
  forking->add_option("-o", forked->text, "folder for its artifact");
  const auto [listing, listed] = add("gates", "where studies wait for a person", gates);
  listing->add_option("ID", listed->id, "the study (default: every gate that waits)");
  const auto [approving, approved] =
      add("approve", "approve what a gate asks, so that the study continues",
          [](const Context& c, const ControlOptions& o) { return decide_gate(c, o, true); });
  approving->add_option("GATE", approved->id, "STUDY-gN")->required();
  approving->add_option("--why", approved->text, "the reason, which is recorded; the answer to an agent's question");
  approving->add_option("--edit", approved->edited, "other arguments for the tool: a JSON object");
  const auto [rejecting, rejected] =
      add("reject", "reject what a gate asks",
          [](const Context& c, const ControlOptions& o) { return decide_gate(c, o, false); });
  rejecting->add_option("GATE", rejected->id, "STUDY-gN")->required();
  rejecting->add_option("--why", rejected->text, "the reason, which is recorded")->required();
}

}  // namespace cli
