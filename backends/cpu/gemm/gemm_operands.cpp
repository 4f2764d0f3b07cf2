#include "backends/cpu/gemm/gemm_operands.hpp"

#include <algorithm>
#include <utility>

namespace mithril::cpu_backend {
namespace {

// The steps of an operand, in elements, along the batch axes of C; 0 if broadcast.
std::vector<int64_t> batch_steps(const Dims& dims, size_t rank_of_c) {
  std::vector<int64_t> steps(rank_of_c - 2);
  int64_t step = dims[dims.size() - 1] * dims[dims.size() - 2];
  for (size_t back = 3; back <= dims.size(); ++back) {
    const int64_t size = dims[dims.size() - back];
    steps[rank_of_c - back] = size == 1 ? 0 : step;
    step *= size;
  }
  return steps;
}

std::vector<BatchOffsets> batches_of(const Dims& a, const Dims& b, const Dims& c) {
  const auto a_steps = batch_steps(a, c.size());
  const auto b_steps = batch_steps(b, c.size());
  std::vector<BatchOffsets> all{{0, 0}};
  for (size_t axis = 0; axis + 2 < c.size(); ++axis) {
    std::vector<BatchOffsets> more;
    for (const BatchOffsets& at : all) {
      for (int64_t i = 0; i < c[axis]; ++i) {
        more.push_back({at.a + i * a_steps[axis], at.b + i * b_steps[axis]});
      }
    }
    all = std::move(more);
  }
  return all;
}

// Whether all batches share one B. The rows of all A are then rows of one matrix.
bool is_shared(const Dims& b) {
  return std::all_of(b.begin(), b.end() - 2, [](int64_t size) { return size == 1; });
}

}  // namespace

GemmShape gemm_shape(const ShapedGraph& shaped, GemmOperand a, GemmOperand b, ValueId c) {
  const Dims &a_dims = shaped.dims(a.id), &b_dims = shaped.dims(b.id), &c_dims = shaped.dims(c);
  GemmShape shape{.m = c_dims[c_dims.size() - 2],
                  .n = c_dims.back(),
                  .k = a_dims[a_dims.size() - (a.transposed ? 2 : 1)],
                  .a_row_step = a.transposed ? 1 : a_dims.back(),
                  .a_column_step = a.transposed ? a_dims.back() : 1,
                  .b_row_step = b.transposed ? 1 : b_dims.back(),
                  .b_column_step = b.transposed ? b_dims.back() : 1,
                  .batches = {}};
  if (is_shared(b_dims) && !a.transposed && shape.n > 0) {
    shape.m = shaped.count(c) / shape.n;
    shape.batches = {{0, 0}};
  } else if (shaped.count(c) > 0) {
    shape.batches = batches_of(a_dims, b_dims, c_dims);
  }
  return shape;
}

bool is_packed(const LoweringContext& context, const GemmShape& shape, GemmOperand b) {
  return context.packed.find(b.id) && shape.batches.size() == 1 && shape.k * shape.n > 0;
}

}  // namespace mithril::cpu_backend
