#include "backends/cpu/norms.hpp"

#include <algorithm>

#include "backends/cpu/call_reader.hpp"
#include "backends/cpu/kernels/norm_kernels.hpp"
#include "backends/cpu/sharing.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

// Columns of a task that sums rows: some vectors, so that tasks share no cache line.
constexpr int64_t columns_of_a_task = 256;

struct NormSizes {
  int64_t rows, size;
  double eps;
  int threads;

  int parts(int64_t pieces) const {
    return parts_of({.amount = rows * size, .pieces = pieces, .worth_a_thread = 1 << 14}, threads);
  }
};

// By the ports and outputs of the op; none where a port is left out.
using NormPlaces = std::vector<std::optional<Place>>;

template <typename T>
const T* read(const Frame& frame, const std::optional<Place>& place) {
  return place ? frame.read<T>(*place) : nullptr;
}

template <typename T>
class NormStep final : public Step {
 public:
  NormStep(const NormSizes& sizes, NormPlaces places) : sizes_(sizes), places_(std::move(places)) {}

  void run(const Frame& frame) const override {
    const T *x = frame.read<T>(*places_[0]), *weight = read<T>(frame, places_[1]),
            *bias = read<T>(frame, places_[2]);
    T *to = frame.write<T>(*places_[3]), *mean = frame.write<T>(*places_[4]),
      *rstd = frame.write<T>(*places_[5]);
    const int parts = sizes_.parts(sizes_.rows);
    ThreadPool::shared().run(parts, sizes_.threads, [&](int part) {
      for (int64_t row = sizes_.rows * part / parts; row < sizes_.rows * (part + 1) / parts;
           ++row) {
        const int64_t at = row * sizes_.size;
        const RowMoments<T> moments =
            kernels_.normalise(x + at, weight, bias, sizes_.eps, to + at, sizes_.size);
        mean[row] = moments.mean;
        rstd[row] = moments.rstd;
      }
    });
  }

 private:
  const NormKernels<T>& kernels_ = norm_kernels<T>();
  NormSizes sizes_;
  NormPlaces places_;
};

template <typename T>
class NormGradStep final : public Step {
 public:
  NormGradStep(const NormSizes& sizes, NormPlaces places)
      : sizes_(sizes), places_(std::move(places)) {}

  void run(const Frame& frame) const override {
    add_rows(frame);  // before the gradient of the input is written, maybe in its place
    const T *grad = frame.read<T>(*places_[0]), *x = frame.read<T>(*places_[1]),
            *weight = read<T>(frame, places_[4]);
    T* to = frame.write<T>(*places_[5]);
    const int parts = sizes_.parts(sizes_.rows);
    ThreadPool::shared().run(parts, sizes_.threads, [&](int part) {
      for (int64_t row = sizes_.rows * part / parts; row < sizes_.rows * (part + 1) / parts;
           ++row) {
        const int64_t at = row * sizes_.size;
        kernels_.input_grad(grad + at, x + at, moments(frame, row), weight, to + at, sizes_.size);
      }
    });
  }

 private:
  RowMoments<T> moments(const Frame& frame, int64_t row) const {
    return {frame.read<T>(*places_[2])[row], frame.read<T>(*places_[3])[row]};
  }

  // Each task sums all rows of its columns, one after the other.
  void add_rows(const Frame& frame) const {
    const T *grad = frame.read<T>(*places_[0]), *x = frame.read<T>(*places_[1]);
    T *weight_grad = frame.write<T>(*places_[6]), *bias_grad = frame.write<T>(*places_[7]);
    const int64_t pieces = (sizes_.size + columns_of_a_task - 1) / columns_of_a_task;
    const int parts = sizes_.parts(pieces);
    ThreadPool::shared().run(parts, sizes_.threads, [&](int part) {
      const int64_t first = pieces * part / parts * columns_of_a_task;
      const int64_t last = std::min(sizes_.size, pieces * (part + 1) / parts * columns_of_a_task);
      std::fill(weight_grad + first, weight_grad + last, T{});
      std::fill(bias_grad + first, bias_grad + last, T{});
      for (int64_t row = 0; row < sizes_.rows; ++row) {
        const int64_t at = row * sizes_.size + first;
        kernels_.add_parameter_grads(grad + at, x + at, moments(frame, row), weight_grad + first,
                                     bias_grad + first, last - first);
      }
    });
  }

  const NormKernels<T>& kernels_ = norm_kernels<T>();
  NormSizes sizes_;
  NormPlaces places_;
};

template <typename StepOf>
Draft norm_draft(const NormSizes& sizes, const std::vector<std::optional<ValueId>>& sources,
                 const std::vector<ValueId>& made) {
  Draft draft{.reads = {}, .writes = made};
  for (const std::optional<ValueId>& source : sources) {
    if (source) draft.reads.push_back(*source);
  }
  draft.overwrites = {{made.front(), *sources.front()}};
  draft.make = [=](const Places& places, Place) {
    NormPlaces at;
    for (const std::optional<ValueId>& source : sources) {
      at.push_back(source ? std::optional(places[index(*source)]) : std::nullopt);
    }
    for (const ValueId id : made) at.push_back(places[index(id)]);
    return std::make_unique<StepOf>(sizes, std::move(at));
  };
  return draft;
}

}  // namespace

std::optional<Draft> draft_norm(const Context& context, size_t at, const SpelledExpression& call) {
  const Sized& sized = context.sized;
  const Node& node = sized.node(at);
  const CallReader reader(sized, at, call);
  const bool is_grad = call.text == "layer_norm_grad";
  const size_t tensors = is_grad ? 5 : 3;
  const DType dtype = sized.dtype(node.outputs.front());
  std::vector<std::optional<ValueId>> sources;
  for (size_t i = 0; i < tensors; ++i) {
    sources.push_back(reader.tensor(i));
    if (sources.back() && sized.dtype(*sources.back()) != dtype) return std::nullopt;
  }
  const Dims& dims = sized.dims(node.outputs.front());
  if (dims.back() == 0) return std::nullopt;
  const NormSizes sizes{.rows = sized.count(node.outputs.front()) / dims.back(),
                        .size = dims.back(),
                        .eps = is_grad ? 0 : reader.value(3).real(),
                        .threads = context.threads};
  if (dtype == DType::float32) {
    return is_grad ? norm_draft<NormGradStep<float>>(sizes, sources, node.outputs)
                   : norm_draft<NormStep<float>>(sizes, sources, node.outputs);
  }
  if (dtype == DType::float64) {
    return is_grad ? norm_draft<NormGradStep<double>>(sizes, sources, node.outputs)
                   : norm_draft<NormStep<double>>(sizes, sources, node.outputs);
  }
  return std::nullopt;
}

}  // namespace mithril::cpu_backend
