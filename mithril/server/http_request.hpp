// A request of HTTP, or why it is refused.
#pragma once

#include <optional>
#include <string>

namespace mithril {

struct HttpRequest {
  std::string method;                           // "POST"
  std::string path;                             // decoded, without a query
  std::optional<std::string> json_length = {};  // the header Inference-Header-Content-Length
  std::string content_encoding = {};            // empty: none
  std::string body = {};
  bool keeps_open = true;  // the connection, after the answer
};

// The connection closes after the answer: what follows on it may be part of the refused request.
struct HttpRefusal {
  int status = 400;
  std::string why;  // for 400: a reason
};

}  // namespace mithril
