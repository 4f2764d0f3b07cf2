#include "backends/cpu/conv/implicit_gemm.hpp"

#include <algorithm>
#include <utility>

#include "mithril/base/error.hpp"

namespace mithril::cpu_backend {
namespace {

// Columns of a row of tiles that are computed before the next row of tiles.
constexpr int64_t block_columns = 224;

// The rows of a plane. The elements [begin, end) come from the source: every `step`-th element of a
// row, from `shift` on. The others are zero padding.
class PlaneRows {
 public:
  PlaneRows(const PlaneAxis& axis, int64_t plane)
      : step_(axis.step), extent_(axis.extent), shift_(plane - axis.before) {
    const WindowAxis read{
        .input = axis.source, .output = extent_, .stride = step_, .before = -shift_};
    begin_ = read.begin(0);
    end_ = read.end(0);
  }

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

template <typename T>
void pad_planes(const ImplicitGemmGeometry& geometry, const T* source, int64_t first, int64_t last,
                T* planes) {
  const PlaneAxis &height = geometry.height, &width = geometry.width;
  for (int64_t channel = first; channel < last; ++channel) {
    const T* from = source + channel * geometry.source_plane();
    T* to = planes + channel * geometry.channel_step();
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
    T* end = planes + (channel + 1) * geometry.channel_step();
    std::fill(to, channel + 1 == geometry.channels ? end + GemmKernels<T>::most_nr : end, T{});
  }
}

template void pad_planes(const ImplicitGemmGeometry&, const uint16_t*, int64_t, int64_t, uint16_t*);

namespace {

// Each group of each image is a unit. T is float, double, or int32_t for pairs of int16. VNNI pairs
// are stored as float.
template <typename T>
class ImplicitGemm final : public ConvolutionForm {
 public:
  // `source_pairs`: the source, if the geometry and the kernels are of VNNI pairs. `first_row`: the
  // output channel of row 0.
  explicit ImplicitGemm(ImplicitGemmGeometry geometry, const GemmKernels<T>& kernels,
                        VnniOperand source_pairs, int64_t first_row = 0)
      : geometry_(std::move(geometry)),
        kernels_(&kernels),
        source_pairs_(source_pairs),
        tiles_(up(geometry_.rows, kernels.mr)),
        mr_(tiles_ > 0 ? up(geometry_.rows, tiles_) : 1),
        first_row_(first_row) {}

  int64_t units() const override { return geometry_.images * geometry_.groups; }
  double work() const override { return geometry_.work(); }
  VnniOperand source_pairs() const override { return source_pairs_; }
  PackedFormat format() const override { return {PackedLayout::implicit_gemm, geometry_.groups}; }
  int64_t panels() const override { return geometry_.groups * tiles_; }
  int64_t weight_bytes() const override {
    return geometry_.groups * weight_count() * int64_t{sizeof(T)};
  }

  void pack_weight(const void* weight, int64_t panel, void* packed) const override {
    const int64_t group = panel / tiles_, tile = panel % tiles_;
    const T* from = static_cast<const T*>(weight) + group * geometry_.group_step +
                    (first_row_ + tile * mr_) * geometry_.row_step;
    const int64_t rows = std::min(mr_, geometry_.rows - tile * mr_);
    T* to = static_cast<T*>(packed) + group * weight_count();
    for (const TapGemm& gemm : geometry_.gemms) {
      T* next = to + tile * gemm.depth() * mr_;
      // The weights ascend, so these are contiguous in each row.
      if (!gemm.weights.empty() && gemm.weights.back() + 1 == gemm.depth()) {
        gemm_kernels<T>().transpose_pack({.from = from,
                                          .from_step = geometry_.row_step,
                                          .count = rows,
                                          .depth = gemm.depth(),
                                          .to = next,
                                          .to_step = mr_});
      } else {
        for (const int64_t k : gemm.weights) {
          for (int64_t row = 0; row < rows; ++row) next[row] = from[row * geometry_.row_step + k];
          next += mr_;
        }
      }
      to += tiles_ * gemm.depth() * mr_;
    }
  }

  // All channels are one round if there are several images, groups or GEMMs, or if the packed
  // weight is small.
  std::vector<std::shared_ptr<const ConvolutionForm>> rounds(int threads) const override {
    constexpr int64_t bytes_at_once = 1 << 20;
    const int64_t bytes = weight_bytes();
    if (units() > 1 || geometry_.gemms.size() > 1 || bytes <= bytes_at_once) return {};
    const int64_t fitting = bytes_at_once / (bytes / tiles_);
    const int64_t most = std::max<int64_t>(fitting, threads) * mr_;
    if (most >= geometry_.rows) return {};
    std::vector<std::shared_ptr<const ConvolutionForm>> made;
    for (int64_t row = 0; row < geometry_.rows; row += most) {
      ImplicitGemmGeometry part = geometry_;
      part.rows = std::min(most, geometry_.rows - row);
      made.push_back(
          std::make_shared<ImplicitGemm>(std::move(part), *kernels_, VnniOperand(), row));
    }
    return made;
  }

