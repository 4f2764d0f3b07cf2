// The entry point of libmithril_torch_backend.so: makes a backend from options. plugin.cpp has
// checked the version of torch.
#include "backends/torch/device/cuda_library.hpp"
#include "backends/torch/device/gpu_names.hpp"
#include "backends/torch/device/library.hpp"
#include "backends/torch/device/settings.hpp"
#include "backends/torch/distributed/communicator.hpp"
#include "backends/torch/execution/executable.hpp"
#include "backends/torch/execution/torchscript.hpp"
#include "backends/torch/tensors.hpp"
#include "mithril/backend/plugin.hpp"
#include "mithril/backend/runs_on_gpu.hpp"
#include "mithril/backend/runs_torchscript.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::torch_backend {
namespace {

class Torch final : public Backend, public RunsTorchScript, public RunsOnGpu {
 public:
  explicit Torch(const Arguments& options)
      : settings_(read_settings(options)),
        memory_(std::make_shared<TorchMemory>(settings_)),
        recordings_(make_recordings(settings_, *memory_)) {}

  std::string_view name() const override { return "torch"; }
  DType default_dtype() const override { return settings_.dtype; }
  GraphOptions graph_options() const override {
    return {.mixed_precision = settings_.mixed_precision(),
            .use_checkpointing = settings_.memory_efficient,
            .fused_attention = true,
            .as_composed = settings_.eager_mode,
            .differentiates = settings_.requires_grad};
  }

  std::vector<std::string> missing(const Graph& graph) const override {
    return missing_ops(graph, [](const OpDef& op) { return op.spelling("torch") || op.eval; });
  }

  std::unique_ptr<Executable> load(const Graph& graph, const LoadOptions& options) override {
    return make_executable(graph, {settings_, memory_, recordings_}, options);
  }

  std::unique_ptr<Executable> load_torchscript(std::string_view stored, const std::string& where,
                                               const Graph& ports) override {
    return load_script(stored, where, ports, {settings_, memory_, recordings_});
  }

  Tensor adopt(const Tensor& tensor, bool parameter) const override {
    return memory_->count([&] { return std::vector<Tensor>{adopted(tensor, parameter)}; }).front();
  }
  Tensor receive(const Tensor& tensor) const override { return moved(tensor, settings_.device); }
  Tensor own(const Tensor& tensor) const override {
    if (is_own(tensor)) return tensor;
    return memory_->count([&] { return std::vector<Tensor>{tensor.to(tensor.dtype())}; }).front();
  }

  // Torch does not report the memory of mps devices.
  BackendMemory* memory() override { return settings_.device == "mps" ? nullptr : memory_.get(); }

  std::vector<std::string> devices() const override { return torch_backend::devices(); }
  std::string default_device() const override { return settings_.device; }
  std::optional<Gpu> gpu() const override {
    const c10::Device device(settings_.device);
    return device.is_cuda() ? std::optional(gpu_at(device.index())) : std::nullopt;
  }

 private:
  HostMemory memory_at(const std::string& device) const override {
    return device == "cpu" ? host_memory() : device_memory(c10::Device(device));
  }
  Tensor moved(const Tensor& tensor, const std::string& device) const override {
    if (is_torch(tensor) && tensor.foreign()->device() == device) return tensor;
    const Tensor known = is_torch(tensor) ? tensor : tensor.host();
    return from_torch(to_torch(known, c10::Device(device)));
  }

  static std::shared_ptr<Recordings> make_recordings(const Settings& settings,
                                                     const TorchMemory& memory) {
    const c10::Device device(settings.device);
    RecordingDevice* recording = device.is_cuda() ? recording_device(device) : nullptr;
    if (!recording) return nullptr;
    return std::make_shared<Recordings>(*recording, settings.device, memory.meter());
  }

  // The tensor on the device. A parameter is a leaf of torch's autograd if requires_grad is set.
  // Memory of Mithril is copied once, so that torch owns and counts the parameter.
  Tensor adopted(const Tensor& tensor, bool parameter) const {
    at::Tensor made = to_torch(tensor, c10::Device(settings_.device));
    if (!tensor.foreign() && made.device().is_cpu()) made = made.clone();
    if (parameter && settings_.requires_grad) made = made.detach().requires_grad_();
    if (!parameter && made.requires_grad()) made = made.detach();
    return from_torch(made);
  }

  const Settings settings_;
  const std::shared_ptr<TorchMemory> memory_;
  const std::shared_ptr<Recordings> recordings_;  // null on devices without recordings
};

std::shared_ptr<Backend> make(const Arguments& options) { return std::make_shared<Torch>(options); }

}  // namespace
}  // namespace mithril::torch_backend

extern "C" __attribute__((visibility("default"))) const mithril::BackendPlugin* mithril_backend() {
  static const mithril::BackendPlugin plugin{
      mithril::plugin_version, nullptr, []() -> const char* { return nullptr; },
      mithril::torch_backend::make, mithril::torch_backend::make_communicator};
  return &plugin;
}
