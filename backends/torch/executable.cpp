#include "backends/torch/executable.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "backends/torch/autograd.hpp"
#include "backends/torch/program.hpp"
#include "backends/torch/tensors.hpp"
#include "mithril/base/error.hpp"
#include "mithril/eval/run_node.hpp"
#include "mithril/eval/size_cache.hpp"

namespace mithril::torch_backend {
namespace {

using Registers = std::vector<c10::IValue>;
using Stack = std::vector<c10::IValue>;

void push(Stack& stack, const Operand& operand, const c10::IValue& value,
          const Registers& registers) {
  switch (operand.kind) {
    case Operand::Kind::constant:
      stack.push_back(value);
      return;
    case Operand::Kind::tensor:
      stack.push_back(registers[static_cast<size_t>(operand.registers[0])]);
      return;
    case Operand::Kind::tensors:
      c10::List<at::Tensor> list;
      for (const int at : operand.registers) {
        list.push_back(registers[static_cast<size_t>(at)].toTensor());
      }
      stack.emplace_back(std::move(list));
  }
}

void run_step(const Step& step, Registers& registers, Stack& stack) {
  stack.clear();
  for (size_t i = 0; i < step.call.operands.size(); ++i) {
    push(stack, step.call.operands[i], step.call.values[i], registers);
  }
  step.call.op.callBoxed(stack);
  for (size_t i = 0; i < step.call.results; ++i) {
    registers[static_cast<size_t>(step.first) + i] = std::move(stack[i]);
  }
}

void keep_result(const Result& result, Registers& registers) {
  const c10::IValue& made = registers[static_cast<size_t>(result.from)];
  at::Tensor tensor = result.item < 0
                          ? made.toTensor()
                          : made.toListRef()[static_cast<size_t>(result.item)].toTensor();
  if (tensor.scalar_type() != result.dtype) tensor = tensor.to(result.dtype);
  registers[index(result.value)] = std::move(tensor);
}

// A graph on a device; programs are made for the sizes that come.
class SizedPrograms {
 public:
  SizedPrograms(Graph graph, c10::Device device)
      : graph_(std::move(graph)), sizes_(graph_), device_(device) {
    for (const Constant& constant : graph_.constants()) {
      constants_.push_back(to_torch(constant.tensor, device_));
    }
  }

  // Below autograd: gradients are part of the graph.
  std::vector<at::Tensor> run(at::TensorList inputs) const {
    const at::AutoDispatchBelowADInplaceOrView below;
    const std::shared_ptr<const Program> program = program_for(inputs);
    Registers registers(program->registers);
    for (size_t i = 0; i < inputs.size(); ++i) registers[index(graph_.inputs()[i])] = inputs[i];
    for (size_t i = 0; i < constants_.size(); ++i) {
      registers[index(graph_.constants()[i].value)] = constants_[i];
    }
    Stack stack;
    for (size_t i = 0; i < program->nodes.size(); ++i) run_node(*program, i, registers, stack);
    std::vector<at::Tensor> outputs;
    for (const Output& output : graph_.outputs()) {
      outputs.push_back(registers[index(output.value)].toTensor());
    }
    return outputs;
  }

  const Graph& graph() const { return graph_; }

 private:
  void run_node(const Program& program, size_t at, Registers& registers, Stack& stack) const {
    const PlannedNode& planned = program.plan.nodes[at];
    const LoweredNode& node = program.nodes[at];
    try {
      if (node.spelling.empty()) run_on_host(planned, registers);
      for (const Step& step : node.steps) run_step(step, registers, stack);
      for (const Result& result : node.results) keep_result(result, registers);
    } catch (const c10::Error& error) {
      refuse(planned, node, error);
    }
    for (auto it = registers.begin() + static_cast<ptrdiff_t>(graph_.values().size());
         it != registers.end(); ++it) {
      *it = c10::IValue();
    }
    for (const ValueId id : planned.released) registers[index(id)] = c10::IValue();
  }

  void run_on_host(const PlannedNode& planned, Registers& registers) const {
    std::vector<std::optional<Tensor>> values(graph_.values().size());
    for (const int32_t at : planned.tensors) {
      if (at < 0) continue;
      values[static_cast<size_t>(at)] =
          from_torch(registers[static_cast<size_t>(at)].toTensor().cpu().contiguous());
    }
    mithril::run_node(planned, graph_, values);
    for (const ValueId id : planned.outputs) {
      registers[index(id)] = to_torch(*values[index(id)], device_);
    }
  }

