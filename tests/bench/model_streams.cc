// Many answers of models at once: how much memory they take, and whether all come whole.
#include <condition_variable>
#include <csignal>
#include <future>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/service/service.h"
#include "tests/bench/models.h"
#include "tests/fakes/model_server.h"

namespace bench {

namespace {

/// A server in a process of its own, so that its memory is not counted; it says where it is.
class ServerBeside {
 public:
  /// Once `count` requests have come, each is answered with 8 KB in 256 pieces, half a second long.
  explicit ServerBeside(int count) {
    int pipe[2];
    if (::pipe(pipe) != 0 || (process_ = ::fork()) < 0) throw std::runtime_error("no server");
    if (process_ == 0) serve(count, pipe[1]);
    char url[64] = {};
    if (::read(pipe[0], url, sizeof url - 1) <= 0) throw std::runtime_error("no server");
    url_ = url;
  }
  ~ServerBeside() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  ServerBeside(const ServerBeside&) = delete;
  const std::string& url() const { return url_; }

 private:
  [[noreturn]] static void serve(int count, int pipe) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::mutex mutex;
    std::condition_variable changed;
    int waiting = 0;
    const fakes::ModelServer server([&](const fakes::ModelServer::Asked&, fakes::ModelServer::Answer& answer) {
      {
        std::unique_lock lock(mutex);
        if (++waiting == count) changed.notify_all();
        changed.wait(lock, [&] { return waiting >= count; });
      }
      for (int piece = 0; piece < 256; ++piece) {
        answer.say(std::string(32, 'w'));
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      answer.end();
    });
    const std::string url = server.url();
    if (::write(pipe, url.data(), url.size()) < 0) std::_Exit(1);
    for (;;) ::pause();
  }

  pid_t process_ = 0;
  std::string url_;
};

}  // namespace

nlohmann::json measure_streams(int count) {
  const ServerBeside server(count);
  const double before = megabytes("VmRSS:");
  const double cpu = cpu_milliseconds();
  const auto start = Clock::now();
  models::Model model;
  model.name = "m";
  model.endpoint.base_url = server.url();
  std::vector<std::promise<std::size_t>> ends(static_cast<std::size_t>(count));
  models::Service service;
  for (std::promise<std::size_t>& end : ends) {
    models::Request request;
    request.model = "m";
    request.messages.resize(20);
    for (models::Message& message : request.messages) message.text = std::string(5000, 'q');
    models::Asking asking;
    asking.on_end = [&end](models::ModelOutcome outcome) {
      const auto* reply = std::get_if<models::Reply>(&outcome);
      end.set_value(reply ? reply->text.size() : 0);
    };
    service.ask(model, std::move(request), std::move(asking));
  }
  int whole = 0;
  for (std::promise<std::size_t>& end : ends) whole += end.get_future().get() == 8192 ? 1 : 0;
  return {{"streams", count},
          {"whole", whole},
          {"seconds", milliseconds(Clock::now() - start) / 1e3},
          {"cpu_seconds", (cpu_milliseconds() - cpu) / 1e3},
          {"before_mb", before},
          {"peak_mb", megabytes("VmHWM:")}};
}

}  // namespace bench
