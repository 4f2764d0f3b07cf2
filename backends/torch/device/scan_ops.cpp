#include "backends/torch/device/scan_ops.hpp"

#include <ATen/WrapDimUtils.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>
#include <torch/library.h>

namespace mithril::torch_backend {
namespace {

// The state before each row, from the states after the rows; 0 before the first one.
at::Tensor states_before(const at::Tensor& states, int64_t axis, bool reverse) {
  const int64_t moved = states.size(axis) - 1;
  at::Tensor before = at::zeros_like(states, at::MemoryFormat::Contiguous);
  before.narrow(axis, reverse ? 0 : 1, moved).copy_(states.narrow(axis, reverse ? 1 : 0, moved));
  return before;
}

at::Tensor states_by_rows(const at::Tensor& x, const at::Tensor& decay, int64_t axis,
                          bool reverse) {
  at::Tensor states = at::empty(x.sizes(), x.options());
  at::Tensor state;  // of the row before; none before the first row, whose decay is not read
  const int64_t size = x.size(axis);
  for (int64_t k = 0; k < size; ++k) {
    const int64_t at = reverse ? size - 1 - k : k;
    at::Tensor next = states.select(axis, at);
    const at::Tensor added = x.select(axis, at);
    state.defined() ? at::addcmul_out(next, added, decay.select(axis, at), state)
                    : next.copy_(added);
    state = next;
  }
  return states;
}

// left * right, and 0 for infinity * 0: products of many decays may overflow.
at::Tensor zero_kept(const at::Tensor& left, const at::Tensor& right) {
  const at::Tensor product = left.mul(right);
  const at::Tensor has_nan = left.isnan().logical_or_(right.isnan());
  return product.masked_fill(product.isnan().logical_and_(has_nan.logical_not()), 0);
}

// After the step with distance d, a state has the last 2 d rows up to its own, and factors have the
// products of the decays of these rows, from row 2 d on.
at::Tensor states_by_doubling(at::Tensor states, const at::Tensor& decay, int64_t axis) {
  const int64_t size = states.size(axis);
  at::Tensor factors = decay.narrow(axis, 1, size - 1);
  for (int64_t distance = 1; distance < size; distance *= 2) {
    const int64_t rest = size - distance;
    const at::Tensor joined =
        zero_kept(factors, states.narrow(axis, 0, rest)).add_(states.narrow(axis, distance, rest));
    states = at::cat({states.narrow(axis, 0, distance), joined}, axis);
    const int64_t left = rest - distance;
    if (left > 0) {
      factors = zero_kept(factors.narrow(axis, distance, left), factors.narrow(axis, 0, left));
    }
  }
  return states;
}

// Calls states(x, decay, axis) for an axis with rows, in float32 for half precision.
template <class States>
at::Tensor scan(const at::Tensor& input, const at::Tensor& decay, int64_t axis, bool reverse,
                bool exclusive, const States& states) {
  if (input.numel() == 0) return input.clone();
  if (input.dim() == 0) return exclusive ? at::zeros_like(input) : input.clone();
  const int64_t at = at::maybe_wrap_dim(axis, input.dim());
  if (input.size(at) == 1 && !exclusive) return input.clone();
  const auto dtype =
      at::isReducedFloatingType(input.scalar_type()) ? at::kFloat : input.scalar_type();
  at::Tensor made = states(input.to(dtype), decay.to(dtype), at);
  if (exclusive) made = states_before(made, at, reverse);
  return made.to(input.scalar_type());
}

}  // namespace

at::Tensor linear_scan_by_rows(const at::Tensor& input, const at::Tensor& decay, int64_t axis,
                               bool reverse, bool exclusive) {
  const auto states = [&](const at::Tensor& x, const at::Tensor& decays, int64_t at) {
    return states_by_rows(x, decays, at, reverse);
  };
  return scan(input, decay, axis, reverse, exclusive, states);
}

at::Tensor linear_scan_by_doubling(const at::Tensor& input, const at::Tensor& decay, int64_t axis,
                                   bool reverse, bool exclusive) {
  const auto states = [&](const at::Tensor& x, const at::Tensor& decays, int64_t at) {
    if (!reverse) return states_by_doubling(x, decays, at);
    return states_by_doubling(x.flip(at), decays.flip(at), at).flip(at);
  };
  return scan(input, decay, axis, reverse, exclusive, states);
}

}  // namespace mithril::torch_backend

TORCH_LIBRARY_FRAGMENT(mithril, library) {
  library.def(
      "linear_scan(Tensor input, Tensor decay, int axis, bool reverse, bool exclusive) -> Tensor");
  library.impl("linear_scan", c10::DispatchKey::CPU, &mithril::torch_backend::linear_scan_by_rows);
  library.impl("linear_scan", c10::DispatchKey::CompositeExplicitAutograd,
               &mithril::torch_backend::linear_scan_by_doubling);
}
