// Writes compiled models as ONNX files.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mithril/compile/compiled_model.hpp"
#include "mithril/tensor/tensor_map.hpp"
#include "mithril/training/training_step.hpp"

namespace mithril {

struct OnnxWriteOptions {
  TensorMap params = {};  // of a model that `bind` made: none
  State state = {};       // running statistics, and what else inference reads
  std::int64_t opset = 20;
  // Writes the elements of tensors of 1 KiB and more to the file "net.onnx.data" beside "net.onnx".
  // Files above 2 GB, which protobuf cannot read, are always written so.
  bool external_data = false;
  // Adds an output "KEY.grad" for each parameter that is not frozen: its gradient. The outputs are
  // those of training mode. The gradient that comes in is 1 for `final_cost`; for models without
  // it, "OUTPUT.grad" is an input for each output that has a gradient.
  bool gradients = false;
  // The nodes of each outermost part are a function "mithril.parts.PART", which the graph calls.
  // Parts of equal structure share a function. Parts with loops or branches stay in the graph.
  bool functions = false;
  // Every value of the graph is an output, to find the first one that differs in another program.
  bool all_values = false;
};

// Writes the outputs in inference mode, or with their gradients. Inputs, outputs and parameters
// keep their names, and sizes that compiling left open stay symbolic. Parameters are initializers.
// A state that inference or training changes is an input, and an output of the name with "_next".
// Each node has the path of its value as metadata "mithril.path". The file is written as a whole or
// not at all. StateError E0901 for other parameters, E0923 for a state that is missing;
// GradientError E0505 for gradients of a model that was compiled for inference; ValueError E1320
// with all nodes that the opset cannot express, E1321 for an opset beside 13 to 25; BackendError
// E1054 for a model of several processes; InputError E0831 if the file cannot be written. Example:
//   ml::write_onnx(compiled, "net.onnx", {.params = params.share()});
void write_onnx(const CompiledModel& compiled, const std::string& path,
                const OnnxWriteOptions& options = {});

// Writes a step of training. Its outputs are those of the model before the update, and the next
// values of the parameters, the states, the slots of the optimizer ("fc1.weight.exp_avg") and the
// number of "steps", each with the name of its input and "_next". Frozen parameters are
// initializers. A learning rate that a schedule changes is the input "lr", float64. Returns the
// present values of these inputs, for the first call of the file. Each later call takes the outputs
// of the one before. StateError E0901 for other parameters, E0904 for a state of the optimizer that
// does not fit them; ValueError E1370 with all that no file can say (TrainingStep::exported), E1371
// for options.state and options.gradients, E1320 and E1321; InputError E0831. Example:
//   ml::TensorMap values = ml::write_onnx(step, "step.onnx", {.params = params.share()});
TensorMap write_onnx(const TrainingStep& step, const std::string& path,
                     const OnnxWriteOptions& options = {});

// The inputs "OUTPUT.grad" of a file with gradients. GradientError E0505 for a model that was
// compiled for inference.
std::vector<std::string> onnx_gradient_inputs(const CompiledModel& compiled);

// The outputs of such a file, as the reference computes them from these inputs, in the order in
// which they are made. `values` are outputs as another program has computed them, with their
// shapes: nodes read them in place of the results of other nodes, so an output shows its node
// alone. The errors of write_onnx.
TensorMap onnx_reference(const CompiledModel& compiled, const TensorMap& data,
                         const OnnxWriteOptions& options = {}, const TensorMap& values = {});
// Inputs of a step that `data` lacks have their present values.
TensorMap onnx_reference(const TrainingStep& step, const TensorMap& data,
                         const OnnxWriteOptions& options = {}, const TensorMap& values = {});

}  // namespace mithril
