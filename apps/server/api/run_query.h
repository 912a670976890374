#pragma once
// What the query of a request asks of a study's runs.

#include <string>

#include "apps/server/api/answers.h"
#include "apps/session/watch/public_view.h"
#include "memory/store/reader.h"

namespace server {

/// `where`: FACTOR=LEVEL; `state` and `numbers`: several between commas. Throws BadParameter.
memory::RunQuery run_query_in(const Request&, const session::Withheld&);
/// Adds what `sort` asks for. Throws BadParameter.
void read_order(const Request&, memory::RunQuery&);
/// Whether the query names a factor or metric that no run of the study has; then the refusal was sent.
bool refused_unknown_name(const memory::Reader&, const std::string& study, const memory::RunQuery&, Response&);
/// The `metric` that is asked for, else the primary one of the study's document, else its first; empty if it has none.
std::string metric_in(const Request&, const json& study);

}  // namespace server
