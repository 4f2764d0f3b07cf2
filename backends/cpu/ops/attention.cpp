#include "backends/cpu/ops/lower_ops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/gemm/gemm_operands.hpp"
#include "backends/cpu/gemm/packing.hpp"
#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/kernels/row_kernels.hpp"
#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

// The most scores of a block of rows: they fit in the second-level cache beside keys and values.
constexpr int64_t scores_at_once = 1 << 16;
constexpr int64_t most_rows_at_once = 64;

// The indices of the matrices of one head in query, key, value and mask.
struct Head {
  int64_t query, key, value, mask;
};

struct AttentionForm {
  int64_t rows, columns, width;
  int64_t value_width = 0;
  double scale;
  bool causal;
  std::vector<Head> heads;
  // Of the mask, in elements: the size of a matrix, and the steps of a row and a column; 0 if
  // broadcast.
  int64_t mask_size = 0, mask_row_step = 0, mask_column_step = 0;
  bool mask_keeps = false;  // a boolean mask: true where a query may attend

  // The rows of a block. They depend only on the sizes, so that sums do not depend on the number of
  // threads.
  int64_t rows_at_once() const {
    return std::clamp<int64_t>(scores_at_once / columns, 1, std::min(rows, most_rows_at_once));
  }
  int64_t blocks() const { return up(rows, rows_at_once()); }
  double work() const {
    return static_cast<double>(rows * columns) * static_cast<double>(width + value_width) *
           static_cast<double>(heads.size());
  }
};

// The two GEMMs, for a block of rows.

// Of contiguous matrices. `b_transposed`: B is stored as [n, k].
GemmShape contiguous_shape(int64_t m, int64_t n, int64_t k, bool b_transposed) {
  return {.m = m,
          .n = n,
          .k = k,
          .a_row_step = k,
          .a_column_step = 1,
          .b_row_step = b_transposed ? 1 : n,
          .b_column_step = b_transposed ? k : 1,
          .batches = {}};
}

// scores = query * key.T
GemmShape scores_shape(const AttentionForm& form, int64_t rows) {
  return contiguous_shape(rows, form.columns, form.width, true);
}

// output = weights * value
GemmShape output_shape(const AttentionForm& form, int64_t rows) {
  return contiguous_shape(rows, form.value_width, form.columns, false);
}

// In elements.
template <class Operands>
int64_t gemm_scratch(const Operands& operands, bool a_is_output) {
  const GemmPlan plan(operands.gemm());
  return operands.scratch_of_a(a_is_output) + operands.scratch_of_b() +
         (plan.packs() ? whole_lines(plan.packed_count()) : 0);
}

// Packs B of a GEMM, if that pays off.
template <typename T>
void pack_whole(Gemm<T> gemm, const T* b, T* packed) {
  const GemmPlan plan(gemm);
  gemm.b.data = b;
  if (plan.packs()) pack_b(gemm, 0, plan.panels(), packed);
}

// C = A * B for the first `rows` rows of A. `packed`: what pack_whole has made.
template <typename T>
void multiply_rows(Gemm<T> gemm, int64_t rows, const T* a, const T* b, T* c, const T* packed) {
  gemm.a.data = a;
  gemm.b.data = b;
  gemm.c = c;
  if (GemmPlan(gemm).packs()) gemm.packed_b = packed;
  gemm.m = rows;
  multiply(gemm, GemmPlan(gemm), {0, gemm.m, 0, gemm.n});
}

template <class Operands, typename A, typename T = typename Operands::Output>
void run_gemm(const Operands& operands, const A* a, const typename Operands::Input* b, T* c,
              T* scratch) {
  constexpr int threads = 1;
  const Gemm<T> gemm = operands.gemm();
  const T* const a_data = operands.a(a, scratch, threads);
  const T* const b_data = operands.b(b, scratch, threads);
  pack_whole(gemm, b_data, scratch);
  multiply_rows(gemm, gemm.m, a_data, b_data, c, scratch);
}

struct AttentionOperands {
  ValueId query, key;
  std::optional<ValueId> value, mask;  // no value: the output is the weights

  std::vector<ValueId> all() const {
    std::vector<ValueId> ids{query, key};
    if (value) ids.push_back(*value);
    if (mask) ids.push_back(*mask);
    return ids;
  }
};

// `Operands` is PlainGemm or VnniGemm.
template <class Operands>
class AttentionStep final : public Step {
  using Input = typename Operands::Input;
  using T = typename Operands::Output;

 public:
  AttentionStep(const AttentionForm& form, int threads, const AttentionOperands& operands,
                ValueId to)
      : form_(form),
        threads_(threads),
        operands_(operands),
        to_(to),
        scratch_of_scores_(
            gemm_scratch(Operands{scores_shape(form_, form_.rows_at_once())}, false)),
        scratch_of_a_task_(task_scratch()) {}

