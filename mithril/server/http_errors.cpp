#include "mithril/server/http_errors.hpp"

#include <fmt/format.h>

#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"

namespace mithril {

ParseError invalid_request(const std::string& why) {
  return ParseError({.code = "E1238",
                     .message = "this is not a valid HTTP request",
                     .facts = {{"why", printable(why), ""}}});
}

InputError too_large_body(std::size_t most) {
  return InputError(
      {.code = "E1239", .message = fmt::format("the request has more than {} bytes", most)});
}

BackendError failed_request(const std::string& why) {
  return BackendError({.code = "E1241",
                       .message = "the request cannot be answered",
                       .facts = {{"why", printable(why), ""}}});
}

InputError too_large_head(std::size_t most) {
  return InputError(
      {.code = "E1242",
       .message = fmt::format("the request has more than {} bytes of headers, or more than 100 "
                              "headers",
                              most)});
}

InputError late_request(std::chrono::milliseconds limit) {
  return InputError({.code = "E1243",
                     .message = fmt::format("the request did not arrive within {} seconds",
                                            std::chrono::duration<double>(limit).count())});
}

InputError unknown_encoding(const std::string& encoding) {
  return InputError(
      {.code = "E1244",
       .message = "the server cannot read the Content-Encoding " + in_quotes(printable(encoding)),
       .help = "send gzip, deflate or no Content-Encoding"});
}

BackendError too_many_bodies() {
  return BackendError(
      {.code = "E1245",
       .message = "the bodies of all unanswered requests together have reached the limit of "
                  "the server",
       .help = "send the request again later"});
}

BackendError stopping_server() {
  return BackendError({.code = "E1246", .message = "the server is stopping"});
}

}  // namespace mithril
