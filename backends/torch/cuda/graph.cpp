// Recordings as CUDA graphs. Compiled only with the headers of CUDA, into a separate library,
// because it needs a torch with GPU support.
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "backends/torch/recording.hpp"

namespace mithril::torch_backend {
namespace {

// A graph reads and writes the same memory in each replay: inputs are copied to it, and outputs
// from it. The ops of a replay run after those of the previous one, whatever their streams.
class CudaGraph final : public Recording {
 public:
  CudaGraph(at::TensorList inputs, const Run& run)
      : device_(inputs.front().device()), done_(c10::DeviceType::CUDA) {
    const c10::DeviceGuard guard(device_);
    const c10::impl::VirtualGuardImpl gpu(c10::DeviceType::CUDA);
    const c10::Stream outside = gpu.getStream(device_);
    // the default stream cannot be captured
    const c10::Stream aside = gpu.getStreamFromGlobalPool(device_);
    done_.record(outside);
    {
      const c10::StreamGuard on_it(aside);
      done_.block(aside);
      for (const at::Tensor& input : inputs) inputs_.push_back(input.clone());
      run(inputs_);  // libraries initialise themselves, which cannot be captured
      done_.record(aside);
      done_.block(outside);  // now, because captured ops do not run, and capturing may fail
      capture(run);
    }
  }

  ~CudaGraph() override { done_.synchronize(); }

  std::vector<at::Tensor> replay(at::TensorList inputs) override {
    const c10::DeviceGuard guard(device_);
    const c10::Stream stream =
        c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA).getStream(device_);
    done_.block(stream);
    for (size_t i = 0; i < inputs_.size(); ++i) inputs_[i].copy_(inputs[i], true);
    graph_.replay();
    std::vector<at::Tensor> outputs;
    for (const at::Tensor& output : outputs_) outputs.push_back(output.clone());
    done_.record(stream);
    return outputs;
  }

 private:
  void capture(const Run& run) {
    graph_.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    try {
      outputs_ = run(inputs_);
    } catch (...) {
      end_failed_capture();
      throw;
    }
    graph_.capture_end();
  }

  // Ending throws because of the earlier error, and the earlier error is reported.
  void end_failed_capture() {
    try {
      graph_.capture_end();
    } catch (const c10::Error&) {
      return;
    }
  }

  const c10::Device device_;
  c10::Event done_;
  std::vector<at::Tensor> inputs_, outputs_;
  at::cuda::CUDAGraph graph_;
};

}  // namespace
}  // namespace mithril::torch_backend

extern "C" __attribute__((visibility("default"))) mithril::torch_backend::Recording*
mithril_cuda_record(at::TensorList inputs, const mithril::torch_backend::Run& run) {
  return new mithril::torch_backend::CudaGraph(inputs, run);
}
