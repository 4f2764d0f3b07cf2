// A compiled model as a program of checked inputs, for engines and text generation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/compile/compiled_model.hpp"

namespace mithril {

// A size of an input or an output: "4", "N", "2*L". Equal sizes have equal texts.
struct ProgramSize {
  std::string text;
  std::optional<std::int64_t> number = {};  // none for a symbolic size
  std::vector<std::string> symbols = {};    // {"L"} of "2*L"
};

// An input, a state or an output of a program.
struct ProgramPort {
  std::string name;       // its key
  std::string path;       // of its value in the graph
  std::size_t index = 0;  // among the inputs or the outputs of the graph
  DType dtype = DType::float32;
  std::optional<std::vector<ProgramSize>> sizes = {};  // none: the rank is not known
};

std::vector<std::string> names_of(const std::vector<ProgramPort>& ports);
// Null if there is none.
const ProgramPort* port_named(const std::vector<ProgramPort>& ports, std::string_view name);

// Facts about a call, for the messages of `check`.
struct ProgramCall {
  const char* data_name = "data";  // the name of the data
  bool takes_outputs = false;      // whether the caller may ask for some outputs
};

// A compiled model in inference mode. Inputs are checked first and evaluated later, by themselves
// or joined with others along their batch axis. Immutable: many threads may use it. Example:
//   const ml::InferenceProgram program(compiled);
//   const std::vector<ml::Tensor> inputs = program.check(params, {{"image", x}});
//   ml::TensorMap outputs = program.run(inputs);
class InferenceProgram {
 public:
  // Makes the inference form of the model if it does not exist. The current hooks are called.
  explicit InferenceProgram(const CompiledModel& model);

  // Snapshots: sizes are those that are known when the program is made.
  const std::vector<ProgramPort>& inputs() const { return inputs_; }  // the data
  const std::vector<ProgramPort>& states() const { return states_; }
  const std::vector<ProgramPort>& outputs() const { return outputs_; }
  // The graph that is evaluated. It has no nodes if the model is native code. Its dims change when
  // sizes become known: read them by `size`.
  const Graph& graph() const;
  // The size of an axis of a value of the graph, as it is known now. None: the value has no such
  // axis, or its rank is not known.
  std::optional<ProgramSize> size(ValueId value, std::size_t axis) const;
  std::int64_t bytes() const;        // of constants and native code
  std::int64_t state_bytes() const;  // of one state

  // The inputs of `run`: in the order of the graph and in its dtypes, with the initial state.
  // InputError E0801 to E0806.
  std::vector<Tensor> check(const TensorMap& params, const TensorMap& data,
                            const ProgramCall& call = {}) const;
  // The outputs, by name in the order of outputs().
  TensorMap run(std::span<const Tensor> inputs) const;

  State initial_state() const;  // with elements of its own
  // The outputs for this state, which has all keys of states(). The next state replaces it: a
  // backend that supports donation writes in place. The state is lost after an error with
  // ErrorDetails::wrote_inputs, and after an exception of a user's op.
  TensorMap run(std::span<const Tensor> inputs, State& state) const;

 private:
  // Shared with the model.
  std::shared_ptr<CompiledModel::Impl> compiled_;
  std::vector<ProgramPort> inputs_, states_, outputs_;
};

}  // namespace mithril
