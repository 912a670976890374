// What the agents of a study said and changed: conversations with models, and the difference of their code.
#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "artifacts/transcripts/transcript_shapes.h"
#include "memory/files/blobs.h"

namespace server {

namespace {

void list_conversations(Api& api, const Request& request, Response& response) {
  const std::string id = request.matches[1];
  if (!study_or_404(memory::Reader(api.session.home().root), id, response)) return;
  json items = json::array();
  const auto unread = api.conversations.show(id, [&](const std::vector<artifacts::Transcript>& all) {
    for (const artifacts::Transcript& one : all)
      if (!one.steps.empty()) items.push_back(artifacts::summary_shape(one, api.session.redactor()));
  });
  if (unread) return refuse(response, *unread, 404);
  answer(response, list_of(request, std::move(items)));
}

/// `from`: the number of the first step that is wanted.
void show_conversation(Api& api, const Request& request, Response& response) {
  const std::string id = request.matches[1], line = request.matches[2];
  if (!study_or_404(memory::Reader(api.session.home().root), id, response)) return;
  const auto from = static_cast<std::size_t>(number_in(request, "from", 0));
  json shape;
  const auto unread = api.conversations.show(id, [&](const std::vector<artifacts::Transcript>& all) {
    const auto found = std::ranges::find(all, line, &artifacts::Transcript::line);
    if (found != all.end()) shape = artifacts::transcript_shape(*found, from, api.session.redactor());
  });
  if (unread) return refuse(response, *unread, 404);
  if (shape.is_null()) return refuse(response, 404, "study " + id + " has no conversation " + line);
  shape["from"] = from;
  answer(response, shape);
}

/// The study's `agents_code`, with the difference as text in place of its hash.
void show_code_of_agents(Api& api, const Request& request, Response& response) {
  const std::string id = request.matches[1];
  const auto study = study_or_404(memory::Reader(api.session.home().root), id, response);
  if (!study) return;
  const auto code = study->find("agents_code");
  if (code == study->end() || !code->contains("diff"))
    return refuse(response, 404, "no agent has changed the code of study " + id);
  json shape = *code;
  const memory::Blobs blobs(api.session.home().blobs());
  shape["diff"] = api.session.redactor()(blobs.get(shape.at("diff")));
  answer(response, shape);
}

}  // namespace

std::vector<Route> conversation_routes() {
  return {{"GET", "/studies/{id}/conversations", "what its agents and models said to each other, in short",
           list_conversations, paging},
          {"GET",
           "/studies/{id}/conversations/{line}",
           "one conversation, step by step",
           show_conversation,
           {{"from", "integer", "the number of the first step that is wanted, counted from 0"}}},
          {"GET", "/studies/{id}/agents-code", "what an agent changed of its code, line by line", show_code_of_agents}};
}

}  // namespace server
