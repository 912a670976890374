#include "apps/session/notify/notifier.h"

#include <algorithm>
#include <future>
#include <memory>

#include <fmt/format.h>

#include "base/secret_names.h"
#include "config/config.h"
#include "models/http.h"
#include "programs/find_program.h"
#include "programs/run_program.h"

namespace session {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

/// With more messages than this waiting, new ones are dropped.
constexpr std::size_t most_waiting = 1000;

std::string document(const json& facts) {
  return facts.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string text_in(const json& facts, const char* name) {
  const json& value = facts.at(name);
  return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : document(value);
}

std::string run_command(const config::Notify& to, const json& facts, milliseconds limit,
                        std::map<std::string, std::string> environment) {
  for (const auto& [name, key] :
       {std::pair("ETUDE_EVENT", "event"), std::pair("ETUDE_STUDY", "study"), std::pair("ETUDE_TITLE", "title"),
        std::pair("ETUDE_STATE", "state"), std::pair("ETUDE_OUTCOME", "outcome"), std::pair("ETUDE_REASON", "reason"),
        std::pair("ETUDE_DETAIL", "detail"), std::pair("ETUDE_GATE", "gate"), std::pair("ETUDE_ARTIFACT", "artifact"),
        std::pair("ETUDE_REPORT", "report"), std::pair("ETUDE_TEXT", "text")}) {
    std::string text = text_in(facts, key);
    std::erase(text, '\0');
    environment[name] = std::move(text);
  }
  programs::Program program;
  program.argv = to.command;
  if (program.argv[0].find('/') == std::string::npos)
    program.argv[0] = programs::find_on_path(program.argv[0], programs::variable(environment, "PATH"));
  if (program.argv[0].empty()) return "there is no such program";
  program.environment = std::move(environment);
  program.directory = programs::variable(program.environment, "HOME", "/");
  program.in = document(facts) + "\n";
  program.limit = limit;
  const auto ran = programs::run_program(program);
  if (!ran || !ran->exit) return programs::why_no_exit(ran);
  if (*ran->exit == 0) return "";
  const std::string said = ran->err.substr(0, std::min<std::size_t>(ran->err.find('\n'), 200));
  return fmt::format("exit {}{}", *ran->exit, said.empty() ? "" : ": " + said);
}

std::string post(const config::Notify& to, const json& facts, milliseconds limit,
                 const std::map<std::string, std::string>& environment) {
  const double seconds = std::chrono::duration<double>(limit).count();
  models::HttpRequest request;
  request.url = to.url_env.empty() ? to.url : programs::variable(environment, to.url_env);
  if (request.url.empty()) return "$" + to.url_env + " is not set";
  request.headers = {{"Content-Type", "application/json"}};
  for (const auto& [name, header] : to.headers) {
    const std::string value = header.env.empty() ? header.text : programs::variable(environment, header.env);
    if (value.empty()) return "$" + header.env + " is not set";
    if (value.find_first_of("\r\n") != std::string::npos) return "$" + header.env + " holds a line break";
    request.headers.emplace_back(name, value);
  }
  request.body = document(facts);
  request.limits = {std::min(seconds, 10.0), seconds, seconds, seconds};
  // Shared, because the exchange's callback may come after the wait has ended.
  const auto ended = std::make_shared<std::promise<std::string>>();
  std::future<std::string> answer = ended->get_future();
  models::Http http;
  http.post([&http, request = std::move(request), ended] {
    http.start(request, {[](int, std::string_view, std::string_view) { return true; },
                         [ended](const models::HttpEnd& end) {
                           ended->set_value(end.failure ? end.failure->message
                                            : end.status >= 200 && end.status < 300
                                                ? ""
                                                : fmt::format("status {}", end.status));
                         }});
  });
  if (answer.wait_for(limit) != std::future_status::ready) return fmt::format("no answer within {:.3g} s", seconds);
  return answer.get();
}

}  // namespace

std::string send(const config::Notify& to, const json& facts, milliseconds limit,
                 const std::map<std::string, std::string>& environment) {
  return to.command.empty() ? post(to, facts, limit, environment) : run_command(to, facts, limit, environment);
}

void Notifier::start() {
  environment_ = programs::own_environment();
  const auto loaded = config::load(config_, environment_);
  if (!loaded) return failed_("no notification will be sent: " + loaded.problem().text());
  receivers_ = loaded->notify;
  if (receivers_.empty()) return;
  redact_ = kernel::Redactor(config::secrets(*loaded, environment_));
  thread_ = std::thread([this] { work(); });
}

Notifier::~Notifier() {
  finish();
}

void Notifier::committed(const kernel::Event& event, const kernel::Study& study) {
  if (receivers_.empty()) return;
  if (auto notice = notice_about(event, study)) tell(std::move(*notice));
}

void Notifier::jobs_wait(const std::string& why) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  if (!receivers_.empty()) tell(notice_of_jobs(why, std::chrono::duration_cast<milliseconds>(now).count()));
}

void Notifier::tell(Notice notice) {
  notice.facts["home"] = home_;
  for (json& fact : notice.facts)
    if (fact.is_string()) fact = redact_(fact.get<std::string>());
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < receivers_.size(); ++i)
      if (receivers_[i].on.contains(notice.on) && waiting_.size() < most_waiting) waiting_.push_back({i, notice.facts});
  }
  changed_.notify_one();
}

milliseconds Notifier::limit_for(const config::Notify& to) {
  milliseconds limit(static_cast<std::int64_t>(to.timeout_s * 1000));
  const std::lock_guard lock(mutex_);
  if (ends_) limit = std::min(limit, std::chrono::ceil<milliseconds>(*ends_ - Clock::now()));
  return limit;
}

void Notifier::work() {
  for (;;) {
    Waiting next;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    const config::Notify& to = receivers_[next.receiver];
    const milliseconds limit = limit_for(to);
    std::string why = "there was no time left for it";
    try {
      // Commands get no key: neither those that the configuration names nor others that look like one.
      std::map<std::string, std::string> environment = environment_;
      if (!to.command.empty())
        std::erase_if(environment, [&](const auto& variable) {
          return kernel::looks_like_secret(variable.first) || redact_(variable.second) != variable.second;
        });
      environment["ETUDE_HOME"] = home_;
      if (limit > milliseconds(0)) why = send(to, next.facts, limit, environment);
    } catch (const std::exception& error) {
      why = error.what();
    }
    if (!why.empty())
      failed_(redact_(fmt::format("notify: {} was not told that {}: {}", to.shown(),
                                  next.facts.at("study").is_null()
                                      ? "jobs wait"
                                      : "study " + text_in(next.facts, "study") + " " + text_in(next.facts, "event"),
                                  why)));
  }
}

void Notifier::finish() {
  {
    const std::lock_guard lock(mutex_);
    if (!ends_) ends_ = Clock::now() + patience;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

}  // namespace session
