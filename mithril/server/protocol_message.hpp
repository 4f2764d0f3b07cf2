// Requests and responses of the Open Inference Protocol.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace mithril {

struct ProtocolRequest {
  std::string_view method;                      // "GET"
  std::string_view path;                        // "/v2/models/net/infer"
  std::string_view body = {};                   // JSON, then binary tensors
  std::optional<std::string> json_length = {};  // the header Inference-Header-Content-Length
  std::stop_token cancellation = {};            // of an inference request
};

struct ProtocolResponse {
  int status = 200;
  std::string body = {};
  std::string content_type = "application/json";
  std::optional<std::size_t> json_length = {};  // if binary tensors follow the JSON
};

}  // namespace mithril
