// The state that the connections of a server share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <stop_token>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mithril/engine/engine.hpp"
#include "mithril/server/http_request.hpp"
#include "mithril/server/memory_budget.hpp"
#include "mithril/server/protocol_message.hpp"
#include "mithril/server/request_threads.hpp"
#include "mithril/server/server_options.hpp"

namespace mithril {

class HttpConnection;

// The open connections. Thread-safe: the last owner of a connection may be any thread.
class ConnectionList {
 public:
  void add(const std::shared_ptr<HttpConnection>& connection);
  void remove(const HttpConnection* connection);
  std::size_t size() const;
  std::vector<std::shared_ptr<HttpConnection>> all() const;

 private:
  mutable std::mutex mutex_;  // guards the member below
  std::unordered_map<const HttpConnection*, std::weak_ptr<HttpConnection>> connections_;
};

// It outlives the connections.
struct ServerCore {
  explicit ServerCore(std::shared_ptr<Engine> served, ServerOptions checked)
      : engine(std::move(served)),
        options(std::move(checked)),
        memory(options.max_buffered_bytes),
        threads(options.max_requests) {}

  // Reads the body and asks the engine. Does not throw: errors become responses.
  ProtocolResponse answer(HttpRequest request, HeldMemory& held) noexcept;

  const std::shared_ptr<Engine> engine;  // shared with the program that registers models
  const ServerOptions options;
  MemoryBudget memory;
  ConnectionList connections;
  std::atomic<bool> stopping{false};
  std::stop_source cancellation;  // of requests that wait when the time to stop is over
  std::vector<char> received;     // of the thread of the network
  RequestThreads threads;
};

}  // namespace mithril
