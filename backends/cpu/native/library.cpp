#include "backends/cpu/native/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace mithril::cpu_backend {
namespace {

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t now = ::write(descriptor, bytes.data(), bytes.size());
    if (now <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(now));
  }
  return true;
}

// A path to the descriptor that is unique in this process. The loader treats libraries of one name
// as the same library, and the numbers of closed descriptors are reused.
// The count of libraries is in the path, a bit for each "/" (0) or "./" (1).
std::string path_of_its_own(int descriptor) {
  static std::atomic<uint64_t> libraries{0};
  std::string path = "/proc/self/fd/";
  for (uint64_t count = ++libraries; count > 0; count /= 2) path += count % 2 == 1 ? "./" : "/";
  return path + std::to_string(descriptor);
}

}  // namespace

std::shared_ptr<const NativeLibrary> NativeLibrary::open(std::string_view bytes, std::string& why) {
  const int memory = ::memfd_create("mithril_loops", MFD_CLOEXEC);
  if (memory < 0 || !write_all(memory, bytes)) {
    why = "there is no memory for a library";
    if (memory >= 0) ::close(memory);
    return nullptr;
  }
  void* const handle = ::dlopen(path_of_its_own(memory).c_str(), RTLD_NOW | RTLD_LOCAL);
  ::close(memory);
  if (!handle) {
    const char* said = ::dlerror();
    why = fmt::format("what was compiled cannot be opened: {}", said ? said : "no reason given");
    return nullptr;
  }
  return std::shared_ptr<const NativeLibrary>(new NativeLibrary(handle));
}

NativeLibrary::~NativeLibrary() { ::dlclose(handle_); }

void* NativeLibrary::find(const std::string& name) const { return ::dlsym(handle_, name.c_str()); }

}  // namespace mithril::cpu_backend
