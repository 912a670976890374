#pragma once
// Answers of handlers: JSON, or a problem as application/problem+json (RFC 9457) with the additional members `file`,
// `line`, `todo` and `machine` unless they are empty. Include httplib first.

#include <optional>
#include <string>

#include <httplib.h>
#include <nlohmann/json.hpp>

#include "apps/server/protocol/protocol.h"
#include "base/result.h"
#include "kernel/domain/study_spec.h"
#include "kernel/loop/inbox.h"
#include "memory/store/reader.h"

namespace server {

using httplib::Request;
using httplib::Response;
using nlohmann::json;

void answer(Response&, const json&, int status = 200);
/// Sends a document that is JSON text already, without parsing it.
void answer_text(Response&, std::string document);
void refuse(Response&, ProblemType, const std::string& title, const std::string& detail = "");
/// With the first type of this status.
void refuse(Response&, int status, const std::string& title, const std::string& detail = "");
/// Sends 503 if the machine is at fault, else `status`.
void refuse(Response&, const kernel::Problem&, int status = 422);

/// The body as an object; an empty body is an empty object. None if it is no object; then the refusal was sent.
std::optional<json> body_of(const Request&, Response&);
/// A wrong member of a body; `name` has dots for inner members.
struct BadMember {
  std::string name, wanted;
};
/// Sends 422 with a JSON pointer to the member.
void refuse_member(Response&, const BadMember&);
/// A wrong parameter of the query.
struct BadParameter {
  std::string name, wanted;
};
/// Whether a parameter is given, and not as `false` or `0`.
bool asks_for(const Request&, const char* name);
/// The first parameter of the query that is not `known`, with the nearest known one in the refusal. Returns whether one
/// was refused.
bool refused_unknown(const Request&, const std::vector<std::string>& known, Response&);

/// A member of a body; the default if it is missing. Throws BadMember if it has another type.
std::string text_in(const json& body, const char* name);
int integer_in(const json& body, const char* name, int low, int high);
std::vector<std::string> texts_in(const json& body, const char* name);
/// The member "priority"; none if it is missing. Throws BadMember.
std::optional<int> priority_in(const json& body);

/// The member "environment", variables with their values; none if it is missing. Throws BadMember.
std::optional<std::map<std::string, std::string>> environment_in(const json& body);
/// The member "budget": {"runs", "wall_s", "usd", "tokens", "gpu_hours"}. Throws BadMember.
kernel::Budget budget_in(const json& body);

/// A whole number of the query, from 0 to the greatest int; the default if it is missing or empty. Throws BadParameter
/// with `wanted`.
int number_in(const Request&, const char* name, int otherwise, const char* wanted = "a whole number up to 2147483647");
/// All values of the parameter, each split at commas.
std::vector<std::string> values_of(const Request&, const std::string& name);
std::vector<std::string> words_in(const Request&, const char* name);
/// What `order` may say, for the descriptions of routes.
inline constexpr const char* known_directions =
    "oldest or asc (the default): the oldest first, or the least; newest or desc: the newest, or the greatest";
/// Whether the query's `order` asks for the newest first, or the greatest. Throws BadParameter.
bool newest_first(const Request&);
/// The page size that the query asks for: 1 to 1000.
int page_limit(const Request&);
/// The part of a whole list that the query asks for: {"items","cursor","total"}. `cursor` is the number of items before
/// it, so the list may only grow at its end. Throws BadParameter.
json page_of(const Request&, json list);
/// The same, but all of the list without a `limit`.
json list_of(const Request&, json list);
/// Whether the query has a `limit` or a `cursor`. Without them some lists are sent whole, as plain arrays.
bool asks_for_page(const Request&);

/// The media type of a file, by the end of its name. Text and pictures are shown by a browser, everything else is only
/// saved; never is markup or a script run.
const char* type_of_file(std::string_view path);
/// Of one file that is sent.
inline constexpr std::int64_t largest_file = 64 << 20;

/// The study's document; none if there is no such study; then the refusal was sent.
std::optional<json> study_or_404(const memory::Reader&, const std::string& id, Response&);
/// The folder of its artifact; none, and a 404 that says why, if there is none yet or no longer.
std::optional<std::string> artifact_or_404(const memory::Reader&, const std::string& id, Response&);

/// Asks the session for something and waits for the kernel's answer. True if it is durable; false if the refusal was
/// sent. `status`: of a problem that the session finds.
bool obey(Response&, const std::function<std::optional<kernel::Problem>(kernel::Answer)>& ask, int status = 409);
/// The same for a new study: its id.
std::optional<std::string> opened_by(Response&, const std::function<kernel::Result<std::string>(kernel::Answer)>& open,
                                     int status = 409);

/// A file that somebody else wrote. Drawings in SVG are shown too, without their scripts.
void answer_file(Response&, std::string bytes, std::string_view path);

}  // namespace server
