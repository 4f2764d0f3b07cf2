#include "backends/torch/devices.hpp"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <torch/headeronly/version.h>

// Declared here, because its header brings much else.
extern "C" uint64_t aoti_torch_abi_version();

namespace mithril::torch_backend {
namespace {

std::string version_text(uint64_t version) {
  return "torch " + std::to_string(version >> 56) + "." + std::to_string(version >> 48 & 0xff);
}

}  // namespace

std::vector<std::string> devices() {
  std::vector<std::string> names{"cpu"};
  const int count = at::hasCUDA() ? at::detail::getCUDAHooks().deviceCount() : 0;
  for (int i = 0; i < count; ++i) names.push_back("cuda:" + std::to_string(i));
  if (at::hasMPS()) names.emplace_back("mps");
  return names;
}

const char* built_for() { return "torch " TORCH_VERSION; }

// Inline code of the headers has to be that of the libraries: the same major and minor version.
const char* misfit() {
  static std::string there;
  constexpr int patch_bits = 48;
  const uint64_t version = aoti_torch_abi_version();
  if (version >> patch_bits == TORCH_ABI_VERSION >> patch_bits) return nullptr;
  there = version_text(version);
  return there.c_str();
}

}  // namespace mithril::torch_backend
