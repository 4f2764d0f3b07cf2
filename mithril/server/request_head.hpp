// The head of an HTTP request: its first line and its fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "mithril/server/http_request.hpp"

namespace mithril {

struct RequestHead {
  HttpRequest request;
  bool is_chunked = false;
  std::uint64_t body_bytes = 0;   // of a body that is not chunked
  bool expects_continue = false;  // the client waits for "100 Continue" before it sends the body
};

// Reads a head with the empty line at its end. Refuses everything that programs read in different
// ways: one of them could take a part of a body for a request.
std::variant<RequestHead, HttpRefusal> read_request_head(std::string_view head);

// Whether a head may begin with these bytes, those before `checked` being checked. So other
// protocols and single line feeds are refused at once.
bool may_begin_request_head(std::string_view bytes, std::size_t checked);

}  // namespace mithril
