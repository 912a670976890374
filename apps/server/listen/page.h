#pragma once
// The page: its embedded files and its content security policy. Include httplib first.

namespace httplib {
class Server;
}

namespace server {

/// Nothing from other hosts, no script or style in markup, no markup from strings.
inline constexpr char page_policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types etude";

void install_page(httplib::Server&);

}  // namespace server
