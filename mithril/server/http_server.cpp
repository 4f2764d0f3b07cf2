#include "mithril/server/http_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <fcntl.h>
#include <poll.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "mithril/base/forks.hpp"
#include "mithril/server/http_connection.hpp"
#include "mithril/server/server_core.hpp"

namespace mithril {
namespace {

namespace asio = boost::asio;

using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr std::size_t receive_bytes = 256 << 10;
constexpr std::chrono::milliseconds between_looks(5);  // at the connections, while it stops
constexpr std::chrono::milliseconds accept_pause(10);  // without a place for a connection
constexpr int accepted_at_once = 64;                   // the others have their turn, too
// How often the server looks while cancelled requests are answered: for a second, or longer if the
// process gets no processor.
constexpr int looks_after_cancelling = 200;

// A program that this one starts would keep the connection open.
void close_in_children(int descriptor) { ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

}  // namespace

struct HttpServer::Impl {
  Impl(std::shared_ptr<Engine> served, ServerOptions given)
      : core(std::move(served), checked_server_options(std::move(given))) {
    core.received.resize(receive_bytes);
    listen();
    thread = std::thread([this] { run(); });
  }

  ~Impl() {
    while (!core.stopping) {
      try {
        begin_stop();
      } catch (const std::exception&) {  // a failed allocation
        std::this_thread::sleep_for(accept_pause);
      }
    }
    thread.join();
    core.threads.join();  // while there is an io_context for their answers
  }

  // A forked child has no thread of the network.
  bool is_forked() const { return forks != fork_count(); }

  void listen() {
    const ServerOptions& options = core.options;
    error_code error;
    tcp::resolver resolver(io);
    const auto found =
        resolver.resolve(options.host, std::to_string(options.port), tcp::resolver::passive, error);
    for (const auto& address : found) {
      // Without SO_REUSEPORT, with which two servers would share a port unnoticed.
      acceptor.close(error);
      acceptor.open(address.endpoint().protocol(), error);
      if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
      if (!error) acceptor.bind(address.endpoint(), error);
      if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
      if (!error) acceptor.non_blocking(true, error);
      if (error) continue;
      close_in_children(acceptor.native_handle());
      port = acceptor.local_endpoint().port();
      return;
    }
    raise({.kind = ErrorKind::backend,
           .code = "E1236",
           .message =
               "the server cannot listen at " + options.host + ":" + std::to_string(options.port),
           .help = "choose another port, or 0 for any; the port may be in use"});
  }

  // The thread of the network. An exception, such as of a failed allocation, ends one step of it.
  void run() {
    while (true) {
      try {
        if (!core.stopping && !is_accepting) wait_for_connections();
        if (is_stopping) look_for_end();
        io.run();
        break;
      } catch (...) {
        std::this_thread::sleep_for(accept_pause);
      }
    }
    const std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
  }

  void wait_for_connections() {
    acceptor.async_wait(tcp::acceptor::wait_read, [this](const error_code& error) {
      is_accepting = false;
      if (error || core.stopping) return;
      if (accept_arrived()) return wait_for_connections();
      pause_accepting();
    });
    is_accepting = true;
  }

  void pause_accepting() {
    accept_timer.expires_after(accept_pause);
    accept_timer.async_wait([this](const error_code& error) {
      is_accepting = false;
      if (!error && !core.stopping) wait_for_connections();
    });
    is_accepting = true;
  }

  // A full server must not close a connection for a client that is not there; and accept() fails
  // without a descriptor even if no client waits.
  bool has_arrived() {
    pollfd listening{acceptor.native_handle(), POLLIN, 0};
    return ::poll(&listening, 1, 0) == 1;
  }

