// A client that sends bytes to a server in this process.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace mithril::tests {

class HttpClient {
 public:
  explicit HttpClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<in_port_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_open_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~HttpClient() { ::close(socket_); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  bool is_open() const { return is_open_; }

  void send(std::string_view bytes) {
    while (is_open_ && !bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      is_open_ = sent > 0;
      if (is_open_) bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  // Reads until the server closes the connection.
  std::string rest() {
    std::string received = std::exchange(buffer_, {});
    while (receive()) received += std::exchange(buffer_, {});
    return received;
  }

  // Reads one response that has a Content-Length.
  std::string response() {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos && receive()) {
    }
    if (end == std::string::npos) return std::exchange(buffer_, {});
    constexpr std::string_view field = "Content-Length: ";
    const std::size_t length = buffer_.find(field);
    const std::size_t size = end + 4 + std::stoul(buffer_.substr(length + field.size()));
    while (buffer_.size() < size && receive()) {
    }
    std::string first = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return first;
  }

 private:
  bool receive() {
    std::array<char, 4096> piece;
    const ssize_t count = ::recv(socket_, piece.data(), piece.size(), 0);
    if (count <= 0) return is_open_ = false;
    buffer_.append(piece.data(), static_cast<std::size_t>(count));
    return true;
  }

  const int socket_;
  bool is_open_ = false;
  std::string buffer_;
};

// A request for the outputs of the model "net" with an input [1].
inline std::string http_infer_request(std::string_view connection = "keep-alive") {
  const std::string body =
      R"({"inputs": [{"name": "input", "shape": [1], "datatype": "FP32", "data": [3]}]})";
  return "POST /v2/models/net/infer HTTP/1.1\r\nHost: a\r\nConnection: " + std::string(connection) +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace mithril::tests
