// A server of the Open Inference Protocol over HTTP, for the models of an engine.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "mithril/engine/engine.hpp"

namespace mithril {

struct ServerOptions {
  std::string host = "127.0.0.1";                         // other machines cannot reach the default
  int port = 8000;                                        // 0: any free port
  std::size_t max_request_bytes = std::size_t{64} << 20;  // also after decompression
  // The most connections that are served at a time, each by a thread; others wait.
  std::size_t max_connections = 512;
};

// Serves until it is destroyed. Endpoints: docs/serving.md. Example:
//   ml::HttpServer server(engine, {.port = 8000});
//   server.wait();
class HttpServer {
 public:
  // Begins to serve. BackendError E1236 if it cannot bind to the address; ValueError E1237 for an
  // option out of range.
  explicit HttpServer(std::shared_ptr<Engine> engine, ServerOptions options = {});
  ~HttpServer();  // stops
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  // Refuses new connections, answers the requests that were accepted, and returns. Idle connections
  // are closed after 5 seconds at most.
  void stop();
  // Waits until another thread stops the server, or until the time; returns whether it stopped.
  bool wait_until(std::chrono::steady_clock::time_point time);
  void wait();

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace mithril
