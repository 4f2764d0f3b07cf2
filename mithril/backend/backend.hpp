// What turns a graph into something that runs.
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

// An input of the graph, as a file of it has it: what the file holds, or what is given when it is
// run.
struct SavedInput {
  std::string key;
  std::optional<Tensor> value = {};  // absent: given
  Dims dims = {};                    // of what is given
};
struct SavedOutput {
  std::string key;
  size_t index;  // among graph.outputs()
};

// Immutable after loading: `run` may be called from many threads at once.
class Executable {
 public:
  virtual ~Executable() = default;
  // In the order of graph.inputs() and graph.outputs(); inputs have the graph's dtypes and fit its
  // dims. What comes out may share elements with what went in.
  virtual std::vector<Tensor> run(std::span<const Tensor> inputs) const = 0;
  // Writes a file that runs without Mithril: TorchScript. False: this backend does not. The inputs
  // are in the order of graph.inputs().
  virtual bool save_torchscript(const std::string& path, std::span<const SavedInput> inputs,
                                std::span<const SavedOutput> outputs) const {
    static_cast<void>(path), static_cast<void>(inputs), static_cast<void>(outputs);
    return false;
  }
  // What a run takes at its peak beside its inputs and constants, in bytes; nothing where that is
  // not known before.
  virtual std::optional<int64_t> run_bytes() const { return std::nullopt; }
  // A line each, for the summary: what it takes to run, what was not done that was asked for, and
  // why.
  virtual std::vector<std::string> notes() const { return {}; }
};

// A graph with gradients in two halves.
struct GradientGraphs {
  // The graph's inputs; its outputs, then what `backward` needs of the way there.
  Graph forward;
  // Those values, then a gradient for each differentiable output; a gradient for each input that
  // was wanted.
  Graph backward;
  std::vector<bool> differentiable = {};  // per output of the graph: floats that are no next state
};

// An output of the graph that may be made in the place of an input, for nobody reads that input
// after the run: what a step of training makes of a parameter. Their dims and dtypes are the same.
struct Donation {
  size_t output, input;
};

struct LoadOptions {
  bool jit = true;  // whether the backend may compile what it runs, where it can
  // What takes longer to begin with, or more memory, so that runs become faster.
  bool max = false;
  // Whether ops may be computed together, where the backend can; else each by itself.
  bool fuse = true;
  // A backend may leave them as they are. Where an output was made in the place of its input, it is
  // that tensor; else the input has not changed. An error that comes after the first was written to
  // says so.
  std::vector<Donation> donations = {};
  // The halves with the gradients of some of the inputs (a flag for each), for a backend that takes
  // part in its library's automatic differentiation; null where there are no gradients. May be
  // called from any thread. GradientError as in differentiate.
  std::function<GradientGraphs(const std::vector<bool>& wanted)> split = nullptr;
  // Sees what its nodes make, in both halves too; null: nobody looks.
  std::shared_ptr<const Observer> observer = nullptr;
};

// What a backend wants of the graphs that it is given.
struct GraphOptions {
  // The precision that casts lower to; nothing: none are made (passes/mix_precision.hpp).
  std::optional<DType> mixed_precision = std::nullopt;
  // Whether gradients compute again what they can do without keeping (passes/recompute.hpp).
  bool use_checkpointing = false;
  // Whether attention that is written out runs faster as one op (passes/fuse_attention.hpp):
  // inference then has it so.
  bool fused_attention = false;
  // Whether graphs are to be as they were composed, for every op to be seen: no passes but what
  // they cannot do without. It does not go with what rewrites them, which compile refuses.
  bool as_composed = false;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;  // "cpu"
  virtual DType default_dtype() const = 0;    // of floats that nothing else decides
  virtual GraphOptions graph_options() const { return {}; }
  // The names of the graph's ops that it cannot run, each once.
  virtual std::vector<std::string> missing(const Graph& graph) const = 0;
  // Called only for a graph of which nothing is missing; from one thread at a time for each graph.
  virtual std::unique_ptr<Executable> load(const Graph& graph, const LoadOptions& options) = 0;
  // The tensor as one of the backend's own, on its device: what a user gets as a parameter, or as
  // a state, which takes no part in automatic differentiation.
  virtual Tensor adopt(const Tensor& tensor, bool parameter) const {
    static_cast<void>(parameter);
    return tensor;
  }
  // What came out of an executable, as a tensor that may be written to: dense, and shared with
  // nothing. Gradients are given so.
  virtual Tensor own(const Tensor& tensor) const { return tensor.copy(); }
  // Null where it keeps no account.
  virtual BackendMemory* memory() { return nullptr; }
};

}  // namespace mithril
