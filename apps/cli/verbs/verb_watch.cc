#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/signals.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/work/follow_studies.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/home/home.h"
#include "apps/session/watch/public_view.h"
#include "base/utf8.h"

namespace cli {

namespace {

struct WatchOptions {
  std::string study;
  bool words = false;
};

/// Calls `follow` with a client of the kernel that works on the home. True if a signal asked to leave meanwhile.
bool until_left(const Context& context, const auto& follow) {
  server::KernelClient owner(context.home());
  std::atomic<bool> left{false};
  const auto leave = [&] {
    left = true;
    owner.stop();
  };
  const SignalWatch signals(leave, leave);
  follow(owner);
  return left;
}

/// Watches until the study is at rest, no process works on it, or a signal asks to leave; changes nothing.
int watch(const Context& context, const WatchOptions& options) {
  const auto study = study_named(memory::Reader(context.home()), options.study);
  if (!study) return fail(bad_input, study.problem());
  const std::string id = text_at(*study, "id");
  hold_signals();
  LiveView view(LiveView::style_for(context.json), options.words);
  show_newest_values(context.home(), view);
  StudyFollower follower(context.home(), id);
  const bool left = until_left(context, [&](auto& owner) { follow_at_owner(owner, id, follower, view); });
  view.finish();
  if (left) return interrupted;
  if (follower.at_rest()) return print_endings(context, {*follower.study()}, Ended::before);
  return fail(environment, "study " + id, "no kernel runs it", "`etude resume " + id + "` goes on");
}

struct LogOptions {
  std::string study;
  bool follow = false;
};

void print_event(const Context& context, const nlohmann::json& event) {
  if (context.json) return print_json_line(event);
  std::string payload = event.at("payload").dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  constexpr std::size_t longest = 160;
  if (payload.size() > longest) payload = std::string(kernel::utf8_prefix(payload, longest)) + "…";
  fmt::print("{:>6}  {}  {:<10}  {:<22}  {}\n", event.at("seq").get<std::int64_t>(), text_at(event, "time"),
             text_at(event, "actor"), text_at(event, "type"), printable(payload));
}

int log(const Context& context, const LogOptions& options) {
  const memory::Reader reader(context.home());
  const auto study = study_named(reader, options.study);
  if (!study) return fail(bad_input, study.problem());
  const std::string id = text_at(*study, "id");
  std::set<int> scratch;
  std::int64_t last = 0;
  bool ended = false;
  const auto news = [&] {
    reader.events(id, last, [&](const kernel::StoredEvent& event) {
      last = event.seq;
      ended = event.is<kernel::StudyEnded>();
      print_event(context, session::event_shape(event, scratch));
    });
    std::fflush(stdout);
    return !ended;
  };
  if (!options.follow) {
    news();
    return ok;
  }
  hold_signals();
  const bool left = until_left(context, [&](auto& owner) {
    if (news()) owner.follow(id, last, news);
    if (!ended) news();
  });
  return left ? interrupted : ok;
}

}  // namespace

void add_watch(CLI::App& app, Context& context) {
  const auto [watching, watched] = add_verb(app, context, "watch", "follow a running study; changes nothing", watch);
  watching->add_option("ID", watched->study, "the study, or the beginning of its id")->required();
  watching->add_flag("--text", watched->words, "also print what models say, if the output is not a terminal");
  const auto [logging, logged] = add_verb(app, context, "log", "every event of a study", log);
  logging->add_option("ID", logged->study, "the study, or the beginning of its id")->required();
  logging->add_flag("--follow", logged->follow, "continue until the study ends or its kernel stops");
}

}  // namespace cli
