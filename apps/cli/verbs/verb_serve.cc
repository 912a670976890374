#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/signals.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/views/live_view.h"
#include "apps/cli/work/follow_studies.h"
#include "apps/server/access/access.h"
#include "apps/server/access/page_address.h"
#include "apps/server/listen/relay.h"
#include "apps/server/listen/socket_server.h"
#include "apps/server/listen/web_server.h"
#include "apps/server/protocol/kernel_client.h"
#include "apps/server/protocol/protocol.h"
#include "apps/session/control/offline.h"
#include "apps/session/control/session.h"
#include "memory/files/home_folder.h"
#include "memory/store/reader.h"

namespace cli {

namespace {

struct ServeOptions {
  std::string host = "127.0.0.1";
  int port = 7717;
  server::TlsFiles tls;
  std::vector<std::string> origins;
  bool insecure = false, read_only = false, link = false, new_token = false, scrape_token = false;
};

int renew(const Context& context) {
  memory::prepare_home(context.home());
  if (const auto token = server::renew_token(context.home()); !token) return fail(environment, token.problem());
  if (context.json)
    print_json({{"token_file", context.home() + "/token"}});
  else
    fmt::print("{}/token holds another token; the old one and all open pages are signed out\n", context.home());
  return ok;
}

int print_scrape_token(const Context& context) {
  memory::prepare_home(context.home());
  const auto token = server::token_of(context.home());
  if (!token) return fail(environment, token.problem());
  if (context.json)
    print_json({{"scrape_token", server::scrape_token(*token)}});
  else
    fmt::print("{}\n", server::scrape_token(*token));
  return ok;
}

/// The answer to a request for a link. It comes from the server of this home's page: the home's owner, or a server that
/// is its client.
std::optional<server::KernelClient::Reply> ask_for_link(const std::string& home, const std::string& beside) {
  const auto nothing = nlohmann::json::object();
  const auto token = server::token_of(home);
  if (!beside.empty() && token) return server::KernelClient::post_to(beside, *token, "/link", nothing);
  return server::KernelClient(home).post("/link", nothing);
}

/// Prints the link of the server that already serves this home.
int print_link(const Context& context) {
  const std::string beside = server::page_address(context.home()).value_or("");
  if (beside.starts_with("https:"))
    return fail(environment, beside, "a link of a server beside the home's owner cannot be had over TLS",
                "ask it with the token: POST " + beside + "/api/v1/link");
  const auto reply = ask_for_link(context.home(), beside);
  if (!reply) return fail(environment, "home " + context.home(), "no kernel serves it", "`etude serve` does");
  if (!reply->ok()) return fail(environment, server::problem_of(reply->body));
  if (context.json)
    print_json(reply->body);
  else
    fmt::print("{}\n", reply->body.at("link").get<std::string>());
  return ok;
}

/// The address of the page that the home's owner serves; empty if it serves none, or does not answer.
std::string page_of_owner(const std::string& home) {
  const auto health = server::KernelClient(home).get("/health");
  const auto page = health && health->ok() ? health->body.value("page", nlohmann::json()) : nlohmann::json();
  return page.is_string() ? page.get<std::string>() : "";
}

int is_served(const Context& context, const std::string& page) {
  kernel::Problem problem = session::owned_problem(session::HomePaths{context.home()});
  problem.why += ", which serves it at " + page;
  problem.todo = "`etude serve --link` prints a link that opens it";
  return fail(environment, problem);
}

/// Options that exclude each other, or have a bad value.
std::optional<kernel::Problem> contradiction(const ServeOptions& options) {
  for (const std::string& origin : options.origins)
    if (auto problem = server::bad_origin(origin)) return problem;
  if (options.tls.certificates.empty() != options.tls.key.empty())
    return kernel::Problem{"", 0, "--cert and --key", "they are used together", "give both"};
  if (!server::is_loopback(options.host) && options.tls.key.empty() && !options.insecure)
    return kernel::Problem{"", 0, "--host " + options.host,
                           "other machines can reach it, and anybody on the way could read the token and all answers",
                           "give --cert and --key, or say --insecure; or tunnel: ssh -L 7717:localhost:7717 HOST"};
  return std::nullopt;
}

enum class Stopped { by_crash, by_crash_or_interrupt };

/// Resumes stopped studies. If one cannot be resumed, prints why and leaves it.
void take_up(session::Session& session, const std::string& home, Stopped which) {
  const memory::Reader reader(home);
  for (const std::string& id : session::stopped_studies(home)) {
    const bool crashed = nlohmann::json::parse(reader.study(id).value()).at("state") == "running";
    if (which == Stopped::by_crash && !crashed) continue;
    if (const auto problem = session.resume({id, 0, {}}))
      fmt::print(stderr, "etude: {}\n", printable(problem->text()));
    else
      fmt::print(stderr, "study {} goes on\n", id);
  }
}

using Opened = kernel::Result<std::unique_ptr<session::Session>>;

/// Serves while another process owns the home. When that process ends, this one opens the home. Null if this process
/// was told to end before.
Opened await_home(server::Relay& relay, const std::function<Opened()>& open) {
  constexpr std::chrono::milliseconds look_again{50};
  const SignalWatch watch([&] { relay.stop(); }, [&] { relay.stop(); });
  for (;;) {
    relay.follow();
    if (relay.stopped()) return std::unique_ptr<session::Session>();
    Opened session = open();
    if (!session || *session) return session;
    std::this_thread::sleep_for(look_again);  // The owner is starting, or another process has taken its place.
  }
}

/// `owner`: the process that owns the home, if it is another one.
void say_address(const Context& context, server::AccessControl& access, std::optional<int> owner) {
  if (context.json) {
    nlohmann::json said = {{"address", access.address()}, {"link", access.one_time_link()}, {"home", context.home()}};
    if (owner) said["owner"] = *owner;
    print_json_line(said);
  } else {
    fmt::print("etude serves {} at {}\nopen it once, within ten minutes: {}\n", context.home(), access.address(),
               access.one_time_link());
    if (owner)
      fmt::print("process {} owns the home and gets what is asked for here; this server takes its place when it ends\n",
                 *owner);
  }
  std::fflush(stdout);
}

int serve(const Context& context, const ServeOptions& options) {
  if (options.new_token) return renew(context);
  if (options.link) return print_link(context);
  if (options.scrape_token) return print_scrape_token(context);
  if (const auto problem = contradiction(options)) return fail(bad_input, *problem);
  hold_signals();
  LiveView silent(LiveView::Style::silent);
  session::Notifier notifier = notifier_of(context, silent);
  const auto open = [&] {
    return session::Session::open(context.home(), silent, *context.backend, context.config_option, &notifier);
  };
  Opened session = open();
  if (!session) return fail(environment, session.problem());
  if (!*session)
    if (const std::string page = page_of_owner(context.home()); !page.empty()) return is_served(context, page);
  if (const auto token = server::token_of(context.home()); !token) return fail(environment, token.problem());
  auto web = server::WebServer::listen(options.host, options.port, options.tls);
  if (!web) return fail(bad_input, web.problem());
  server::AccessControl access(
      {context.home(), options.host, (*web)->port(), !options.tls.key.empty(), options.read_only, options.origins});
  const auto reading = session::Session::for_reading(context.home(), *context.backend, context.config_option);
  server::Relay relay(*reading, access);
  // Its threads use what stands above, also when this function is left by an exception.
  const auto close = std::shared_ptr<void>(nullptr, [&](void*) { web->reset(); });
  const bool is_beside = !*session;
  if (is_beside) {
    const server::PageAddress found_by_others(context.home(), access.address());
    (*web)->relay(relay, access);
    say_address(context, access, session::owner_of(session::HomePaths{context.home()}).value_or(0));
    session = await_home(relay, open);
    if (!session || !*session) {
      web->reset();
      return session ? interrupted : fail(environment, session.problem());
    }
    fmt::print(stderr, "the process that owned the home has ended; this server owns it now\n");
  }
  // What a person interrupted while this server looked on stays so.
  take_up(**session, context.home(), is_beside ? Stopped::by_crash : Stopped::by_crash_or_interrupt);
  {
    const server::SocketServer socket(**session, &access);
    (*web)->serve(**session, access);
    const SignalWatch watch([&] { (*session)->interrupt(); }, [&] { (*session)->leave(); });
    if (!is_beside) say_address(context, access, std::nullopt);
    (*session)->serve();
    web->reset();
  }
  return interrupted;
}

}  // namespace

void add_serve(CLI::App& app, Context& context) {
  const auto [verb, options] = add_verb(app, context, "serve", "serve the API and the page of this home", serve);
  verb->add_option("--port", options->port, "0: any free port (default: 7717)")->check(CLI::Range(0, 65535));
  add_executor_option(*verb, context);
  verb->add_option("--host", options->host, "what to listen on (default: 127.0.0.1, this machine only)");
  verb->add_option("--cert", options->tls.certificates, "certificates for TLS, PEM");
  verb->add_option("--key", options->tls.key, "their key, PEM");
  verb->add_flag("--insecure", options->insecure, "allow other machines without TLS");
  verb->add_flag("--read-only", options->read_only, "allow reading only");
  verb->add_option("--allow-origin", options->origins,
                   "let pages of this origin use the API with a token, such as https://lab.example; may be repeated")
      ->expected(1)
      ->take_all();
  verb->add_flag("--link", options->link, "print another link to the page that is already served");
  verb->add_flag("--scrape-token", options->scrape_token,
                 "print the token with which Prometheus may read /metrics only");
  verb->add_flag("--new-token", options->new_token, "make a new token; the old one and all open pages are signed out");
}

}  // namespace cli
