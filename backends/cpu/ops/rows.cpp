// Steps that compute each row alone: softmax, layer norm, and their gradients.
#include "backends/cpu/ops/lower_ops.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/kernels/row_kernels.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {
namespace {

struct Rows {
  int64_t count, size;  // size: elements of a row
  int threads;          // the most that a step uses

  // The work of the rows, divided into `pieces`: rows or elements.
  Work work(int64_t pieces) const {
    return {.amount = count * size, .pieces = pieces, .grain_size = grain_size};
  }
  // Adds row partitions for values that have one element, or one row of elements, per row.
  void cut(StepDescriptor& descriptor, const std::vector<ValueId>& values) const {
    if (count == 0) return;
    for (const ValueId id : values) descriptor.row_partitions.push_back({id, count});
    descriptor.useful_threads = static_cast<double>(count * size) / grain_size;
  }

 private:
  static constexpr int64_t grain_size = 1 << 14;  // in elements
};

// Calls run_rows(buffers, begin, end) for ranges of the rows.
template <typename RunRows>
class RowStep final : public PartitionedStep {
 public:
  RowStep(const Rows& rows, RunRows run_rows) : rows_(rows), run_rows_(std::move(run_rows)) {}

  void run(const BufferTable& buffers) const override {
    run_ranges(rows_.work(rows_.count), rows_.threads,
               [&](int64_t begin, int64_t end, int) { run_rows_(buffers, begin, end); });
  }
  void run_parts(const BufferTable& buffers, const PartRange& parts) const override {
    run_rows_(buffers, parts.begin(rows_.count), parts.end(rows_.count));
  }

 private:
  Rows rows_;
  RunRows run_rows_;
};
template <typename RunRows>
std::unique_ptr<Step> make_row_step(const Rows& rows, RunRows run_rows) {
  return std::make_unique<RowStep<RunRows>>(rows, std::move(run_rows));
}

template <typename T>
RowKernel<T> kernel_named(std::string_view name) {
  static const std::map<std::string_view, RowKernel<T> RowKernels<T>::*> kernels = {
      {"softmax", &RowKernels<T>::softmax},
      {"log_softmax", &RowKernels<T>::log_softmax},
      {"softmax_grad", &RowKernels<T>::softmax_grad},
      {"log_softmax_grad", &RowKernels<T>::log_softmax_grad}};
  return row_kernels<T>().*kernels.at(name);
}

template <typename T>
StepDescriptor softmax_descriptor(const LoweringContext& context, std::string_view name,
                                  const std::vector<ValueId>& sources, ValueId to) {
  const int64_t size = context.shaped.dims(to).back();
  const Rows rows{size == 0 ? 0 : context.shaped.count(to) / size, size, context.config.threads};
  StepDescriptor descriptor{.reads = sources, .writes = {to}};
  // In place: the kernels read a row, or each element, before they write it.
  for (const ValueId source : sources) descriptor.in_place_pairs.push_back({to, source});
  rows.cut(descriptor, sources);
  rows.cut(descriptor, {to});
  descriptor.step = make_row_step(
      rows, [=, kernel = kernel_named<T>(name), source = sources.front(), other = sources.back()](
                const BufferTable& buffers, int64_t begin, int64_t end) {
        const T *first = buffers.read<T>(source), *second = buffers.read<T>(other);
        T* made = buffers.write<T>(to);
        const int64_t next = buffers.direction() == Direction::forward ? size : -size;
        iterate(buffers.direction(), begin, end, [&](int64_t row) {
          const int64_t at = row * size;
          kernel(first + at, second + at, made + at, size, next);
        });
      });
  return descriptor;
}

// The columns of a task that sums rows are whole vectors, so that tasks share no cache line. A task
// sums up to columns_at_once columns at a time.
constexpr int64_t columns_of_a_task = 256, columns_at_once = 1024;

struct NormOptions {
  Rows rows;
  double eps;
};

// The inputs of the op, then its outputs; none: an absent input.
using NormValues = std::vector<std::optional<ValueId>>;

template <typename T>
std::unique_ptr<Step> norm_step(const NormOptions& options, NormValues values) {
  return make_row_step(
      options.rows, [=, size = options.rows.size, eps = options.eps, &kernels = norm_kernels<T>()](
                        const BufferTable& buffers, int64_t begin, int64_t end) {
        const T *x = buffers.read<T>(*values[0]), *weight = buffers.read<T>(values[1]),
                *bias = buffers.read<T>(values[2]);
        T *to = buffers.write<T>(*values[3]), *mean = buffers.write<T>(*values[4]),
          *rstd = buffers.write<T>(*values[5]);
        const int64_t next = buffers.direction() == Direction::forward ? size : -size;
        iterate(buffers.direction(), begin, end, [&](int64_t row) {
          const int64_t at = row * size;
          const RowMoments<T> moments =
              kernels.normalise(x + at, weight, bias, eps, to + at, size, next);
          mean[row] = moments.mean;
          rstd[row] = moments.rstd;
        });
      });
}

template <typename T>
RowMoments<T> moments(const BufferTable& buffers, const NormValues& values, int64_t row) {
  return {buffers.read<T>(*values[2])[row], buffers.read<T>(*values[3])[row]};
}

template <typename T>
std::unique_ptr<Step> norm_grad_step(const NormOptions& options, NormValues values) {
  return make_row_step(options.rows, [=, size = options.rows.size, &kernels = norm_kernels<T>()](
                                         const BufferTable& buffers, int64_t begin, int64_t end) {
    const T *grad = buffers.read<T>(*values[0]), *x = buffers.read<T>(*values[1]),
            *weight = buffers.read<T>(values[4]);
    T* to = buffers.write<T>(*values[5]);
    iterate(buffers.direction(), begin, end, [&](int64_t row) {
      const int64_t at = row * size;
      kernels.input_grad(grad + at, x + at, moments<T>(buffers, values, row), weight, to + at,
                         size);
    });
  });
}

// The gradients of weight and bias. Each task sums all rows of its columns, in blocks of rows.
template <typename T>
std::unique_ptr<Step> norm_parameter_grad_step(const NormOptions& options, NormValues values) {
  return make_step(
      [=, rows = options.rows, &kernels = norm_kernels<T>()](const BufferTable& buffers) {
        const T *grad = buffers.read<T>(*values[0]), *x = buffers.read<T>(*values[1]);
        T *weight_grad = buffers.write<T>(*values[4]), *bias_grad = buffers.write<T>(*values[5]);
        const Work work = rows.work(up(rows.size, columns_of_a_task));
        run_ranges(work, rows.threads, [&](int64_t begin, int64_t end, int) {
          const int64_t first = begin * columns_of_a_task;
          const int64_t last = std::min(rows.size, end * columns_of_a_task);
          std::fill(weight_grad + first, weight_grad + last, T{});
          std::fill(bias_grad + first, bias_grad + last, T{});
          for (int64_t column = first; column < last; column += columns_at_once) {
            const int64_t columns = std::min(columns_at_once, last - column);
            for (int64_t row = 0; row < rows.count; row += longest_sum) {
              T weights[columns_at_once] = {}, biases[columns_at_once] = {};
              for (int64_t i = row; i < std::min(row + longest_sum, rows.count); ++i) {
                const int64_t at = i * rows.size + column;
                kernels.add_parameter_grads(grad + at, x + at, moments<T>(buffers, values, i),
                                            weights, biases, columns);
              }
              for (int64_t i = 0; i < columns; ++i) {
                weight_grad[column + i] += weights[i];
                bias_grad[column + i] += biases[i];
              }
            }
          }
        });
      });
}

StepDescriptor norm_descriptor(std::unique_ptr<Step> (*make)(const NormOptions&, NormValues),
                               const NormOptions& options, NormValues sources,
                               const std::vector<ValueId>& made) {
  StepDescriptor descriptor{.writes = made};
  for (const std::optional<ValueId>& source : sources) {
    if (source) descriptor.reads.push_back(*source);
  }
  sources.insert(sources.end(), made.begin(), made.end());
  descriptor.step = make(options, std::move(sources));
  return descriptor;
}

template <typename T>
StepDescriptor forward_descriptor(const NormOptions& options, const NormValues& sources,
                                  const std::vector<ValueId>& made) {
  StepDescriptor descriptor = norm_descriptor(norm_step<T>, options, sources, made);
  descriptor.in_place_pairs = {{made[0], *sources[0]}};
  options.rows.cut(descriptor, {*sources[0], made[0], made[1], made[2]});
  return descriptor;
}

// The gradients of the parameters are computed first, because the gradient of the input may
// overwrite an operand that both read.
template <typename T>
StepDescriptor grad_descriptor(const LoweringContext& context, const NormOptions& options,
                               const NormValues& sources, const std::vector<ValueId>& made) {
  StepDescriptor descriptor = norm_descriptor(norm_grad_step<T>, options, sources, {made[0]});
  descriptor.in_place_pairs = {{made[0], *sources[0]}};
  options.rows.cut(descriptor, {*sources[0], *sources[1], *sources[2], *sources[3], made[0]});
  if (context.use_counts[index(made[1])] + context.use_counts[index(made[2])] > 0) {
    const NormValues rows(sources.begin(), sources.begin() + 4);
    descriptor.before.push_back(
        norm_descriptor(norm_parameter_grad_step<T>, options, rows, {made[1], made[2]}));
  }
  return descriptor;
}

}  // namespace

