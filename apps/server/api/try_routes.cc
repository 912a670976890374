// One run outside every study, while its client waits. It is no command to the kernel, and takes none of its devices.
#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>

#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/session/try/one_job.h"
#include "apps/session/try/try_job.h"
#include "apps/session/watch/public_view.h"
#include "programs/run_program.h"

namespace server {

namespace {

constexpr int longest_s = 600;
constexpr std::chrono::seconds in_queue{60};

std::chrono::duration<double> job_time(const session::TryJob& job) {
  return std::chrono::duration<double>(job.job.resources.timeout_s.value_or(longest_s));
}

/// {"set": {factor: level}}
session::Setting setting_in(const json& body) {
  session::Setting setting;
  const auto set = body.find("set");
  if (set == body.end() || set->is_null()) return setting;
  if (!set->is_object()) throw BadMember{"set", "an object of factors and their levels"};
  for (const auto& [factor, level] : set->items()) {
    if (!level.is_string() && !level.is_number() && !level.is_boolean())
      throw BadMember{"set." + factor, "a text or a number"};
    setting.emplace_back(factor, level.is_string() ? level.get<std::string>() : level.dump());
  }
  return setting;
}

/// A run that is tried while a client waits for it. Only one of a server is, since no lease holds its resources.
class WaitingTry {
 public:
  WaitingTry(Api& api, std::unique_lock<std::mutex> turn, executors::Variables own, session::TryJob job)
      : api_(api), turn_(std::move(turn)), own_(std::move(own)), job_(std::move(job)) {
    ++api_.streams;  // So that a server that ends waits until the job is dead.
  }
  ~WaitingTry() { --api_.streams; }
  WaitingTry(const WaitingTry&) = delete;
  WaitingTry& operator=(const WaitingTry&) = delete;

  /// Returns false if the client left, the server ends, or a cluster has not run the job in time; it is dead then. Also
  /// if the machine refuses something: httplib catches nothing here.
  bool run(httplib::DataSink& sink) {
    try {
      return run_and_answer(sink);
    } catch (const std::exception&) {
      return false;
    }
  }

 private:
  bool run_and_answer(httplib::DataSink& sink) {
    const session::HomePaths& home = api_.session.home();
    const executors::Backend& backend = api_.session.backend();
    // The evaluator has as much time as the job.
    const auto latest = std::chrono::steady_clock::now() + 2 * job_time(job_) + in_queue;
    const auto goes_on = [&] {
      return sink.is_writable() && !api_.session.feed().closed() && std::chrono::steady_clock::now() < latest;
    };
    const auto tried = session::try_job({home, backend, own_}, job_, [&](const kernel::JobSpec& job) {
      return session::run_job(backend, job, goes_on);
    });
    turn_.unlock();  // Before the client can know that it ended, and asks for another one.
    if (!tried) return false;
    const std::string text =
        session::try_shape(job_, *tried, api_.session.redactor()).dump(-1, ' ', false, json::error_handler_t::replace);
    if (!sink.write(text.data(), text.size())) return false;
    sink.done();
    return true;
  }

  Api& api_;
  std::unique_lock<std::mutex> turn_;
  const executors::Variables own_;
  session::TryJob job_;
};

/// The job that the body asks for; none if the refusal was sent.
std::optional<session::TryJob> job_in(Api& api, const json& body, const executors::Variables& own, Response& response) {
  const session::TryPlace place{api.session.home(), api.session.backend(), own};
  const std::string run = text_in(body, "run");
  if (!run.empty()) {
    for (const char* other : {"path", "text", "set"})
      if (body.contains(other)) throw BadMember{other, "for a recorded run, which has its study and its setting"};
    const memory::Reader reader(place.home.root);
    const auto document = reader.run(run);
    if (kernel::run_number(run) == 0 || !document) {
      refuse(response, 404, "there is no run " + run);
      return std::nullopt;
    }
    const auto study = study_or_404(reader, kernel::run_study(run), response);
    if (!study) return std::nullopt;
    const json shown = session::Withheld(*study).shown(json::parse(*document));
    if (session::would_show_withheld(shown)) {
      refuse(response, ProblemType::withheld, "the values of " + run + " are withheld until its experiment is analysed",
             "try a failed run, or a setting of the study file");
      return std::nullopt;
    }
    auto job = session::try_of_run(place, reader, shown);
    if (job) return std::move(*job);
    refuse(response, job.problem());
    return std::nullopt;
  }
  const session::Setting setting = setting_in(body);
  auto parsed = study_file_in(api, body, studyfile::Use::one_run);
  auto job = parsed ? session::try_of_setting(place, std::move(*parsed), setting, "set: ")
                    : kernel::Result<session::TryJob>(parsed.problem());
  if (job) return std::move(*job);
  refuse(response, job.problem());
  return std::nullopt;
}

/// {"path"} or {"text","folder"}, "set": {factor: level}; or {"run"}. Also "timeout_s", "environment" and "executor".
void try_once(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  if (const auto other = another_executor(api, *body)) return refuse(response, *other);
  const int asked_s = integer_in(*body, "timeout_s", 1, longest_s);
  auto own = environment_in(*body).value_or(programs::own_environment());
  std::unique_lock turn(api.trying, std::try_to_lock);
  if (!turn) return refuse(response, ProblemType::unavailable, "another run is being tried", "ask again when it ends");
  auto job = job_in(api, *body, own, response);
  if (!job) return;
  session::scratch_in(api.session.home().tries());  // Now, while a full disk can still be answered.
  const double most = asked_s > 0 ? asked_s : longest_s;
  auto& limit = job->job.resources.timeout_s;
  job->cut_short = !limit || most < *limit;
  limit = std::min(limit.value_or(most), most);
  // Shared, because the provider is copied.
  const auto waiting = std::make_shared<WaitingTry>(api, std::move(turn), std::move(own), std::move(*job));
  response.set_header("Cache-Control", "no-store");
  response.set_chunked_content_provider("application/json",
                                        [waiting](std::size_t, httplib::DataSink& sink) { return waiting->run(sink); });
}

}  // namespace

std::vector<Route> try_routes() {
  return {{"POST", "/try", "one run outside every study: what it measures, prints and takes", try_once}};
}

}  // namespace server
