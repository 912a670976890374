
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/signals.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/views/live_view.h"
#include "apps/cli/work/follow_studies.h"
#include "apps/server/access/access.h"
#include "apps/server/listen/socket_server.h"
#include "apps/server/listen/web_server.h"
#include "apps/server/protocol/kernel_client.h"
#include "apps/server/protocol/protocol.h"
#include "apps/session/control/offline.h"
#include "apps/session/control/session.h"
#include "memory/files/home_folder.h"

namespace cli {

namespace {

struct ServeOptions {
  std::string host = "127.0.0.1";
  int port = 7717;
  server::TlsFiles tls;
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

/// Prints the link of the kernel that already serves this home.
int print_link(const Context& context) {
  const auto reply = server::KernelClient(context.home()).post("/link", nlohmann::json::object());
  if (!reply) return fail(environment, "home " + context.home(), "no kernel serves it", "`etude serve` does");
  if (!reply->ok()) return fail(environment, server::problem_of(reply->body));
  if (context.json)
    print_json(reply->body);
  else
    fmt::print("{}\n", reply->body.at("link").get<std::string>());
  return ok;
}

int owned(const Context& context) {
  kernel::Problem problem = session::owned_problem(session::HomePaths{context.home()});
  const auto health = server::KernelClient(context.home()).get("/health");
  const auto page = health && health->ok() ? health->body.value("page", nlohmann::json()) : nlohmann::json();
  if (page.is_string()) {
    problem.why += ", which serves it at " + page.get<std::string>();
    problem.todo = "`etude serve --link` prints a link that opens it";
  }
  return fail(environment, problem);
}

/// Options that exclude each other.
std::optional<kernel::Problem> contradiction(const ServeOptions& options) {
  if (options.tls.certificates.empty() != options.tls.key.empty())
    return kernel::Problem{"", 0, "--cert and --key", "they are used together", "give both"};
  if (!server::is_loopback(options.host) && options.tls.key.empty() && !options.insecure)
    return kernel::Problem{"", 0, "--host " + options.host,
                           "other machines can reach it, and anybody on the way could read the token and all answers",
                           "give --cert and --key, or say --insecure; or tunnel: ssh -L 7717:localhost:7717 HOST"};
  return std::nullopt;
}

/// Resumes studies that a crash or an interrupt stopped. If one cannot be resumed, prints why and leaves it.
void take_up(session::Session& session, const std::string& home) {
  for (const std::string& id : session::stopped_studies(home))
    if (const auto problem = session.resume({id, 0, {}}))
      fmt::print(stderr, "etude: {}\n", printable(problem->text()));
    else
      fmt::print(stderr, "study {} goes on\n", id);
}

int serve(const Context& context, const ServeOptions& options) {
  if (options.new_token) return renew(context);
  if (options.link) return print_link(context);
  if (options.scrape_token) return print_scrape_token(context);
  if (const auto problem = contradiction(options)) return fail(bad_input, *problem);
  hold_signals();
  LiveView silent(LiveView::Style::silent);
  session::Notifier notifier = notifier_of(context, silent);
  auto session = session::Session::open(context.home(), silent, *context.backend, context.config_option, &notifier);
  if (!session) return fail(environment, session.problem());
  if (!*session) return owned(context);
  if (const auto token = server::token_of(context.home()); !token) return fail(environment, token.problem());
  auto web = server::WebServer::listen(options.host, options.port, options.tls);
  if (!web) return fail(bad_input, web.problem());
  server::AccessControl access(
      {context.home(), options.host, (*web)->port(), !options.tls.key.empty(), options.read_only});
  take_up(**session, context.home());
  {
    const server::SocketServer socket(**session, &access);
    (*web)->serve(**session, access);
    const SignalWatch watch([&] { (*session)->interrupt(); }, [&] { (*session)->leave(); });
    if (context.json)
      print_json_line({{"address", access.address()}, {"link", access.one_time_link()}, {"home", context.home()}});
    else
      fmt::print("etude serves {} at {}\nopen it once, within ten minutes: {}\n", context.home(), access.address(),
                 access.one_time_link());
    std::fflush(stdout);
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
  verb->add_flag("--link", options->link, "print another link to the page that is already served");
  verb->add_flag("--scrape-token", options->scrape_token,
                 "print the token with which Prometheus may read /metrics only");
  verb->add_flag("--new-token", options->new_token, "make a new token; the old one and all open pages are signed out");
}

}  // namespace cli
