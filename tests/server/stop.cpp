// The end of a server with requests that wait.
#include <doctest/doctest.h>

#include <thread>

#include "mithril/server/http_server.hpp"
#include "tests/server/http_client.hpp"
#include "tests/server/served_relu.hpp"

namespace mithril::tests {

TEST_CASE("the end of a server cancels requests that wait") {
  const auto engine = served_relu({.max_batch_size = 8, .max_delay = std::chrono::hours(1)});
  HttpServer server(engine, {.port = 0, .stop_timeout = std::chrono::milliseconds(0)});
  HttpClient client(server.port());
  client.send(http_infer_request());
  while (engine->stats("net").waiting == 0) std::this_thread::yield();
  CHECK_FALSE(server.stop());
  const std::string response = client.rest();
  CHECK(response.starts_with("HTTP/1.1 503 "));
  CHECK(response.find("E1206") != std::string::npos);
}

}  // namespace mithril::tests
