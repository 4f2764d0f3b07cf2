#include "backends/cpu/conv/implicit_gemm.hpp"

#include <algorithm>
#include <utility>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/kernels/gemm_kernels.hpp"
#include "mithril/base/error.hpp"

namespace mithril::cpu_backend {
namespace {

// Columns of a row of tiles that are computed before the next row of tiles.
constexpr int64_t block_columns = 224;

// The operands of one group of one image.
template <typename T>
struct ImplicitGemmOperands {
  const ImplicitGemmForm& form;
  const ImplicitGemmTiles& tiles;
  const ImplicitGemmKernels<T>& kernels;
  const T* planes;
  const T* weight;  // packed
  const T* start;   // bias of each row; null: 0
  T* made;
  int64_t made_before;  // elements of the whole result before `made`
  const Epilogue& epilogue;
};

template <typename T>
class Multiplication {
 public:
  Multiplication(const ImplicitGemmOperands<T>& operands, const WindowPart& part)
      : o_(operands),
        form_(operands.form),
        nr_(operands.tiles.nr),
        tiles_(part.rows(operands.tiles.count)) {}

  void run(const WindowPart& part) {
    const T* weight = o_.weight;
    for (const TapGemm& product : form_.products) {
      const auto [first, last] = part.columns(o_.tiles.panels(form_, product));
      product_ = &product;
      weight_ = weight;
      columns_ = form_.columns(product);
      is_dense_ = form_.is_dense(product);
      MITHRIL_CHECK(is_dense_ || !form_.in_place, "what reads the source in place makes a plane");
      run_panels(first, last);
      weight += o_.tiles.count * o_.tiles.mr * product.depth();
    }
  }

 private:
  // Splits the panels into pieces of nearly equal size, each of at most block_columns columns.
  void run_panels(int64_t first, int64_t last) {
    const int64_t most = std::max<int64_t>(block_columns / nr_, 1);
    const int64_t pieces = up(last - first, most);
    for (int64_t piece = 0; piece < pieces; ++piece) {
      const int64_t from = first + (last - first) * piece / pieces;
      const int64_t to = first + (last - first) * (piece + 1) / pieces;
      for (int64_t tile = tiles_.first; tile < tiles_.last; ++tile) run_block(tile, from, to);
    }
  }

  void run_block(int64_t tile, int64_t first, int64_t last) {
    const int64_t row = tile * o_.tiles.mr, depth = product_->depth();
    const int64_t rows = std::min(o_.tiles.mr, form_.rows - row);
    const int64_t pieces = std::max<int64_t>(up(depth, depth_block), 1);
    for (int64_t piece = 0; piece < pieces; ++piece) {
      const int64_t k = depth * piece / pieces;
      WindowTile<T> at{.a = weight_ + (tile * depth + k) * o_.tiles.mr,
                       .a_step = o_.tiles.mr,
                       .b = nullptr,
                       .offsets = product_->offsets.data() + k,
                       .c = nullptr,
                       .c_step = 0,
                       .depth = depth * (piece + 1) / pieces - k,
                       .add = k > 0,
                       .start = o_.start ? o_.start + row : nullptr};
      for (int64_t panel = first; panel < last; ++panel) {
        at.b = o_.planes + panel * nr_ - overhang(panel);
        at.c = is_direct(panel) ? o_.made + row * form_.made_plane() + panel * nr_
                                : beside_ + (panel - first) * nr_;
        at.c_step = is_direct(panel) ? form_.made_plane() : block_columns;
        o_.kernels.tile[rows](at);
      }
    }
    store_block(row, rows, first, last);
    const int64_t begin = made_before(first * nr_), end = made_before(last * nr_);
    o_.epilogue.run({.begin = o_.made_before + row * form_.made_plane() + begin,
                     .size = end - begin,
                     .rows = rows,
                     .step = form_.made_plane()});
  }

  // Elements of an output plane that precede the given column.
  int64_t made_before(int64_t column) const {
    const int64_t pitch = form_.width.extent, count = product_->width.count;
    const int64_t before = std::min(column, columns_);
    return before / pitch * count + std::min(before % pitch, count);
  }

  bool is_direct(int64_t panel) const { return is_dense_ && (panel + 1) * nr_ <= columns_; }

  // If the planes are the source itself, reads must not pass its end, so the last panel starts this
  // many columns earlier. Such a GEMM is dense, so no other panel goes through the temporary tile.
  int64_t overhang(int64_t panel) const {
    return form_.in_place ? std::max<int64_t>((panel + 1) * nr_ - columns_, 0) : 0;
  }

