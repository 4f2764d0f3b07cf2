#include "backends/cpu/conv/weight_gradient.hpp"

#include <algorithm>

#include "backends/cpu/conv/convolution.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {

template <typename T>
WeightGradientForm<T>::WeightGradientForm(const Convolution& convolution,
                                          const GemmKernels<T>& kernels)
    : c_(convolution),
      kernels_(&kernels),
      nr_(kernels.nr),
      tiles_(up(c_.outputs, kernels.mr)),
      mr_(tiles_ > 0 ? up(c_.outputs, tiles_) : 1),
      runs_(c_.width.dilation == 1 ? 1 : c_.width.kernel),
      run_columns_(c_.width.kernel / runs_ * c_.inputs),
      run_panels_(up(run_columns_, nr_)),
      height_extent_(c_.height.extent()),
      width_extent_(c_.width.extent()) {
  for (int64_t y = 0; y < c_.height.output; ++y) {
    for (int64_t x = 0; x < c_.width.output; ++x) {
      offsets_.push_back((y * c_.height.stride * width_extent_ + x * c_.width.stride) * c_.inputs);
    }
  }
}

template <typename T>
double WeightGradientForm<T>::work() const {
  return static_cast<double>(c_.outputs) * static_cast<double>(columns()) *
         static_cast<double>(places()) * static_cast<double>(c_.images * c_.groups);
}

template <typename T>
int64_t WeightGradientForm<T>::padded_count() const {
  // The last panel reads beyond the last channel of the last pixel.
  return height_extent_ * width_extent_ * c_.inputs + GemmKernels<T>::most_nr;
}

template <typename T>
int64_t WeightGradientForm<T>::panel_offset(int64_t panel) const {
  const int64_t run = panel / run_panels_, within = panel % run_panels_ * nr_;
  const int64_t y = run / runs_ * c_.height.dilation, x = run % runs_ * c_.width.dilation;
  return (y * width_extent_ + x) * c_.inputs + within;
}

template <typename T>
void WeightGradientForm<T>::pad(const T* input, int64_t first, int64_t last, T* padded) const {
  const WindowAxis &height = c_.height, &width = c_.width;
  const int64_t channels = c_.inputs, pitch = width_extent_ * channels;
  const int64_t left = std::clamp<int64_t>(width.before, 0, width_extent_);
  const int64_t right = std::clamp(width.before + width.input, left, width_extent_);
  for (int64_t row = first; row < last; ++row) {
    T* to = padded + row * pitch;
    const int64_t y = row - height.before;
    if (y < 0 || y >= height.input) {
      std::fill(to, to + pitch, T{});
      continue;
    }
    std::fill(to, to + left * channels, T{});
    std::fill(to + right * channels, to + pitch, T{});
    if (right == left || channels == 0) continue;  // `input` may be null
    kernels_->transpose_pack({.from = input + y * width.input + left - width.before,
                              .from_step = height.input * width.input,
                              .count = channels,
                              .depth = right - left,
                              .to = to + left * channels,
                              .to_step = channels});
  }
  if (last == height_extent_) {
    std::fill_n(padded + height_extent_ * pitch, GemmKernels<T>::most_nr, T{});
  }
}

template <typename T>
void WeightGradientForm<T>::pack(const T* gradient, int64_t first, int64_t last, T* packed) const {
  const int64_t count = places();
  for (int64_t tile = first; tile < last; ++tile) {
    const int64_t rows = std::min(mr_, c_.outputs - tile * mr_);
    kernels_->transpose_pack({.from = gradient + tile * mr_ * count,
                              .from_step = count,
                              .count = rows,
                              .depth = count,
                              .to = packed + tile * mr_ * count,
                              .to_step = mr_});
  }
}

template <typename T>
void WeightGradientForm<T>::multiply(const T* packed, const T* padded, bool add,
                                     const GemmPart& part, T* sums) const {
  const auto [first, last] = part.columns(panels());
  const auto [first_tile, last_tile] = part.rows(tiles_);
  const int64_t pieces = up(places(), depth_block);
  for (int64_t piece = 0; piece < pieces; ++piece) {
    const auto [begin, end] = Range{0, places()}.part(piece, pieces);
    for (int64_t tile = first_tile; tile < last_tile; ++tile) {
      const int64_t rows = std::min(mr_, c_.outputs - tile * mr_);
      for (int64_t panel = first; panel < last; ++panel) {
        kernels_->window[rows]({.a = packed + (tile * places() + begin) * mr_,
                                .a_step = mr_,
                                .b = padded + panel_offset(panel),
                                .offsets = offsets_.data() + begin,
                                .c = sums + tile * mr_ * columns() + panel * nr_,
                                .c_step = columns(),
                                .depth = end - begin,
                                .add = add || begin > 0,
                                .start = nullptr});
      }
    }
  }
}

template <typename T>
void WeightGradientForm<T>::finish(const T* sums, T* weight) const {
  const int64_t width = c_.width.kernel, taps = c_.height.kernel * width;
  for (int64_t row = 0; row < c_.outputs; ++row) {
    const T* from = sums + row * columns();
    T* to = weight + row * c_.inputs * taps;
    for (int64_t tap = 0; tap < taps; ++tap) {
      const int64_t run = runs_ == 1 ? tap / width : tap;
      const int64_t within = runs_ == 1 ? tap % width * c_.inputs : 0;
      const T* next = from + run * run_panels_ * nr_ + within;
      for (int64_t channel = 0; channel < c_.inputs; ++channel) {
        to[channel * taps + tap] = next[channel];
      }
    }
  }
}

