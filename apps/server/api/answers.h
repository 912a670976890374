#pragma once
// How handlers answer: JSON, or a problem as application/problem+json (RFC 9457) with our own members `file`, `line`,
// `todo` and `machine` where they say something. Include httplib first.

#include <optional>
#include <string>

#include <httplib.h>
#include <nlohmann/json.hpp>

#include "base/result.h"
#include "kernel/domain/study_spec.h"
#include "kernel/loop/inbox.h"
#include "memory/store/reader.h"

namespace server {

using httplib::Request;
using httplib::Response;
using nlohmann::json;

void answer(Response&, const json&, int status = 200);
/// The same of a document that is text already, and need not be read to be sent.
void answer_text(Response&, std::string document);
void refuse(Response&, int status, const std::string& title, const std::string& detail = "");
/// 503 where the machine is at fault, else `status`.
void refuse(Response&, const kernel::Problem&, int status = 422);

/// The body as an object; an empty body is an empty one. Nothing: it is none, which has been answered.
std::optional<json> body_of(const Request&, Response&);
/// A member of a body that is not what it should be; `name` with dots where it is deeper.
struct BadMember {
  std::string name, wanted;
};
/// 422, with a JSON pointer to the member.
void refuse_member(Response&, const BadMember&);
/// A parameter of the query that is not what it should be.
struct BadParameter {
  std::string name, wanted;
};

/// A member of a body; the default where it is missing. Throws BadMember where it has another type.
std::string text_in(const json& body, const char* name);
int integer_in(const json& body, const char* name, int low, int high);

/// The member "budget": {"runs", "wall_s", "usd", "tokens", "gpu_hours"}. Throws BadMember.
kernel::Budget budget_in(const json& body);

/// A whole number of the query, not below 0; missing or empty: the default. Throws BadParameter.
int number_in(const Request&, const char* name, int otherwise);
/// All values that the query gives it, and the words between commas of one.
std::vector<std::string> values_of(const Request&, const std::string& name);
std::vector<std::string> words_in(const Request&, const char* name);
/// How many items the query asks a list for: 1 to 1000.
int page_limit(const Request&);

/// The study's document; nothing: there is none, which has been answered.
std::optional<json> study_or_404(const memory::Reader&, const std::string& id, Response&);

/// Sends a command and waits for what becomes of it. True: it is durable; false: the refusal has been answered.
bool obey(Response&, const std::function<void(kernel::Answer)>& send);

}  // namespace server
