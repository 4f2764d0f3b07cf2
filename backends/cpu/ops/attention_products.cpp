#include "backends/cpu/ops/attention_products.hpp"

#include <algorithm>
#include <utility>

#include "backends/cpu/kernels/half_kernels.hpp"

namespace mithril::cpu_backend {
namespace {

template <typename T>
int64_t packed_count_of(const Gemm<T>& product) {
  const GemmPlan plan(product);
  return plan.packs() ? plan.packed_count() : 0;
}

template <typename T>
void multiply_whole(Gemm<T> product, T* packed) {
  const GemmPlan plan(product);
  if (plan.packs()) {
    pack_b(product, 0, plan.panels(), packed);
    product.packed = packed;
  }
  multiply(product, plan, {0, product.rows, 0, product.columns});
}

const float* pairs_at(const VnniOperand& side, const uint16_t* from, float*& scratch) {
  if (side.stands()) return reinterpret_cast<const float*>(from);
  float* to = std::exchange(scratch, scratch + whole_lines(side.brought()));
  side.bring(*bfloat16_kernels(), from, 0, side.units(), to);
  return to;
}

// Rounds the rows to bfloat16 pairs. The last element of a row of odd length is padded with 0.
const float* rounded(const float* rows, const VnniOperand& side, float*& scratch) {
  float* to = std::exchange(scratch, scratch + whole_lines(side.lines * side.pairs()));
  const HalfKernels& kernels = half_kernels(DType::bfloat16);
  for (int64_t row = 0; row < side.lines; ++row) {
    float* pairs = to + row * side.pairs();
    pairs[side.pairs() - 1] = 0;
    kernels.narrow(rows + row * side.depth, reinterpret_cast<uint16_t*>(pairs), side.depth);
  }
  return to;
}

}  // namespace

template <typename T>
PlainProducts<T>::PlainProducts(const AttentionForm& form)
    : scores_{.kernels = &gemm_kernels<T>(),
              .rows = form.rows_at_once(),
              .columns = form.columns,
              .depth = form.width,
              .left = {nullptr, form.width, 1},
              .right = {nullptr, 1, form.width}},
      mixture_{.kernels = &gemm_kernels<T>(),
               .rows = form.rows_at_once(),
               .columns = form.value_width,
               .depth = form.columns,
               .left = {nullptr, form.columns, 1},
               .right = {nullptr, form.value_width, 1}} {}

template <typename T>
int64_t PlainProducts<T>::scratch() const {
  return whole_lines(std::max(packed_count_of(scores_), packed_count_of(mixture_)));
}

template <typename T>
void PlainProducts<T>::score(const T* query, int64_t rows, const T* key, T* scores,
                             T* scratch) const {
  Gemm<T> product = scores_;
  product.rows = rows;
  product.left.data = query;
  product.right.data = key;
  product.product = scores;
  multiply_whole(product, scratch);
}

template <typename T>
void PlainProducts<T>::mix(const T* weights, int64_t rows, const T* value, T* mixture,
                           T* scratch) const {
  Gemm<T> product = mixture_;
  product.rows = rows;
  product.left.data = weights;
  product.right.data = value;
  product.product = mixture;
  multiply_whole(product, scratch);
}

template class PlainProducts<float>;
template class PlainProducts<double>;

VnniProducts::VnniProducts(const AttentionForm& form)
    : scores_{{form.rows_at_once(), form.width}, {form.columns, form.width}},
      mixture_{{form.rows_at_once(), form.columns}, {form.value_width, form.columns, false}} {}

Gemm<float> VnniProducts::Operands::product() const {
  return {.kernels = &bfloat16_kernels()->products,
          .rows = left.lines,
          .columns = right.lines,
          .depth = left.pairs(),
          .left = {nullptr, left.line_step(), left.pair_step()},
          .right = {nullptr, right.pair_step(), right.line_step()}};
}

int64_t VnniProducts::Operands::scratch() const {
  return whole_lines(right.brought()) + whole_lines(packed_count_of(product()));
}

int64_t VnniProducts::scratch() const {
  const VnniOperand& weights = mixture_.left;
  return std::max(whole_lines(scores_.left.brought()) + scores_.scratch(),
                  whole_lines(weights.lines * weights.pairs()) + mixture_.scratch());
}

void VnniProducts::score(const uint16_t* query, int64_t rows, const uint16_t* key, float* scores,
                         float* scratch) const {
  Operands sides = scores_;
  sides.left.lines = rows;
  Gemm<float> product = sides.product();
  product.left.data = pairs_at(sides.left, query, scratch);
  product.right.data = pairs_at(sides.right, key, scratch);
  product.product = scores;
  multiply_whole(product, scratch);
}

void VnniProducts::mix(const float* weights, int64_t rows, const uint16_t* value, float* mixture,
                       float* scratch) const {
  Operands sides = mixture_;
  sides.left.lines = rows;
  Gemm<float> product = sides.product();
  product.left.data = rounded(weights, sides.left, scratch);
  product.right.data = pairs_at(sides.right, value, scratch);
  product.product = mixture;
  multiply_whole(product, scratch);
}

}  // namespace mithril::cpu_backend
