#include "mithril/server/server_options.hpp"

#include <fmt/format.h>

#include "mithril/base/error.hpp"

namespace mithril {
namespace {

constexpr std::chrono::milliseconds longest_time = std::chrono::hours(24);

template <typename Number>
void require_of_server(bool holds, const char* option, Number got, const char* expected) {
  if (holds) return;
  raise({.kind = ErrorKind::value,
         .code = "E1237",
         .message = fmt::format("serve: {} is {}, expected {}", option, got, expected)});
}

void require_at_least(std::size_t least, const char* option, std::size_t got) {
  require_of_server(got >= least, option, got, fmt::format("at least {}", least).c_str());
}

void require_time(const char* option, std::chrono::milliseconds got) {
  require_of_server(got.count() >= 1 && got <= longest_time, option,
                    std::chrono::duration<double>(got).count(), "seconds from 0.001 to 86400");
}

}  // namespace

ServerOptions checked_server_options(ServerOptions options) {
  require_of_server(options.port >= 0 && options.port <= 65535, "port", options.port, "0 to 65535");
  constexpr std::size_t most = std::size_t{1} << 30;
  require_at_least(1, "max_request_bytes", options.max_request_bytes);
  require_at_least(256, "max_header_bytes", options.max_header_bytes);
  require_of_server(options.max_header_bytes <= most, "max_header_bytes", options.max_header_bytes,
                    "at most 1073741824");
  require_at_least(1, "max_buffered_bytes", options.max_buffered_bytes);
  require_at_least(1, "max_connections", options.max_connections);
  require_at_least(1, "max_requests", options.max_requests);
  require_time("request_timeout", options.request_timeout);
  require_time("idle_timeout", options.idle_timeout);
  require_time("arrival_timeout", options.arrival_timeout);
  require_of_server(options.stop_timeout.count() >= 0 && options.stop_timeout <= longest_time,
                    "stop_timeout", std::chrono::duration<double>(options.stop_timeout).count(),
                    "seconds from 0 to 86400");
  return options;
}

}  // namespace mithril
