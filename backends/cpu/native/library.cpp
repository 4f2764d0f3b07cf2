#include "backends/cpu/native/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

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

}  // namespace

std::shared_ptr<const NativeLibrary> NativeLibrary::open(std::string_view bytes, std::string& why) {
  const int memory = ::memfd_create("mithril_loops", MFD_CLOEXEC);
  if (memory < 0 || !write_all(memory, bytes)) {
    why = "there is no memory for a library";
    if (memory >= 0) ::close(memory);
    return nullptr;
  }
  const std::string path = fmt::format("/proc/self/fd/{}", memory);
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* said = ::dlerror();
    why = fmt::format("what was compiled cannot be opened: {}", said ? said : "no reason given");
    ::close(memory);
    return nullptr;
  }
  return std::shared_ptr<const NativeLibrary>(new NativeLibrary(memory, handle));
}

NativeLibrary::~NativeLibrary() {
  ::dlclose(handle_);
  ::close(memory_);
}

void* NativeLibrary::find(const std::string& name) const { return ::dlsym(handle_, name.c_str()); }

}  // namespace mithril::cpu_backend
