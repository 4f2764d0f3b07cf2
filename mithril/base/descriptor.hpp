// A file descriptor that its owner closes.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

namespace mithril {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}  // negative: none
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }

  // Some file systems report a full disk only here. The descriptor is closed in either case.
  bool close() {
    const int number = number_;
    number_ = -1;
    return ::close(number) == 0 || errno == EINTR;
  }

 private:
  int number_;
};

// False if the system refuses; errno says why.
inline bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t now = ::write(descriptor, bytes.data(), bytes.size());
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(now));
  }
  return true;
}

}  // namespace mithril
