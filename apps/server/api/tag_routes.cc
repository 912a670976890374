#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "kernel/domain/tagging.h"

namespace server {

namespace {

/// Answers with the study afterwards.
void tag_study(Api& api, const std::string& study, const kernel::Tagging& change, Response& response) {
  const memory::Reader reader(api.session.home().root);
  if (!study_or_404(reader, study, response)) return;
  if (const auto problem = api.session.tag(study, change)) return refuse(response, *problem);
  if (const auto document = study_or_404(reader, study, response)) answer(response, *document);
}

/// {"add": [tags], "remove": [tags]}
void change_tags(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (body) tag_study(api, request.matches[1], {texts_in(*body, "add"), texts_in(*body, "remove")}, response);
}

/// {"archived": false} unarchives.
void archive(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const json archived = body->value("archived", json(true));
  if (!archived.is_boolean()) throw BadMember{"archived", "true or false"};
  tag_study(api, request.matches[1], {{}, {}, archived.get<bool>()}, response);
}

void list_tags(Api& api, const Request& request, Response& response) {
  json items = json::array();
  for (const memory::UsedTag& one : memory::Reader(api.session.home().root).tags())
    items.push_back({{"tag", one.tag}, {"studies", one.studies}});
  answer(response, list_of(request, std::move(items)));
}

}  // namespace

std::vector<Route> tag_routes() {
  return {{"GET", "/tags", "the tags in use", list_tags, paging},
          {"POST", "/studies/{id}/tags", "add and remove tags, also after its end", change_tags},
          {"POST", "/studies/{id}/archive", "leave it out of lists, or list it again", archive}};
}

}  // namespace server
