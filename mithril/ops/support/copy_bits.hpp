// The bits of a tensor as elements of another dtype of the same width.
#pragma once
#include <cstring>
#include <string>

#include "mithril/base/error.hpp"
#include "mithril/ops/support/support.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril {

// The eval of an op from `input` to a dtype. TypeError E1369: the widths differ.
inline void copy_bits(EvalContext& c) {
  const Tensor& x = c.in("input");
  Tensor made = Tensor::empty(c.out().dtype(), x.dims());
  if (made.bytes() != x.bytes()) {
    raise({.kind = ErrorKind::type,
           .code = "E1369",
           .message = c.op_name() + ": " + std::string(name(x.dtype())) + " and " +
                      std::string(name(made.dtype())) + " have different numbers of bits"});
  }
  if (x.bytes() > 0) std::memcpy(made.mutable_raw_data(), x.raw_data(), x.bytes());
  c.write_all(made);
}

}  // namespace mithril
