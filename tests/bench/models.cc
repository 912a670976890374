// What the kernel adds to a model's own time, and what many calls at once take.
//   bench_models calls HOME COUNT [http]   lines of work that read files, answered at once: by a script, or by a server
//                                          on loopback, whose own time, from a request's first byte on, is taken off.
//                                          A line's requests grow to 700 KB. Goal: 5 ms for 95 of 100 calls
//   bench_models streams COUNT             so many replies streamed at once, 8 KB each to a request of 100 KB. Goal:
//                                          200 of them in 150 MB
//   bench_models check HOME                both in small, against bounds in bytes; else exit 1
// Each prints one line of JSON.
#include "tests/bench/models.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agents/thinking/calls/role_model.h"
#include "agents/thinking/conversation/thinker.h"
#include "kernel/loop/loop.h"
#include "memory/files/blobs.h"
#include "memory/files/file.h"
#include "memory/store/store.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_draw.h"
#include "tests/fakes/model_server.h"
#include "tests/fakes/scripted_model.h"

namespace {

using namespace bench;

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

/// A line of work ends by itself after 80 calls.
constexpr int calls_of_line = 79;

/// Reads another 8 KB of a file with each call, after some words, until its line is to end. `spoken`: replies so far.
models::ModelOutcome reading(long spoken) {
  if (spoken + 1 >= calls_of_line) return fakes::calling("finish", R"({"summary":"I have read it all."})");
  const std::string arguments = fmt::format(R"({{"path":"train.py","from_line":{},"lines":100}})", 1 + 100 * spoken);
  models::ModelOutcome outcome = fakes::calling("read_file", arguments);
  static std::atomic<int> replies = 0;  // No two are the same: each is stored.
  std::get<models::Reply>(outcome).text = fmt::format("{:1000}", ++replies);
  return outcome;
}

/// Replies at once, and keeps nothing.
struct Scripted : agents::RoleModel {
  std::uint64_t ask(const models::Request& request, std::function<void(std::string_view)>,
                    std::function<void(models::ModelOutcome, agents::Attempts)> on_end) override {
    on_end(reading(std::count_if(request.messages.begin(), request.messages.end(),
                                 [](const models::Message& one) { return one.by == models::Speaker::assistant; })),
           {});
    return 0;
  }
  void cancel(std::uint64_t) override {}
};

/// When a model was asked.
struct Call {
  Clock::time_point asked;
  double own_ms = 0;  ///< Of the server.
};

/// Takes the times of another model's calls.
class Timed : public agents::RoleModel {
 public:
  Timed(std::shared_ptr<agents::RoleModel> model, std::function<double()> own_ms)
      : model_(std::move(model)), own_ms_(std::move(own_ms)) {}
  std::uint64_t ask(const models::Request& request, std::function<void(std::string_view)> on_text,
                    std::function<void(models::ModelOutcome, agents::Attempts)> on_end) override {
    calls.push_back({Clock::now()});
    return model_->ask(request, std::move(on_text),
                       [this, on_end](models::ModelOutcome outcome, agents::Attempts attempts) {
                         calls.back().own_ms = own_ms_();
                         on_end(std::move(outcome), attempts);
                       });
  }
  void cancel(std::uint64_t call) override { model_->cancel(call); }
  std::deque<Call> calls;  ///< Of one line at a time.

