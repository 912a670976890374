#pragma once
// Where the certificates lie by which servers are trusted: each family of systems has its own place, and the library
// knows only that of the system that it was built on. Reads no certificate.

#include <optional>
#include <string>
#include <vector>

namespace models {

/// Files in PEM form, the most usual first; the last one is a bundle's own (cmake/dist.py).
std::vector<std::string> places_of_certificates();

/// `wanted`, which is $SSL_CERT_FILE or empty; else the first of `places` that is there, unless it is the first of all,
/// which the library finds itself.
std::optional<std::string> certificates(const std::string& wanted, const std::vector<std::string>& places);

}  // namespace models
