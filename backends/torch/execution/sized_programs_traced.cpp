// Programs whose nodes a trace measures.
#include <c10/core/impl/VirtualGuardImpl.h>

#include "backends/torch/execution/sized_programs.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::torch_backend {
namespace {

// Once the device has done what it was told.
TraceTicks synchronized_ticks(c10::Device device) {
  if (!device.is_cpu()) {
    const c10::impl::VirtualGuardImpl guard(device.type());
    guard.synchronizeDevice(device.has_index() ? device.index() : guard.getDevice().index());
  }
  return trace_ticks();
}

// "aten::linear(input, weight, bias)": "aten::linear".
std::string kernel_of(const LoweredNode& node) {
  if (node.fused) return "fused kernel";
  if (node.spelling.empty()) return "reference";
  return node.spelling.substr(0, node.spelling.find('('));
}

}  // namespace

TracedSteps SizedPrograms::traced_steps(const TorchProgram& program) const {
  const StepDescriber describer(graph_, program.plan);
  TracedSteps steps;
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    steps.push_back(describer.describe({&i, 1}, kernel_of(program.nodes[i])));
    steps.back().backend = "torch";
    steps.back().device = target_.device.str();
  }
  return steps;
}

void SizedPrograms::trace_program(const TorchProgram& program, Run& run, StepTrace& trace) const {
  std::vector<TraceTicks> ticks{synchronized_ticks(target_.device)};
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    run_node(i, program.plan.nodes[i], program.nodes[i], run);
    ticks.push_back(synchronized_ticks(target_.device));
  }
  trace.add_steps(program.traced->get([&] { return traced_steps(program); }), std::move(ticks));
}

// A script is one step.
std::vector<at::Tensor> SizedPrograms::trace_script(const TorchProgram& program,
                                                    at::TensorList inputs, const MemoryScope& scope,
                                                    StepTrace* trace) const {
  if (!trace) return run_script(*program.script, inputs, scope);
  std::vector<TraceTicks> ticks{synchronized_ticks(target_.device)};
  std::vector<at::Tensor> outputs = run_script(*program.script, inputs, scope);
  ticks.push_back(synchronized_ticks(target_.device));
  trace->add_steps(program.traced->get([&] {
    TracedStep step = describe_whole(graph_, program.plan, "TorchScript");
    step.backend = "torch";
    step.device = target_.device.str();
    return TracedSteps{std::move(step)};
  }),
                   std::move(ticks));
  return outputs;
}

}  // namespace mithril::torch_backend
