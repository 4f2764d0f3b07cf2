#include "backends/cpu/ops/lower_ops.hpp"

#include <map>
#include <string_view>

#include "backends/cpu/descriptors/kernel_call.hpp"
#include "backends/cpu/kernels/softmax_kernels.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

template <typename T>
RowKernel<T> kernel_named(std::string_view name) {
  static const std::map<std::string_view, RowKernel<T> RowKernels<T>::*> kernels = {
      {"softmax", &RowKernels<T>::softmax},
      {"log_softmax", &RowKernels<T>::log_softmax},
      {"softmax_grad", &RowKernels<T>::softmax_grad},
      {"log_softmax_grad", &RowKernels<T>::log_softmax_grad}};
  return row_kernels<T>().*kernels.at(name);
}

// In elements.
constexpr int64_t grain_size = 1 << 14;

struct RowBuffers {
  BufferRef first, second, to;
};

template <typename T>
class RowStep final : public PartStep {
 public:
  RowStep(RowKernel<T> kernel, int64_t rows, int64_t size, int threads, RowBuffers refs)
      : kernel_(kernel), rows_(rows), size_(size), threads_(threads), refs_(refs) {}

  void run(const BufferTable& buffers) const override {
    const int parts =
        task_count({.amount = rows_ * size_, .pieces = rows_, .grain_size = grain_size}, threads_);
    ThreadPool::shared().run(parts, threads_, [&](int part) {
      run_rows(buffers, rows_ * part / parts, rows_ * (part + 1) / parts);
    });
  }

  void run_parts(const BufferTable& buffers, const Parts& parts) const override {
    run_rows(buffers, parts.begin(rows_), parts.end(rows_));
  }

 private:
  void run_rows(const BufferTable& buffers, int64_t begin, int64_t end) const {
    const T *first = buffers.read<T>(refs_.first), *second = buffers.read<T>(refs_.second);
    T* to = buffers.write<T>(refs_.to);
    const int64_t next = buffers.direction() == Direction::forward ? size_ : -size_;
    iterate(buffers.direction(), begin, end, [&](int64_t row) {
      const int64_t at = row * size_;
      kernel_(first + at, second + at, to + at, size_, next);
    });
  }

  RowKernel<T> kernel_;
  int64_t rows_, size_;
  int threads_;
  RowBuffers refs_;
};

template <typename T>
StepDescriptor row_draft(const LoweringContext& context, std::string_view name,
                         const std::vector<ValueId>& sources, ValueId to) {
  const int64_t size = context.shaped.dims(to).back();
  const int64_t rows = size == 0 ? 0 : context.shaped.count(to) / size;
  StepDescriptor descriptor{.reads = sources, .writes = {to}};
  // In place: the kernels read a row, or each element, before they write it.
  for (const ValueId source : sources) {
    descriptor.in_place_pairs.push_back({to, source});
    if (rows > 0) descriptor.row_partitions.push_back({source, rows});
  }
  if (rows > 0) descriptor.row_partitions.push_back({to, rows});
  descriptor.useful_threads = static_cast<double>(rows * size) / grain_size;
  descriptor.make = [=, kernel = kernel_named<T>(name), threads = context.config.threads](
                        const BufferRefs& refs, BufferRef) {
    const RowBuffers at{refs[index(sources.front())], refs[index(sources.back())], refs[index(to)]};
    return std::make_unique<RowStep<T>>(kernel, rows, size, threads, at);
  };
  return descriptor;
}

}  // namespace

std::optional<StepDescriptor> lower_rows(const LoweringContext& context, size_t at,
                                         const SpelledExpression& call) {
  const ShapedGraph& shaped = context.shaped;
  const CallReader reader(shaped, at, call);
  const ValueId to = shaped.node(at).outputs.front();
  const DType dtype = shaped.dtype(to);
  const auto rank = static_cast<int64_t>(shaped.dims(to).size());
  const int64_t axis = reader.value(call.children.size() - 1).integer();
  if (rank == 0 || (axis != -1 && axis != rank - 1)) return std::nullopt;
  std::vector<ValueId> sources;
  for (size_t i = 0; i + 1 < call.children.size(); ++i) {
    const std::optional<ValueId> source = reader.tensor(i);
    if (!source) return std::nullopt;
    sources.push_back(*source);
    if (shaped.dtype(sources.back()) != dtype || shaped.dims(sources.back()) != shaped.dims(to)) {
      return std::nullopt;
    }
  }
  if (dtype == DType::float32) return row_draft<float>(context, call.text, sources, to);
  if (dtype == DType::float64) return row_draft<double>(context, call.text, sources, to);
  return std::nullopt;
}

}  // namespace mithril::cpu_backend
