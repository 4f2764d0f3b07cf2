// Many clients and one server. Under the thread sanitizer this is the test that counts.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "mithril/server/http_server.hpp"
#include "tests/server/http_client.hpp"
#include "tests/server/served_relu.hpp"

namespace mithril::tests {
namespace {

bool is_answered(const std::string& response) {
  return response.starts_with("HTTP/1.1 200 OK\r\n") && response.find("[3]") != std::string::npos;
}

}  // namespace

TEST_CASE("clients of a server get their answers, one after the other and on new connections") {
  HttpServer server(served_relu({.max_batch_size = 4}), {.port = 0, .max_requests = 3});
  std::atomic<int> wrong = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&, i] {
      for (int round = 0; round < 10; ++round) {
        HttpClient client(server.port());
        for (int request = 0; request < i % 3; ++request) {
          client.send(http_infer_request());
          if (!is_answered(client.response())) ++wrong;
        }
        client.send(http_infer_request("close"));
        if (!is_answered(client.rest())) ++wrong;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  CHECK(wrong == 0);
  CHECK(server.stop());
}

TEST_CASE("a server stops while clients send, leave and wait") {
  const auto engine = served_relu();
  for (int round = 0; round < 5; ++round) {
    HttpServer server(engine, {.port = 0, .max_connections = 6});
    std::atomic<int> wrong = 0;
    std::atomic<bool> ended = false;
    std::vector<std::thread> clients;
    for (int i = 0; i < 8; ++i) {
      clients.emplace_back([&, i] {
        while (!ended) {
          HttpClient client(server.port());
          client.send(i % 4 == 0 ? "GET /v2 HT" : http_infer_request());
          if (i % 4 == 1) continue;  // leaves before the answer
          const std::string response = i % 4 == 0 ? "" : client.response();
          if (!response.empty() && !is_answered(response)) ++wrong;
        }
      });
    }
    HttpClient client(server.port());
    client.send(http_infer_request());
    client.response();
    CHECK(server.stop());
    ended = true;
    for (std::thread& each : clients) each.join();
    CHECK(wrong == 0);
  }
}

}  // namespace mithril::tests
