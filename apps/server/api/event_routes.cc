#include <charconv>
#include <thread>

#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"

namespace server {

namespace {

constexpr std::size_t batch = 200;
constexpr std::size_t longest_piece = 256 << 10;
constexpr std::chrono::seconds silence{15};

/// One client's position in the log. New events are read once for all clients. A client that is further behind reads
/// the store in batches of its own, so it slows down only itself. `listens`: also sends the text of models as it
/// arrives.
class EventStream {
 public:
  EventStream(Api& api, std::string study, std::int64_t after, bool listens)
      : api_(api),
        study_(std::move(study)),
        after_(after),
        listens_(listens),
        heard_(listens ? api.session.feed().live_text().last() : session::Feed::deaf) {
    ++api_.streams;
  }
  ~EventStream() { --api_.streams; }
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  /// Writes new events, or waits for them. Returns false if the client is gone, or the store cannot be read: httplib
  /// catches nothing here.
  bool go_on(httplib::DataSink& sink) {
    try {
      return write_or_wait(sink);
    } catch (const std::exception&) {
      return false;
    }
  }

 private:
  bool write_or_wait(httplib::DataSink& sink) {
    session::Feed& feed = api_.session.feed();
    const std::uint64_t seen = feed.seen();
    const bool closed = feed.closed();  // Checked before the store is read: if closed, this is the last read.
    if (listens_ && !pass_on(sink)) return false;
    if (seen != read_ || closed) {
      const std::string text = news();
      if (!text.empty()) {
        if (!sink.write(text.data(), text.size())) return false;
        // With many clients, each is woken less often, and gets more at once.
        const std::chrono::milliseconds rest{std::min(std::max(0, api_.streams - 16), 100)};
        if (!closed && rest.count() > 0) std::this_thread::sleep_for(rest);
        return true;
      }
    }
    read_ = seen;
    if (closed) {
      sink.done();
      return true;
    }
    constexpr std::string_view alive = ": nothing new\n\n";
    return feed.wait(seen, silence, heard_) || feed.closed() || sink.write(alive.data(), alive.size());
  }

  /// The next events as sent; empty if there are none.
  std::string news() {
    while (auto piece = api_.events.after(after_, study_, longest_piece)) {
      behind_.reset();
      if (piece->until == after_) return "";
      after_ = piece->until;
      if (!piece->text.empty()) return std::move(piece->text);
    }
    if (!behind_ || !behind_->reader.has_store()) behind_ = std::make_unique<Behind>(api_.session.home().root);
    const std::int64_t last = behind_->reader.last_event();
    std::string text;
    const auto events = behind_->reader.events_after(after_, batch, study_);
    for (const kernel::StoredEvent& event : events) {
      text += rendered(event, behind_->scratch(event.study));
      after_ = event.seq;
    }
    // The log may continue with events of other studies only.
    if (events.size() < batch && !study_.empty()) after_ = std::max(after_, last);
    return text;
  }

  /// Reads the store for a client that is behind.
  struct Behind {
    explicit Behind(const std::string& home) : reader(home) {}
    std::set<int>& scratch(const std::string& study) {
      const auto [known, fresh] = scratch_of.try_emplace(study);
      if (fresh) known->second = reader.scratch_runs(study);
      return known->second;
    }
    memory::Reader reader;
    std::map<std::string, std::set<int>> scratch_of;
  };

  /// Sent without an id, because it is not in the log and clients cannot resume from it.
  bool pass_on(httplib::DataSink& sink) {
    for (const session::Piece& piece : api_.session.feed().live_text().since(heard_, study_)) {
      const json said = {{"study", piece.study}, {"line", piece.line}, {"text", piece.text}};
      const std::string text =
          "event: text\ndata: " + said.dump(-1, ' ', false, json::error_handler_t::replace) + "\n\n";
      if (!sink.write(text.data(), text.size())) return false;
    }
    return true;
  }

  Api& api_;
  const std::string study_;
  std::int64_t after_;
  std::uint64_t read_ = ~std::uint64_t{0};  ///< The count of news up to which the log has been read.
  const bool listens_;
  std::uint64_t heard_;
  std::unique_ptr<Behind> behind_;
};

/// `Last-Event-ID` is the last event that the client has. Without it the stream starts with the first event, or with
/// `after=now` with the next one. With `text=true` it also has pieces of models' text.
void stream(Api& api, const Request& request, Response& response, const std::string& study) {
  std::int64_t after = 0;
  const std::string last = request.get_header_value("Last-Event-ID");
  if (!last.empty()) {
    const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), after);
    if (error != std::errc() || end != last.data() + last.size() || after < 0)
      throw BadParameter{"Last-Event-ID", "the id of an event"};
  } else if (request.get_param_value("after") == "now") {
    after = memory::Reader(api.session.home().root).last_event();
  } else if (!request.get_param_value("after").empty()) {
    throw BadParameter{"after", "`now`; the header Last-Event-ID names an event"};
  }
  // Shared, because the provider is copied.
  auto place = std::make_shared<EventStream>(api, study, after, request.get_param_value("text") == "true");
  response.set_header("Cache-Control", "no-store");
  response.set_chunked_content_provider("text/event-stream",
                                        [place](std::size_t, httplib::DataSink& sink) { return place->go_on(sink); });
}

void all_events(Api& api, const Request& request, Response& response) {
  stream(api, request, response, "");
}

void study_events(Api& api, const Request& request, Response& response) {
  if (study_or_404(memory::Reader(api.session.home().root), request.matches[1], response))
    stream(api, request, response, request.matches[1]);
}

const std::vector<QueryParameter> following = {{"after", "string", "now: begins with the next event"},
                                               {"text", "boolean", "also what models say, as it comes"}};

}  // namespace

std::vector<Route> event_routes() {
  return {{"GET", "/events", "every event of every study, as it happens (text/event-stream)", all_events, following,
           stream_type},
          {"GET", "/studies/{id}/events", "the study's events, as they happen (text/event-stream)", study_events,
           following, stream_type}};
}

}  // namespace server