  int64_t source_bytes() const override {
    if (geometry_.in_place) return 0;
    constexpr int64_t margin = GemmKernels<T>::most_nr;
    return (geometry_.channels * geometry_.channel_step() + margin) * int64_t{sizeof(T)};
  }
  int64_t source_rows() const override { return geometry_.channels; }
  void pad(const void* source, int64_t unit, Range channels, void* padded) const override {
    pad_planes(geometry_, source_of(source, unit), channels.first, channels.last,
               static_cast<T*>(padded));
  }
  // Splits the rows of tiles or the panels, whichever gives parts of more equal size.
  GemmPart cut(int64_t parts) const override {
    int64_t panels = 0;
    for (const TapGemm& gemm : geometry_.gemms) panels += up(geometry_.columns(gemm), kernels_->nr);
    return cut_evenly(tiles_, panels / static_cast<int64_t>(geometry_.gemms.size()), parts);
  }
  void multiply(const ConvolutionOperands& operands, const GemmPart& part) const override {
    GroupMultiplication(*this, operands, part).run();
  }

 private:
  class GroupMultiplication;

  // Elements of the packed weight of a group.
  int64_t weight_count() const {
    int64_t depth = 0;
    for (const TapGemm& gemm : geometry_.gemms) depth += gemm.depth();
    return tiles_ * mr_ * depth;
  }
  const T* source_of(const void* source, int64_t unit) const {
    return static_cast<const T*>(source) + unit * geometry_.channels * geometry_.source_plane();
  }

  ImplicitGemmGeometry geometry_;
  const GemmKernels<T>* kernels_;
  VnniOperand source_pairs_;
  // Rows of tiles, and the rows of each. They depend only on the sizes, so that results do not
  // depend on the number of threads.
  int64_t tiles_, mr_;
  int64_t first_row_;
};

// Computes a part of one group of one image.
template <typename T>
class ImplicitGemm<T>::GroupMultiplication {
 public:
  GroupMultiplication(const ImplicitGemm& gemm, const ConvolutionOperands& operands,
                      const GemmPart& part)
      : geometry_(gemm.geometry_),
        kernels_(*gemm.kernels_),
        nr_(kernels_.nr),
        mr_(gemm.mr_),
        tiles_(gemm.tiles_),
        part_(part),
        made_before_((operands.unit * geometry_.rows + gemm.first_row_) * geometry_.made_plane()),
        planes_(geometry_.in_place ? gemm.source_of(operands.source, operands.unit)
                                   : static_cast<const T*>(operands.source)),
        made_(static_cast<T*>(operands.made) + made_before_),
        epilogue_(operands.epilogue) {
    const int64_t group = operands.unit % geometry_.groups;
    weight_ = static_cast<const T*>(operands.weight) + group * gemm.weight_count();
    if (operands.bias) {
      bias_ = static_cast<const T*>(operands.bias) + group * geometry_.rows + gemm.first_row_;
    }
  }

  void run() {
    for (const TapGemm& gemm : geometry_.gemms) {
      gemm_ = &gemm;
      columns_ = geometry_.columns(gemm);
      is_dense_ = geometry_.is_dense(gemm);
      MITHRIL_CHECK(is_dense_ || !geometry_.in_place,
                    "a GEMM that reads the source in place is dense");
      run_panels(part_.columns(up(columns_, nr_)));
      weight_ += tiles_ * mr_ * gemm.depth();
    }
  }

 private:
  // Splits the panels into pieces of nearly equal size, each of at most block_columns columns.
  void run_panels(Range panels) {
    const int64_t most = std::max<int64_t>(block_columns / nr_, 1);
    const int64_t pieces = up(panels.size(), most);
    const Range tiles = part_.rows(tiles_);
    for (int64_t i = 0; i < pieces; ++i) {
      const Range piece = panels.part(i, pieces);
      for (int64_t tile = tiles.first; tile < tiles.last; ++tile) {
        run_block(tile, piece.first, piece.last);
      }
    }
  }

