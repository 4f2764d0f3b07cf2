#include "backends/cpu/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/call_reader.hpp"
#include "backends/cpu/kernels/row_kernels.hpp"
#include "backends/cpu/matmul.hpp"
#include "backends/cpu/sharing.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

// Scores of the rows that are done at a time: they fit the second-level cache beside keys and
// values.
constexpr int64_t scores_at_once = 1 << 15;
constexpr int64_t most_rows_at_once = 64;

// The matrices that meet, by their numbers in what query, key, value and mask hold.
struct Head {
  int64_t query, key, value, mask;
};

struct AttentionForm {
  int64_t rows, columns, width;
  int64_t value_width = 0;
  double scale;
  bool causal;
  std::vector<Head> heads;
  // Of the mask: elements of a matrix, and from one row or column to the next.
  int64_t mask_size = 0, mask_row_step = 0, mask_column_step = 0;
  bool mask_keeps = false;  // it is of bools: true where a query may attend

  // It follows from the sizes alone, as the sums do that are made in a block.
  int64_t rows_at_once() const {
    return std::clamp<int64_t>(scores_at_once / columns, 1, std::min(rows, most_rows_at_once));
  }
  int64_t blocks() const { return (rows + rows_at_once() - 1) / rows_at_once(); }
  double work() const {
    return static_cast<double>(rows * columns) * static_cast<double>(width + value_width) *
           static_cast<double>(heads.size());
  }
};

struct AttentionPlaces {
  Place query, key;
  std::optional<Place> value, mask;  // without a value the weights are what is made
  Place to, scratch;
};

template <typename T>
class AttentionStep final : public Step {
 public:
  AttentionStep(AttentionForm form, int threads, AttentionPlaces places)
      : form_(std::move(form)), threads_(threads), places_(places) {}

  // Elements that a task works in: scores, a row of what is added to them, and packed sides.
  static int64_t scratch_of_a_task(const AttentionForm& form) {
    const int64_t rows = form.rows_at_once();
    const int64_t packed = std::max(MatmulPlan(scores_of(form, rows)).packed_count(),
                                    MatmulPlan(mixture_of(form, rows)).packed_count());
    return aligned(rows * form.columns) + aligned(form.columns) + aligned(packed);
  }

  static int tasks(const AttentionForm& form, int threads) {
    const auto all = static_cast<double>(form.blocks()) * static_cast<double>(form.heads.size());
    const double worth =
        std::min(form.work() / static_cast<double>(multiplications_for_a_thread), all);
    return static_cast<int>(std::clamp(worth, 1.0, static_cast<double>(threads)));
  }

  void run(const Frame& frame) const override {
    const int parts = tasks(form_, threads_);
    const int64_t blocks = form_.blocks(), all = blocks * std::ssize(form_.heads);
    ThreadPool::shared().run(parts, threads_, [&](int part) {
      for (int64_t at = all * part / parts; at < all * (part + 1) / parts; ++at) {
        attend(frame, at / blocks, at % blocks * form_.rows_at_once(), part);
      }
    });
  }

 private:
  static int64_t aligned(int64_t count) { return (count + 15) / 16 * 16; }

  // query * key.T of so many rows, without elements.
  static Product<T> scores_of(const AttentionForm& form, int64_t rows) {
    return {.kernels = &matmul_kernels<T>(),
            .rows = rows,
            .columns = form.columns,
            .depth = form.width,
            .left = {nullptr, form.width, 1},
            .right = {nullptr, 1, form.width}};
  }

  // weights * value
  static Product<T> mixture_of(const AttentionForm& form, int64_t rows) {
    return {.kernels = &matmul_kernels<T>(),
            .rows = rows,
            .columns = form.value_width,
            .depth = form.columns,
            .left = {nullptr, form.columns, 1},
            .right = {nullptr, form.value_width, 1}};
  }