  int64_t scratch_bytes() const override {
    return scratch_of_a_task_ * tasks() * int64_t{sizeof(T)};
  }

  int tasks() const {
    const auto all = static_cast<double>(form_.blocks()) * static_cast<double>(form_.heads.size());
    const double useful_threads =
        std::min(form_.work() / static_cast<double>(multiplications_grain_size), all);
    return static_cast<int>(std::clamp(useful_threads, 1.0, static_cast<double>(threads_)));
  }

  void run(const BufferTable& buffers) const override {
    const int parts = tasks();
    const int64_t blocks = form_.blocks(), all = blocks * std::ssize(form_.heads);
    ThreadPool::shared().run(parts, threads_, [&](int part) {
      const auto [first, last] = Range{0, all}.part(part, parts);
      for (int64_t at = first; at < last; ++at) {
        if (at == first || at % blocks == 0) pack(buffers, at / blocks, part);
        attend(buffers, at / blocks, at % blocks * form_.rows_at_once(), part);
      }
    });
  }

 private:
  // Whether all blocks of rows of a head use the same packed keys and values. VNNI pairs are packed
  // for each block.
  static constexpr bool packs_heads = std::is_same_v<Operands, PlainGemm<T>>;

  int64_t task_scratch() const {
    const int64_t output = gemm_scratch(Operands{output_shape(form_, form_.rows_at_once())}, true);
    return work_offset() +
           (packs_heads ? scratch_of_scores_ + output : std::max(scratch_of_scores_, output));
  }
  T* scratch_of(const BufferTable& buffers, int part) const {
    return buffers.scratch<T>() + part * scratch_of_a_task_;
  }
  // Where the scratch memory of the GEMMs begins in that of a task.
  int64_t work_offset() const {
    return whole_lines(form_.rows_at_once() * form_.columns) + whole_lines(form_.columns);
  }
  const Input* keys(const BufferTable& buffers, const Head& head) const {
    return buffers.read<Input>(operands_.key) + head.key * form_.columns * form_.width;
  }
  const Input* values(const BufferTable& buffers, const Head& head) const {
    return buffers.read<Input>(*operands_.value) + head.value * form_.columns * form_.value_width;
  }

  // Packs the keys and the values of a head.
  void pack(const BufferTable& buffers, int64_t index, int part) const {
    if constexpr (packs_heads) {
      const Head& head = form_.heads[static_cast<size_t>(index)];
      const int64_t rows = form_.rows_at_once();
      T* work = scratch_of(buffers, part) + work_offset();
      pack_whole(Operands{scores_shape(form_, rows)}.gemm(), keys(buffers, head), work);
      if (!operands_.value) return;
      pack_whole(Operands{output_shape(form_, rows)}.gemm(), values(buffers, head),
                 work + scratch_of_scores_);
    }
  }

  // C = A * B for `rows` rows. `work`: what pack() has made, or scratch memory.
  template <typename A>
  void product(GemmShape (*shape)(const AttentionForm&, int64_t), const A* a, int64_t rows,
               const Input* b, T* c, T* work) const {
    if constexpr (packs_heads) {
      const Operands whole{shape(form_, form_.rows_at_once())};
      multiply_rows(whole.gemm(), rows, a, b, c, work);
    } else {
      run_gemm(Operands{shape(form_, rows)}, a, b, c, work);
    }
  }

  void attend(const BufferTable& buffers, int64_t index, int64_t first_row, int part) const {
    const AttentionForm& s = form_;
    const Head& head = s.heads[static_cast<size_t>(index)];
    const int64_t rows = std::min(s.rows_at_once(), s.rows - first_row);
    T* scratch = scratch_of(buffers, part);
    T* bias = scratch + whole_lines(s.rows_at_once() * s.columns);
    T* work = scratch + work_offset();
    T* to = buffers.write<T>(to_);
    const int64_t row_at = index * s.rows + first_row;
    T* scores = operands_.value ? scratch : to + row_at * s.columns;

    const Input* queries =
        buffers.read<Input>(operands_.query) + (head.query * s.rows + first_row) * s.width;
    product(scores_shape, queries, rows, keys(buffers, head), scores, work);

    for (int64_t row = 0; row < rows; ++row) {
      const int64_t seen = s.causal ? std::min(first_row + row + 1, s.columns) : s.columns;
      T* weights = scores + row * s.columns;
      const T* added = bias_of(buffers, head, first_row + row, seen, bias);
      kernels_.attend(weights, static_cast<T>(s.scale), added, weights, seen);
      std::fill(weights + seen, weights + s.columns, T{});
    }

    if (!operands_.value) return;
    if constexpr (packs_heads) work += scratch_of_scores_;
    product(output_shape, scores, rows, values(buffers, head), to + row_at * s.value_width, work);
  }

