#include "mithril/server/http_server.hpp"

#include <httplib.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "mithril/base/text.hpp"
#include "mithril/server/connection_threads.hpp"
#include "mithril/server/inference_protocol.hpp"

namespace mithril {
namespace {

constexpr const char* json_length_header = "Inference-Header-Content-Length";

ServerOptions checked_server_options(ServerOptions options) {
  const auto require = [](bool holds, const char* option, const std::string& got,
                          const char* expected) {
    if (holds) return;
    raise({.kind = ErrorKind::value,
           .code = "E1237",
           .message = std::string("serve: ") + option + " is " + got + ", expected " + expected});
  };
  require(options.port >= 0 && options.port <= 65535, "port", std::to_string(options.port),
          "0 to 65535");
  require(options.max_connections >= 1, "max_connections", std::to_string(options.max_connections),
          "at least 1");
  require(options.max_request_bytes >= 1, "max_request_bytes",
          std::to_string(options.max_request_bytes), "at least 1");
  return options;
}

// Without SO_REUSEPORT, with which two servers would share a port unnoticed.
void reuse_address(socket_t socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

// cpp-httplib lets 5 connections wait to be accepted, and the system resets others.
class ListeningServer final : public httplib::Server {
 public:
  bool widen_backlog() { return ::listen(svr_sock_, SOMAXCONN) == 0; }
};

ParseError invalid_request() {
  return ParseError({.code = "E1238", .message = "this is no valid HTTP request"});
}

void write_response(const ProtocolResponse& made, httplib::Response& response) {
  response.status = made.status;
  if (made.json_length) response.set_header(json_length_header, std::to_string(*made.json_length));
  response.set_content(made.body, made.content_type);
}

}  // namespace

struct HttpServer::Impl {
  Impl(std::shared_ptr<Engine> served, ServerOptions given)
      : engine(std::move(served)), options(checked_server_options(std::move(given))) {
    server.new_task_queue = [this] { return new ConnectionThreads(options.max_connections); };
    server.set_socket_options(reuse_address);
    server.set_tcp_nodelay(true);
    server.set_keep_alive_max_count(1'000'000'000);
    server.set_payload_max_length(options.max_request_bytes);
    add_handlers();
    bind();
    thread = std::thread([this] {
      server.listen_after_bind();
      const std::lock_guard lock(mutex);
      ended = true;
      changed.notify_all();
    });
  }

  ~Impl() { stop(); }

  void add_handlers() {
    const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
      write_response(answered(request, request.body), response);
    };
    server.Get(".*", answer);
    server.Put(".*", answer);
    server.Patch(".*", answer);
    server.Delete(".*", answer);
    server.Post(".*", [this](const httplib::Request& request, httplib::Response& response,
                             const httplib::ContentReader& reader) {
      std::string body;
      if (request.has_header("Content-Length")) {
        const auto length = request.get_header_value<std::uint64_t>("Content-Length");
        if (length <= options.max_request_bytes) body.reserve(length);
      }
      bool is_too_large = false;
      const bool is_read = reader([&](const char* data, std::size_t size) {
        is_too_large = body.size() + size > options.max_request_bytes;
        if (!is_too_large) body.append(data, size);
        return !is_too_large;
      });
      if (is_too_large || response.status == 413) {
        write_response(too_large(), response);
      } else if (is_read) {
        write_response(answered(request, body), response);
      }
    });
    // Errors of the protocol HTTP, which has no body yet.
    server.set_error_handler([this](const httplib::Request&, httplib::Response& response) {
      if (!response.body.empty() || response.status < 400) return;
      write_response(
          response.status == 413 ? too_large() : error_response(response.status, invalid_request()),
          response);
    });
  }

  ProtocolResponse answered(const httplib::Request& request, const std::string& body) {
    ProtocolRequest asked{.method = request.method, .path = request.path, .body = body};
    if (request.has_header(json_length_header))
      asked.json_length = request.get_header_value(json_length_header);
    return answer_request(*engine, asked, !stopping);
  }

  ProtocolResponse too_large() const {
    return error_response(
        413, InputError({.code = "E1239",
                         .message = "the request has more than " +
                                    std::to_string(options.max_request_bytes) + " bytes"}));
  }

  void bind() {
    const int bound = options.port == 0 ? server.bind_to_any_port(options.host)
                      : server.bind_to_port(options.host, options.port) ? options.port
                                                                        : -1;
    if (bound <= 0 || !server.widen_backlog()) {
      raise({.kind = ErrorKind::backend,
             .code = "E1236",
             .message =
                 "the server cannot listen at " + options.host + ":" + std::to_string(options.port),
             .help = "choose another port, or 0 for any; the port may be in use"});
    }
    port = bound;
  }

  void stop() {
    stopping = true;
    const std::lock_guard joining(stop_mutex);
    if (!thread.joinable()) return;
    // A server that has not begun to listen would not see the stop.
    while (!server.is_running() && !has_ended()) std::this_thread::yield();
    server.stop();
    thread.join();
  }

  bool has_ended() {
    const std::lock_guard lock(mutex);
    return ended;
  }

  const std::shared_ptr<Engine> engine;  // shared with the program that registers models
  const ServerOptions options;
  ListeningServer server;
  int port = 0;
  std::atomic<bool> stopping{false};
  std::mutex stop_mutex, mutex;  // the second guards `ended`
  std::condition_variable changed;
  bool ended = false;
  std::thread thread;
};

HttpServer::HttpServer(std::shared_ptr<Engine> engine, ServerOptions options)
    : impl_(std::make_unique<Impl>(std::move(engine), std::move(options))) {}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return impl_->port; }

void HttpServer::stop() { impl_->stop(); }

bool HttpServer::wait_until(std::chrono::steady_clock::time_point time) {
  std::unique_lock lock(impl_->mutex);
  return impl_->changed.wait_until(lock, time, [&] { return impl_->ended; });
}

void HttpServer::wait() {
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait(lock, [&] { return impl_->ended; });
}

}  // namespace mithril
