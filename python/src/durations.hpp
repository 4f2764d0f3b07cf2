// Seconds that Python gives, as durations.
#pragma once
#include <chrono>
#include <string>

#include "convert.hpp"

namespace mithril::python {

template <typename Duration>
Duration duration_of(double seconds, const char* option) {
  const double limit = 1e9;  // 30 years
  if (!(seconds >= 0 && seconds <= limit)) {
    raise({.kind = ErrorKind::value,
           .code = "E1224",
           .message = std::string(option) + " is " + shown(py::float_(seconds)) +
                      ", expected seconds from 0 to 1e9"});
  }
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace mithril::python