  // Copies the columns that went through the temporary tile, without those that are no output
  // pixels.
  void store_block(int64_t row, int64_t rows, int64_t first, int64_t last) {
    int64_t begin = first;
    while (begin < last && is_direct(begin)) ++begin;
    const int64_t column = begin * nr_, end = std::min(last * nr_, columns_);
    const T* from = beside_ + (begin - first) * nr_;
    if (begin < last) from += overhang(begin);
    const int64_t pitch = form_.width.extent;
    const GridAxis &height = product_->height, &width = product_->width;
    for (int64_t y = column / pitch; y * pitch < end; ++y) {
      const int64_t x = std::max<int64_t>(column - y * pitch, 0);
      const int64_t count = std::min(end - y * pitch, width.count) - x;
      T* to = o_.made + row * form_.made_plane() +
              (height.first + y * height.step) * form_.output_width + width.first + x * width.step;
      for (int64_t i = 0; i < rows; ++i) {
        store_row(from + i * block_columns + y * pitch + x - column, count,
                  to + i * form_.made_plane());
      }
    }
  }

  void store_row(const T* from, int64_t count, T* to) const {
    const int64_t step = product_->width.step;
    if (step == 1 && count > 0) {
      std::copy_n(from, count, to);
      return;
    }
    for (int64_t i = 0; i < count; ++i) to[i * step] = from[i];
  }

  const ImplicitGemmOperands<T>& o_;
  const ImplicitGemmForm& form_;
  const int64_t nr_;
  const WindowPart::Range tiles_;
  const TapGemm* product_ = nullptr;
  const T* weight_ = nullptr;
  int64_t columns_ = 0;
  bool is_dense_ = false;
  alignas(64) T beside_[ImplicitGemmKernels<T>::most_rows * block_columns];
};

// The rows of a plane. The elements [begin, end) come from the source: every `step`-th element of a
// row, from `shift` on. The others are zero padding.
class PlaneRows {
 public:
  PlaneRows(const PlaneAxis& axis, int64_t plane)
      : step_(axis.step),
        extent_(axis.extent),
        shift_(plane - axis.before),
        begin_(std::clamp<int64_t>(shift_ >= 0 ? 0 : up(-shift_, step_), 0, extent_)),
        end_(std::clamp<int64_t>(axis.source <= shift_ ? 0 : up(axis.source - shift_, step_),
                                 begin_, extent_)) {}

  template <typename T>
  void pad(const T* source, T* to) const {
    std::fill(to, to + begin_, T{});
    if (step_ == 1) {
      std::copy(source + begin_ + shift_, source + end_ + shift_, to + begin_);
    } else {
      for (int64_t q = begin_; q < end_; ++q) to[q] = source[q * step_ + shift_];
    }
    std::fill(to + end_, to + extent_, T{});
  }

