// The interface of backends: a backend turns a graph into an executable.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/backend/memory.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/graph/observer.hpp"

namespace mithril {

// An input of a saved graph: a constant in the file, or an argument of each run.
struct SavedInput {
  std::string key;
  std::optional<Tensor> value = {};  // absent: an argument
  Dims dims = {};                    // of an argument
};
struct SavedOutput {
  std::string key;
  size_t index;  // among graph.outputs()
};

// Immutable after loading: many threads may call `run` at the same time.
class Executable {
 public:
  virtual ~Executable() = default;
  // Runs the graph. Inputs and outputs have the order of graph.inputs() and graph.outputs(); inputs
  // have the graph's dtypes and fit its dims. Outputs may share elements with inputs.
  virtual std::vector<Tensor> run(std::span<const Tensor> inputs) const = 0;
  // Writes a file that runs without Mithril: TorchScript. False: this backend does not. The inputs
  // are in the order of graph.inputs().
  virtual bool save_torchscript(const std::string& path, std::span<const SavedInput> inputs,
                                std::span<const SavedOutput> outputs) const {
    static_cast<void>(path), static_cast<void>(inputs), static_cast<void>(outputs);
    return false;
  }
  // Peak memory of a run in bytes, without inputs and constants; empty if it is not known in
  // advance.
  virtual std::optional<int64_t> run_bytes() const { return std::nullopt; }
  // Lines for the summary: the memory of a run, and each requested optimization that was not
  // possible, with the reason.
  virtual std::vector<std::string> notes() const { return {}; }
};

// A graph with gradients in two halves.
struct GradientGraphs {
  // Inputs: those of the graph. Outputs: those of the graph, then the values that `backward` needs.
  Graph forward;
  // Inputs: these values, then a gradient for each differentiable output. Outputs: a gradient for
  // each wanted input.
  Graph backward;
  std::vector<bool> differentiable =
      {};  // per output of the graph: floats that are not a next state
  // The halves of the gradients themselves, for second derivatives: their `forward` has the inputs
  // of the graph, then the incoming gradients, and makes the gradients of the wanted inputs.
  // `wanted`: a flag for each of these inputs. As LoadOptions::split it may be called from any
  // thread, and later than that.
  std::function<GradientGraphs(const std::vector<bool>& wanted)> split = nullptr;
};

// An output of the graph that may reuse the memory of an input, because the input is not read after
// the run: the new value of a parameter in a training step. Both have the same dims and dtype.
struct Donation {
  size_t output, input;
};

struct LoadOptions {
  bool jit = true;  // whether the backend may compile code where it can
  // Optimizations that cost time or memory in advance and make runs faster.
  bool max = false;
  // Whether the backend may fuse ops.
  bool fuse = true;
  // A backend may ignore donations. If an output reuses its input, the result is that tensor;
  // otherwise the input does not change. An error after the first write has
  // ErrorDetails::wrote_inputs.
  std::vector<Donation> donations = {};
  // The forward and backward graphs for the gradients of some inputs (a flag for each), for a
  // backend that takes part in its library's automatic differentiation; null without gradients. May
  // be called from any thread. GradientError as in differentiate.
  std::function<GradientGraphs(const std::vector<bool>& wanted)> split = nullptr;
  // Observes the values of nodes, in both halves, too; null: none.
  std::shared_ptr<const Observer> observer = nullptr;
};

// How compile prepares graphs for a backend.
struct GraphOptions {
  // The lower precision of mixed precision; empty: no casts (passes/mix_precision.hpp).
  std::optional<DType> mixed_precision = std::nullopt;
  // Whether gradients recompute values instead of keeping them (passes/recompute.hpp).
  bool use_checkpointing = false;
  // Whether inference replaces written-out attention by one op (passes/fuse_attention.hpp).
  bool fused_attention = false;
  // Whether graphs stay as composed, so that every op is visible: only the necessary passes run.
  // compile refuses options that rewrite graphs.
  bool as_composed = false;
  // Whether parameters take part in the automatic differentiation of the backend's library.
  bool differentiates = false;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;  // "cpu"
  virtual DType default_dtype() const = 0;    // the default dtype of floats
  virtual GraphOptions graph_options() const { return {}; }
  // The names of the graph's ops that the backend cannot run, each once.
  virtual std::vector<std::string> missing(const Graph& graph) const = 0;
  // BackendError E1001 if there are such ops.
  void check_ops(const Graph& graph) const;
  // Called only for a graph without missing ops, and from one thread at a time for each graph.
  virtual std::unique_ptr<Executable> load(const Graph& graph, const LoadOptions& options) = 0;
  // The tensor as a tensor of the backend, on its device: a user's parameter, or what has no
  // gradient: a frozen parameter or a state.
  virtual Tensor adopt(const Tensor& tensor, bool parameter) const {
    static_cast<void>(parameter);
    return tensor;
  }
  // A tensor of any backend as a tensor of this one, on its device. Shares the elements where both
  // reach the same memory, otherwise copies them once.
  virtual Tensor receive(const Tensor& tensor) const { return tensor.host(); }
  // A result of an executable as a dense tensor that owns its elements and may be written to.
  // evaluate returns gradients like this.
  virtual Tensor own(const Tensor& tensor) const { return tensor.copy(); }
  // Null if the backend has no memory statistics.
  virtual BackendMemory* memory() { return nullptr; }

  // Devices.

  // The devices that such a backend can run on: "cpu", "cuda:0", "mps".
  virtual std::vector<std::string> devices() const { return {"cpu"}; }
  // The device on which the backend runs and makes tensors.
  virtual std::string default_device() const { return "cpu"; }
  bool is_available(std::string_view device) const;
  // The memory of a device; of the default one, if none is given. A backend that does not count its
  // memory, such as the CPU backend, leaves allocated, peak and limit empty, and so does each
  // backend for another device than its own. BackendError E1005 for a missing device.
  MemoryInfo memory_info(const std::string& device = {});

  // Tensors, on the default device; floats in the default dtype.

  Tensor zeros(Dims dims) const { return zeros(std::move(dims), default_dtype()); }
  Tensor zeros(Dims dims, DType dtype) const;
  Tensor ones(Dims dims) const { return ones(std::move(dims), default_dtype()); }
  Tensor ones(Dims dims, DType dtype) const;
  // Normal with mean 0 and deviation 1. A seed gives the same numbers on every device and platform;
  // a wider dtype gives them more precisely.
  Tensor randn(Dims dims, std::uint64_t seed) const {
    return randn(std::move(dims), seed, default_dtype());
  }
  Tensor randn(Dims dims, std::uint64_t seed, DType dtype) const;
  // The tensor on another device; the tensor itself if it is already there. BackendError E1005 as
  // above.
  Tensor to_device(const Tensor& tensor, const std::string& device) const;

 private:
  void check_device(const std::string& device) const;
  // For a device of `devices`.
  virtual HostMemory memory_at(const std::string& device) const;
  virtual Tensor moved(const Tensor& tensor, const std::string& device) const;
};

// The names of the graph's ops for which `runs` is false, each once: for Backend::missing.
std::vector<std::string> missing_ops(const Graph& graph,
                                     const std::function<bool(const OpDef&)>& runs);

// BackendError E1020 if it does not count its memory.
BackendMemory& memory_of(Backend& backend);

}  // namespace mithril
