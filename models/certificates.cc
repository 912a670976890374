#include "models/certificates.h"

#include <unistd.h>

#include "base/own_folder.h"

namespace models {

std::vector<std::string> places_of_certificates() {
  return {"/etc/ssl/certs/ca-certificates.crt",                 // Debian, Alpine, Arch
          "/etc/pki/tls/certs/ca-bundle.crt",                   // Fedora, Red Hat
          "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // the same, newer
          "/etc/ssl/ca-bundle.pem",                             // openSUSE
          "/etc/ssl/cert.pem",
          kernel::own_folder() + "/../share/ca-certificates.crt"};
}

std::optional<std::string> certificates(const std::string& wanted, const std::vector<std::string>& places) {
  if (!wanted.empty()) return wanted;
  for (const std::string& place : places)
    if (access(place.c_str(), R_OK) == 0)
      return place == places.front() ? std::nullopt : std::optional<std::string>(place);
  return std::nullopt;
}

}  // namespace models
