// A graph whose nodes run as kernels, on the CPU here, and as operators of torch.
#pragma once

#include <ATen/ops/allclose.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>

#include <string>
#include <utility>
#include <vector>

#include "backends/torch/kernels/fuse_nodes.hpp"
#include "backends/torch/kernels/fused_kernel.hpp"
#include "backends/torch/program/run_call.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/infer/facts.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "tests/torch_internal/doctest.hpp"
#include "tests/torch_internal/kernels_on_cpu.hpp"

namespace mithril::tests {

using torch_backend::Donated, torch_backend::Fusion, torch_backend::TorchProgram;
using Tensors = std::vector<at::Tensor>;

struct Chain {
  Graph graph;
  KernelsOnCpu device = {};

  ValueId input(const char* name, std::vector<Dim> dims, DType dtype = DType::float32) {
    return graph.add_input({.name = name, .dims = std::move(dims), .dtype = dtype});
  }
  ValueId add(const char* op, std::vector<Argument> arguments, const char* name) {
    return graph.add(find_op(op), std::move(arguments), name).front();
  }

  TorchProgram lowered() const {
    std::vector<Tensor> given;
    for (const ValueId id : graph.inputs()) {
      Dims dims;
      for (const Dim& dim : graph.value(id).dims)
        dims.push_back(dim.is_constant() ? dim.constant() : rows);
      given.emplace_back(graph.value(id).dtype, dims);
    }
    return torch_backend::lower(graph, make_plan(graph, SizeSources(graph), given),
                                {c10::Device("cpu")});
  }

  // Registers are cleared where the plan releases them.
  Tensors run(const TorchProgram& program, const Tensors& inputs,
              Donated donated = Donated::ignored) const {
    torch_backend::Registers registers(program.registers);
    torch_backend::Stack stack;
    for (std::size_t i = 0; i < inputs.size(); ++i) registers[index(graph.inputs()[i])] = inputs[i];
    for (std::size_t i = 0; i < program.nodes.size(); ++i) {
      const torch_backend::LoweredNode& node = program.nodes[i];
      for (const auto& operator_call : node.calls) run_call(operator_call, registers, stack);
      if (node.fused) run_fused(*node.fused, registers, donated);
      for (const auto& result : node.results) keep_result(result, registers);
      for (const ValueId id : program.plan.nodes[i].released) registers[index(id)] = {};
    }
    Tensors outputs;
    for (const Output& output : graph.outputs())
      outputs.push_back(registers[index(output.value)].toTensor());
    return outputs;
  }

  // The results of kernels and of operators.
  std::pair<Tensors, Tensors> both(const Tensors& inputs) {
    TorchProgram program = lowered();
    fused = fuse_nodes(graph, program, device);
    nodes.clear();
    for (std::size_t i = 0; i < program.nodes.size(); ++i)
      nodes.push_back(program.nodes[i].fused ? program.nodes[i].spelling
                                             : program.plan.nodes[i].op->name);
    return {run(program, inputs), run(lowered(), inputs)};
  }
  void check(const Tensors& inputs, double tolerance = 1e-6) {
    const auto [got, expected] = both(inputs);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK((got[i].scalar_type() == expected[i].scalar_type()));
      CHECK(at::allclose(got[i], expected[i], tolerance, tolerance));
    }
  }

  std::int64_t rows = 0;  // of symbolic sizes
  Fusion fused = {};
  std::vector<std::string> nodes = {};  // of the fused program
};

// next = parameter - gradient * rate, for parameters of these sizes, and what a node reads.
inline Tensors add_updates(Chain& chain, const std::vector<std::int64_t>& sizes) {
  Tensors inputs;
  const ValueId rate = chain.input("rate", {});
  inputs.push_back(at::full({}, 0.25));
  for (const std::int64_t size : sizes) {
    const std::string name = "p" + std::to_string(inputs.size());
    const ValueId parameter = chain.input(name.c_str(), {Dim(size), Dim(3)}),
                  gradient = chain.input((name + "g").c_str(), {Dim(size), Dim(3)});
    const ValueId move = chain.add("multiply", {gradient, rate}, (name + "m").c_str());
    chain.graph.add_output(name + "n",
                           chain.add("subtract", {parameter, move}, (name + "n").c_str()));
    inputs.push_back(at::randn({size, 3}));
    inputs.push_back(at::randn({size, 3}));
  }
  return inputs;
}

}  // namespace mithril::tests
