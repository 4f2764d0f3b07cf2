// Operators of torch's dispatcher, by name and arguments.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <vector>

#include "mithril/infer/datum.hpp"

namespace mithril::torch_backend {

// An argument: a register of the run, several registers as a list, or a constant.
struct Operand {
  enum class Kind : uint8_t { tensor, tensors, constant };
  Kind kind = Kind::constant;
  std::vector<int> registers = {};
  Datum constant = {};
};

struct CallArgument {
  std::string keyword;  // empty: by position
  Operand operand;
};

struct Call {
  c10::OperatorHandle op;
  std::vector<Operand> operands;    // for all arguments of the schema
  std::vector<c10::IValue> values;  // of the constants, parallel to operands
  size_t results = 1;
  bool makes_list = false;  // it returns one list of tensors
};

struct Made {  // options of factory functions
  c10::ScalarType dtype;
  c10::Device device;
};

// Whether this build of torch has the operator.
bool has_operator(const std::string& name);

// Whether the operator computes no elements.
bool moves_elements(const std::string& name);

// Whether the kernel for CPUs sums terms that it has rounded to float16.
bool sums_rounded_terms(const std::string& name);

// Whether the operator waits for the device, at least on a GPU: it cannot be recorded.
bool waits_for_device(const c10::OperatorHandle& op);

// Chooses the overload by the arguments; a number may replace a tensor if no overload takes
// numbers. BackendError E1011 if none fits, with a list of the overloads.
Call resolve(const std::string& name, const std::vector<CallArgument>& arguments, const Made& made);

}  // namespace mithril::torch_backend