 private:
  std::shared_ptr<agents::RoleModel> model_;
  std::function<double()> own_ms_;
};

struct NoJobs : kernel::Executor {
  void start(const kernel::JobSpec&) override {}
  void adopt(const kernel::JobSpec&) override {}
  void cancel(const std::string&) override {}
};
struct Silent : kernel::Observer {
  void committed(const kernel::Event&, const kernel::State&) override {}
  void refused(const kernel::Command&, const std::string&) override {}
};

kernel::StudyOpened opening(const std::string& id) {
  kernel::StudyOpened opened;
  opened.id = id;
  opened.jobs = 1;
  opened.boot_id = "boot-1";
  kernel::StudySpec& spec = opened.spec;
  spec.title = "Sorting";
  spec.question = "Which algorithm is faster?";
  spec.agents = "local";
  kernel::Factor algorithm;
  algorithm.name = "algorithm";
  for (const char* level : {"bubble", "quick"}) algorithm.levels.push_back({level, {level, std::nullopt}, {}});
  spec.factors = {algorithm};
  kernel::Metric time;
  time.name = "time_ms";
  time.primary = true;
  spec.metrics = {time};
  spec.run.words = {"sort --algorithm {algorithm} --seed {seed}"};
  return opened;
}

/// Studies one after the other in a home on the disk, each with one line of work.
class Reading {
 public:
  Reading(const std::string& home, std::shared_ptr<agents::RoleModel> model)
      : store_(home),
        blobs_(home + "/blobs"),
        thinker_(parts(std::move(model))),
        loop_({store_,
               jobs_,
               clock_,
               watcher_,
               inbox_,
               {home + "/runs", home + "/workspaces", home + "/kept"},
               {},
               [this](kernel::Role role, const kernel::Study& study) { return thinker_.turn(role, study); },
               [](const kernel::Study&) {},
               [this] { return fmt::format("{:032x}", ++tokens_); },
               [this] { return fakes::draw(++draws_); }}) {}

  void line() {
    const std::string id = "s" + std::to_string(store_.next_study_number());
    inbox_.post(kernel::Command{id, "person", kernel::OpenStudy{opening(id)}});
    loop_.run([&](const kernel::State& state) {
      const kernel::Study* study = state.study(id);
      return study && study->at_rest();
    });
  }

 private:
  agents::ThinkerParts parts(std::shared_ptr<agents::RoleModel> model) {
    return {inbox_,
            [model](const agents::ModelQuery&) -> kernel::Result<agents::AssignedModel> {
              agents::AssignedModel player{model, "small", {}, models::Price{}};
              player.template_request.model = "m";
              return player;
            },
            [this](std::string_view bytes) { return blobs_.put(bytes, memory::Blobs::Durable::later); },
            [this](const std::string& sha256) { return blobs_.get(sha256); },
            [](const kernel::WorkspaceHash&) {
              agents::Files files;
              std::string text;
              for (int line = 0; line < 100 * calls_of_line; ++line)
                text +=
                    fmt::format("    loss_{} = model(batch[{}], \"a line of 80 characters\")  # and why\n", line, line);
              files.entries = {{"train.py", static_cast<std::int64_t>(text.size())}};
              files.read = [text](const std::string&) { return text; };
              return files;
            },
            {},
            {},
            {},
            [this] { blobs_.sync(); }};
  }

  memory::Store store_;
  memory::Blobs blobs_;
  NoJobs jobs_;
  fakes::FakeClock clock_;
  Silent watcher_;
  kernel::Inbox inbox_;
  long long tokens_ = 0, draws_ = 0;
  agents::Thinker thinker_;
  kernel::Loop loop_;
};

/// Says over HTTP what the script says.
class ReadingServer {
 public:
  std::string url() const { return server_.url(); }
  double own_ms() const { return own_ms_; }

 private:
  void answer(const fakes::ModelServer::Asked& asked, fakes::ModelServer::Answer& answer) {
    // It does not read 700 KB of JSON, which no model's server does on this machine, and which would cool its caches. A
    // quote within a text has a backslash before it.
    long spoken = 0;
    constexpr std::string_view mark = R"("role":"assistant")";
    for (std::size_t at = 0; (at = asked.body.find(mark, at)) != std::string::npos; at += mark.size()) ++spoken;
    const models::ModelOutcome outcome = reading(spoken);
    const auto& reply = std::get<models::Reply>(outcome);
    const nlohmann::json call = {
        {"index", 0},
        {"id", "c1"},
        {"function", {{"name", reply.calls[0].name}, {"arguments", reply.calls[0].arguments}}}};
    const std::string said =
        nlohmann::json({{"choices", {{{"index", 0}, {"delta", {{"tool_calls", nlohmann::json::array({call})}}}}}}})
            .dump();
    own_ms_ = milliseconds(Clock::now() - asked.arrived);
    answer.say(reply.text);
    answer.event(said);
    answer.event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})");
    answer.event(R"({"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}})");
    answer.event("[DONE]");
    answer.end_of_body();
  }

  std::atomic<double> own_ms_ = 0;
  fakes::ModelServer server_{[this](const auto& asked, auto& answer) { this->answer(asked, answer); }};
};

