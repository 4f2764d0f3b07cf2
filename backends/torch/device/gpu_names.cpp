#include "backends/torch/device/gpu_names.hpp"

#include <dlfcn.h>

#include <array>
#include <string_view>

#include "backends/torch/device/symbols.hpp"

namespace mithril::torch_backend {
namespace {

// "GPU-", and the bytes in the groups of a UUID.
std::string as_uuid(const std::array<unsigned char, 16>& bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "GPU";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 0xF];
  }
  return text;
}

// The driver, which torch has opened.
CudaDriver find_driver() {
  CudaDriver driver;
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!library) return driver;
  find_symbol(library, "cuInit", driver.init);
  find_symbol(library, "cuDeviceGetCount", driver.count);
  find_symbol(library, "cuDeviceGet", driver.device);
  // The second version tells parts of a GPU (MIG) apart.
  if (!find_symbol(library, "cuDeviceGetUuid_v2", driver.uuid))
    find_symbol(library, "cuDeviceGetUuid", driver.uuid);
  return driver;
}

}  // namespace

std::vector<std::string> gpu_names(const CudaDriver& driver) {
  int count = 0;
  if (!driver.init || !driver.count || !driver.device || !driver.uuid || driver.init(0) != 0 ||
      driver.count(&count) != 0)
    return {};
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    int device = 0;
    std::array<unsigned char, 16> bytes{};
    if (driver.device(&device, i) != 0 || driver.uuid(bytes.data(), device) != 0) return {};
    names.push_back(as_uuid(bytes));
  }
  return names;
}

Gpu gpu_at(int index) {
  static const std::vector<std::string> names = gpu_names(find_driver());
  const auto at = static_cast<std::size_t>(index);
  return {at < names.size() ? names[at] : "", names};
}

}  // namespace mithril::torch_backend
