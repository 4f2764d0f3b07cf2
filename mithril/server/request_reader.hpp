// Reads one request of HTTP/1.1 from the bytes of a connection, without the network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "mithril/server/chunk_reader.hpp"
#include "mithril/server/http_request.hpp"

namespace mithril {

struct RequestLimits {
  std::size_t head_bytes = 0;  // more get the status 431
  std::size_t body_bytes = 0;  // 413
};

class RequestReader {
 public:
  explicit RequestReader(const RequestLimits& limits) : limits_(limits) {}

  // The next bytes of the connection. Bytes after the end of the request refuse it: one that does
  // not wait for its answer may come from a client that reads the end of a body at another place.
  void read(std::string_view bytes);

  bool is_complete() const { return state_ == State::complete; }
  const std::optional<HttpRefusal>& refusal() const { return refusal_; }
  // Whether the client waits for "100 Continue"; once.
  bool take_continue();
  std::size_t bytes() const { return head_.size() + request_.body.size(); }  // that it holds
  HttpRequest take() { return std::move(request_); }

 private:
  enum class State { head, counted_body, chunked_body, complete };

  std::string_view read_head(std::string_view bytes);
  std::string_view read_body(std::string_view bytes);
  void refuse(int status, std::string why = {});

  RequestLimits limits_;
  State state_ = State::head;
  std::string head_;
  std::uint64_t left_ = 0;  // of a body that is not chunked
  ChunkReader chunks_;
  bool expects_continue_ = false;
  HttpRequest request_;
  std::optional<HttpRefusal> refusal_;
};

}  // namespace mithril
