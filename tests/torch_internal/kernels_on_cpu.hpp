// A device whose kernels run on the CPU (tests/cuda_on_cpu.hpp). It counts them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/torch/device/kernel_device.hpp"
#include "tests/cuda_on_cpu.hpp"

namespace mithril::tests {

class KernelsOnCpu final : public torch_backend::KernelDevice {
 public:
  int multiprocessors() const override { return 2; }

  const torch_backend::LoadedKernel* find(const std::string& text, std::string& why) override {
    if (!refusal.empty() && text.find(refused) != std::string::npos) {
      why = refusal;
      return nullptr;
    }
    texts.push_back(text);
    kernels_.push_back(std::make_unique<Kernel>(*this, text));
    return kernels_.back().get();
  }

  std::string refusal;  // of every kernel whose text contains `refused`
  std::string refused;
  std::vector<std::string> texts;
  int plain = 0, lanes = 0;  // launches

 private:
  class Kernel final : public torch_backend::LoadedKernel {
   public:
    Kernel(KernelsOnCpu& device, const std::string& text)
        : device_(device), code_(text, std::vector<std::string>{plain_name, lanes_name}) {}
    void launch(bool lanes, CudaGrid grid, void** arguments) const override {
      ++(lanes ? device_.lanes : device_.plain);
      code_.launch(lanes ? lanes_name : plain_name, grid, arguments);
    }

   private:
    inline static const std::string plain_name = torch_backend::kernel_name,
                                    lanes_name = plain_name + "_lanes";
    KernelsOnCpu& device_;
    const CudaOnCpu code_;
  };

  std::vector<std::unique_ptr<Kernel>> kernels_;
};

}  // namespace mithril::tests
