#include "backends/cpu/gemm/gemm_operands.hpp"

#include <algorithm>
#include <utility>

namespace mithril::cpu_backend {
namespace {

// The steps of an operand, in elements, along the batch axes of the product; 0 if broadcast.
std::vector<int64_t> batch_steps(const Dims& dims, size_t product_rank) {
  std::vector<int64_t> steps(product_rank - 2);
  int64_t step = dims[dims.size() - 1] * dims[dims.size() - 2];
  for (size_t back = 3; back <= dims.size(); ++back) {
    const int64_t size = dims[dims.size() - back];
    steps[product_rank - back] = size == 1 ? 0 : step;
    step *= size;
  }
  return steps;
}

std::vector<Meeting> meetings(const Dims& left, const Dims& right, const Dims& product) {
  const auto left_steps = batch_steps(left, product.size());
  const auto right_steps = batch_steps(right, product.size());
  std::vector<Meeting> all{{0, 0}};
  for (size_t axis = 0; axis + 2 < product.size(); ++axis) {
    std::vector<Meeting> more;
    for (const Meeting& at : all) {
      for (int64_t i = 0; i < product[axis]; ++i) {
        more.push_back({at.left + i * left_steps[axis], at.right + i * right_steps[axis]});
      }
    }
    all = std::move(more);
  }
  return all;
}

// Whether all batches share one B. The rows of all A are then rows of one matrix.
bool is_shared(const Dims& right) {
  return std::all_of(right.begin(), right.end() - 2, [](int64_t size) { return size == 1; });
}

}  // namespace

GemmShape gemm_shape(const ShapedGraph& shaped, Side left, Side right, ValueId product) {
  const Dims &a = shaped.dims(left.id), &b = shaped.dims(right.id), &c = shaped.dims(product);
  GemmShape form{.rows = c[c.size() - 2],
                 .columns = c.back(),
                 .depth = a[a.size() - (left.transposed ? 2 : 1)],
                 .a_row_step = left.transposed ? 1 : a.back(),
                 .a_column_step = left.transposed ? a.back() : 1,
                 .b_row_step = right.transposed ? 1 : b.back(),
                 .b_column_step = right.transposed ? b.back() : 1,
                 .meetings = {}};
  if (is_shared(b) && !left.transposed && form.columns > 0) {
    form.rows = shaped.count(product) / form.columns;
    form.meetings = {{0, 0}};
  } else if (shaped.count(product) > 0) {
    form.meetings = meetings(a, b, c);
  }
  return form;
}

bool is_packed(const LoweringContext& context, const GemmShape& form, Side right) {
  return context.packed.find(right.id) && form.meetings.size() == 1 &&
         form.depth * form.columns > 0;
}

}  // namespace mithril::cpu_backend
