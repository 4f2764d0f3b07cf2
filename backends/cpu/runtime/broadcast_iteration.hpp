// Strided iteration over the axes of tensors. Broadcast iteration reads a tensor in the element
// order of the tensor that it is broadcast to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "mithril/tensor/tensor.hpp"

namespace mithril::cpu_backend {

struct Axis {
  int64_t size, step;  // in elements of the tensor
};

// The offset, in elements, of element `index` in row-major order over the axes, outermost first.
inline int64_t offset(const std::vector<Axis>& axes, int64_t index) {
  int64_t at = 0;
  for (size_t axis = axes.size(); axis-- > 0;) {
    at += index % axes[axis].size * axes[axis].step;
    index /= axes[axis].size;
  }
  return at;
}

// The axes of a dense tensor, outermost first.
inline std::vector<Axis> axes_of(const Dims& dims) {
  std::vector<Axis> axes(dims.size());
  int64_t step = 1;
  for (size_t axis = dims.size(); axis-- > 0; step *= dims[axis]) axes[axis] = {dims[axis], step};
  return axes;
}

class BroadcastIteration {
 public:
  // Dims are aligned at the end. Each dim of `from` equals that of `to` or is 1; leading dims may
  // be missing.
  BroadcastIteration(const Dims& from, const Dims& to) {
    int64_t step = 1;
    for (size_t back = 1; back <= to.size(); ++back) {
      const int64_t size = to[to.size() - back];
      const int64_t own = back <= from.size() ? from[from.size() - back] : 1;
      const int64_t along = own == 1 ? 0 : step;
      step *= own;
      add_axis({size, along});
    }
    if (axes_.empty()) axes_.push_back({1, 0});
  }
  // Reads the elements of these axes, outermost first, from the element `start` on.
  BroadcastIteration(const std::vector<Axis>& axes, int64_t start) : start_(start) {
    for (size_t axis = axes.size(); axis-- > 0;) add_axis(axes[axis]);
    if (axes_.empty()) axes_.push_back({1, 0});
  }

  // Whether it reads the elements of `from`, in order.
  bool is_dense() const {
    return start_ == 0 && axes_.size() == 1 && (axes_.front().step == 1 || axes_.front().size == 1);
  }
  // Whether all elements of `to` read one element.
  bool is_single() const { return axes_.size() == 1 && axes_.front().step == 0; }
  // The most elements of `to` in one run, and whether each run reads a single element.
  int64_t run_size() const { return axes_.front().size; }
  bool is_repeated() const { return axes_.front().step == 0; }

  // The number of equal parts of `to` that read consecutive equal parts of `from`; 1 if the
  // outermost axis is broadcast.
  int64_t parts() const { return axes_.back().step == 0 ? 1 : axes_.back().size; }

  // Calls run(to, from, count, step) for each run in the elements [begin, end) of `to`. Argument
  // `to` is the first element of the run, counted from `begin`; `from` is the element of the tensor
  // that it reads. The next elements of the run read elements `step` apart; 0 repeats one element.
  template <typename Run>
  void each_run(int64_t begin, int64_t end, Run run) const {
    each_run(begin, end, run, nullptr);
  }

  // Iterates as above. Where the second axis is broadcast, runs repeat. These call repeat(to,
  // period, count) instead: the `count` elements from `to` on equal those `period` elements before
  // them.
  template <typename Run, typename Repeat>
  void each_run(int64_t begin, int64_t end, Run run, [[maybe_unused]] Repeat repeat) const {
    int64_t at = begin;
    while (at < end) {
      int64_t rest = at, from = start_;
      for (const Axis& axis : axes_) {
        from += rest % axis.size * axis.step;
        rest /= axis.size;
      }
      const Axis& inner = axes_.front();
      const int64_t count = std::min(end - at, inner.size - at % inner.size);
      run(at - begin, from, count, inner.step);
      at += count;
      if constexpr (!std::is_null_pointer_v<Repeat>) {
        if (count < inner.size) continue;
        const int64_t repeated = std::min(end - at, repetitions(at) * inner.size);
        if (repeated > 0) repeat(at - begin, inner.size, repeated);
        at += repeated;
      }
    }
  }

 private:
  void add_axis(const Axis& axis) {
    if (axis.size == 1) return;
    if (!axes_.empty() && axis.step == axes_.back().step * axes_.back().size) {
      axes_.back().size *= axis.size;
    } else {
      axes_.push_back(axis);
    }
  }

  // The number of runs from element `at` on, the first of a run, that equal the run before it.
  int64_t repetitions(int64_t at) const {
    if (axes_.size() == 1 || axes_[1].step != 0) return 0;
    const int64_t done = at / axes_.front().size % axes_[1].size;
    return done == 0 ? 0 : axes_[1].size - done;
  }

  std::vector<Axis> axes_;  // innermost first; adjacent axes are merged where possible
  int64_t start_ = 0;
};

// Per element of a tensor of dims `to`: the element of `from` that it reads.
inline std::vector<int64_t> broadcast_elements(const Dims& from, const Dims& to) {
  std::vector<int64_t> all;
  BroadcastIteration(from, to).each_run(0, element_count(to),
                                        [&](int64_t, int64_t first, int64_t count, int64_t step) {
                                          for (int64_t i = 0; i < count; ++i)
                                            all.push_back(first + i * step);
                                        });
  return all;
}

}  // namespace mithril::cpu_backend