  static void multiply_whole(Product<T> product, T* packed) {
    const MatmulPlan plan(product);
    if (plan.packs()) {
      pack_right(product, 0, plan.panels(), packed);
      product.packed = packed;
    }
    multiply(product, plan, {0, product.rows, 0, product.columns});
  }

  void attend(const Frame& frame, int64_t index, int64_t first_row, int part) const {
    const AttentionForm& s = form_;
    const Head& head = s.heads[static_cast<size_t>(index)];
    const int64_t rows = std::min(s.rows_at_once(), s.rows - first_row);
    T* scratch = frame.write<T>(places_.scratch) + part * scratch_of_a_task(s);
    T* bias = scratch + aligned(s.rows_at_once() * s.columns);
    T* packed = bias + aligned(s.columns);
    T* to = frame.write<T>(places_.to);
    const int64_t row_at = index * s.rows + first_row;
    T* scores = places_.value ? scratch : to + row_at * s.columns;

    Product<T> product = scores_of(s, rows);
    product.left.data = frame.read<T>(places_.query) + (head.query * s.rows + first_row) * s.width;
    product.right.data = frame.read<T>(places_.key) + head.key * s.columns * s.width;
    product.product = scores;
    multiply_whole(product, packed);

    for (int64_t row = 0; row < rows; ++row) {
      const int64_t seen = s.causal ? std::min(first_row + row + 1, s.columns) : s.columns;
      T* weights = scores + row * s.columns;
      const T* added = bias_of(frame, head, first_row + row, seen, bias);
      kernels_.attend(weights, static_cast<T>(s.scale), added, weights, seen);
      std::fill(weights + seen, weights + s.columns, T{});
    }

    if (!places_.value) return;
    product = mixture_of(s, rows);
    product.left.data = scores;
    product.right.data = frame.read<T>(*places_.value) + head.value * s.columns * s.value_width;
    product.product = to + row_at * s.value_width;
    multiply_whole(product, packed);
  }

  // What is added to a row of scores; null where there is no mask.
  const T* bias_of(const Frame& frame, const Head& head, int64_t row, int64_t count,
                   T* bias) const {
    if (!places_.mask) return nullptr;
    const int64_t first = head.mask * form_.mask_size + row * form_.mask_row_step;
    const int64_t step = form_.mask_column_step;
    if (form_.mask_keeps) {
      const bool* keeps = frame.read<bool>(*places_.mask) + first;
      for (int64_t i = 0; i < count; ++i) {
        bias[i] = keeps[i * step] ? T{} : -std::numeric_limits<T>::infinity();
      }
      return bias;
    }
    const T* mask = frame.read<T>(*places_.mask) + first;
    if (step == 1) return mask;
    std::fill_n(bias, count, *mask);
    return bias;
  }

  AttentionForm form_;
  int threads_;
  AttentionPlaces places_;
  const RowKernels<T>& kernels_ = row_kernels<T>();
};

// ---- from a node ----

// The number of the matrix that meets each matrix of the result.
std::vector<int64_t> numbers(const Dims& dims, const Dims& batch) {
  std::vector<int64_t> all{0};
  const size_t own = dims.size() < 2 ? 0 : dims.size() - 2;
  int64_t matrices = 1;
  for (size_t i = 0; i < own; ++i) matrices *= dims[i];
  for (size_t axis = 0; axis < batch.size(); ++axis) {
    const bool there = axis + own >= batch.size();
    const int64_t size = there ? dims[axis + own - batch.size()] : 1;
    matrices /= size;
    std::vector<int64_t> more;
    for (const int64_t at : all) {
      for (int64_t i = 0; i < batch[axis]; ++i) more.push_back(at + (size == 1 ? 0 : i * matrices));
    }
    all = std::move(more);
  }
  return all;
}

struct AttentionOperands {
  ValueId query, key;
  std::optional<ValueId> value, mask;

