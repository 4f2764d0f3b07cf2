// Programs as TorchScript: run by torch's own executor, or written to a file that torch.jit.load
// reads.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/torch/program/program.hpp"
#include "mithril/backend/backend.hpp"

namespace mithril::torch_backend {

// Immutable, so many threads may run it at the same time.
class Script {
 public:
  virtual ~Script() = default;
  // Inputs and outputs have the order of graph.inputs() and graph.outputs().
  virtual std::vector<at::Tensor> run(at::TensorList inputs) const = 0;
};

// The first op of the program that runs on the host, or as an operator of Mithril, which files of
// TorchScript cannot have; null: none.
const OpDef* beyond_script(const TorchProgram& program);

// For a program without such ops, whose conversions are known. `constants` are the constants of the
// graph, on the device.
std::shared_ptr<const Script> make_script(const Graph& graph, const TorchProgram& program,
                                          const std::vector<at::Tensor>& constants);

// Writes a module whose `forward` takes the arguments among `inputs` and returns a tensor, or a
// dictionary by name if there are several outputs. BackendError E1022 if the file cannot be
// written.
void save_script(const std::string& path, const Graph& graph, const TorchProgram& program,
                 const std::vector<at::Tensor>& constants, std::span<const SavedInput> inputs,
                 std::span<const SavedOutput> outputs);

}  // namespace mithril::torch_backend
