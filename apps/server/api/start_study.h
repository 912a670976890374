#pragma once
// Starts a study for a client.

#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"

namespace server {

/// Reads "jobs", "environment" (the client's variables) and "request" (a token of the client, by which it finds the
/// study again if the answer gets lost). Starts the study, and answers 201 with {"id"} or a problem.
void start_for(Api&, const json& body, session::StartRequest, Response&);

}  // namespace server
