// A server of the Open Inference Protocol over HTTP, for the models of an engine.
#pragma once

#include <chrono>
#include <memory>

#include "mithril/engine/engine.hpp"
#include "mithril/server/server_options.hpp"

namespace mithril {

// Serves until it is destroyed. A forked child does not serve: there, stop and wait return at once.
// Endpoints: docs/serving.md. Example:
//   ml::HttpServer server(engine, {.port = 8000});
//   server.wait();
class HttpServer {
 public:
  // Begins to serve. BackendError E1236 if it cannot bind to the address; ValueError E1237 for an
  // option out of range.
  explicit HttpServer(std::shared_ptr<Engine> engine, ServerOptions options = {});
  ~HttpServer();  // stops, and waits for running evaluations
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  // Refuses new connections, answers the requests that have arrived, and returns whether it has
  // answered all of them. Requests that are still arriving have arrival_timeout. After stop_timeout
  // it cancels those that wait, closes all connections one second later, and returns; evaluations
  // that run then finish in the background.
  bool stop();
  // Begins to stop, and returns. wait_until() waits for the end.
  void begin_stop();
  // Waits until the server has stopped, or until the time; returns whether it has.
  bool wait_until(std::chrono::steady_clock::time_point time);
  void wait();
  // Whether all requests that had arrived were answered. Call it after the end.
  bool has_answered_all() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mithril
