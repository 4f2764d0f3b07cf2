// A connection of the server: requests and answers, one after the other.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <string>

#include "mithril/server/request_reader.hpp"
#include "mithril/server/server_core.hpp"

namespace mithril {

// Everything runs in the thread of the network, except answer(). No thread waits for a client. An
// exception in a handler closes the connection.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Clock = std::chrono::steady_clock;
  using Socket = boost::asio::ip::tcp::socket;

  HttpConnection(Socket socket, ServerCore& core);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void start();
  // Closes unless a request has arrived or arrives now.
  void stop();
  void close() noexcept;

  bool waits_for_client() const {
    return phase_ == Phase::idle || phase_ == Phase::reading || phase_ == Phase::draining;
  }
  bool is_answering() const { return phase_ == Phase::answering || phase_ == Phase::writing; }
  Clock::time_point began_to_wait() const { return began_to_wait_; }

 private:
  // draining: the answer is sent, and what the client still sends is dropped. If the socket closed
  // at once, the system could drop the answer, too.
  enum class Phase { idle, reading, answering, writing, draining, closed };

  template <typename Step>
  void guarded(const Step& step) noexcept;
  void begin_request();
  void enter(Phase phase, std::chrono::milliseconds limit);
  void wait_readable();
  void on_readable();
  void read(std::string_view bytes);
  void answer(HttpRequest request);
  void refuse(int status, const Error& error);
  void refuse(const HttpRefusal& refusal);
  void write_continue();
  void write(ProtocolResponse response);
  void on_written();
  void drain();
  void on_timeout();
  bool has_bytes();

  ServerCore& core_;
  Socket socket_;
  boost::asio::steady_timer timer_;
  Clock::time_point deadline_, began_to_wait_;
  Phase phase_ = Phase::idle;
  RequestReader reader_;
  HeldMemory held_;
  bool keeps_open_ = true, is_head_ = false, is_waiting_ = false;
  std::string head_, body_;  // of the answer
};

}  // namespace mithril
