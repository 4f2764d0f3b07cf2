// Recordings as CUDA graphs. Compiled only with the headers of CUDA, into a separate library,
// because it needs a torch with GPU support.
//
// at::cuda::CUDAGraph is not used: if a capture was invalidated, it throws before it gives back
// the allocator's pool and the state of the random generator, and torch is unusable from then on.
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/Event.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <map>

#include "backends/torch/device/recording_device.hpp"

namespace mithril::torch_backend {
namespace {

using c10::DeviceIndex;
namespace allocator = c10::cuda::CUDACachingAllocator;

// Torch's checks throw; a destructor says what it could not undo.
template <typename F>
void warn_of_errors(F undo) noexcept {
  try {
    undo();
  } catch (const c10::Error& error) {
    TORCH_WARN(error.what_without_backtrace());
  }
}

class CudaRun final : public CapturedRun {
 public:
  explicit CudaRun(cudaGraph_t graph) {
    C10_CUDA_CHECK(cudaGraphInstantiateWithFlags(&run_, graph, 0));
  }
  // A graph that is being executed is freed when it is done.
  ~CudaRun() override { C10_CUDA_IGNORE_ERROR(cudaGraphExecDestroy(run_)); }
  CudaRun(const CudaRun&) = delete;
  CudaRun& operator=(const CudaRun&) = delete;

  void launch() override {
    C10_CUDA_CHECK(cudaGraphLaunch(run_, c10::cuda::getCurrentCUDAStream()));
  }

 private:
  cudaGraphExec_t run_ = nullptr;
};

// A private pool of torch's allocator.
class CudaMemory final : public RecordingMemory {
 public:
  CudaMemory(DeviceIndex device, cudaStream_t stream) : device_(device), stream_(stream) {}

  void open() override {
    allocator::beginAllocateToPool(device_, pool_,
                                   [own = stream_](cudaStream_t stream) { return stream == own; });
  }
  void close() noexcept override {
    warn_of_errors([&] { allocator::endAllocateToPool(device_, pool_); });
  }
  void release() noexcept override {
    warn_of_errors([&] { allocator::releasePool(device_, pool_); });
  }
  void trim() noexcept override {
    warn_of_errors([&] { allocator::emptyCache(pool_); });
  }

  std::int64_t bytes() const override {
    std::int64_t total = 0;
    for (const auto& segment : allocator::snapshot(pool_, /*include_traces=*/false).segments) {
      if (segment.owner_private_pool_id == pool_ && segment.device == device_)
        total += static_cast<std::int64_t>(segment.total_size);
    }
    return total;
  }

 private:
  const DeviceIndex device_;
  const cudaStream_t stream_;
  const c10::MempoolId_t pool_ = at::cuda::graph_pool_handle();
};

class GraphHolder {
 public:
  ~GraphHolder() {
    if (graph) C10_CUDA_IGNORE_ERROR(cudaGraphDestroy(graph));
  }
  cudaGraph_t graph = nullptr;
};

// The capture stream belongs to this device alone. Torch's pool hands out each of its streams to
// several users, whose kernels would share one workspace of cuBLAS with the graphs.
class CudaDevice final : public RecordingDevice {
 public:
  explicit CudaDevice(DeviceIndex index) : index_(index), stream_(make_stream(index)) {}

  bool is_captured() const override {
    const c10::cuda::CUDAGuard guard(index_);
    return c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None;
  }
  void wait() override { done_.block(c10::cuda::getCurrentCUDAStream(index_)); }
  void finish() override { done_.record(c10::cuda::getCurrentCUDAStream(index_)); }

  std::shared_ptr<void> use_capture_stream() override {
    auto guard = std::make_shared<c10::cuda::CUDAStreamGuard>(stream_);
    at::cuda::getCurrentCUDABlasHandle();
    at::cuda::getCUDABlasLtWorkspace();
    return guard;
  }
  std::unique_ptr<RecordingMemory> make_memory() override {
    return std::make_unique<CudaMemory>(index_, stream_.stream());
  }

  // Other threads may use the device meanwhile.
  void begin_capture() override {
    C10_CUDA_CHECK(cudaStreamBeginCapture(stream_.stream(), cudaStreamCaptureModeThreadLocal));
  }
  std::unique_ptr<CapturedRun> end_capture() override {
    GraphHolder made;
    C10_CUDA_CHECK(cudaStreamEndCapture(stream_.stream(), &made.graph));
    TORCH_CHECK(made.graph, "nothing was captured");
    return std::make_unique<CudaRun>(made.graph);
  }
  void abandon_capture() noexcept override {
    GraphHolder made;
    C10_CUDA_IGNORE_ERROR(cudaStreamEndCapture(stream_.stream(), &made.graph));
  }

 private:
  static c10::cuda::CUDAStream make_stream(DeviceIndex index) {
    const c10::cuda::CUDAGuard guard(index);
    cudaStream_t stream = nullptr;
    C10_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return c10::cuda::getStreamFromExternal(stream, index);
  }

  const DeviceIndex index_;
  const c10::cuda::CUDAStream stream_;
  c10::Event done_{c10::DeviceType::CUDA};
};

}  // namespace
}  // namespace mithril::torch_backend

// The device with this index. It lives as long as the process: at its end the driver may be gone
// before static objects are.
extern "C" __attribute__((visibility("default"))) mithril::torch_backend::RecordingDevice*
mithril_cuda_device(int index) {
  using mithril::torch_backend::CudaDevice;
  static std::mutex mutex;
  static auto* devices = new std::map<int, CudaDevice*>;
  const std::lock_guard lock(mutex);
  CudaDevice*& device = (*devices)[index];
  if (!device) device = new CudaDevice(static_cast<c10::DeviceIndex>(index));
  return device;
}

// Allocates the workspaces that cuBLAS keeps for this thread and the current stream.
extern "C" __attribute__((visibility("default"))) void mithril_cuda_prepare(int index) {
  const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(index));
  at::cuda::getCurrentCUDABlasHandle();
  at::cuda::getCUDABlasLtWorkspace();
}

extern "C" __attribute__((visibility("default"))) int mithril_cuda_generation(int index) {
  return at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(index))->major;
}
