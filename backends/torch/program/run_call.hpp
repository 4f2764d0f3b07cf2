// One call of a program: reads operands from registers and writes results to them.
#pragma once

#include <utility>
#include <vector>

#include "backends/torch/program/program.hpp"

namespace mithril::torch_backend {

using Registers = std::vector<c10::IValue>;
using Stack = std::vector<c10::IValue>;

inline void push(Stack& stack, const Operand& operand, const c10::IValue& value,
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

inline void run_call(const OperatorCall& operator_call, Registers& registers, Stack& stack) {
  stack.clear();
  for (size_t i = 0; i < operator_call.call.operands.size(); ++i) {
    push(stack, operator_call.call.operands[i], operator_call.call.values[i], registers);
  }
  operator_call.call.op.callBoxed(stack);
  for (size_t i = 0; i < operator_call.call.results; ++i) {
    registers[static_cast<size_t>(operator_call.first) + i] = std::move(stack[i]);
  }
}

inline at::Tensor tensor_of(const Result& result, const Registers& registers) {
  const c10::IValue& made = registers[static_cast<size_t>(result.from)];
  if (result.item < 0) return made.toTensor();
  return made.toListRef()[static_cast<size_t>(result.item)].toTensor();
}

inline void keep_result(const Result& result, Registers& registers) {
  at::Tensor tensor = tensor_of(result, registers);
  if (tensor.scalar_type() != result.dtype) tensor = tensor.to(result.dtype);
  registers[index(result.value)] = std::move(tensor);
}

}  // namespace mithril::torch_backend
