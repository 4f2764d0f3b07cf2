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
  // Strides of the mask, in elements: the size of a matrix, and the steps of a row and a column; 0
  // if broadcast.
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

// A GEMM of contiguous matrices, for one head. B is packed once for all blocks of rows of A. All
// memory is in elements of type Output.
template <class Operands>
class HeadGemm {
  using Input = typename Operands::Input;
  using T = typename Operands::Output;

 public:
  // `m`: rows of a block. `b_transposed`: B is stored as [n, k]. `a_is_output`: A has the type
  // Output.
  HeadGemm(int64_t m, int64_t n, int64_t k, bool b_transposed, bool a_is_output)
      : operands_{GemmShape{.m = m,
                            .n = n,
                            .k = k,
                            .a_row_step = k,
                            .a_column_step = 1,
                            .b_row_step = b_transposed ? 1 : n,
                            .b_column_step = b_transposed ? k : 1,
                            .batches = {}}},
        plan_(operands_.gemm()),
        scratch_of_panels_(plan_.packs() ? whole_lines(plan_.packed_count()) : 0),
        scratch_of_a_(operands_.scratch_of_a(a_is_output)) {}

  int64_t scratch_count() const {
    return scratch_of_a_ + operands_.scratch_of_b() + scratch_of_panels_;
  }

  void pack(const Input* b, T* scratch) const {
    Gemm<T> gemm = operands_.gemm();
    T* panels = scratch;
    gemm.b.data = operands_.b(b, panels, 1);
    if (plan_.packs()) pack_b(gemm, 0, plan_.panels(), panels);
  }

  // C = A * B for the first `rows` rows of A, after pack().
  template <typename A>
  void multiply(int64_t rows, const A* a, const Input* b, T* c, T* scratch) const {
    GemmShape shape = operands_.shape;
    shape.m = rows;
    const Operands operands{shape};
    Gemm<T> gemm = operands.gemm();
    const int64_t scratch_of_b = operands_.scratch_of_b();
    gemm.b.data = scratch_of_b > 0 ? scratch : reinterpret_cast<const T*>(b);
    if (plan_.packs()) gemm.packed_b = scratch + scratch_of_b;
    scratch += scratch_of_b + scratch_of_panels_;
    gemm.a.data = operands.a(a, scratch, 1);
    gemm.c = c;
    cpu_backend::multiply(gemm, GemmPlan(gemm), {0, gemm.m, 0, gemm.n});
  }

 private:
  Operands operands_;
  GemmPlan plan_;
  int64_t scratch_of_panels_, scratch_of_a_;
};

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
        scores_(form_.rows_at_once(), form_.columns, form_.width, true, false),
        output_(form_.rows_at_once(), form_.value_width, form_.columns, false, true),
        scratch_of_a_task_(work_offset() + scores_.scratch_count() + output_.scratch_count()) {}

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
  T* scratch_of(const BufferTable& buffers, int part) const {
    return buffers.scratch<T>() + part * scratch_of_a_task_;
  }
  // The offset of the scratch memory of the GEMMs in that of a task.
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
    const Head& head = form_.heads[static_cast<size_t>(index)];
    T* work = scratch_of(buffers, part) + work_offset();
    scores_.pack(keys(buffers, head), work);
    if (operands_.value) output_.pack(values(buffers, head), work + scores_.scratch_count());
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
    scores_.multiply(rows, queries, keys(buffers, head), scores, work);

    for (int64_t row = 0; row < rows; ++row) {
      const int64_t seen = s.causal ? std::min(first_row + row + 1, s.columns) : s.columns;
      T* weights = scores + row * s.columns;
      const T* added = bias_of(buffers, head, first_row + row, seen, bias);
      kernels_.attend(weights, static_cast<T>(s.scale), added, weights, seen);
      std::fill(weights + seen, weights + s.columns, T{});
    }

    if (!operands_.value) return;
    output_.multiply(rows, scores, values(buffers, head), to + row_at * s.value_width,
                     work + scores_.scratch_count());
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
  const HeadGemm<Operands> scores_, output_;  // query * key.T, and weights * value
  // In elements: of scores, a row of the mask, and the GEMMs.
  const int64_t scratch_of_a_task_;
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
