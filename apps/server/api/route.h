#pragma once
// One route of the HTTP API, as listed in the table: method, pattern, handler, and a description of one line.

#include <string>
#include <vector>

namespace httplib {
struct Request;
struct Response;
}  // namespace httplib

namespace server {

struct Api;

struct QueryParameter {
  std::string name, type, meaning;
};

struct Route {
  std::string method;   ///< GET or POST.
  std::string pattern;  ///< Below /api/v1, with {names}.
  std::string summary;
  void (*handle)(Api&, const httplib::Request&, httplib::Response&);
  std::vector<QueryParameter> query = {};
  std::string type = "application/json";  ///< Media type of the answer.
  int gives = 200;
};

/// The paging parameters of every list.
inline const std::vector<QueryParameter> paging = {{"limit", "integer", "at most that many, up to 1000"},
                                                   {"cursor", "string", "the one of the page before"}};

}  // namespace server
