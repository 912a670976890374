#include "apps/server/listen/web_server.h"

#include <csignal>
#include <thread>

#include <httplib.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/server/http/connection.h"
#include "apps/server/http/ranges.h"
#include "apps/server/http/tcp_http.h"
#include "apps/server/listen/relay.h"
#include "apps/server/page/page_files.h"

namespace server {

namespace {

constexpr std::chrono::milliseconds last_words{300};

/// Nothing from other hosts, no script or style in markup, no markup from strings.
constexpr char page_policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types etude";

const char* type_of(std::string_view file) {
  if (file.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (file.ends_with(".css")) return "text/css; charset=utf-8";
  if (file.ends_with(".svg")) return "image/svg+xml";
  return "text/html; charset=utf-8";
}

void install_page(httplib::Server& http) {
  for (const std::string_view file : page_files()) {
    const auto show = [file](const httplib::Request& request, httplib::Response& response) {
      const_cast<httplib::Request&>(request).ranges.clear();  // Else httplib cuts the file.
      response.set_content(std::string(page_file(file)), type_of(file));
    };
    if (file == "index.html") http.Get("/", show);
    std::string pattern = "/";
    for (const char c : file) pattern += c == '.' ? "\\." : std::string(1, c);
    http.Get(pattern, show);
  }
}

RequestHeaders headers_of(const Request& request) {
  const auto size = body_size(request);
  return {request.method,
          request.path,
          request.get_header_value("Host"),
          request.get_header_value("Origin"),
          request.get_header_value("Sec-Fetch-Site"),
          request.get_header_value("Authorization"),
          request.get_header_value("Cookie"),
          request.get_header_value("Content-Type"),
          !size || *size > 0};
}

/// A browser's question whether a page of another origin may send a request. It has no token.
bool is_preflight(const AccessControl& access, const Request& request) {
  return request.method == "OPTIONS" && request.has_header("Access-Control-Request-Method") &&
         access.is_allowed_origin(request.get_header_value("Origin"));
}

void answer_preflight(const Request& request, Response& response) {
  response.status = 204;
  response.set_header("Access-Control-Allow-Methods", "GET, HEAD, POST");
  response.set_header("Access-Control-Allow-Headers",
                      "Authorization, Content-Type, If-None-Match, If-Range, Last-Event-ID, Range");
  response.set_header("Access-Control-Max-Age", "600");
  if (request.has_header("Access-Control-Request-Private-Network"))
    response.set_header("Access-Control-Allow-Private-Network", "true");
}

void name_origin(const AccessControl& access, const Request& request, Response& response) {
  if (!access.has_other_origins()) return;
  response.set_header("Vary", "Origin");
  const std::string origin = request.get_header_value("Origin");
  if (!access.is_allowed_origin(origin)) return;
  response.set_header("Access-Control-Allow-Origin", origin);
  response.set_header("Access-Control-Expose-Headers",
                      "Accept-Ranges, Allow, Content-Range, ETag, Retry-After, WWW-Authenticate");
}

/// Adds the headers of every answer on TCP.
void finish(const AccessControl& access, const Request& request, Response& response) {
  name_origin(access, request, response);
  const bool report = response.has_header("Content-Security-Policy");
  if (!report) response.set_header("Content-Security-Policy", page_policy);
  response.set_header("X-Frame-Options", report ? "SAMEORIGIN" : "DENY");
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cross-Origin-Opener-Policy", "same-origin");
  response.set_header("Cross-Origin-Resource-Policy", "same-origin");
  const bool part = response.status == 206;  // It has the tag of the whole.
  if ((response.status != 200 && !part) || request.method != "GET" || response.body.empty()) {
    if (!response.has_header("Cache-Control")) response.set_header("Cache-Control", "no-store");
    return;
  }
  // Browsers store it but must revalidate it; the tag is of the bytes as sent.
  response.set_header("Cache-Control", "private, no-cache");
  if (part) return;
  const std::string tag = entity_tag(response.body);
  response.set_header("ETag", tag);
  if (!is_known(request, tag)) return;
  response.status = 304;
  response.body.clear();
  response.headers.erase("Content-Length");
  response.headers.erase("Content-Encoding");
}

std::string last_tls_error() {
  char text[256];
  ERR_error_string_n(ERR_get_error(), text, sizeof text);
  return text;
}

kernel::Result<Tls> tls_with(const TlsFiles& files) {
  Tls tls(SSL_CTX_new(TLS_server_method()));
  if (!tls) return kernel::Problem{"", 0, "TLS", last_tls_error(), "", true};
  SSL_CTX_set_min_proto_version(tls.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(tls.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (SSL_CTX_use_certificate_chain_file(tls.get(), files.certificates.c_str()) != 1)
    return kernel::Problem{"", 0, "--cert " + files.certificates, last_tls_error(), "give a PEM file of certificates"};
  if (SSL_CTX_use_PrivateKey_file(tls.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(tls.get()) != 1)
    return kernel::Problem{"", 0, "--key " + files.key, last_tls_error(), "give the PEM file of the certificate's key"};
  return tls;
}

}  // namespace

struct WebServer::Parts {
  TcpHttp http;
  int port = 0;
  std::unique_ptr<Api> api;
  std::atomic<Api*> own{nullptr};  ///< `api`, once it answers.
  Relay* relay = nullptr;
  std::thread thread;

  void answer(const Route& route, const Request& request, Response& response) {
    if (Api* const api_of_kernel = own)
      handle(route, *api_of_kernel, request, response);
    else
      relay->answer(route, request, response);
  }
  int streams() const {
    const Api* const api_of_kernel = own;
    return api_of_kernel ? api_of_kernel->streams.load() : relay->streams();
  }
};

WebServer::WebServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

kernel::Result<std::unique_ptr<WebServer>> WebServer::listen(const std::string& host, int port, const TlsFiles& files) {
  auto parts = std::make_unique<Parts>();
  if (!files.certificates.empty()) {
    auto tls = tls_with(files);
    if (!tls) return tls.problem();
    parts->http.tls = std::move(*tls);
  }
  // As in httplib, except that no two servers may share a port.
  parts->http.set_socket_options([](int socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  const bool bound = port == 0 ? (parts->port = parts->http.bind_to_any_port(host)) > 0
                               : parts->http.bind_to_port(host, parts->port = port);
  if (!bound)
    return kernel::Problem{"",
                           0,
                           host + ":" + std::to_string(port),
                           "it cannot be listened on",
                           "another program may have it: choose another with --port",
                           true};
  parts->http.raise_backlog();
  return std::unique_ptr<WebServer>(new WebServer(std::move(parts)));
}

int WebServer::port() const {
  return parts_->port;
}

void WebServer::serve(session::Session& session, AccessControl& access) {
  parts_->api = std::make_unique<Api>(session, &access);
  parts_->own = parts_->api.get();
  if (parts_->relay)
    parts_->relay->end_streams();
  else
    start(access);
}

void WebServer::relay(Relay& relay, AccessControl& access) {
  parts_->relay = &relay;
  start(access);
}

void WebServer::start(AccessControl& access) {
  // A client that closes during TLS must not end this process.
  std::signal(SIGPIPE, SIG_IGN);
  TcpHttp& http = parts_->http;
  Parts& parts = *parts_;
  http.set_payload_max_length(largest_body);
  http.set_keep_alive_timeout(TcpHttp::seconds_between_requests);
  http.set_keep_alive_max_count(1000);
  http.set_pre_routing_handler([&parts, &access](const Request& request, Response& response) {
    if (is_preflight(access, request)) {
      answer_preflight(request, response);
      return httplib::Server::HandlerResponse::Handled;
    }
    std::optional<Refusal> refusal = access.refuses(headers_of(request));
    if (!refusal) refusal = refuses_framing(request);
    const bool streams = request.path.ends_with("/events") || asks_for(request, "follow");
    if (!refusal && streams && parts.streams() >= TcpHttp::most_streams)
      refusal = Refusal{429, "too many streams are open", "close one, or ask again later"};
    if (!refusal) return httplib::Server::HandlerResponse::Unhandled;
    refuse(response, refusal->status, refusal->title, refusal->detail);
    if (refusal->status == 401) response.set_header("WWW-Authenticate", "Bearer");
    if (refusal->status == 429) response.set_header("Retry-After", "5");
    if (request.has_header("Content-Length") || request.has_header("Transfer-Encoding"))
      response.set_header("Connection", "close");
    return httplib::Server::HandlerResponse::Handled;
  });
  http.set_post_routing_handler(
      [&access](const Request& request, Response& response) { finish(access, request, response); });
  install(http, [&parts](const Route& route, const Request& request, Response& response) {
    parts.answer(route, request, response);
  });
  install_page(http);
  parts_->thread = std::thread([&http] { http.listen_after_bind(); });
  while (!http.is_running()) std::this_thread::yield();
}

WebServer::~WebServer() {
  if (!parts_->thread.joinable()) return;
  if (parts_->api) parts_->api->end_streams();
  if (parts_->relay) parts_->relay->end_streams();
  parts_->http.stop();
  std::this_thread::sleep_for(last_words);
  parts_->thread.join();
  parts_->http.close_all();
}

}  // namespace server
