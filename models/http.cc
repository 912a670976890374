#include "models/http.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

#include <curl/curl.h>
#include <fmt/format.h>

#include "models/certificates.h"

namespace models {

namespace {

void initialise_once() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

/// Looked for once: a machine's certificates do not move.
const std::optional<std::string>& trusted() {
  static const std::optional<std::string> file = [] {
    const char* wanted = std::getenv("SSL_CERT_FILE");
    return certificates(wanted ? wanted : "", places_of_certificates());
  }();
  return file;
}

long milliseconds(double seconds) {
  return static_cast<long>(std::ceil(seconds * 1000));
}

}  // namespace

struct Http::Multi {
  CURLM* handle = curl_multi_init();
  ~Multi() { curl_multi_cleanup(handle); }
};

/// One request and the reply so far. Owns the request's bytes, which libcurl borrows.
class Http::Exchange {
 public:
  struct Free {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  };

  Exchange(CURLM* multi, HttpRequest request, HttpHandlers handlers, std::uint64_t id)
      : handlers_(std::move(handlers)),
        body_(std::move(request.body)),
        limits_(request.limits),
        multi_(multi),
        started_(now()) {
    for (const auto& [name, value] : request.headers) add_header(name + ": " + value);
    add_header("Expect:");
    CURL* const easy = easy_.get();
    curl_easy_setopt(easy, CURLOPT_PRIVATE, reinterpret_cast<void*>(id));
    curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
    if (!request.get) {
      curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
      curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body_.data());
    }
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "etude");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    if (trusted()) curl_easy_setopt(easy, CURLOPT_CAINFO, trusted()->c_str());
    if (limits_.connect > 0) curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(limits_.connect));
    if (limits_.total > 0) curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, milliseconds(limits_.total));
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Exchange::write);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_);
    curl_multi_add_handle(multi_, easy);
  }
  ~Exchange() { curl_multi_remove_handle(multi_, easy_.get()); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  HttpHandlers take_handlers() { return std::move(handlers_); }
  bool has_begun() const { return received_ > 0; }

  HttpEnd end(std::optional<Failure> failure) {
    HttpEnd end;
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    end.status = static_cast<int>(status);
    end.content_type = content_type();
    curl_header* header = nullptr;
    if (curl_easy_header(easy_.get(), "Retry-After", 0, CURLH_HEADER, -1, &header) == CURLHE_OK)
      end.retry_after_s = retry_after_s(header->value, static_cast<double>(time(nullptr)));
    end.failure = std::move(failure);
    return end;
  }

  /// Why it ended, from libcurl's code; none if the whole body came.
  std::optional<Failure> reason(CURLcode code) const {
    using Kind = Failure::Kind;
    if (code == CURLE_OK || enough_) return std::nullopt;
    if (too_large_)
      return Failure{.kind = Kind::too_large,
                     .message = fmt::format("more than {} MB", most_reply_bytes >> 20),
                     .began = has_begun()};
    const std::string said = one_line_of(error_[0] ? error_ : curl_easy_strerror(code));
    if (code == CURLE_OPERATION_TIMEDOUT)
      return Failure{.kind = Kind::timed_out, .message = said, .began = has_begun()};
    curl_off_t connected = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &connected);
    return Failure{.kind = connected > 0 ? Kind::cut_off : Kind::unreachable, .message = said, .began = has_begun()};
  }

  /// When the exchange will be idle for too long, on `now`'s clock, and the message for that case.
  std::pair<double, std::string> deadline() const {
    if (received_ > 0) {
      if (limits_.idle <= 0) return {HUGE_VAL, ""};
      return {last_ + limits_.idle, fmt::format("nothing more came for {:g} s", limits_.idle)};
    }
    curl_off_t connected_us = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &connected_us);
    if (limits_.first_byte <= 0) return {HUGE_VAL, ""};
    // Before the connection libcurl's own limit applies, and then this one begins.
    const double from = connected_us > 0 ? started_ + static_cast<double>(connected_us) / 1e6 : now();
    return {from + limits_.first_byte, fmt::format("no byte of a reply came for {:g} s", limits_.first_byte)};
  }

 private:
  void add_header(const std::string& line) {
    curl_slist* const longer = curl_slist_append(headers_.get(), line.c_str());
    if (!longer) throw std::bad_alloc();
    static_cast<void>(headers_.release());
    headers_.reset(longer);
  }

  std::string content_type() const {
    const char* type = nullptr;
    curl_easy_getinfo(easy_.get(), CURLINFO_CONTENT_TYPE, &type);
    return type ? type : "";
  }

  static std::size_t write(char* bytes, std::size_t size, std::size_t count, void* self) {
    auto* const me = static_cast<Exchange*>(self);
    const std::size_t length = size * count;
    me->received_ += length;
    me->last_ = now();
    me->too_large_ = me->received_ > most_reply_bytes;
    if (me->too_large_) return CURL_WRITEFUNC_ERROR;
    long status = 0;
    curl_easy_getinfo(me->easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    me->enough_ = !me->handlers_.on_bytes(static_cast<int>(status), me->content_type(), {bytes, length});
    return me->enough_ ? static_cast<std::size_t>(CURL_WRITEFUNC_ERROR) : length;
  }

  HttpHandlers handlers_;
  std::string body_;
  TimeLimits limits_;
  CURLM* multi_;
  std::unique_ptr<curl_slist, Free> headers_;
  std::unique_ptr<CURL, Free> easy_{curl_easy_init()};
  char error_[CURL_ERROR_SIZE] = {};
  std::size_t received_ = 0;
  double started_ = 0, last_ = 0;
  bool enough_ = false, too_large_ = false;
};

