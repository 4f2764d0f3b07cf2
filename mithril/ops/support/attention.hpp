// Shared by attention_weights and scaled_dot_product: softmax(query @ key.T * scale + mask), with
// zeros in fully masked rows.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "mithril/graph/batch_context.hpp"
#include "mithril/infer/dim.hpp"
#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

// The ports after query and key, and after `more`.
inline std::vector<PortDef> attention_inputs(std::vector<PortDef> more) {
  std::vector<PortDef> ports = {{"query", "*q L E", "number"}, {"key", "*k S E", "number"}};
  for (PortDef& port : more) ports.push_back(std::move(port));
  ports.push_back(optional("attn_mask", "*m", "bool|float"));
  ports.push_back(value("is_causal", "bool", true));
  ports.push_back(value("scale", "float|int|none", Datum()));
  return ports;
}

// All tensors have the rank of the result, so that the new axis is the first one of each.
inline void batch_attention(BatchContext& c) {
  const size_t rank = c.out_dims().size();
  std::vector<Operand> operands = c.operands();
  operands[c.position("query")] = c.padded("query", rank);
  for (size_t i = 1; i < operands.size(); ++i) {
    const std::string_view port = c.port_of(i);
    if (operands[i].expression() && c.is_batched(port)) operands[i] = c.padded(port, rank);
  }
  c.become(call(c.op().name, std::move(operands)));
}

// 1 / sqrt(width); 1 for a width of 0.
inline double default_scale(int64_t width) {
  return 1 / std::sqrt(static_cast<double>(std::max<int64_t>(1, width)));
}

// A mask broadcasts to the scores, [..., L, S], and must not extend their dims.
inline bool check_attention_mask(Solver& s) {
  const Kinds kind = s.kind("attn_mask");
  std::vector<Dim> mask, query, key;
  if (kind == 0 || kind == kind::none) return kind != 0;
  if (!s.shape("attn_mask", mask) || !s.shape("query", query) || !s.shape("key", key)) return false;
  const auto size = [](const std::vector<Dim>& dims, size_t back) {
    return back <= dims.size() ? resolve(dims[dims.size() - back]) : Dim(1);
  };
  bool decided = true;
  for (size_t back = 1; back <= mask.size(); ++back) {
    const Dim have = size(mask, back);
    const Dim rows = back == 1 ? size(key, 2) : size(query, back);
    const Dim columns = back <= 2 ? rows : size(key, back);
    if (have.is_constant(1) || same(have, rows) || same(have, columns)) continue;
    if (have.is_constant() && rows.is_constant() && columns.is_constant()) {
      const Dim& wider = rows.is_constant(1) ? columns : rows;
      const std::string sizes = wider.is_constant(1) ? "1" : "1 or " + to_string(wider);
      const std::string scores =
          "[..., " + to_string(size(query, 2)) + ", " + to_string(size(key, 2)) + "]";
      s.reject("port 'attn_mask' does not broadcast to the scores, " + scores,
               sizes + " at axis -" + std::to_string(back), to_string(have), ErrorKind::shape);
    }
    for (const Dim& dim : {have, rows, columns}) s.await(dim);
    decided = false;
  }
  return decided;
}

// Computes the weights row by row, with query, key and mask broadcast over the batch.
class AttentionWeights {
 public:
  explicit AttentionWeights(const EvalContext& c)
      : rows_(c.dims("query").end()[-2]),
        columns_(c.dims("key").end()[-2]),
        width_(c.dims("query").back()),
        causal_(c.flag("is_causal")),
        query_(c.read<double>("query")),
        keys_(static_cast<size_t>(element_count(c.dims("key")))),
        query_batch_(before_matrix(c.dims("query"))),
        key_batch_(before_matrix(c.dims("key"))) {
    scale_ = c.value("scale").is_none() ? default_scale(width_) : c.real("scale");
    transpose_keys(c.read<double>("key"));
    if (c.has("attn_mask")) read_mask(c);
  }

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  const Dims& query_batch() const { return query_batch_; }
  const Dims& key_batch() const { return key_batch_; }
  const Dims& mask_batch() const { return mask_batch_; }

