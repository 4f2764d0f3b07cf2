// The names of GPUs, from a driver without a GPU.
#include "backends/torch/device/gpu_names.hpp"

#include "tests/torch_internal/doctest.hpp"

namespace mithril::tests {
namespace {

using torch_backend::CudaDriver, torch_backend::gpu_names;

// Two GPUs: the devices 10 and 11.
CudaDriver driver_of_two() {
  return {.init = [](unsigned) { return 0; },
          .count =
              [](int* gpus) {
                *gpus = 2;
                return 0;
              },
          .device =
              [](int* device, int index) {
                *device = 10 + index;
                return 0;
              },
          .uuid =
              [](unsigned char* bytes, int device) {
                for (int i = 0; i < 16; ++i)
                  bytes[i] = static_cast<unsigned char>(16 * i + device - 10);
                return 0;
              }};
}

}  // namespace

TEST_CASE("GPUs have the names that nvidia-smi prints") {
  CHECK(gpu_names(driver_of_two()) ==
        std::vector<std::string>{"GPU-00102030-4050-6070-8090-a0b0c0d0e0f0",
                                 "GPU-01112131-4151-6171-8191-a1b1c1d1e1f1"});
}

TEST_CASE("a driver that is missing or fails says no names") {
  CHECK(gpu_names({}).empty());
  CudaDriver driver = driver_of_two();
  driver.uuid = [](unsigned char*, int) { return 1; };
  CHECK(gpu_names(driver).empty());
  driver = driver_of_two();
  driver.init = [](unsigned) { return 100; };  // no GPU
  CHECK(gpu_names(driver).empty());
}

}  // namespace mithril::tests
