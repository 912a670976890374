#pragma once
// What the query of a request asks of a study's runs.

#include <optional>
#include <string>

#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/session/watch/public_view.h"
#include "memory/store/reader.h"

namespace server {

struct RunOfStudy {
  json study, run;
};
/// The run of the path, as `Withheld` shows it. None if there is no such run; then the refusal was sent.
std::optional<RunOfStudy> run_or_404(Api&, const Request&, Response&);

/// Answers that `what` ("the log") of the run is withheld, and how to see it.
void refuse_withheld(Response&, const json& run, const std::string& what);
/// Records in the study, once a run, that a person looks at `what` of it. False if that cannot be; then the refusal was
/// sent.
bool record_look(Api&, const json& run, const std::string& what, Response&);

/// `where`: FACTOR=LEVEL; `state` and `numbers`: several between commas. Throws BadParameter.
memory::RunQuery run_query_in(const Request&, const session::Withheld&);
/// Adds what `sort` asks for. Throws BadParameter.
void read_order(const Request&, memory::RunQuery&);
/// Whether the query names a factor or metric that no run of the study has; then the refusal was sent.
bool refused_unknown_name(const memory::Reader&, const std::string& study, const memory::RunQuery&, Response&);
/// The `metric` that is asked for, else the primary one of the study's document, else its first; empty if it has none.
std::string metric_in(const Request&, const json& study);

}  // namespace server
