// The two GEMMs of attention: queries by transposed keys, and weights by values.
#pragma once

#include "backends/cpu/gemm/gemm.hpp"
#include "backends/cpu/gemm/vnni_operand.hpp"
#include "backends/cpu/ops/attention_form.hpp"

namespace mithril::cpu_backend {

// For operands of dtype T.
template <typename T>
class PlainProducts {
 public:
  using InputElement = T;
  using OutputElement = T;

  explicit PlainProducts(const AttentionForm& form);

  // The scratch memory of one GEMM, in elements of T.
  int64_t scratch() const;

  // scores = query * key.T, for `rows` rows of queries.
  void score(const T* query, int64_t rows, const T* key, T* scores, T* scratch) const;
  // mixture = weights * value
  void mix(const T* weights, int64_t rows, const T* value, T* mixture, T* scratch) const;

 private:
  Gemm<T> scores_, mixture_;  // for a full block of rows; the pointers are null
};

// For bfloat16 operands as VNNI pairs. The weights are rounded to bfloat16, too.
class VnniProducts {
 public:
  using InputElement = uint16_t;
  using OutputElement = float;

  explicit VnniProducts(const AttentionForm& form);

  int64_t scratch() const;
  void score(const uint16_t* query, int64_t rows, const uint16_t* key, float* scores,
             float* scratch) const;
  void mix(const float* weights, int64_t rows, const uint16_t* value, float* mixture,
           float* scratch) const;

 private:
  struct Operands {
    VnniOperand a, b;

    Gemm<float> gemm() const;
    int64_t scratch() const;
  };

  Operands scores_, mixture_;
};

}  // namespace mithril::cpu_backend
