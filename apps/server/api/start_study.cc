#include "apps/server/api/start_study.h"

#include "artifacts/words/study_words.h"
#include "artifacts/write/package.h"
#include "kernel/views/plan.h"
#include "programs/run_program.h"

namespace server {

namespace {

std::map<std::string, std::string> environment_in(const json& body) {
  if (!body.contains("environment")) return programs::own_environment();
  if (!body.at("environment").is_object()) throw BadMember{"environment", "an object of texts"};
  return body.at("environment").get<std::map<std::string, std::string>>();
}

}  // namespace

void start_for(Api& api, const json& body, session::StartRequest start, Response& response) {
  start.jobs = integer_in(body, "jobs", 1, 4096);
  start.environment = environment_in(body);
  start.request = text_in(body, "request");
  if (const auto usable = artifacts::may_replace(start.output); !usable) return refuse(response, usable.problem());
  for (const kernel::PlannedHypothesis& h : kernel::plan_of(start.spec).hypotheses)
    if (h.refused)
      return refuse(response, kernel::Problem{start.spec.file, 0, "hypothesis " + h.hypothesis.id,
                                              artifacts::without_stop(h.note), "see `etude plan`"});
  std::optional<kernel::Problem> problem;
  std::string id;
  const bool opened = obey(response, [&](const kernel::Answer& answered) {
    const auto started = api.session.start(start, answered);
    if (started)
      id = *started;
    else
      problem = started.problem(), answered(kernel::Rejection{"refused"});
  });
  if (problem) return refuse(response, *problem);
  if (opened) answer(response, {{"id", id}}, 201);
}

}  // namespace server