  // False if there is no place for another connection.
  bool accept_arrived() {
    for (int i = 0; i < accepted_at_once; ++i) {
      if (!has_arrived()) return true;
      const bool is_full = core.connections.size() >= core.options.max_connections;
      if (is_full && !close_slowest()) return false;
      error_code error;
      tcp::socket socket(io);
      acceptor.accept(socket, error);
      if (error == asio::error::no_descriptors) return close_slowest();
      if (error == asio::error::connection_aborted || error == asio::error::interrupted) continue;
      if (error) return error == asio::error::would_block || error == asio::error::try_again;
      close_in_children(socket.native_handle());
      try {
        std::make_shared<HttpConnection>(std::move(socket), core)->start();
      } catch (const std::exception&) {
        // Only this connection closes.
      }
    }
    return true;
  }

  bool close_slowest() {
    std::shared_ptr<HttpConnection> slowest;
    for (const auto& connection : core.connections.all()) {
      if (!connection->waits_for_client()) continue;
      if (!slowest || connection->began_to_wait() < slowest->began_to_wait()) slowest = connection;
    }
    if (slowest) slowest->close();
    return slowest != nullptr;
  }

  void begin_stop() {
    if (is_forked()) return;
    const std::lock_guard lock(mutex);
    if (core.stopping) return;
    asio::post(io, [this] { begin_end(); });
    core.stopping = true;
  }

  void begin_end() {
    core.stopping = true;  // before a connection waits for its next request
    end = Clock::now() + core.options.stop_timeout;
    is_stopping = true;
    accept_arrived();  // requests that have arrived
    error_code error;
    acceptor.close(error);
    accept_timer.cancel();
    for (const auto& connection : core.connections.all()) connection->stop();
    look_for_end();
  }

  void look_for_end() {
    const bool is_late = Clock::now() >= end;
    if (is_late && !core.cancellation.stop_requested()) {
      bool has_left = false;
      for (const auto& connection : core.connections.all())
        has_left = has_left || connection->is_answering();
      const std::lock_guard lock(mutex);
      answered_all = !has_left;
      core.cancellation.request_stop();
    }
    if (core.connections.size() == 0 || (is_late && looks_left-- == 0)) {
      for (const auto& connection : core.connections.all()) connection->close();
      return io.stop();
    }
    stop_timer.expires_after(between_looks);
    stop_timer.async_wait([this](const error_code& error) {
      if (!error) look_for_end();
    });
  }

  const std::uint32_t forks = fork_count();
  ServerCore core;
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  asio::steady_timer accept_timer{io}, stop_timer{io};
  int port = 0;
  bool is_accepting = false, is_stopping = false;  // of the thread of the network
  Clock::time_point end;                           // of waiting for answers
  int looks_left = looks_after_cancelling;
  std::mutex mutex;  // guards the members below
  std::condition_variable changed;
  bool ended = false, answered_all = true;
  std::thread thread;
};

HttpServer::HttpServer(std::shared_ptr<Engine> engine, ServerOptions options)
    : impl_(std::make_unique<Impl>(std::move(engine), std::move(options))) {}

HttpServer::~HttpServer() {
  // The child has no threads to join, and its connections are in an epoll of the parent: they stay.
  if (impl_->is_forked()) static_cast<void>(impl_.release());
}

int HttpServer::port() const { return impl_->port; }

bool HttpServer::stop() {
  begin_stop();
  wait();
  return has_answered_all();
}

void HttpServer::begin_stop() { impl_->begin_stop(); }

bool HttpServer::wait_until(std::chrono::steady_clock::time_point time) {
  if (impl_->is_forked()) return true;
  std::unique_lock lock(impl_->mutex);
  return impl_->changed.wait_until(lock, time, [&] { return impl_->ended; });
}

void HttpServer::wait() {
  if (impl_->is_forked()) return;
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait(lock, [&] { return impl_->ended; });
}

bool HttpServer::has_answered_all() const {
  if (impl_->is_forked()) return true;
  const std::lock_guard lock(impl_->mutex);
  return impl_->answered_all;
}

}  // namespace mithril