  [[noreturn]] void refuse(const PlannedNode& planned, const LoweredNode& node,
                           const c10::Error& error) const {
    raise({.kind = ErrorKind::backend,
           .code = "E1012",
           .path = graph_.value(planned.outputs.front()).name,
           .message = std::string("torch refused: ") + error.what_without_backtrace(),
           .facts = {{"op", planned.op->name}, {"spelling", node.spelling}}});
  }

  std::shared_ptr<const Program> program_for(at::TensorList inputs) const {
    const auto fits = [&](const Program& program) {
      return std::equal(
          inputs.begin(), inputs.end(), program.plan.inputs.begin(), program.plan.inputs.end(),
          [](const at::Tensor& input, const Dims& dims) { return input.sizes() == dims; });
    };
    return programs_.find_or_make(fits, [&] {
      std::vector<Tensor> described;
      for (const at::Tensor& input : inputs) described.push_back(from_torch(input));
      return lower(graph_, make_plan(graph_, sizes_, described), device_);
    });
  }

  const Graph graph_;
  const SizedGraph sizes_;
  const c10::Device device_;
  std::vector<at::Tensor> constants_;
  const SizeCache<Program> programs_ = {};
};

class SplitPrograms final : public Halves {
 public:
  SplitPrograms(GradientGraphs graphs, std::vector<bool> inputs, c10::Device device)
      : forward_(std::move(graphs.forward), device), backward_(std::move(graphs.backward), device) {
    outputs = graphs.differentiable.size();
    differentiable = std::move(graphs.differentiable);
    wanted = std::move(inputs);
  }
  std::vector<at::Tensor> forward(at::TensorList inputs) const override {
    return forward_.run(inputs);
  }
  std::vector<at::Tensor> backward(at::TensorList given) const override {
    return backward_.run(given);
  }

 private:
  SizedPrograms forward_, backward_;
};

class TorchExecutable final : public Executable {
 public:
  TorchExecutable(const Graph& graph, c10::Device device, LoadOptions options)
      : device_(device), programs_(graph, device), options_(std::move(options)) {}

  std::vector<Tensor> run(std::span<const Tensor> inputs) const override {
    std::vector<at::Tensor> given, made;
    given.reserve(inputs.size());
    bool differentiable = false;
    for (const Tensor& input : inputs) {
      given.push_back(to_torch(input, device_));
      differentiable = differentiable || given.back().requires_grad();
    }
    if (differentiable && options_.split && at::GradMode::is_enabled()) {
      made = differentiable_run(halves_for(given), given);
    } else {
      made = programs_.run(given);
    }
    std::vector<Tensor> outputs;
    outputs.reserve(made.size());
    for (const at::Tensor& tensor : made) outputs.push_back(from_torch(tensor));
    return outputs;
  }

 private:
  std::shared_ptr<const Halves> halves_for(at::TensorList inputs) const {
    std::vector<bool> wanted;
    for (const at::Tensor& input : inputs) wanted.push_back(input.requires_grad());
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const Halves>& halves = halves_[wanted];
    if (!halves) {
      halves = std::make_shared<SplitPrograms>(options_.split(wanted), wanted, device_);
    }
    return halves;
  }

  const c10::Device device_;
  const SizedPrograms programs_;
  const LoadOptions options_;
  mutable std::mutex mutex_;  // guards halves_
  // By which inputs get gradients. Shared: what autograd remembers outlives the executable.
  mutable std::map<std::vector<bool>, std::shared_ptr<const Halves>> halves_;
};

}  // namespace

std::unique_ptr<Executable> make_executable(const Graph& graph, const Settings& settings,
                                            const LoadOptions& options) {
  return std::make_unique<TorchExecutable>(graph, c10::Device(settings.device), options);
}

Tensor adopt(const Tensor& tensor, const Settings& settings, bool parameter) {
  at::Tensor adopted = to_torch(tensor, c10::Device(settings.device));
  if (parameter && settings.requires_grad) adopted = adopted.detach().requires_grad_();
  if (!parameter && adopted.requires_grad()) adopted = adopted.detach();
  return from_torch(adopted);
}

}  // namespace mithril::torch_backend
