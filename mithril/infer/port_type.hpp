// The type that a user states for a port: kinds, or one dtype.
#pragma once
#include <optional>
#include <string>

#include "mithril/infer/tensor_kind.hpp"

namespace mithril {

// Examples: kind::float_tensor, kind::int_tensor | kind::float_tensor, DType::uint8.
struct PortType {
  Kinds kinds = 0;                  // 0: not stated
  std::optional<DType> dtype = {};  // the exact dtype of a tensor

  PortType() = default;
  PortType(Kinds set) : kinds(set) {}
  PortType(DType exact) : kinds(tensor_kind(exact)), dtype(exact) {}
};

// "float tensor or None", "uint8 tensor": for messages.
inline std::string to_string(const PortType& type) {
  return type.dtype ? std::string(name(*type.dtype)) + " tensor" : to_string_kinds(type.kinds);
}

}  // namespace mithril
