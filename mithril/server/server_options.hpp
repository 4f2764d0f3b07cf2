// The options of a server.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace mithril {

struct ServerOptions {
  std::string host = "127.0.0.1";                         // other machines cannot reach the default
  int port = 8000;                                        // 0: any free port
  std::size_t max_request_bytes = std::size_t{64} << 20;  // of a body, also after decompression
  std::size_t max_header_bytes = std::size_t{16} << 10;   // of the first line and all headers
  // For the bodies of all unanswered requests together.
  std::size_t max_buffered_bytes = std::size_t{1} << 30;
  // One more closes the connection that has sent no complete request for the longest time.
  std::size_t max_connections = 1000;
  std::size_t max_requests = 512;  // that are answered at a time, each by a thread; others wait
  // The time from the first byte of a request until it is complete, and for the client to read the
  // answer.
  std::chrono::milliseconds request_timeout = std::chrono::seconds(60);
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(60);  // without a request
  // See stop(). With the second after it, it is within the 30 seconds that Kubernetes gives.
  std::chrono::milliseconds stop_timeout = std::chrono::seconds(25);
  // For requests that are still arriving when stop() begins.
  std::chrono::milliseconds arrival_timeout = std::chrono::seconds(1);
};

// ValueError E1237 for an option out of range.
ServerOptions checked_server_options(ServerOptions options);

}  // namespace mithril
