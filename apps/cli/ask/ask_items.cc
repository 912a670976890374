#include "apps/cli/ask/ask_items.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/fd.h"
#include "memory/workspace/paid_answers.h"

namespace cli {

namespace {

using nlohmann::json;

constexpr std::size_t most_bytes = std::size_t{16} << 20, most_items = 20'000, longest_id = 200;

std::string text_member(const json& line, const char* name) {
  const auto member = line.find(name);
  return member != line.end() && member->is_string() ? member->get<std::string>() : "";
}

std::int64_t number_member(const json& line, const char* name) {
  const auto member = line.find(name);
  return member != line.end() && member->is_number_integer() ? member->get<std::int64_t>() : 0;
}

std::string dumped(const json& line) {
  return line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// What makes the answers in one file comparable: the questions, the instruction, and the model as it is asked.
json header_of(const std::vector<Item>& items, const Questioning& asked) {
  kernel::Sha256 questions;
  for (const Item& item : items) questions.update(dumped({item.id, item.question}));
  json header{{"etude_answers", 1},
              {"model", asked.name},
              {"asked_as", asked.entry.model},
              {"effort", asked.entry.effort == models::Effort::unset ? json() : json(models::name(asked.entry.effort))},
              {"temperature", asked.entry.temperature ? json(*asked.entry.temperature) : json()},
              {"extra", json::parse(asked.entry.extra.empty() ? "{}" : asked.entry.extra)},
              {"max_output", config::most_output(asked.entry, false)},
              {"questions", questions.hex()},
              {"instruction", asked.instruction}};
  return header;
}

/// Whether older files may lack the member. What it was for their answers is not known.
bool came_later(const std::string& name) {
  return name == "extra" || name == "max_output";
}

using Charge = memory::AnswerCharge;

Charge charge_of(const Questioning& asked, const models::TokenUsage& usage) {
  return {usage.total(), asked.entry.price ? models::cost(*asked.entry.price, usage) : 0};
}

/// The journal: its lines on disk, and what they add up to.
class AnswerFile {
 public:
  static kernel::Result<AnswerFile> open(const Questioning& asked, const json& header) {
    const auto bad = [&](const std::string& why, const std::string& todo, bool machine = false) {
      return kernel::Problem{asked.path, 0, "the answers", why, todo, machine};
    };
    AnswerFile file;
    file.path_ = asked.path;
    file.fd_.reset(::open(asked.path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!file.fd_) return bad(std::strerror(errno), "name a file that can be written");
    if (::flock(file.fd_.get(), LOCK_EX | LOCK_NB) != 0)
      return bad("another process writes them", "wait until it has ended");
    std::ifstream in(asked.path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (text.empty()) {
      file.append(header);
      return file;
    }
    std::size_t from = 0;
    for (std::size_t end = 0; (end = text.find('\n', from)) != text.npos; from = end + 1) {
      const json line = json::parse(text.substr(from, end - from), nullptr, false);
      if (!line.is_object() || (from == 0 && number_member(line, "etude_answers") != 1))
        return bad("the file holds something else", "name a new file");
      if (from == 0) {
        for (const auto& [name, value] : header.items())
          if (line.contains(name) ? line.at(name) != value : !came_later(name))
            return bad(fmt::format("the file has those to another `{}`", name), "name a new file");
      } else {
        file.sums_.take(line);
      }
    }
    if (from == 0) return bad("the file holds something else", "name a new file");
    // A line that was cut off by a crash was not acted on.
    if (from < text.size() && ::ftruncate(file.fd_.get(), static_cast<off_t>(from)) != 0)
      return bad(std::strerror(errno), "name a file that can be written", true);
    return file;
  }

  /// Throws if the line is not on disk afterwards.
  void append(const json& line) {
    if (!kernel::write_all(fd_.get(), dumped(line)) || ::fsync(fd_.get()) != 0)
      throw std::runtime_error(fmt::format("{}: {}: what was asked cannot be recorded", path_, std::strerror(errno)));
    if (!line.contains("etude_answers")) sums_.take(line);
  }

  const memory::AnswerSums& sums() const { return sums_; }

 private:
  kernel::Fd fd_;
  std::string path_;
  memory::AnswerSums sums_;
};

models::ModelOutcome outcome_of(models::Service& service, const models::Model& model, const models::Request& request) {
  std::promise<models::ModelOutcome> answered;
  models::Asking asking;
  asking.urgency = models::Urgency::person;
  asking.on_end = [&](models::ModelOutcome outcome) { answered.set_value(std::move(outcome)); };
  service.ask(model, request, std::move(asking));
  return answered.get_future().get();
}

/// Whether the model has had its chance, and gives no answer however often it is asked.
bool is_no_answer(models::Failure::Kind kind) {
  using Kind = models::Failure::Kind;
  return kind == Kind::withheld || kind == Kind::too_long || kind == Kind::too_large;
}

/// Whether the provider cannot have served the request.
bool was_not_served(const models::Failure& failure) {
  using Kind = models::Failure::Kind;
  const Kind kind = failure.kind;
  return !failure.began && (kind == Kind::unreachable || kind == Kind::busy || kind == Kind::unauthorised ||
                            kind == Kind::refused || kind == Kind::no_model || kind == Kind::unpaid);
}

std::string_view word(models::Stop stop) {
  return stop == models::Stop::length ? "length" : stop == models::Stop::withheld ? "withheld" : "end";
}

/// The line of an answer. What the provider states too low, or not at all, is charged as it was set aside.
json answer_line(const Item& item, const Questioning& asked, const models::Request& request,
                 const models::Reply& reply) {
  const bool stated = reply.usage.known && reply.usage.total() >= models::fewest_tokens(request, reply);
  const Charge charge = charge_of(asked, stated ? reply.usage : models::set_aside(request));
  json line{{"id", item.id}, {"reply", reply.text}, {"stop", word(reply.stop)}, {"tokens", charge.tokens}};
  if (asked.entry.price) line["usd"] = charge.usd;
  if (!stated) line["tokens_set_aside"] = true;
  if (!reply.model.empty()) line["answered_by"] = reply.model;
  if (!reply.fingerprint.empty()) line["fingerprint"] = reply.fingerprint;
  if (reply.stop == models::Stop::withheld) line["unanswered"] = reply.refusal.empty() ? "withheld" : reply.refusal;
  return line;
}

}  // namespace

kernel::Result<std::vector<Item>> read_items(const std::string& path) {
  const auto bad = [&](int line, const std::string& what, const std::string& why, const std::string& todo) {
    return kernel::Problem{path, line, what, why, todo};
  };
  std::ifstream in(path, std::ios::binary);
  std::string text(most_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in.is_open() || in.bad() || (in.fail() && !in.eof()))
    return bad(0, "the items", "cannot be read", "name a file of JSON lines with `id` and `question`");
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > most_bytes) return bad(0, "the items", "the file is larger than 16 MiB", "divide it");
  std::vector<Item> items;
  std::set<std::string> ids;
  int number = 0;
  for (std::size_t from = 0, end = 0; from < text.size(); from = end + 1) {
    end = std::min(text.find('\n', from), text.size());
    ++number;
    const std::string line = text.substr(from, end - from);
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    const json item = json::parse(line, nullptr, false);
    if (!item.is_object()) return bad(number, "an item", "is no JSON object", "write one object on each line");
    Item one{text_member(item, "id"), text_member(item, "question")};
    if (one.id.empty() || one.id.size() > longest_id)
      return bad(number, "id", "must be a text of 1 to 200 bytes", "name the item");
    if (one.question.empty()) return bad(number, "question", "must be a text", "write what is asked");
    if (const auto image = item.find("image"); image != item.end() && *image != "" && !image->is_null())
      return bad(number, "image", "pictures are not shown to models yet", "leave such items out");
    if (!ids.insert(one.id).second) return bad(number, "id", "stands in the file before", "give each item its own");
    items.push_back(std::move(one));
    if (items.size() > most_items) return bad(number, "the items", "are more than 20,000", "divide the file");
  }
  if (items.empty()) return bad(0, "the items", "there is none", "write JSON lines with `id` and `question`");
  return items;
}

kernel::Result<AskingEnd> ask_items(const std::vector<Item>& items, const Questioning& asked,
                                    const std::function<void(std::size_t)>& on_answer) {
  auto file = AnswerFile::open(asked, header_of(items, asked));
  if (!file) return file.problem();
  AskingEnd end;
  for (const Item& item : items) end.kept += file->sums().answers(item.id);
  models::Service service;
  const auto stop = [&](AskingEnd::Kind kind, std::string why) {
    end.kind = kind;
    end.why = std::move(why);
  };
  for (const Item& item : items) {
    if (file->sums().answers(item.id)) continue;
    models::Request request = config::request_to(asked.entry, false);
    request.system = asked.instruction;
    request.messages = {{models::Speaker::user, item.question}};
    const Charge spent = file->sums().spent(), next = charge_of(asked, models::set_aside(request));
    if (asked.most_usd && spent.usd + next.usd > *asked.most_usd) {
      stop(AskingEnd::Kind::budget, fmt::format("the next question may cost ${:.2g}, and ${:.2g} of ${:.2g} is spent",
                                                next.usd, spent.usd, *asked.most_usd));
      break;
    }
    if (asked.most_tokens && spent.tokens + next.tokens > *asked.most_tokens) {
      stop(AskingEnd::Kind::budget, fmt::format("the next question may take {} tokens, and {} of {} are spent",
                                                next.tokens, spent.tokens, *asked.most_tokens));
      break;
    }
    json intent{{"asks", item.id}, {"tokens", next.tokens}};
    if (asked.entry.price) intent["usd"] = next.usd;
    file->append(intent);
    const models::ModelOutcome outcome = outcome_of(service, asked.model, request);
    if (const auto* failure = std::get_if<models::Failure>(&outcome)) {
      const std::string why = std::string(models::name(failure->kind)) + ": " + failure->message;
      if (!is_no_answer(failure->kind)) {
        if (was_not_served(*failure)) file->append({{"not_served", item.id}, {"why", why}});
        stop(AskingEnd::Kind::failure, why);
        break;
      }
      json line{{"id", item.id}, {"unanswered", why}, {"tokens", next.tokens}};
      if (asked.entry.price) line["usd"] = next.usd;
      file->append(line);
    } else {
      file->append(answer_line(item, asked, request, std::get<models::Reply>(outcome)));
    }
    ++end.answered;
    on_answer(end.kept + end.answered);
  }
  end.without = file->sums().without();
  end.tokens = file->sums().spent().tokens;
  if (asked.entry.price) end.usd = file->sums().spent().usd;
  return end;
}

}  // namespace cli
