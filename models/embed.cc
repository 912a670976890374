#include <algorithm>
#include <iterator>
#include <utility>

#include "models/service.h"

namespace models {

namespace {

/// Per request: below the servers' limits, and small enough that a reply with 4,096 numbers per text is not cut off.
constexpr std::size_t most_texts = 64, most_batch_bytes = 256 << 10;

}  // namespace

struct Service::Embedding {
  Model model;
  std::string name;
  std::vector<std::string> texts;  ///< Texts that were sent are moved out.
  std::size_t asked = 0;
  std::function<void(std::variant<Embedded, Failure>)> on_end;
  Urgency urgency = Urgency::critical;
  Embedded embedded{};
};

void Service::embed(const Model& model, const std::string& name, std::vector<std::string> texts,
                    std::function<void(std::variant<Embedded, Failure>)> on_end, Urgency urgency) {
  const auto embedding =
      std::make_shared<Embedding>(Embedding{model, name, std::move(texts), 0, std::move(on_end), urgency});
  http_.post([this, embedding] { embed_more(embedding); });
}

void Service::embed_more(const std::shared_ptr<Embedding>& whole) {
  if (whole->model.endpoint.api != Protocol::openai) {
    Failure failure;
    failure.kind = Failure::Kind::refused;
    failure.message = "this protocol has no embeddings";
    return whole->on_end(std::move(failure));
  }
  if (whole->asked == whole->texts.size()) return whole->on_end(std::move(whole->embedded));
  Request request;
  request.model = whole->name;
  for (std::size_t bytes = 0; whole->asked < whole->texts.size() && request.texts.size() < most_texts;) {
    std::string& next = whole->texts[whole->asked];
    bytes += next.size();
    if (bytes > most_batch_bytes && !request.texts.empty()) break;
    request.texts.push_back(std::move(next));
    ++whole->asked;
  }
  Asking asking;
  asking.urgency = whole->urgency;
  asking.on_end = [this, whole](Outcome outcome) {
    if (auto* failure = std::get_if<Failure>(&outcome)) return whole->on_end(std::move(*failure));
    auto& reply = std::get<Reply>(outcome);
    auto& vectors = whole->embedded.vectors;
    if (!vectors.empty() && vectors.front().size() != reply.vectors.front().size())
      return whole->on_end(garbled("the vectors are of different lengths", true));
    Usage& usage = whole->embedded.usage;
    usage.known = reply.usage.known && (vectors.empty() || usage.known);
    usage.input += reply.usage.input;
    std::move(reply.vectors.begin(), reply.vectors.end(), std::back_inserter(vectors));
    embed_more(whole);
  };
  ask(whole->model, std::move(request), std::move(asking));
}

}  // namespace models
