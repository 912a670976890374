#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "apps/server/api/api.h"
#include "apps/server/api/run_query.h"
#include "apps/session/watch/public_view.h"
#include "memory/files/blobs.h"

namespace server {

namespace {

/// Sends one stream of a run as it grows, until the run has ended.
class FollowedLog {
 public:
  FollowedLog(Api& api, std::string run, executors::OutputStream stream, std::size_t sent)
      : api_(api), run_(std::move(run)), stream_(stream), sent_(sent) {
    ++api_.streams;
  }
  ~FollowedLog() { --api_.streams; }
  FollowedLog(const FollowedLog&) = delete;
  FollowedLog& operator=(const FollowedLog&) = delete;

  /// Returns false if the client left or the machine refuses something: httplib catches nothing here.
  bool go_on(httplib::DataSink& sink) {
    try {
      return send_more(sink);
    } catch (const std::exception&) {
      return false;
    }
  }

 private:
  bool send_more(httplib::DataSink& sink) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds shortest{250}, longest{5000};
    constexpr int share_of_reading = 20;  // A long log is read again and again, for a twentieth of the time.
    const auto begin = Clock::now();
    const bool last = api_.session.feed().closed();
    const auto document = memory::Reader(api_.session.home().root).run(run_);
    if (!document) return false;
    const json run = json::parse(*document);
    const std::string text =
        session::printed_by(api_.session.home(), api_.session.backend(), run, stream_, api_.session.redactor());
    if (text.size() > sent_) {
      if (!sink.write(text.data() + sent_, text.size() - sent_)) return false;
      sent_ = text.size();
    }
    if (last || run.at("ended").is_string()) {
      sink.done();
      return true;
    }
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    const auto until = Clock::now() + std::clamp(share_of_reading * took, shortest, longest);
    while (Clock::now() < until && !api_.session.feed().closed()) {
      if (!sink.is_writable()) return false;
      std::this_thread::sleep_for(shortest);
    }
    return true;
  }

  Api& api_;
  const std::string run_;
  const executors::OutputStream stream_;
  std::size_t sent_;
};

/// A log that is followed has no end yet: it is sent from the first byte of the range.
std::size_t taken_from(const Request& request) {
  httplib::Ranges& ranges = const_cast<Request&>(request).ranges;
  const std::size_t from = ranges.empty() ? 0 : static_cast<std::size_t>(std::max<ssize_t>(0, ranges.front().first));
  ranges.clear();
  return from;
}

/// Without `follow` a log that still grows is sent as it is at the moment.
void show_log(Api& api, const Request& request, Response& response) {
  const auto found = run_or_404(api, request, response);
  if (!found) return;
  const std::string stream = request.has_param("stream") ? request.get_param_value("stream") : "stdout";
  if (stream != "stdout" && stream != "stderr" && stream != "both")
    throw BadParameter{"stream", "`stdout`, `stderr` or `both`"};
  const bool follows = asks_for(request, "follow");
  if (follows && stream == "both") throw BadParameter{"follow", "for both streams: follow `stdout` or `stderr`"};
  const session::LogAccess access = session::log_access(found->run);
  if (access == session::LogAccess::withheld && !asks_for(request, "look"))
    return refuse_withheld(response, found->run, "the log");
  if (access != session::LogAccess::open && !record_look(api, found->run, "the log", response)) return;
  const auto alone = stream == "stdout" ? executors::OutputStream::out : executors::OutputStream::err;
  if (follows) {
    // Shared, because the provider is copied.
    const auto log = std::make_shared<FollowedLog>(api, found->run.at("id"), alone, taken_from(request));
    response.set_header("Cache-Control", "no-store");
    return response.set_chunked_content_provider(
        "text/plain; charset=utf-8", [log](std::size_t, httplib::DataSink& sink) { return log->go_on(sink); });
  }
  const auto text = stream == "both" ? session::merged_log(api.session.home(), api.session.backend(), found->run,
                                                           api.session.redactor())
                                     : std::optional(session::printed_by(api.session.home(), api.session.backend(),
                                                                         found->run, alone, api.session.redactor()));
  if (!text)
    return refuse(response, 404,
                  "in which order run " + found->run.at("id").get<std::string>() +
                      " wrote to both streams is not known: ask for stdout and stderr");
  response.set_content(*text, "text/plain; charset=utf-8");
}

void show_metrics(Api& api, const Request& request, Response& response) {
  const auto found = run_or_404(api, request, response);
  if (!found) return;
  if (found->run.at("withheld") == true) {
    if (!asks_for(request, "look")) return refuse_withheld(response, found->run, "what was measured");
    if (!record_look(api, found->run, "the values", response)) return;
  }
  const json& blob = found->run.at("blobs").at("metrics");
  response.set_content(blob.is_string() ? memory::Blobs(api.session.home().blobs()).get(blob) : std::string(),
                       "application/jsonl");
}

}  // namespace

std::vector<Route> log_routes() {
  const QueryParameter look = {"look", "boolean",
                               "also before the experiment is analysed; the study records that a person looked"};
  return {download({"GET",
                    "/runs/{id}/metrics",
                    "every value it reported, as JSON lines",
                    show_metrics,
                    {look},
                    "application/jsonl"}),
          download({"GET",
                    "/runs/{id}/log",
                    "what it printed",
                    show_log,
                    {{"stream", "string", "stdout (the default), stderr or both"},
                     {"follow", "boolean", "of one stream: what it prints from now on, too, until it ends"},
                     look},
                    "text/plain"})};
}

}  // namespace server