  // Row i, where `query`, `key` and `mask` are indices of matrices in their batches.
  void write(int64_t query, int64_t key, int64_t mask, int64_t i, double* row) const {
    std::fill_n(row, columns_, 0.0);
    for (int64_t e = 0; e < width_; ++e) {
      const double factor = query_[(query * rows_ + i) * width_ + e] * scale_;
      const double* with = keys_.data() + (key * width_ + e) * columns_;
      for (int64_t j = 0; j < columns_; ++j) row[j] += factor * with[j];
    }
    if (!bias_.empty()) {
      const double* bias = bias_.data() + mask * mask_size_ + i * mask_row_step_;
      for (int64_t j = 0; j < columns_; ++j) row[j] += bias[j * mask_column_step_];
    }
    if (causal_) std::fill(row + std::min(i + 1, columns_), row + columns_, -INFINITY);
    normalise(row);
  }

 private:
  static Dims before_matrix(const Dims& dims) {
    return Dims(dims.begin(), dims.end() - std::min<ptrdiff_t>(2, std::ssize(dims)));
  }

  void transpose_keys(const Elements<double>& keys) {
    const int64_t size = width_ * columns_;
    for (int64_t at = 0; at < keys.size(); ++at) {
      const int64_t matrix = at / size, j = at % size / width_, e = at % width_;
      keys_[static_cast<size_t>(matrix * size + e * columns_ + j)] = keys[at];
    }
  }

  // Reads the mask that is added to the scores.
  void read_mask(const EvalContext& c) {
    const Dims& dims = c.dims("attn_mask");
    const bool keeps = c.in("attn_mask").dtype() == DType::boolean;
    for (const double element : c.read<double>("attn_mask")) {
      bias_.push_back(!keeps ? element : element != 0 ? 0 : -INFINITY);
    }
    const int64_t columns = dims.empty() ? 1 : dims.back();
    const int64_t rows = dims.size() < 2 ? 1 : dims.end()[-2];
    mask_size_ = rows * columns;
    mask_row_step_ = rows == 1 ? 0 : columns;
    mask_column_step_ = columns == 1 ? 0 : 1;
    mask_batch_ = before_matrix(dims);
  }

  void normalise(double* row) const {
    double top = std::numeric_limits<double>::lowest(), sum = 0;
    for (int64_t j = 0; j < columns_; ++j) top = std::max(top, row[j]);
    for (int64_t j = 0; j < columns_; ++j) sum += row[j] = std::exp(row[j] - top);
    for (int64_t j = 0; j < columns_ && sum != 0; ++j) row[j] /= sum;
  }

  int64_t rows_, columns_, width_;
  bool causal_;
  double scale_;
  Elements<double> query_;
  std::vector<double> keys_;  // each matrix transposed, so that a row is summed side by side
  std::vector<double> bias_;  // empty: no mask
  int64_t mask_size_ = 0, mask_row_step_ = 0, mask_column_step_ = 0;
  Dims query_batch_, key_batch_, mask_batch_;
};

inline Expression transposed_matrix(const Expression& e) { return call("swapaxes", {e, -1, -2}); }

inline Expression times_scale(const GradContext& g, const Expression& scores) {
  const Datum& scale = g.value("scale");
  if (!scale.is_none()) return scores * Operand(scale);
  const Expression query = g.in("query");
  if (query.ranked() && resolve(query.dims().back()).is_constant()) {
    return scores * default_scale(resolve(query.dims().back()).constant());
  }
  const Expression width = call("sum", {fill_like(query, 1.0), Datum(-1), true});
  return scores / call("sqrt", {call("maximum", {width, 1.0})});
}

// States the gradients that reach the ports through the scores.
inline void flow_by_scores(GradContext& g, const Expression& scores) {
  if (g.needs("attn_mask")) flow_summed(g, "attn_mask", scores);
  if (!g.needs("query") && !g.needs("key")) return;
  const Expression scaled = times_scale(g, scores);
  if (g.needs("query")) flow_summed(g, "query", call("matmul", {scaled, g.in("key")}));
  if (g.needs("key")) {
    flow_summed(g, "key", call("matmul", {transposed_matrix(scaled), g.in("query")}));
  }
}

// The term that a mask adds to the scores: log(1) or log(0) for bools.
inline std::string spell_mask_bias() {
  return "attn_mask.kind == \"bool\" ? aten::log(aten::to(attn_mask, output.dtype)) : attn_mask";
}

// The term that masks the columns after each row.
inline std::string spell_causal_bias(const SpellingContext& c) {
  const Dims sizes = {c.dims("query").end()[-2], c.dims("key").end()[-2]};
  return spell_call("aten::log",
                    {spell_call("aten::tril", {spell_call("aten::ones", {to_string(sizes)})})});
}

}  // namespace mithril
