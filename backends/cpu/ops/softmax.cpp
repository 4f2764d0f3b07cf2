#include "backends/cpu/ops/lower_ops.hpp"

#include <map>
#include <string_view>

#include "backends/cpu/kernels/row_kernels.hpp"
#include "backends/cpu/ops/row_step.hpp"

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

struct RowBuffers {
  BufferRef first, second, to;
};

template <typename T>
std::unique_ptr<Step> softmax_step(RowKernel<T> kernel, const Rows& rows, RowBuffers refs) {
  return make_row_step(
      rows, [=, size = rows.size](const BufferTable& buffers, int64_t begin, int64_t end) {
        const T *first = buffers.read<T>(refs.first), *second = buffers.read<T>(refs.second);
        T* to = buffers.write<T>(refs.to);
        const int64_t next = buffers.direction() == Direction::forward ? size : -size;
        iterate(buffers.direction(), begin, end, [&](int64_t row) {
          const int64_t at = row * size;
          kernel(first + at, second + at, to + at, size, next);
        });
      });
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
  descriptor.make = [=, kernel = kernel_named<T>(name)](const BufferRefs& refs, BufferRef) {
    return softmax_step<T>(
        kernel, rows, {refs[index(sources.front())], refs[index(sources.back())], refs[index(to)]});
  };
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

}  // namespace mithril::cpu_backend