std::optional<StepDescriptor> lower_rows(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const ValueId to = call.made();
  const DType dtype = shaped.dtype(to);
  const auto rank = static_cast<int64_t>(shaped.dims(to).size());
  const int64_t axis = call.value(call.size() - 1).integer();
  if (rank == 0 || (axis != -1 && axis != rank - 1)) return std::nullopt;
  std::vector<ValueId> sources;
  for (size_t i = 0; i + 1 < call.size(); ++i) {
    const std::optional<ValueId> source = call.tensor(i);
    if (!source) return std::nullopt;
    sources.push_back(*source);
    if (shaped.dtype(sources.back()) != dtype || shaped.dims(sources.back()) != shaped.dims(to)) {
      return std::nullopt;
    }
  }
  return lower_floats(dtype, [&]<typename T>(T) {
    return softmax_descriptor<T>(call.context, call.name(), sources, to);
  });
}

std::optional<StepDescriptor> lower_norm(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const bool is_grad = call.name() == "layer_norm_grad";
  const size_t tensors = is_grad ? 5 : 3;
  const DType dtype = shaped.dtype(call.made());
  std::vector<std::optional<ValueId>> sources;
  for (size_t i = 0; i < tensors; ++i) {
    sources.push_back(call.tensor(i));
    if (sources.back() && shaped.dtype(*sources.back()) != dtype) return std::nullopt;
  }
  const Dims& dims = shaped.dims(call.made());
  if (dims.back() == 0) return std::nullopt;
  const int64_t count = shaped.count(call.made()) / dims.back();
  const NormOptions options{.rows = {count, dims.back(), call.threads()},
                            .eps = is_grad ? 0 : call.value(3).real()};
  return lower_floats(dtype, [&]<typename T>(T) {
    return is_grad ? grad_descriptor<T>(call.context, options, sources, call.node().outputs)
                   : forward_descriptor<T>(options, sources, call.node().outputs);
  });
}

}  // namespace mithril::cpu_backend