std::string shown_url(const std::string& url) {
  std::string shown = url.substr(0, url.find_first_of("?#"));
  const std::size_t scheme = shown.find("://");
  const std::size_t host = scheme == shown.npos ? 0 : scheme + 3;
  const std::size_t at = shown.find('@', host);
  if (at != shown.npos && at < shown.find('/', host)) shown.erase(host, at + 1 - host);
  return shown;
}

double Http::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Http::Http() {
  initialise_once();
  multi_ = std::make_unique<Multi>();
  thread_ = std::thread([this] { work(); });
}

Http::~Http() {
  leaving_ = true;
  curl_multi_wakeup(multi_->handle);
  thread_.join();
  exchanges_.clear();
}

void Http::post(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(job));
  }
  curl_multi_wakeup(multi_->handle);
}

void Http::after(double seconds, std::function<void()> job) {
  timers_.emplace(now() + std::max(0.0, seconds), std::move(job));
}

std::uint64_t Http::start(HttpRequest request, HttpHandlers handlers) {
  const std::uint64_t id = ++last_;
  exchanges_.emplace(id, std::make_unique<Exchange>(multi_->handle, std::move(request), std::move(handlers), id));
  next_sweep_ = std::min(next_sweep_, exchanges_.at(id)->deadline().first);
  return id;
}

void Http::cancel(std::uint64_t exchange) {
  after(0, [this, exchange] {
    const auto it = exchanges_.find(exchange);
    if (it != exchanges_.end())
      end(exchange,
          Failure{.kind = Failure::Kind::cancelled, .message = "cancelled", .began = it->second->has_begun()});
  });
}

void Http::end(std::uint64_t id, std::optional<Failure> failure) {
  const auto it = exchanges_.find(id);
  HttpEnd ended = it->second->end(std::move(failure));
  const HttpHandlers handlers = it->second->take_handlers();
  exchanges_.erase(it);  // The callback may start the next exchange.
  handlers.on_end(std::move(ended));
}

void Http::work() {
  next_sweep_ = HUGE_VAL;
  while (!leaving_) {
    take_posted();
    run_timers();
    int running = 0;
    curl_multi_perform(multi_->handle, &running);
    collect();
    if (now() >= next_sweep_) sweep(now());
    if (!leaving_) curl_multi_poll(multi_->handle, nullptr, 0, longest_sleep_ms(), nullptr);
  }
}

void Http::take_posted() {
  std::vector<std::function<void()>> jobs;
  {
    const std::lock_guard lock(mutex_);
    jobs.swap(posted_);
  }
  for (const auto& job : jobs) job();
}

void Http::run_timers() {
  const double at = now();
  while (!timers_.empty() && timers_.begin()->first <= at) {
    const std::function<void()> job = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    job();
  }
}

void Http::collect() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_->handle, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    char* id = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &id);
    const auto number = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(id));
    const CURLcode code = message->data.result;
    end(number, exchanges_.at(number)->reason(code));
  }
}

/// Ends exchanges that were idle for too long. A deadline only moves to a later time, so no check is needed before the
/// earliest known one.
void Http::sweep(double at) {
  std::map<std::uint64_t, std::string> late;
  next_sweep_ = HUGE_VAL;
  for (const auto& [id, exchange] : exchanges_) {
    auto [deadline, what] = exchange->deadline();
    if (deadline <= at)
      late.emplace(id, std::move(what));
    else
      next_sweep_ = std::min(next_sweep_, deadline);
  }
  for (auto& [id, what] : late) {
    const bool began = exchanges_.at(id)->has_begun();
    end(id, Failure{.kind = Failure::Kind::timed_out, .message = std::move(what), .began = began});
  }
}

int Http::longest_sleep_ms() const {
  double until = next_sweep_;
  if (!timers_.empty()) until = std::min(until, timers_.begin()->first);
  return static_cast<int>(std::clamp((until - now()) * 1000 + 1, 0.0, 60000.0));
}

}  // namespace models
