#include "mithril/server/server_core.hpp"

#include <utility>

#include "mithril/server/content_encoding.hpp"
#include "mithril/server/http_errors.hpp"
#include "mithril/server/inference_protocol.hpp"

namespace mithril {

void ConnectionList::add(const std::shared_ptr<HttpConnection>& connection) {
  const std::lock_guard lock(mutex_);
  connections_.emplace(connection.get(), connection);
}

void ConnectionList::remove(const HttpConnection* connection) {
  const std::lock_guard lock(mutex_);
  connections_.erase(connection);
}

std::size_t ConnectionList::size() const {
  const std::lock_guard lock(mutex_);
  return connections_.size();
}

std::vector<std::shared_ptr<HttpConnection>> ConnectionList::all() const {
  std::vector<std::shared_ptr<HttpConnection>> result;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, weak] : connections_) {
    if (auto connection = weak.lock()) result.push_back(std::move(connection));
  }
  return result;
}

ProtocolResponse ServerCore::answer(HttpRequest request, HeldMemory& held) noexcept try {
  if (request.method == "HEAD") request.method = "GET";
  try {
    if (!is_known_encoding(request.content_encoding))
      return error_response(415, unknown_encoding(request.content_encoding));
    request.body = decoded_body(request.content_encoding, std::move(request.body),
                                options.max_request_bytes, held);
  } catch (const Error& error) {
    const int status = error.code() == "E1239" ? 413 : error.code() == "E1245" ? 503 : 400;
    return error_response(status, error);
  }
  const ProtocolRequest asked{.method = request.method,
                              .path = request.path,
                              .body = request.body,
                              .json_length = request.json_length,
                              .cancellation = cancellation.get_token()};
  return answer_request(*engine, asked, !stopping);
} catch (...) {
  // A failed allocation while an error is written.
  return {.status = 503};
}

}  // namespace mithril
