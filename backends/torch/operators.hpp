// Operators of torch's dispatcher, by name and by the arguments that they are going to get.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <vector>

#include "mithril/infer/datum.hpp"

namespace mithril::torch_backend {

// What stands in an argument's place: a value of the run by its register, several as a list, or a
// constant.
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
  std::vector<Operand> operands;    // all that the schema has
  std::vector<c10::IValue> values;  // of the constants, parallel to operands
  size_t results = 1;
  bool makes_list = false;  // one result, a list of tensors
};

struct Made {  // what tensors made from nothing are like
  c10::ScalarType dtype;
  c10::Device device;
};

// Whether this torch, as it was built, has it.
bool has_operator(const std::string& name);

// Chooses the overload by what the arguments are; a number takes a tensor's place where no
// overload takes numbers. BackendError E1011 where none fits, listing those that there are.
Call resolve(const std::string& name, const std::vector<CallArgument>& arguments, const Made& made);

}  // namespace mithril::torch_backend
