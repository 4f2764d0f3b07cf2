#include "backends/cpu/ops/attention_products.hpp"

#include <algorithm>
#include <utility>

#include "backends/cpu/kernels/half_kernels.hpp"

namespace mithril::cpu_backend {
namespace {

template <typename T>
int64_t packed_count_of(const Gemm<T>& gemm) {
  const GemmPlan plan(gemm);
  return plan.packs() ? plan.packed_count() : 0;
}

template <typename T>
void multiply_whole(Gemm<T> gemm, T* packed) {
  const GemmPlan plan(gemm);
  if (plan.packs()) {
    pack_b(gemm, 0, plan.panels(), packed);
    gemm.packed_b = packed;
  }
  multiply(gemm, plan, {0, gemm.m, 0, gemm.n});
}

const float* pairs_at(const VnniOperand& operand, const uint16_t* from, float*& scratch) {
  if (operand.in_place()) return reinterpret_cast<const float*>(from);
  float* to = std::exchange(scratch, scratch + whole_lines(operand.packed_count()));
  operand.pack(*bfloat16_kernels(), from, 0, operand.units(), to);
  return to;
}

// Rounds the rows to bfloat16 pairs. The last element of a row of odd length is padded with 0.
const float* rounded(const float* rows, const VnniOperand& operand, float*& scratch) {
  float* to = std::exchange(scratch, scratch + whole_lines(operand.lines * operand.pairs()));
  const HalfKernels& kernels = half_kernels(DType::bfloat16);
  for (int64_t row = 0; row < operand.lines; ++row) {
    float* pairs = to + row * operand.pairs();
    pairs[operand.pairs() - 1] = 0;
    kernels.narrow(rows + row * operand.k, reinterpret_cast<uint16_t*>(pairs), operand.k);
  }
  return to;
}

}  // namespace

template <typename T>
PlainProducts<T>::PlainProducts(const AttentionForm& form)
    : scores_{.kernels = &gemm_kernels<T>(),
              .m = form.rows_at_once(),
              .n = form.columns,
              .k = form.width,
              .a = {nullptr, form.width, 1},
              .b = {nullptr, 1, form.width}},
      mixture_{.kernels = &gemm_kernels<T>(),
               .m = form.rows_at_once(),
               .n = form.value_width,
               .k = form.columns,
               .a = {nullptr, form.columns, 1},
               .b = {nullptr, form.value_width, 1}} {}

template <typename T>
int64_t PlainProducts<T>::scratch() const {
  return whole_lines(std::max(packed_count_of(scores_), packed_count_of(mixture_)));
}

template <typename T>
void PlainProducts<T>::score(const T* query, int64_t rows, const T* key, T* scores,
                             T* scratch) const {
  Gemm<T> gemm = scores_;
  gemm.m = rows;
  gemm.a.data = query;
  gemm.b.data = key;
  gemm.c = scores;
  multiply_whole(gemm, scratch);
}

template <typename T>
void PlainProducts<T>::mix(const T* weights, int64_t rows, const T* value, T* mixture,
                           T* scratch) const {
  Gemm<T> gemm = mixture_;
  gemm.m = rows;
  gemm.a.data = weights;
  gemm.b.data = value;
  gemm.c = mixture;
  multiply_whole(gemm, scratch);
}

template class PlainProducts<float>;
template class PlainProducts<double>;

VnniProducts::VnniProducts(const AttentionForm& form)
    : scores_{{form.rows_at_once(), form.width}, {form.columns, form.width}},
      mixture_{{form.rows_at_once(), form.columns}, {form.value_width, form.columns, false}} {}

Gemm<float> VnniProducts::Operands::gemm() const {
  return {.kernels = &bfloat16_kernels()->gemm,
          .m = a.lines,
          .n = b.lines,
          .k = a.pairs(),
          .a = {nullptr, a.line_step(), a.pair_step()},
          .b = {nullptr, b.pair_step(), b.line_step()}};
}

int64_t VnniProducts::Operands::scratch() const {
  return whole_lines(b.packed_count()) + whole_lines(packed_count_of(gemm()));
}

int64_t VnniProducts::scratch() const {
  const VnniOperand& weights = mixture_.a;
  return std::max(whole_lines(scores_.a.packed_count()) + scores_.scratch(),
                  whole_lines(weights.lines * weights.pairs()) + mixture_.scratch());
}

void VnniProducts::score(const uint16_t* query, int64_t rows, const uint16_t* key, float* scores,
                         float* scratch) const {
  Operands operands = scores_;
  operands.a.lines = rows;
  Gemm<float> gemm = operands.gemm();
  gemm.a.data = pairs_at(operands.a, query, scratch);
  gemm.b.data = pairs_at(operands.b, key, scratch);
  gemm.c = scores;
  multiply_whole(gemm, scratch);
}

void VnniProducts::mix(const float* weights, int64_t rows, const uint16_t* value, float* mixture,
                       float* scratch) const {
  Operands operands = mixture_;
  operands.a.lines = rows;
  Gemm<float> gemm = operands.gemm();
  gemm.a.data = rounded(weights, operands.a, scratch);
  gemm.b.data = pairs_at(operands.b, value, scratch);
  gemm.c = mixture;
  multiply_whole(gemm, scratch);
}

}  // namespace mithril::cpu_backend