std::int64_t bytes_below(const std::string& folder) {
  std::int64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) bytes += static_cast<std::int64_t>(entry.file_size());
  return bytes;
}

/// What the disk takes for the least that can be made durable.
std::vector<double> bare_flushes(const std::string& home) {
  const memory::Fd fd(::open((home + "/bare").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  std::vector<double> took;
  for (int i = 0; i < 200; ++i) {
    const auto start = Clock::now();
    memory::write_all(fd.get(), std::string(8192, 'x'), "bare");
    memory::sync_file(fd.get(), "bare");
    took.push_back(milliseconds(Clock::now() - start));
  }
  return took;
}

nlohmann::json measure_calls(const std::string& home, int count, bool http) {
  std::optional<ReadingServer> server;
  std::shared_ptr<agents::RoleModel> model = std::make_shared<Scripted>();
  if (http) {
    server.emplace();
    models::Model served;
    served.name = "small";
    served.endpoint.base_url = server->url();
    model = std::make_shared<agents::ServiceModel>(std::make_shared<models::Service>(), served, "m");
  }
  std::filesystem::remove_all(home);
  std::vector<double> all;
  double cpu = 0;
  {
    const auto timed = std::make_shared<Timed>(model, [&] { return server ? server->own_ms() : 0; });
    Reading reading_lines(home, timed);
    cpu = cpu_milliseconds();
    while (static_cast<int>(all.size()) < count) {
      timed->calls.clear();
      reading_lines.line();
      const std::deque<Call>& calls = timed->calls;
      if (static_cast<int>(calls.size()) != calls_of_line)
        throw std::runtime_error(fmt::format("the line broke off after {} calls", calls.size()));
      // From one question to the next, all but the thinking.
      for (std::size_t i = 0; i + 1 < calls.size(); ++i)
        all.push_back(milliseconds(calls[i + 1].asked - calls[i].asked) - calls[i].own_ms);
    }
    cpu = cpu_milliseconds() - cpu;
  }
  const auto calls = static_cast<double>(all.size());
  const std::vector<double> flushes = bare_flushes(home);
  return {{"calls", all.size()},
          {"flush_p50_ms", quantile(flushes, 0.5)},
          {"flush_p95_ms", quantile(flushes, 0.95)},
          {"p50_ms", quantile(all, 0.5)},
          {"p95_ms", quantile(all, 0.95)},
          {"cpu_ms_per_call", cpu / calls},
          {"journal_kb_per_call", static_cast<double>(bytes_below(home + "/blobs")) / 1e3 / calls},
          {"peak_mb", megabytes("VmHWM:")}};
}

/// Bounds in bytes, which no slow or busy machine stretches. A conversation that is stored whole with each call takes
/// 200 KB a call, not 10.
bool check(const std::string& home) {
#ifdef ETUDE_SANITIZED
  constexpr double most_mb = 600;
#else
  constexpr double most_mb = 150;
#endif
  const nlohmann::json calls = measure_calls(home, calls_of_line - 1, false), streams = measure_streams(200);
  fmt::print("{}\n{}\n", calls.dump(), streams.dump());
  return calls["journal_kb_per_call"] < 40 && streams["whole"] == 200 && streams["peak_mb"] < most_mb;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() >= 3 && words[0] == "calls")
    fmt::print("{}\n", measure_calls(words[1], std::stoi(words[2]), words.size() > 3).dump());
  else if (words.size() == 2 && words[0] == "streams")
    fmt::print("{}\n", measure_streams(std::stoi(words[1])).dump());
  else if (words.size() == 2 && words[0] == "check")
    return check(words[1]) ? 0 : 1;
  else
    return 2;
  return 0;
}
