// The library that is opened first. It does not use torch, so it can check whether the installed
// torch is the one that libmithril_torch_backend.so (in the same folder) was compiled against.
// Opening that library with another torch may fail in any way.
#include "mithril/backend/plugin.hpp"

#include <dlfcn.h>

#include <string>
#include <string_view>

namespace mithril {
namespace {

constexpr std::string_view built_for = "torch " MITHRIL_TORCH_RELEASE;

// "torch 2.15"; empty without torch. Uses the loaded torch, or else the one on the run path of this
// library, which stays loaded.
std::string torch_there() {
  void* torch = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_LOCAL);
  if (!torch) return {};
  using Version = std::uint64_t (*)();
  const auto version = reinterpret_cast<Version>(dlsym(torch, "aoti_torch_abi_version"));
  if (!version) return "an older torch";
  const std::uint64_t there = version();
  return "torch " + std::to_string(there >> 56) + "." + std::to_string(there >> 48 & 0xff);
}

// Inline code of torch's headers must match its libraries: the same major and minor version.
// Without torch, opening the backend reports what is missing.
const char* misfit() {
  static const std::string there = torch_there();
  return there.empty() || built_for.starts_with(there + ".") ? nullptr : there.c_str();
}

std::shared_ptr<Backend> make(const Arguments& options) {
  return load_backend(plugin_path("mithril_torch_backend"), options);
}

std::shared_ptr<Communicator> make_communicator(const Arguments& options) {
  return load_communicator(plugin_path("mithril_torch_backend"), options);
}

}  // namespace
}  // namespace mithril

extern "C" __attribute__((visibility("default"))) const mithril::BackendPlugin* mithril_backend() {
  static const mithril::BackendPlugin plugin{mithril::plugin_version, mithril::built_for.data(),
                                             mithril::misfit, mithril::make,
                                             mithril::make_communicator};
  return &plugin;
}
