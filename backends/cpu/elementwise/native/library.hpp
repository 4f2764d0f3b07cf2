// Shared libraries that are loaded from memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace mithril::cpu_backend {

class NativeLibrary {
 public:
  // Loads a library from its bytes. If this fails, returns null and sets `why`. The library is in
  // an anonymous memory file: no other process can change it, and file systems that forbid
  // execution (noexec) do not matter.
  static std::shared_ptr<const NativeLibrary> open(std::string_view bytes, std::string& why);
  ~NativeLibrary();
  NativeLibrary(const NativeLibrary&) = delete;
  NativeLibrary& operator=(const NativeLibrary&) = delete;

  void* find(const std::string& name) const;  // null: no such symbol

 private:
  explicit NativeLibrary(void* handle) : handle_(handle) {}

  void* const handle_;
};

}  // namespace mithril::cpu_backend
