#pragma once
// Starting a study on a client's behalf.

#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"

namespace server {

/// Reads "jobs", "environment" (variables of whoever starts it) and "request" (a word of the client's own, by which it
/// finds the study again if the answer gets lost); starts, and answers 201 with {"id"} or a problem.
void start_for(Api&, const json& body, session::StartRequest, Response&);

}  // namespace server
