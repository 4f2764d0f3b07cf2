#include "mithril/server/http_connection.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <utility>

#include "mithril/server/http_errors.hpp"
#include "mithril/server/inference_protocol.hpp"

namespace mithril {
namespace {

namespace asio = boost::asio;

using boost::system::error_code;

constexpr std::chrono::seconds drain_time(5), drain_time_at_stop(1);

const char* reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Service Unavailable";
  }
}

std::string response_head(const ProtocolResponse& response, bool keeps_open) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  head += reason_of(response.status);
  head += "\r\nContent-Type: " + response.content_type;
  head += "\r\nContent-Length: " + std::to_string(response.body.size());
  if (response.json_length)
    head += "\r\nInference-Header-Content-Length: " + std::to_string(*response.json_length);
  head += keeps_open ? "\r\nConnection: keep-alive\r\n\r\n" : "\r\nConnection: close\r\n\r\n";
  return head;
}

// A client may retry after 429 and 503. After other errors its next request may be malformed, too.
bool may_follow(int status) { return status < 400 || status == 429 || status == 503; }

RequestLimits limits_of(const ServerOptions& options) {
  return {.head_bytes = options.max_header_bytes, .body_bytes = options.max_request_bytes};
}

}  // namespace

HttpConnection::HttpConnection(Socket socket, ServerCore& core)
    : core_(core),
      socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      reader_(limits_of(core.options)),
      held_(core.memory) {}

HttpConnection::~HttpConnection() { core_.connections.remove(this); }

template <typename Step>
void HttpConnection::guarded(const Step& step) noexcept {
  try {
    step();
  } catch (...) {
    close();
  }
}

void HttpConnection::start() {
  core_.connections.add(shared_from_this());
  socket_.non_blocking(true);
  socket_.set_option(asio::ip::tcp::no_delay(true));
  begin_request();
}

void HttpConnection::begin_request() {
  reader_ = RequestReader(limits_of(core_.options));
  held_.clear();
  began_to_wait_ = Clock::now();
  enter(Phase::idle, core_.options.idle_timeout);
  wait_readable();
}

void HttpConnection::enter(Phase phase, std::chrono::milliseconds limit) {
  phase_ = phase;
  deadline_ = Clock::now() + limit;
  timer_.expires_at(deadline_);
  timer_.async_wait([weak = weak_from_this()](const error_code& error) {
    const auto self = weak.lock();
    if (self && !error && Clock::now() >= self->deadline_)
      self->guarded([&] { self->on_timeout(); });
  });
}

void HttpConnection::wait_readable() {
  if (std::exchange(is_waiting_, true)) return;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const error_code& error) {
    self->is_waiting_ = false;
    if (error) return self->close();
    self->guarded([&] { self->on_readable(); });
  });
}

void HttpConnection::on_readable() {
  if (phase_ == Phase::answering || phase_ == Phase::writing || phase_ == Phase::closed) return;
  error_code error;
  const std::size_t count = socket_.read_some(asio::buffer(core_.received), error);
  if (error == asio::error::would_block || error == asio::error::try_again) return wait_readable();
  if (error) return close();
  if (phase_ == Phase::draining) return wait_readable();
  read({core_.received.data(), count});
}

void HttpConnection::read(std::string_view bytes) {
  if (phase_ == Phase::idle) {
    began_to_wait_ = Clock::now();
    enter(Phase::reading,
          core_.stopping ? core_.options.arrival_timeout : core_.options.request_timeout);
  }
  const std::size_t before = reader_.bytes();
  reader_.read(bytes);
  if (const auto& refusal = reader_.refusal()) return refuse(*refusal);
  if (reader_.bytes() > before && !held_.add(reader_.bytes() - before))
    return refuse(503, too_many_bodies());
  if (!reader_.is_complete()) {
    if (reader_.take_continue()) return write_continue();
    return wait_readable();
  }
  timer_.cancel();
  phase_ = Phase::answering;
  HttpRequest request = reader_.take();
  keeps_open_ = request.keeps_open;
  is_head_ = request.method == "HEAD";
  try {
    core_.threads.enqueue([self = shared_from_this(), request = std::move(request)]() mutable {
      self->answer(std::move(request));
    });
  } catch (const std::exception& error) {  // no memory, or no thread
    refuse(503, failed_request(error.what()));
  }
}

// Runs in a thread of core_.threads. If there is no memory for the answer, the connection closes
// with its last owner.
void HttpConnection::answer(HttpRequest request) try {
  ProtocolResponse response = core_.answer(std::move(request), held_);
  asio::post(socket_.get_executor(),
             [self = shared_from_this(), response = std::move(response)]() mutable {
               self->guarded([&] { self->write(std::move(response)); });
             });
} catch (...) {
}

void HttpConnection::refuse(const HttpRefusal& refusal) {
  switch (refusal.status) {
    case 413:
      return refuse(413, too_large_body(core_.options.max_request_bytes));
    case 431:
      return refuse(431, too_large_head(core_.options.max_header_bytes));
    default:
      return refuse(refusal.status, invalid_request(refusal.why));
  }
}

void HttpConnection::refuse(int status, const Error& error) {
  keeps_open_ = is_head_ = false;
  write(error_response(status, error));
}

void HttpConnection::write_continue() {
  static constexpr std::string_view text = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(text.data(), text.size()),
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      if (error) return self->close();
                      self->guarded([&] {
                        if (self->phase_ == Phase::reading) self->wait_readable();
                      });
                    });
}

void HttpConnection::write(ProtocolResponse response) {
  if (phase_ == Phase::closed) return;
  // A client that sends bytes before the answer does not wait for it (pipelining).
  keeps_open_ = keeps_open_ && may_follow(response.status) && !core_.stopping && !has_bytes();
  head_ = response_head(response, keeps_open_);
  body_ = is_head_ ? std::string() : std::move(response.body);
  enter(Phase::writing, core_.options.request_timeout);
  const std::array<asio::const_buffer, 2> buffers{asio::buffer(head_), asio::buffer(body_)};
  asio::async_write(socket_, buffers,
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      if (error) return self->close();
                      self->guarded([&] { self->on_written(); });
                    });
}

void HttpConnection::on_written() {
  if (phase_ == Phase::closed) return;
  body_ = {};
  if (keeps_open_ && !core_.stopping) return begin_request();
  drain();
}

void HttpConnection::drain() {
  reader_ = RequestReader(limits_of(core_.options));
  held_.clear();
  error_code error;
  socket_.shutdown(Socket::shutdown_send, error);
  if (error) return close();
  enter(Phase::draining, core_.stopping ? drain_time_at_stop : drain_time);
  wait_readable();
}

void HttpConnection::on_timeout() {
  if (phase_ == Phase::answering) return;  // the request was complete just before its time was over
  if (phase_ != Phase::reading) return close();
  if (core_.stopping) return refuse(503, stopping_server());
  refuse(408, late_request(core_.options.request_timeout));
}

bool HttpConnection::has_bytes() {
  error_code error;
  return socket_.available(error) > 0;
}

void HttpConnection::stop() {
  guarded([&] {
    if (phase_ == Phase::idle && !has_bytes()) return close();
    if (phase_ == Phase::reading) enter(phase_, core_.options.arrival_timeout);
    if (phase_ == Phase::draining) enter(phase_, drain_time_at_stop);
  });
}

void HttpConnection::close() noexcept try {
  phase_ = Phase::closed;
  error_code error;
  socket_.close(error);
  timer_.cancel();
} catch (...) {
}

}  // namespace mithril
