#include "agents/thinking/calls/journal_codec.h"

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "models/protocols/dialect.h"

namespace agents {

using nlohmann::json;

namespace {

constexpr int version = 1, continued = 2;

/// Images are named by their blobs, which the frozen workspace has, so no request holds a copy.
json images_json(const std::vector<models::Image>& images) {
  json list = json::array();
  for (const models::Image& image : images)
    list.push_back({{"media_type", image.media_type}, {"sha256", kernel::sha256_hex(image.bytes)}});
  return list;
}

std::vector<models::Image> images_of(const json& message, const FetchBlob& fetch) {
  std::vector<models::Image> images;
  for (const json& one : message.value("images", json::array()))
    images.push_back({one.at("media_type"), fetch(one.at("sha256").get<std::string>())});
  return images;
}

json calls_json(const std::vector<models::ToolCall>& calls) {
  json list = json::array();
  for (const models::ToolCall& call : calls)
    list.push_back({{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
  return list;
}

std::vector<models::ToolCall> calls_of(const json& object) {
  std::vector<models::ToolCall> calls;
  for (const json& one : object.value("calls", json::array()))
    calls.push_back({one.at("id"), one.at("name"), one.at("arguments")});
  return calls;
}

json opaque_json(const models::Opaque& opaque) {
  json one = {{"from", opaque.from}};
  if (!opaque.extra.empty()) one["extra"] = opaque.extra;
  for (const models::Part& part : opaque.parts) {
    json written = part.kind == models::Part::Kind::call     ? json{{"call", part.call}}
                   : part.kind == models::Part::Kind::opaque ? json{{"opaque", part.text}}
                                                             : json{{"text", part.text}};
    if (!part.extra.empty()) written["extra"] = part.extra;
    one["parts"].push_back(std::move(written));
  }
  return one;
}

models::Opaque opaque_of(const json& object) {
  models::Opaque opaque;
  const auto it = object.find("opaque");
  if (it == object.end()) return opaque;
  opaque.from = it->at("from");
  opaque.extra = it->value("extra", "");
  for (const json& one : it->value("parts", json::array())) {
    models::Part part;
    part.extra = one.value("extra", "");
    if (one.contains("call")) {
      part.kind = models::Part::Kind::call;
      part.call = one.at("call");
    } else {
      const bool text = one.contains("text");
      part.kind = text ? models::Part::Kind::text : models::Part::Kind::opaque;
      part.text = one.at(text ? "text" : "opaque");
    }
    opaque.parts.push_back(std::move(part));
  }
  return opaque;
}

json message_json(const models::Message& message) {
  json one = {{"by", message.by == models::Speaker::assistant ? "assistant" : "user"}, {"text", message.text}};
  if (!message.images.empty()) one["images"] = images_json(message.images);
  if (!message.calls.empty()) one["calls"] = calls_json(message.calls);
  if (!message.opaque.empty()) one["opaque"] = opaque_json(message.opaque);
  for (const models::ToolAnswer& answer : message.answers) {
    json said = {{"call", answer.call}, {"text", answer.text}, {"failed", answer.failed}};
    if (!answer.images.empty()) said["images"] = images_json(answer.images);
    one["answers"].push_back(std::move(said));
  }
  return one;
}

models::Message message_of(const json& one, const FetchBlob& fetch) {
  models::Message message;
  message.by = one.at("by") == "assistant" ? models::Speaker::assistant : models::Speaker::user;
  message.text = one.at("text");
  message.images = images_of(one, fetch);
  message.calls = calls_of(one);
  message.opaque = opaque_of(one);
  for (const json& said : one.value("answers", json::array()))
    message.answers.push_back({said.at("call"), said.at("text"), images_of(said, fetch), said.at("failed")});
  return message;
}

json messages_json(const models::Request& request, std::size_t from) {
  json list = json::array();
  for (std::size_t i = from; i < request.messages.size(); ++i) list.push_back(message_json(request.messages[i]));
  return list;
}

kernel::Problem unknown_version(const char* what) {
  return {"", 0, what, "it was written by another version of etude", "run the study anew"};
}

/// Reads JSON that this program wrote, but that the disk may have damaged.
template <typename Read>
auto reading(std::string_view text, const char* what, const Read& read) -> kernel::Result<decltype(read(json()))> {
  try {
    const json document = json::parse(text);
    if (document.at("v") != version) return unknown_version(what);
    return read(document);
  } catch (const json::exception& e) {
    return kernel::Problem{"", 0, what, e.what(), "`etude verify` says what is broken"};
  }
}

}  // namespace

std::string to_journal(const Remembered& remembered) {
  const models::Request& request = remembered.request;
  json tools = json::array();
  for (const models::Tool& tool : request.tools)
    tools.push_back({{"name", tool.name}, {"description", tool.description}, {"parameters", tool.parameters}});
  json document = {{"v", version},
                   {"model", request.model},
                   {"system", request.system},
                   {"messages", messages_json(request, 0)},
                   {"tools", std::move(tools)},
                   {"max_output", request.max_output},
                   {"heard", remembered.heard}};
  if (request.temperature) document["temperature"] = *request.temperature;
  if (request.effort != models::Effort::unset) document["effort"] = models::name(request.effort);
  if (remembered.context > 0) document["context"] = remembered.context;
  if (remembered.summing) document["summing"] = true;
  if (remembered.used > 0) document["used"] = remembered.used;
  if (!remembered.written.empty()) document["written"] = calls_json(remembered.written);
  return models::json_text(document);
}

std::string to_journal(const Remembered& remembered, const Earlier& earlier) {
  json document = {{"v", continued},
                   {"after", {{"request", earlier.blob.sha256}, {"messages", earlier.messages}}},
                   {"messages", messages_json(remembered.request, earlier.messages)},
                   {"heard", remembered.heard}};
  if (remembered.summing) document["summing"] = true;
  return models::json_text(document);
}

std::string to_journal(const models::Reply& reply) {
  static constexpr const char* stops[] = {"end", "tools", "length", "withheld"};
  json document = {{"v", version},
                   {"text", reply.text},
                   {"calls", calls_json(reply.calls)},
                   {"stop", stops[static_cast<std::size_t>(reply.stop)]},
                   {"id", reply.id},
                   {"model", reply.model}};
  for (const auto& [key, text] : {std::pair{"tier", &reply.tier},
                                  {"fingerprint", &reply.fingerprint},
                                  {"thoughts", &reply.thoughts},
                                  {"refusal", &reply.refusal}})
    if (!text->empty()) document[key] = *text;
  if (!reply.opaque.empty()) document["opaque"] = opaque_json(reply.opaque);
  return models::json_text(document);
}

namespace {

constexpr const char* a_request = "a recorded request";

kernel::Result<Remembered> whole_request(std::string_view text, const FetchBlob& fetch) {
  return reading(text, a_request, [&](const json& document) {
    Remembered remembered;
    models::Request& request = remembered.request;
    request.model = document.at("model");
    remembered.context = document.value("context", std::int64_t{0});
    request.system = document.at("system");
    for (const json& one : document.at("messages")) request.messages.push_back(message_of(one, fetch));
    for (const json& one : document.at("tools"))
      request.tools.push_back({one.at("name"), one.at("description"), one.at("parameters")});
    request.max_output = document.at("max_output");
    if (document.contains("temperature")) request.temperature = document.at("temperature").get<double>();
    request.effort = models::effort_of(document.value("effort", ""));
    remembered.heard = document.at("heard");
    remembered.summing = document.value("summing", false);
    remembered.used = document.value("used", 0);
    for (const json& one : document.value("written", json::array()))
      remembered.written.push_back({one.at("id"), one.at("name"), one.at("arguments")});
    return remembered;
  });
}

}  // namespace

kernel::Result<Remembered> request_from_journal(std::string_view text, const FetchBlob& fetch) {
  try {
    std::vector<json> later;  // The newest first.
    std::string earlier(text);
    for (json document = json::parse(earlier); document.at("v") == continued; document = json::parse(earlier)) {
      earlier = fetch(document.at("after").at("request"));
      later.push_back(std::move(document));
    }
    auto whole = whole_request(earlier, fetch);
    if (!whole) return whole;
    std::vector<models::Message>& messages = whole->request.messages;
    for (auto document = later.rbegin(); document != later.rend(); ++document) {
      const auto kept = document->at("after").at("messages").get<std::size_t>();
      if (kept > messages.size()) return kernel::Problem{"", 0, a_request, "it goes on from more than there was", ""};
      messages.resize(kept);
      for (const json& one : document->at("messages")) messages.push_back(message_of(one, fetch));
      whole->heard = document->at("heard");
      whole->summing = document->value("summing", false);
    }
    return whole;
  } catch (const json::exception& e) {
    return kernel::Problem{"", 0, a_request, e.what(), "`etude verify` says what is broken"};
  }
}

kernel::Result<models::Reply> reply_from_journal(std::string_view text) {
  return reading(text, "a recorded reply", [](const json& document) {
    models::Reply reply;
    reply.text = document.at("text");
    reply.calls = calls_of(document);
    const std::string stop = document.at("stop");
    reply.stop = stop == "tools"      ? models::Stop::tools
                 : stop == "length"   ? models::Stop::length
                 : stop == "withheld" ? models::Stop::withheld
                                      : models::Stop::end;
    reply.id = document.at("id");
    reply.model = document.at("model");
    reply.tier = document.value("tier", "");
    reply.fingerprint = document.value("fingerprint", "");
    reply.thoughts = document.value("thoughts", "");
    reply.refusal = document.value("refusal", "");
    reply.opaque = opaque_of(document);
    return reply;
  });
}

}  // namespace agents