 private:
  int64_t step_, extent_, shift_, begin_, end_;
};

}  // namespace

ImplicitGemmTiles::ImplicitGemmTiles(const ImplicitGemmForm& form, int most_rows, int columns)
    : nr(columns), count(up(form.rows, most_rows)) {
  if (count > 0) mr = up(form.rows, count);
}

int64_t ImplicitGemmTiles::panels(const ImplicitGemmForm& form, const TapGemm& product) const {
  return up(form.columns(product), nr);
}

int64_t ImplicitGemmTiles::packed_group(const ImplicitGemmForm& form) const {
  int64_t depth = 0;
  for (const TapGemm& product : form.products) depth += product.depth();
  return count * mr * depth;
}

int64_t ImplicitGemmTiles::planes_count(const ImplicitGemmForm& form) const {
  constexpr int64_t margin = ImplicitGemmKernels<float>::most_nr;
  return form.in_place ? 0 : form.channels * form.channel_step() + margin;
}

template <typename T>
void pad_planes(const ImplicitGemmForm& form, const T* source, int64_t first, int64_t last,
                T* planes) {
  const PlaneAxis &height = form.height, &width = form.width;
  for (int64_t channel = first; channel < last; ++channel) {
    const T* from = source + channel * form.source_plane();
    T* to = planes + channel * form.channel_step();
    for (const int64_t plane_height : height.planes) {
      for (const int64_t plane_width : width.planes) {
        const PlaneRows rows(width, plane_width);
        for (int64_t q = 0; q < height.extent; ++q, to += width.extent) {
          const int64_t y = q * height.step + plane_height - height.before;
          if (y < 0 || y >= height.source) {
            std::fill(to, to + width.extent, T{});
          } else {
            rows.pad(from + y * width.source, to);
          }
        }
      }
    }
    // The last panel reads beyond the last plane.
    T* end = planes + (channel + 1) * form.channel_step();
    std::fill(to, channel + 1 == form.channels ? end + ImplicitGemmKernels<T>::most_nr : end, T{});
  }
}

template void pad_planes(const ImplicitGemmForm&, const uint16_t*, int64_t, int64_t, uint16_t*);

template <typename T>
ImplicitGemm<T>::ImplicitGemm(ImplicitGemmForm form, const ImplicitGemmKernels<T>& kernels,
                              int64_t first_row)
    : form_(std::move(form)),
      kernels_(&kernels),
      tiles_(form_, kernels.mr, kernels.nr),
      first_row_(first_row) {}

template <typename T>
void ImplicitGemm<T>::pack_weight(const void* weight, int64_t panel, void* packed) const {
  const int64_t mr = tiles_.mr, group = panel / tiles_.count, tile = panel % tiles_.count;
  const T* from = static_cast<const T*>(weight) + group * form_.group_step +
                  (first_row_ + tile * mr) * form_.row_step;
  const int64_t rows = std::min(mr, form_.rows - tile * mr);
  T* to = static_cast<T*>(packed) + group * tiles_.packed_group(form_);
  for (const TapGemm& product : form_.products) {
    T* next = to + tile * product.depth() * mr;
    // The weights ascend, so these are contiguous in each row.
    if (!product.weights.empty() && product.weights.back() + 1 == product.depth()) {
      gemm_kernels<T>().interleave({.from = from,
                                    .from_step = form_.row_step,
                                    .count = rows,
                                    .depth = product.depth(),
                                    .to = next,
                                    .to_step = mr});
    } else {
      for (const int64_t k : product.weights) {
        for (int64_t row = 0; row < rows; ++row) next[row] = from[row * form_.row_step + k];
        next += mr;
      }
    }
    to += tiles_.count * product.depth() * mr;
  }
}

template <typename T>
std::vector<std::shared_ptr<const ConvolutionForm>> ImplicitGemm<T>::rounds(int threads) const {
  constexpr int64_t bytes_at_once = 1 << 20;
  const int64_t bytes = weight_bytes();
  if (units() > 1 || form_.products.size() > 1 || bytes <= bytes_at_once) return {};
  const int64_t fitting = bytes_at_once / (bytes / tiles_.count);
  const int64_t most = std::max<int64_t>(fitting, threads) * tiles_.mr;
  if (most >= form_.rows) return {};
  std::vector<std::shared_ptr<const ConvolutionForm>> made;
  for (int64_t row = 0; row < form_.rows; row += most) {
    ImplicitGemmForm part = form_;
    part.rows = std::min(most, form_.rows - row);
    made.push_back(std::make_shared<ImplicitGemm>(std::move(part), *kernels_, row));
  }
  return made;
}

template <typename T>
void ImplicitGemm<T>::pad(const void* source, int64_t unit, WindowPart::Range channels,
                          void* padded) const {
  pad_planes(form_, source_of(source, unit), channels.first, channels.last,
             static_cast<T*>(padded));
}

template <typename T>
WindowPart ImplicitGemm<T>::cut(int64_t parts) const {
  int64_t panels = 0;
  for (const TapGemm& product : form_.products) panels += tiles_.panels(form_, product);
  return cut_evenly(tiles_.count, panels / static_cast<int64_t>(form_.products.size()), parts);
}

template <typename T>
void ImplicitGemm<T>::multiply(const ConvolutionOperands& o, const WindowPart& part) const {
  const int64_t group = o.unit % form_.groups;
  const int64_t made_before = (o.unit * form_.rows + first_row_) * form_.made_plane();
  const ImplicitGemmOperands<T> operands{
      .form = form_,
      .tiles = tiles_,
      .kernels = *kernels_,
      .planes = form_.in_place ? source_of(o.source, o.unit) : static_cast<const T*>(o.source),
      .weight = static_cast<const T*>(o.weight) + group * tiles_.packed_group(form_),
      .start = o.bias ? static_cast<const T*>(o.bias) + group * form_.rows + first_row_ : nullptr,
      .made = static_cast<T*>(o.made) + made_before,
      .made_before = made_before,
      .epilogue = o.epilogue};
  Multiplication<T>(operands, part).run(part);
}

template class ImplicitGemm<float>;
template class ImplicitGemm<double>;

}  // namespace mithril::cpu_backend