  std::vector<ValueId> all() const {
    std::vector<ValueId> ids{query, key};
    if (value) ids.push_back(*value);
    if (mask) ids.push_back(*mask);
    return ids;
  }
};

AttentionForm form_of(const Sized& sized, const AttentionOperands& operands, ValueId to) {
  const Dims &q = sized.dims(operands.query), &k = sized.dims(operands.key);
  const Dims v = operands.value ? sized.dims(*operands.value) : Dims{},
             m = operands.mask ? sized.dims(*operands.mask) : Dims{};
  const Dims batch(sized.dims(to).begin(), sized.dims(to).end() - 2);
  AttentionForm form{.rows = q.end()[-2],
                     .columns = k.end()[-2],
                     .width = q.back(),
                     .value_width = v.empty() ? 0 : v.back(),
                     .scale = 1,
                     .causal = false,
                     .heads = {}};
  const std::vector<int64_t> queries = numbers(q, batch), keys = numbers(k, batch),
                             values = numbers(v, batch), masks = numbers(m, batch);
  for (size_t i = 0; i < queries.size(); ++i) {
    form.heads.push_back({queries[i], keys[i], values[i], masks[i]});
  }
  if (operands.mask) {
    const int64_t columns = m.empty() ? 1 : m.back(), rows = m.size() < 2 ? 1 : m.end()[-2];
    form.mask_size = rows * columns;
    form.mask_row_step = rows == 1 ? 0 : columns;
    form.mask_column_step = columns == 1 ? 0 : 1;
    form.mask_keeps = sized.dtype(*operands.mask) == DType::boolean;
  }
  return form;
}

template <typename T>
Draft attention_draft(const Context& context, const AttentionForm& form,
                      const AttentionOperands& operands, ValueId to) {
  const int threads = context.threads;
  const int64_t scratch = AttentionStep<T>::scratch_of_a_task(form) *
                          AttentionStep<T>::tasks(form, threads) * int64_t{sizeof(T)};
  return {.reads = operands.all(),
          .writes = {to},
          .scratch_bytes = scratch,
          .make = [=](const Places& places, Place scratch) {
            const auto place = [&](std::optional<ValueId> id) {
              return id ? std::optional(places[index(*id)]) : std::nullopt;
            };
            return std::make_unique<AttentionStep<T>>(
                form, threads,
                AttentionPlaces{.query = places[index(operands.query)],
                                .key = places[index(operands.key)],
                                .value = place(operands.value),
                                .mask = place(operands.mask),
                                .to = places[index(to)],
                                .scratch = scratch});
          }};
}

}  // namespace

std::optional<Draft> draft_attention(const Context& context, size_t at,
                                     const SpelledExpression& call) {
  const Sized& sized = context.sized;
  const CallReader reader(sized, at, call);
  const ValueId to = sized.node(at).outputs.front();
  const size_t mask = call.children.size() - 3;  // and then is_causal and the scale
  const AttentionOperands operands{*reader.tensor(0), *reader.tensor(1),
                                   mask == 3 ? reader.tensor(2) : std::nullopt,
                                   reader.tensor(mask)};
  const DType dtype = sized.dtype(to);
  for (const ValueId id : operands.all()) {
    const bool keeps = id == operands.mask && sized.dtype(id) == DType::boolean;
    if ((sized.dtype(id) != dtype && !keeps) || sized.count(id) == 0) return std::nullopt;
  }
  AttentionForm form = form_of(sized, operands, to);
  const Datum& scale = reader.value(mask + 2);
  form.causal = reader.value(mask + 1).flag();
  form.scale = scale.is_none() ? 1 / std::sqrt(static_cast<double>(form.width)) : scale.real();
  if (dtype == DType::float32) return attention_draft<float>(context, form, operands, to);
  if (dtype == DType::float64) return attention_draft<double>(context, form, operands, to);
  return std::nullopt;
}

}  // namespace mithril::cpu_backend
