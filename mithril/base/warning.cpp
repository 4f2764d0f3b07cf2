#include "mithril/base/warning.hpp"

#include <cstdio>
#include <mutex>
#include <utility>

namespace mithril {
namespace {

struct Channel {
  std::mutex mutex;
  WarningHandler handler = [](const std::string& text) {
    std::fputs((text + "\n").c_str(), stderr);
  };
};

Channel& channel() {
  static Channel instance;
  return instance;
}

}  // namespace

WarningHandler set_warning_handler(WarningHandler handler) {
  const std::lock_guard lock(channel().mutex);
  return std::exchange(channel().handler, std::move(handler));
}

void warn(const std::string& text) {
  WarningHandler handler;
  {
    const std::lock_guard lock(channel().mutex);
    handler = channel().handler;
  }
  if (handler) handler(text);
}

}  // namespace mithril