  // The mask that is added to a row of scores, for its first `count` columns; null: no mask.
  const T* bias_of(const BufferTable& buffers, const Head& head, int64_t row, int64_t count,
                   T* bias) const {
    if (!operands_.mask) return nullptr;
    const int64_t first = head.mask * form_.mask_size + row * form_.mask_row_step;
    const int64_t step = form_.mask_column_step;
    if (form_.mask_keeps) {
      const bool* keeps = buffers.read<bool>(*operands_.mask) + first;
      for (int64_t i = 0; i < count; ++i) {
        bias[i] = keeps[i * step] ? T{} : -std::numeric_limits<T>::infinity();
      }
      return bias;
    }
    const T* mask = buffers.read<T>(*operands_.mask) + first;
    if (step == 1) return mask;
    std::fill_n(bias, count, *mask);
    return bias;
  }

  AttentionForm form_;
  int threads_;
  AttentionOperands operands_;
  ValueId to_;
  // In elements: of the first GEMM; and of a task, which has scores, a row of the mask, and the
  // scratch memory of the GEMMs.
  const int64_t scratch_of_scores_, scratch_of_a_task_;
  const RowKernels<T>& kernels_ = row_kernels<T>();
};

AttentionForm form_of(const ShapedGraph& shaped, const AttentionOperands& operands, ValueId to) {
  const Dims &q = shaped.dims(operands.query), &k = shaped.dims(operands.key);
  const Dims v = operands.value ? shaped.dims(*operands.value) : Dims{},
             m = operands.mask ? shaped.dims(*operands.mask) : Dims{};
  const Dims batch(shaped.dims(to).begin(), shaped.dims(to).end() - 2);
  AttentionForm form{.rows = q.end()[-2],
                     .columns = k.end()[-2],
                     .width = q.back(),
                     .value_width = v.empty() ? 0 : v.back(),
                     .scale = 1,
                     .causal = false,
                     .heads = {}};
  // Per matrix of the batch: the index of the matrix of the operand that is broadcast to it.
  const auto matrices = [&](const Dims& dims) {
    return broadcast_elements({dims.begin(), dims.end() - std::min<ptrdiff_t>(std::ssize(dims), 2)},
                              batch);
  };
  const std::vector<int64_t> queries = matrices(q), keys = matrices(k), values = matrices(v),
                             masks = matrices(m);
  for (size_t i = 0; i < queries.size(); ++i) {
    form.heads.push_back({queries[i], keys[i], values[i], masks[i]});
  }
  if (operands.mask) {
    const int64_t columns = m.empty() ? 1 : m.back(), rows = m.size() < 2 ? 1 : m.end()[-2];
    form.mask_size = rows * columns;
    form.mask_row_step = rows == 1 ? 0 : columns;
    form.mask_column_step = columns == 1 ? 0 : 1;
    form.mask_keeps = shaped.dtype(*operands.mask) == DType::boolean;
  }
  return form;
}

template <class Operands>
StepDescriptor attention_descriptor(const AttentionForm& form, int threads,
                                    const AttentionOperands& operands, ValueId to) {
  return {.reads = operands.all(),
          .writes = {to},
          .step = std::make_unique<AttentionStep<Operands>>(form, threads, operands, to)};
}

}  // namespace

std::optional<StepDescriptor> lower_attention(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const ValueId to = call.made();
  const size_t mask = call.size() - 3;  // followed by is_causal and the scale
  const AttentionOperands operands{*call.tensor(0), *call.tensor(1),
                                   mask == 3 ? call.tensor(2) : std::nullopt, call.tensor(mask)};
  const DType dtype = shaped.dtype(to);
  const bool paired = shaped.dtype(operands.query) == DType::bfloat16;
  for (const ValueId id : operands.all()) {
    const bool masks = id == operands.mask;
    const bool keeps = masks && shaped.dtype(id) == DType::boolean;
    const DType fits = paired && !masks ? DType::bfloat16 : dtype;
    if ((shaped.dtype(id) != fits && !keeps) || shaped.count(id) == 0) return std::nullopt;
  }
  AttentionForm form = form_of(shaped, operands, to);
  const Datum& scale = call.value(mask + 2);
  form.causal = call.value(mask + 1).flag();
  form.scale = scale.is_none() ? 1 / std::sqrt(static_cast<double>(form.width)) : scale.real();
  if (paired) {
    if (dtype != DType::float32) return std::nullopt;
    return attention_descriptor<VnniGemm>(form, call.threads(), operands, to);
  }
  return lower_floats(dtype, [&]<typename T>(T) {
    return attention_descriptor<PlainGemm<T>>(form, call.threads(), operands, to);
  });
}

}  // namespace mithril::cpu_backend
