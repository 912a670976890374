#pragma once
// Agents that think, through the kernel's own loop: a model that is scripted, a store and an executor in memory.

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "agents/thinking/thinker.h"
#include "kernel/digest.h"
#include "kernel/ledger.h"
#include "tests/fakes/scripted_model.h"
#include "tests/kernel/world.h"

namespace thoughtful {

using fakes::calling;
using fakes::saying;
using kernel::Study;
using nlohmann::json;

inline const std::string quick_takes_less = json({{"statement", "Quicksort takes less time than bubble sort."},
                                                  {"mechanism", "it compares far fewer pairs"},
                                                  {"confidence", 0.9},
                                                  {"test",
                                                   {{"metric", "time_ms"},
                                                    {"treatment", {{"algorithm", "quick"}}},
                                                    {"control", {{"algorithm", "bubble"}}},
                                                    {"direction", "less"}}}})
                                                .dump();

inline kernel::StudySpec thinking_spec() {
  kernel::StudySpec spec = small_spec();
  spec.agents = "local";
  return spec;
}

/// A world whose agents think, and what outlives a kernel: the log, the blobs, the model.
struct Thoughtful {
  explicit Thoughtful(fakes::ScriptedModel::Script script, fakes::FakeExecutor::Job job = honest)
      : world(std::move(job)), model(std::make_shared<fakes::ScriptedModel>(std::move(script))) {}

  /// One kernel's life.
  void live(const std::function<bool(const kernel::State&)>& until = World::at_rest) {
    agents::Thinker thinker(
        {world.inbox,
         [this](const std::string&, const std::string&, const std::string&) -> kernel::Result<agents::Player> {
           agents::Player player{model, "small", {}, models::Price{1000, 1000, {}, {}}};
           player.template_request.model = "m";
           player.template_request.max_output = 100;
           return player;
         },
         [this](std::string_view bytes) {
           const std::lock_guard lock(mutex);
           const std::string hash = kernel::sha256_hex(bytes);
           blobs[hash] = bytes;
           return kernel::BlobRef{hash, static_cast<std::int64_t>(bytes.size())};
         },
         [this](const std::string& hash) {
           const std::lock_guard lock(mutex);
           return blobs.at(hash);
         },
         [](const std::string&) {
           agents::Files files;
           files.entries = {{"sort.py", 30}};
           files.read = [](const std::string&) { return std::string("def quick(a):\n  return a\n"); };
           return files;
         },
         [this](const kernel::WorkspaceRecord& base, const std::map<std::string, std::string>& changes) {
           kernel::WorkspaceRecord record = base;
           record.hash = kernel::sha256_hex(json(changes).dump());
           const std::lock_guard lock(mutex);
           frozen[record.hash] = changes;
           return record;
         },
         {}});
    kernel::LoopParts parts = world.parts();
    parts.agent = [&](kernel::Role role, const Study& study) { return thinker.turn(role, study); };
    kernel::Loop loop(parts);
    bool let_go = false;
    loop.run([&](const kernel::State& state) {
      const Study* study = state.study("s1");
      if (study && study->cancelling && !std::exchange(let_go, true)) thinker.let_go("s1");
      return until(state);
    });
  }

  Study study() const { return *world.replayed().study("s1"); }

  World world;
  std::shared_ptr<fakes::ScriptedModel> model;
  std::mutex mutex;
  std::map<std::string, std::string> blobs;
  std::map<std::string, std::map<std::string, std::string>> frozen;  ///< By hash: what was written.
};

/// How many replies of ours are in the conversation: what comes next does not depend on who asks.
inline std::size_t said_before(const models::Request& request) {
  std::size_t count = 0;
  for (const models::Message& message : request.messages) count += message.by == models::Speaker::assistant ? 1 : 0;
  return count;
}

inline models::Outcome proposing(const models::Request& request, int) {
  switch (said_before(request)) {
    case 0:
      return calling("list_files", "{}");
    case 1:
      return calling("read_file", R"({"path":"sort.py"})");
    case 2:
      return calling("propose_hypothesis", quick_takes_less);
    case 3:
      return calling("record_decision",
                     R"({"title":"One contrast","choice":"speed alone","rationale":"it is the question",
                                            "alternatives":["memory"]})");
    default:
      return calling("finish", R"({"summary":"I proposed one."})");
  }
}

inline std::string last_answer(const models::Request& request) {
  return request.messages.back().answers.empty() ? "" : request.messages.back().answers.back().text;
}

}  // namespace thoughtful