  void run_block(int64_t tile, int64_t first, int64_t last) {
    const int64_t row = tile * mr_, depth = gemm_->depth();
    const int64_t rows = std::min(mr_, geometry_.rows - row);
    const int64_t pieces = std::max<int64_t>(up(depth, depth_block), 1);
    for (int64_t piece = 0; piece < pieces; ++piece) {
      const int64_t k = depth * piece / pieces;
      WindowTile<T> at{.a = weight_ + (tile * depth + k) * mr_,
                       .a_step = mr_,
                       .b = nullptr,
                       .offsets = gemm_->offsets.data() + k,
                       .c = nullptr,
                       .c_step = 0,
                       .depth = depth * (piece + 1) / pieces - k,
                       .add = k > 0,
                       .start = bias_ ? bias_ + row : nullptr};
      for (int64_t panel = first; panel < last; ++panel) {
        at.b = planes_ + panel * nr_ - overhang(panel);
        at.c = is_direct(panel) ? made_ + row * geometry_.made_plane() + panel * nr_
                                : beside_ + (panel - first) * nr_;
        at.c_step = is_direct(panel) ? geometry_.made_plane() : block_columns;
        kernels_.window[rows](at);
      }
    }
    store_block(row, rows, first, last);
    const int64_t begin = pixels_before(first * nr_), end = pixels_before(last * nr_);
    epilogue_.run({.begin = made_before_ + row * geometry_.made_plane() + begin,
                   .size = end - begin,
                   .rows = rows,
                   .step = geometry_.made_plane()});
  }

  // Elements of an output plane that precede the given column.
  int64_t pixels_before(int64_t column) const {
    const int64_t pitch = geometry_.width.extent, count = gemm_->width.count;
    const int64_t before = std::min(column, columns_);
    return before / pitch * count + std::min(before % pitch, count);
  }

  bool is_direct(int64_t panel) const { return is_dense_ && (panel + 1) * nr_ <= columns_; }

  // If the planes are the source itself, reads must not pass its end, so the last panel starts this
  // many columns earlier. Such a GEMM is dense, so no other panel goes through the temporary tile.
  int64_t overhang(int64_t panel) const {
    return geometry_.in_place ? std::max<int64_t>((panel + 1) * nr_ - columns_, 0) : 0;
  }

  // Copies the columns that went through the temporary tile, without those that are not output
  // pixels.
  void store_block(int64_t row, int64_t rows, int64_t first, int64_t last) {
    int64_t begin = first;
    while (begin < last && is_direct(begin)) ++begin;
    const int64_t column = begin * nr_, end = std::min(last * nr_, columns_);
    const T* from = beside_ + (begin - first) * nr_;
    if (begin < last) from += overhang(begin);
    const int64_t pitch = geometry_.width.extent;
    const GridAxis &height = gemm_->height, &width = gemm_->width;
    for (int64_t y = column / pitch; y * pitch < end; ++y) {
      const int64_t x = std::max<int64_t>(column - y * pitch, 0);
      const int64_t count = std::min(end - y * pitch, width.count) - x;
      T* to = made_ + row * geometry_.made_plane() +
              (height.first + y * height.step) * geometry_.output_width + width.first +
              x * width.step;
      for (int64_t i = 0; i < rows; ++i) {
        store_row(from + i * block_columns + y * pitch + x - column, count,
                  to + i * geometry_.made_plane());
      }
    }
  }

  void store_row(const T* from, int64_t count, T* to) const {
    const int64_t step = gemm_->width.step;
    if (step == 1 && count > 0) {
      std::copy_n(from, count, to);
      return;
    }
    for (int64_t i = 0; i < count; ++i) to[i * step] = from[i];
  }

  const ImplicitGemmGeometry& geometry_;
  const GemmKernels<T>& kernels_;
  const int64_t nr_, mr_, tiles_;
  const GemmPart part_;
  const int64_t made_before_;  // elements of the whole result before `made_`
  const T* planes_;
  const T* weight_;          // packed, of the current GEMM
  const T* bias_ = nullptr;  // of each row; null: 0
  T* made_;
  const Epilogue& epilogue_;
  const TapGemm* gemm_ = nullptr;
  int64_t columns_ = 0;
  bool is_dense_ = false;
  alignas(64) T beside_[GemmKernels<T>::most_rows * block_columns];
};

}  // namespace

template <typename T>
std::shared_ptr<const ConvolutionForm> implicit_gemm(ImplicitGemmGeometry geometry,
                                                     const GemmKernels<T>& kernels,
                                                     VnniOperand source_pairs) {
  return std::make_shared<ImplicitGemm<T>>(std::move(geometry), kernels, source_pairs);
}

template std::shared_ptr<const ConvolutionForm> implicit_gemm(ImplicitGemmGeometry,
                                                              const GemmKernels<float>&,
                                                              VnniOperand);
template std::shared_ptr<const ConvolutionForm> implicit_gemm(ImplicitGemmGeometry,
                                                              const GemmKernels<double>&,
                                                              VnniOperand);
template std::shared_ptr<const ConvolutionForm> implicit_gemm(ImplicitGemmGeometry,
                                                              const GemmKernels<int32_t>&,
                                                              VnniOperand);

}  // namespace mithril::cpu_backend
