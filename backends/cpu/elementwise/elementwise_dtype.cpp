#include "backends/cpu/elementwise/elementwise_dtype.hpp"

#include <algorithm>

#include "backends/cpu/descriptors/kernel_call.hpp"
#include "backends/cpu/kernels/half_kernels.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {
namespace {

bool broadcasts(const Dims& from, const Dims& to) {
  if (from.size() > to.size()) return false;
  const size_t missing = to.size() - from.size();
  for (size_t axis = 0; axis < from.size(); ++axis) {
    if (from[axis] != 1 && from[axis] != to[axis + missing]) return false;
  }
  return true;
}

bool is_computed(DType dtype) { return dtype == DType::float32 || dtype == DType::float64; }

// The dtype that computes a cast of floats to integers that it holds; none for other nodes.
std::optional<DType> cast_to_integers_in(const ShapedGraph& shaped, size_t node) {
  const Node& at = shaped.node(node);
  const DType made = shaped.dtype(at.outputs.front());
  const std::vector<ValueId>& tensors = shaped.tensors(node);
  const bool is_held = is_integer(made) && !is_low_bit(made) && size_of(made) <= 4;
  if (!is_held || tensors.size() != 1 || formula_of(*at.op)->kind != Formula::Kind::call ||
      !converts(*formula_of(*at.op)))
    return std::nullopt;
  const DType given = shaped.dtype(tensors.front());
  if (is_half(given)) return DType::float32;
  return is_computed(given) ? std::optional(given) : std::nullopt;
}

// The dtype that computes a 16-bit result, so that it is rounded only once.
DType computed_in(const ShapedGraph& shaped, size_t node) {
  for (const ValueId id : shaped.tensors(node)) {
    const DType given = shaped.dtype(id);
    if (given == DType::float64 || is_integer(given)) return DType::float64;
  }
  return DType::float32;
}

// Whether float64 represents every value of the dtype.
bool fits_float64(DType dtype) {
  return is_integer(dtype) && !is_low_bit(dtype) && size_of(dtype) <= 4;
}

// Whether the node only compares integers, which a program of float64 reads without rounding.
bool compares_integers(const ShapedGraph& shaped, size_t node) {
  const std::vector<ValueId>& tensors = shaped.tensors(node);
  const Formula& formula = *formula_of(*shaped.node(node).op);
  const auto is_port = [](const Formula& part) { return part.kind == Formula::Kind::port; };
  return shaped.dtype(shaped.node(node).outputs.front()) == DType::boolean &&
         formula.kind == Formula::Kind::binary && !tensors.empty() &&
         std::all_of(formula.children.begin(), formula.children.end(), is_port) &&
         std::all_of(tensors.begin(), tensors.end(),
                     [&](ValueId id) { return fits_float64(shaped.dtype(id)); });
}

// Whether a program of this dtype can contain the node. Inputs must broadcast to the output. They
// must have this dtype or bool, unless the node only converts or compares them.
bool fits(const ShapedGraph& shaped, size_t node, DType dtype) {
  const Node& at = shaped.node(node);
  const bool only_converts = converts(*formula_of(*at.op));
  const bool reads_all = only_converts || compares_integers(shaped, node);
  const Dims& dims = shaped.dims(at.outputs.front());
  if (is_half(shaped.dtype(at.outputs.front())) && !only_converts) return false;
  for (const ValueId id : shaped.tensors(node)) {
    const DType given = shaped.dtype(id);
    if (is_low_bit(given)) return false;
    if (given != dtype && given != DType::boolean && !reads_all) return false;
    if (!broadcasts(shaped.dims(id), dims)) return false;
  }
  return true;
}

}  // namespace

bool converts(const Formula& formula) {
  if (formula.kind == Formula::Kind::port) return true;
  return formula.kind == Formula::Kind::call && formula.text == "T" &&
         formula.children.front().kind == Formula::Kind::port;
}

std::optional<DType> elementwise_dtype(const ShapedGraph& shaped, size_t node) {
  const Node& at = shaped.node(node);
  if (!formula_of(*at.op) || at.op->opaque) return std::nullopt;
  if (at.outputs.size() != 1) return std::nullopt;
  DType dtype = shaped.dtype(at.outputs.front());
  if (dtype == DType::boolean) {
    // A comparison computes in the dtype of its operands, an operation on bools in float32.
    dtype = DType::float32;
    for (const ValueId id : shaped.tensors(node)) {
      const DType given = shaped.dtype(id);
      if (given != DType::boolean) dtype = given;
    }
    if (compares_integers(shaped, node)) dtype = DType::float64;
  }
  if (is_half(dtype)) dtype = computed_in(shaped, node);
  if (const auto computes = cast_to_integers_in(shaped, node)) dtype = *computes;
  if (!is_computed(dtype) || !fits(shaped, node, dtype)) return std::nullopt;
  return dtype;
}

bool is_rounded(const ShapedGraph& shaped, size_t node) {
  const Node& at = shaped.node(node);
  return is_half(shaped.dtype(at.outputs.front())) &&
         formula_of(*at.op)->kind == Formula::Kind::call;
}

}  // namespace mithril::cpu_backend