template class WeightGradientForm<float>;
template class WeightGradientForm<double>;

namespace {

struct WeightGradValues {
  ValueId gradient, input, made;
};

template <typename T>
class WeightGradientStep final : public Step {
 public:
  WeightGradientStep(const Convolution& convolution, int threads, const WeightGradValues& values)
      : form_(convolution),
        partition_(partition_groups(form_.work(), convolution.groups, threads)),
        threads_(threads),
        images_of_a_sum_(longest_sum / std::clamp<int64_t>(form_.places(), 1, longest_sum)),
        values_(values) {}

  int64_t scratch_bytes() const override {
    return (partition_.whole ? partition_.parts : 1) * region() * int64_t{sizeof(T)};
  }

  void run(const BufferTable& buffers) const override {
    const Convolution& c = form_.convolution();
    T* regions = buffers.scratch<T>();
    if (!partition_.whole) {
      for (int64_t group = 0; group < c.groups; ++group) run_group(buffers, group, regions, true);
      return;
    }
    ThreadPool::shared().run(static_cast<int>(partition_.parts), threads_, [&](int64_t part) {
      T* own = regions + part * region();
      const auto [first, last] = Range{0, c.groups}.part(part, partition_.parts);
      for (int64_t group = first; group < last; ++group) run_group(buffers, group, own, false);
    });
  }

 private:
  // The workspace of one group: its sums and their totals, its packed gradient and its padded
  // input, each aligned to a cache line.
  int64_t region() const {
    const int64_t sums = has_totals() ? 2 : 1;
    return sums * whole_lines(form_.sum_count()) + whole_lines(form_.packed_count()) +
           whole_lines(form_.padded_count());
  }
  bool has_totals() const { return form_.convolution().images > images_of_a_sum_; }

  // Calls what(part) for all parts of the work on one group.
  template <typename Do>
  void each_part(bool shared, const Do& what) const {
    if (!shared) return what(GemmPart{});
    ThreadPool::shared().run(static_cast<int>(partition_.parts), threads_, [&](int64_t part) {
      what(GemmPart{part, partition_.parts, false});
    });
  }

  void run_group(const BufferTable& buffers, int64_t group, T* sums, bool shared) const {
    const Convolution& c = form_.convolution();
    const int64_t images = images_of_a_sum_;
    T* totals = has_totals() ? sums + whole_lines(form_.sum_count()) : sums;
    T* packed = totals + whole_lines(form_.sum_count());
    T* padded = packed + whole_lines(form_.packed_count());
    const int64_t plane = c.height.input * c.width.input;
    const bool of_rows = form_.cut(partition_.parts).of_rows;
    T* made = buffers.write<T>(values_.made) +
              group * c.outputs * c.inputs * c.height.kernel * c.width.kernel;
    for (int64_t image = 0; image < c.images; ++image) {
      const int64_t at = image * c.groups + group;
      const T* input = buffers.read<T>(values_.input) + at * c.inputs * plane;
      const T* gradient = buffers.read<T>(values_.gradient) + at * c.outputs * form_.places();
      each_part(shared, [&](const GemmPart& part) {
        const auto [first, last] = part.share(form_.rows());
        form_.pad(input, first, last, padded);
        const auto [tile, last_tile] = part.share(form_.tiles());
        form_.pack(gradient, tile, last_tile, packed);
      });
      each_part(shared, [&](GemmPart part) {
        part.of_rows = of_rows;
        form_.multiply(packed, padded, image % images > 0, part, sums);
      });
      const bool ends = (image + 1) % images == 0 || image + 1 == c.images;
      if (totals == sums || !ends) continue;
      each_part(shared, [&](const GemmPart& part) {
        const auto [first, last] = part.share(form_.sum_count());
        if (image < images) {
          std::copy(sums + first, sums + last, totals + first);
        } else {
          for (int64_t i = first; i < last; ++i) totals[i] += sums[i];
        }
      });
    }
    if (c.images * form_.places() == 0) {
      std::fill_n(totals, form_.sum_count(), T{});
    }
    form_.finish(totals, made);
  }

  WeightGradientForm<T> form_;
  GroupPartition partition_;
  int threads_;
  int64_t images_of_a_sum_;  // the sums of more images are added to totals
  WeightGradValues values_;
};

template <typename T>
StepDescriptor weight_gradient_descriptor(const LoweringContext& context,
                                          const Convolution& convolution,
                                          const WeightGradValues& values) {
  return {
      .reads = {values.gradient, values.input},
      .writes = {values.made},
      .step = std::make_unique<WeightGradientStep<T>>(convolution, context.config.threads, values)};
}

}  // namespace

std::optional<StepDescriptor> lower_convolution_weight(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const auto gradient = call.tensor(0), input = call.tensor(1);
  if (!gradient || !input) return std::nullopt;
  const WeightGradValues values{*gradient, *input, call.made()};
  const DType dtype = shaped.dtype(values.made);
  if (shaped.dtype(*gradient) != dtype || shaped.dtype(*input) != dtype) return std::nullopt;
  const auto convolution = convolution_of(call, 3, shaped.dims(*input), shaped.dims(values.made),
                                          shaped.dims(*gradient));
  if (!convolution) return std::nullopt;
  return lower_floats(dtype, [&]<typename T>(T) {
    return weight_gradient_descriptor<T>(call.context, *convolution, values);
  });
}

}  // namespace mithril::cpu_backend
