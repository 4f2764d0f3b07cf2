#include "backends/cpu/elementwise/native/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdint>

#include "mithril/base/descriptor.hpp"

namespace mithril::cpu_backend {
namespace {

// A path to the descriptor that is unique in this process. The loader treats libraries of one name
// as the same library, and the numbers of closed descriptors are reused. Therefore the path encodes
// the count of libraries, a bit for each "/" (0) or "./" (1).
std::string unique_path(int descriptor) {
  static std::atomic<uint64_t> libraries{0};
  std::string path = "/proc/self/fd/";
  for (uint64_t count = ++libraries; count > 0; count /= 2) path += count % 2 == 1 ? "./" : "/";
  return path + std::to_string(descriptor);
}

}  // namespace

std::shared_ptr<const NativeLibrary> NativeLibrary::open(std::string_view bytes, std::string& why) {
  Descriptor memory(::memfd_create("mithril_loops", MFD_CLOEXEC));
  if (!memory || !write_all(memory.get(), bytes)) {
    why = "there is no memory for a library";
    return nullptr;
  }
  void* const handle = ::dlopen(unique_path(memory.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* said = ::dlerror();
    why = fmt::format("the compiled library cannot be opened: {}", said ? said : "no reason given");
    return nullptr;
  }
  return std::shared_ptr<const NativeLibrary>(new NativeLibrary(handle));
}

NativeLibrary::~NativeLibrary() { ::dlclose(handle_); }

void* NativeLibrary::find(const std::string& name) const { return ::dlsym(handle_, name.c_str()); }

}  // namespace mithril::cpu_backend
