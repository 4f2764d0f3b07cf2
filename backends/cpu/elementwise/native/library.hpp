// Shared libraries that are opened from memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace mithril::cpu_backend {

class NativeLibrary {
 public:
  // Null where it cannot be opened, and `why` says so. What is opened are these bytes: no file
  // that somebody could change meanwhile, and none where programs may not be (noexec).
  static std::shared_ptr<const NativeLibrary> open(std::string_view bytes, std::string& why);
  ~NativeLibrary();
  NativeLibrary(const NativeLibrary&) = delete;
  NativeLibrary& operator=(const NativeLibrary&) = delete;

  void* find(const std::string& name) const;  // null: there is none

 private:
  explicit NativeLibrary(void* handle) : handle_(handle) {}

  void* const handle_;
};

}  // namespace mithril::cpu_backend
