// Code for GPUs is compiled, and kept for the next process, without a GPU.
#include "backends/torch/kernels/nvrtc.hpp"

#include <c10/util/Exception.h>

#include <filesystem>
#include <fstream>

#include "backends/torch/kernels/cuda_kernels.hpp"
#include "mithril/base/temporary_folder.hpp"
#include "tests/torch_internal/doctest.hpp"

namespace mithril::tests {
namespace {

using torch_backend::CudaKernels, torch_backend::LoadedKernel, torch_backend::Nvrtc;

const std::string text = R"(
extern "C" __global__ void fused(const float* x, float* y, Layout layout) {
  for (int64_t n = first_item(); n < layout.count; n += item_step()) y[n] = x[n] + 1.0f;
}
extern "C" __global__ void fused_lanes(const float*, float*, Layout) {}
)";

const Nvrtc* nvrtc() {
  std::string why;
  const Nvrtc* found = Nvrtc::find(why);
  if (!found) MESSAGE("skipped: " << why);
  return found;
}

class FakeLoader final : public torch_backend::CubinLoader {
 public:
  std::string architecture() const override { return "sm_90"; }
  int multiprocessors() const override { return 4; }
  int runtime_major() const override { return torch_backend::newest_cuda; }
  const LoadedKernel* load(const std::string& cubin) override {
    loaded.push_back(cubin);
    TORCH_CHECK(!refuses, "no room\nin the device");
    return &kernel_;
  }
  std::vector<std::string> loaded;
  bool refuses = false;

 private:
  struct Kernel final : LoadedKernel {
    void launch(bool, CudaGrid, void**) const override {}
  } kernel_;
};

}  // namespace

TEST_CASE("NVRTC compiles a kernel for each architecture") {
  const Nvrtc* compiler = nvrtc();
  if (!compiler) return;
  const TemporaryFolder folder("mithril-cubins-");
  const CacheFiles files(folder.path());
  const auto first = cubin_of(*compiler, text, "sm_80", files);
  CHECK(first.why == "");
  CHECK(first.code.substr(0, 4) ==
        "\x7f"
        "ELF");
  const auto other = cubin_of(*compiler, text, "sm_90", files);
  CHECK((other.code != first.code));
  const auto wrong =
      cubin_of(*compiler, "__global__ void wrong() { no_such_name(); }", "sm_90", files);
  CHECK(wrong.code == "");
  CHECK(wrong.why.find("no_such_name") != std::string::npos);
  CHECK(cubin_of(*compiler, text, "sm_1", files).why.starts_with("NVRTC: "));
}

TEST_CASE("compiled code is read from the cache, and made again if it is damaged") {
  const Nvrtc* compiler = nvrtc();
  if (!compiler) return;
  const TemporaryFolder folder("mithril-cubins-");
  const CacheFiles files(folder.path());
  const std::string key = cubin_key(*compiler, text, "sm_90");
  const auto made = cubin_of(*compiler, text, "sm_90", files);
  CHECK((files.find(key) == made.code));
  files.keep(key, "from the cache");
  CHECK(cubin_of(*compiler, text, "sm_90", files).code == "from the cache");
  std::filesystem::resize_file(files.file_of(key), 40);
  CHECK((cubin_of(*compiler, text, "sm_90", files).code == made.code));
  CHECK((key != cubin_key(*compiler, text, "sm_80")));
  CHECK((key != cubin_key(*compiler, text + " ", "sm_90")));
}

TEST_CASE("a text is compiled and loaded once in a process, also if that fails") {
  if (!nvrtc()) return;
  const TemporaryFolder folder("mithril-cubins-");
  FakeLoader loader;
  CudaKernels kernels(loader, CacheFiles(folder.path()));
  std::string why;
  const LoadedKernel* kernel = kernels.find(text, why);
  CHECK(kernel != nullptr);
  CHECK(kernels.find(text, why) == kernel);
  CHECK(loader.loaded.size() == 1);
  CHECK(
      loader.loaded[0].starts_with("\x7f"
                                   "ELF"));
  CHECK(why == "");
  loader.refuses = true;
  for (int i = 0; i < 2; ++i) {
    CHECK(kernels.find(text + " ", why) == nullptr);
    CHECK(why == "the driver refused a kernel: no room");
  }
  CHECK(loader.loaded.size() == 2);
  CHECK(kernels.find("not C++", why) == nullptr);
  CHECK(why.starts_with("NVRTC: "));
}

}  // namespace mithril::tests
