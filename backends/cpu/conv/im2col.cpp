#include "backends/cpu/conv/im2col.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "backends/cpu/conv/implicit_gemm.hpp"
#include "backends/cpu/kernels/bfloat16_kernels.hpp"

namespace mithril::cpu_backend {
namespace {

constexpr int64_t block = 16, elements_of_block = 2 * block;  // a block: VNNI pairs along k
constexpr int64_t nr = VnniPacking::nr;
// Most blocks of k in a span: a panel of B then stays in the L1 cache.
constexpr int64_t most_blocks = 9;
// Panels whose sums stay in the L2 cache together with a row of tiles of the weight.
constexpr int64_t most_panels = 7;
// Bytes of packed weight from which on it comes from memory.
constexpr int64_t bytes_to_read_once = 1 << 20;
// Speed of bfloat16 products relative to float32.
constexpr double speed = 8;

// Each group of each image is a unit. Output channels are the rows of the GEMM, output pixels its
// columns. k has the order of the weight, so that VNNI pairs are contiguous in it.
class Im2col final : public ConvolutionForm {
 public:
  // Needs a processor with AMX.
  explicit Im2col(const Convolution& convolution)
      : c_(convolution),
        gemm_kernels_(&bfloat16_kernels()->gemm),
        kernels_(im2col_kernels()),
        geometry_(forward_geometry(c_, 1)),
        depth_(geometry_.gemms.front().depth()),
        blocks_(up(depth_, elements_of_block)),
        spans_(up(blocks_, most_blocks)),
        tiles_(up(c_.outputs, gemm_kernels_->mr)),
        mr_(tiles_ > 0 ? up(c_.outputs, tiles_) : 0),
        columns_(geometry_.columns(geometry_.gemms.front())),
        panels_(up(columns_, nr)),
        pieces_(std::min(panels_, most_panels)) {}

  int64_t units() const override { return c_.images * c_.groups; }
  double work() const override {
    return static_cast<double>(tiles_ * mr_) * static_cast<double>(panels_ * nr) *
           static_cast<double>(depth_ * units()) / speed;
  }
  PackedFormat format() const override { return {PackedLayout::im2col, c_.groups}; }
  bool takes_pairs() const override { return false; }
  int64_t panels() const override { return c_.groups * tiles_; }
  int64_t weight_bytes() const override {
    return c_.groups * weight_count() * int64_t{sizeof(float)};
  }

  void pack_weight(const void* weight, int64_t panel, void* packed) const override {
    const int64_t group = panel / tiles_, tile = panel % tiles_;
    const int64_t rows = std::min(mr_, c_.outputs - tile * mr_);
    const uint16_t* group_from = static_cast<const uint16_t*>(weight) + group * c_.outputs * depth_;
    float* to = static_cast<float*>(packed) + group * weight_count();
    for (int64_t i = 0; i < spans_; ++i) {
      const Range span = span_at(i);
      float* blocks = to + weight_at(tile, span);
      std::fill_n(blocks, span.size() * mr_ * block, 0.0f);
      for (int64_t row = 0; row < rows; ++row) {
        const uint16_t* from = group_from + (tile * mr_ + row) * depth_;
        for (int64_t at = span.first; at < span.last; ++at) {
          const int64_t k = at * elements_of_block, count = std::min(elements_of_block, depth_ - k);
          std::memcpy(blocks + ((at - span.first) * mr_ + row) * block, from + k,
                      static_cast<size_t>(count) * sizeof(uint16_t));
        }
      }
    }
  }

  int64_t source_bytes() const override {
    if (geometry_.in_place) return 0;
    return (geometry_.channels * geometry_.channel_step() + nr) * int64_t{sizeof(uint16_t)};
  }
  int64_t source_rows() const override { return c_.inputs; }
  void pad(const void* source, int64_t unit, Range channels, void* padded) const override {
    const PlaneAxis &height = geometry_.height, &width = geometry_.width;
    const uint16_t* input = source_of(source, unit);
    auto* to = static_cast<uint16_t*>(padded);
    if (width.step > PaddedPlane::most_column_stride) {
      return pad_planes(geometry_, input, channels.first, channels.last, to);
    }
    for (int64_t channel = channels.first; channel < channels.last; ++channel) {
      PaddedPlane plane{.from = input + channel * geometry_.source_plane(),
                        .from_height = height.source,
                        .from_width = width.source,
                        .row_stride = height.step,
                        .column_stride = width.step,
                        .first_row = 0,
                        .first_column = 0,
                        .height = height.extent,
                        .width = width.extent,
                        .to = to + channel * geometry_.channel_step()};
      for (const int64_t of_height : height.planes) {
        for (const int64_t of_width : width.planes) {
          plane.first_row = of_height - height.before;
          plane.first_column = of_width - width.before;
          kernels_->pad(plane);
          plane.to += geometry_.plane();
        }
      }
    }
  }
  int64_t work_bytes(int64_t /*parts*/) const override {
    const int64_t count = std::min(blocks_, most_blocks) * block * nr + tiles_ * mr_ * pieces_ * nr;
    return count * int64_t{sizeof(float)};
  }

  GemmPart cut(int64_t parts) const override {
    // Packing a panel takes about as long as multiplying it by one row of tiles.
    const bool of_rows = up(panels_, parts) * (1 + tiles_) > panels_ * (1 + up(tiles_, parts));
    const int64_t bytes = weight_count() * int64_t{sizeof(float)};  // of a group
    const bool from_memory = bytes > bytes_to_read_once && tiles_ % parts == 0;
    return {.part = 0, .parts = parts, .of_rows = of_rows || from_memory};
  }

  void multiply(const ConvolutionOperands& o, const GemmPart& part) const override {
    const int64_t group = o.unit % c_.groups;
    const int64_t made_before = o.unit * c_.outputs * geometry_.made_plane();
    const Operands operands{
        .input = geometry_.in_place ? source_of(o.source, o.unit)
                                    : static_cast<const uint16_t*>(o.source),
        .weight = static_cast<const float*>(o.weight) + group * weight_count(),
        .bias = o.bias ? static_cast<const float*>(o.bias) + group * c_.outputs : nullptr,
        .made = static_cast<float*>(o.made) + made_before,
        .made_before = made_before,
        .epilogue = o.epilogue};
    const Range tiles = part.rows(tiles_), panels = part.columns(panels_);
    if (tiles.size() == 0) return;
    auto* patch = static_cast<float*>(o.work);
    float* sums = patch + std::min(blocks_, most_blocks) * block * nr;
    const int64_t pieces = up(panels.size(), most_panels);
    for (int64_t i = 0; i < pieces; ++i) {
      const Range some = panels.part(i, pieces);
      const Piece piece{tiles, some.first, some.last, patch, sums, some.size() * nr};
      multiply_piece(operands, piece);
      store_piece(operands, piece);
    }
    if (gemm_kernels_->release) gemm_kernels_->release();
  }

 private:
  // The operands of one group of one image.
  struct Operands {
    const uint16_t* input;  // padded; the source itself if it is read in place
    const float* weight;
    const float* bias;  // null: 0
    float* made;
    int64_t made_before;  // elements of the whole result before `made`
    const Epilogue& epilogue;
  };

  // Panels that are multiplied before the epilogue runs on their results.
  struct Piece {
    Range tiles;
    int64_t first, last;
    float* patch;
    float* sums;
    int64_t sum_step;  // elements between two rows
  };

  // Elements of the packed weight of a group.
  int64_t weight_count() const { return tiles_ * mr_ * blocks_ * block; }
  const uint16_t* source_of(const void* source, int64_t unit) const {
    return static_cast<const uint16_t*>(source) + unit * c_.inputs * geometry_.source_plane();
  }
  // A range of blocks of k. One panel of it stays in the L1 cache.
  Range span_at(int64_t i) const { return Range{0, blocks_}.part(i, spans_); }
  // Offset into the packed weight of a group, which has the order in which it is read.
  int64_t weight_at(int64_t tile, Range span) const {
    return (span.first * tiles_ + tile * span.size()) * mr_ * block;
  }

  // Multiplies each panel with all rows of tiles while the panel is in the L1 cache.
  void multiply_piece(const Operands& operands, const Piece& piece) const {
    for (int64_t i = 0; i < spans_; ++i) {
      const Range span = span_at(i);
      const int64_t k = span.first * elements_of_block;
      // Meanwhile each tile prefetches its part of the weight of the next span.
      const auto prefetching = Prefetching::of<float>(
          span.size() * mr_ * block, span.size() * block, piece.last - piece.first);
      for (int64_t panel = piece.first; panel < piece.last; ++panel) {
        kernels_->pack_pairs(
            {.from = operands.input + panel * nr,
             .offsets = geometry_.gemms.front().offsets.data() + k,
             .count = std::min(span.last * elements_of_block, depth_) - k,
             .columns = geometry_.in_place ? std::min(nr, columns_ - panel * nr) : nr,
             .pairs = span.size() * block,
             .to = piece.patch});
        for (int64_t tile = piece.tiles.first; tile < piece.tiles.last; ++tile) {
          const int64_t rows = std::min(mr_, c_.outputs - tile * mr_);
          const float* next =
              i + 1 < spans_ ? operands.weight + weight_at(tile, span_at(i + 1)) : nullptr;
          // There is no tile of one row. The packed weight has zero rows instead.
          gemm_kernels_->tile[std::max(rows, std::min<int64_t>(mr_, 2))](
              {.a = operands.weight + weight_at(tile, span),
               .a_step = mr_,
               .b = piece.patch,
               .b_step = nr,
               .c = piece.sums + (tile - piece.tiles.first) * mr_ * piece.sum_step +
                    (panel - piece.first) * nr,
               .c_step = piece.sum_step,
               .depth = span.size() * block,
               .add = i > 0,
               .bias = nullptr,
               .next = next ? next + (panel - piece.first) * prefetching.elements : nullptr,
               .lines = prefetching.lines});
        }
      }
    }
  }

  void store_piece(const Operands& operands, const Piece& piece) const {
    std::array<Stretch, most_panels * nr> stretches;
    const int64_t count = find_stretches(piece, stretches.data());
    if (count == 0) return;
    const Stretch &front = stretches.front(), &back = stretches[static_cast<size_t>(count - 1)];
    const int64_t plane = geometry_.made_plane();
    for (int64_t tile = piece.tiles.first; tile < piece.tiles.last; ++tile) {
      const int64_t row = tile * mr_, rows = std::min(mr_, c_.outputs - row);
      kernels_->spread({.from = piece.sums + (tile - piece.tiles.first) * mr_ * piece.sum_step,
                        .from_step = piece.sum_step,
                        .rows = rows,
                        .bias = operands.bias ? operands.bias + row : nullptr,
                        .stretches = stretches.data(),
                        .count = count,
                        .to = operands.made + row * plane,
                        .to_step = plane});
      operands.epilogue.run({.begin = operands.made_before + row * plane + front.to,
                             .size = back.to + back.size - front.to,
                             .rows = rows,
                             .step = plane});
    }
  }

  // Finds the columns of a piece that are output pixels. Returns the number of stretches.
  int64_t find_stretches(const Piece& piece, Stretch* stretches) const {
    const TapGemm& gemm = geometry_.gemms.front();
    const int64_t first = piece.first * nr, end = std::min(piece.last * nr, columns_);
    if (geometry_.is_dense(gemm)) {
      stretches[0] = {0, first, end - first};
      return 1;
    }
    const int64_t pitch = geometry_.width.extent, size = gemm.width.count;
    int64_t count = 0;
    for (int64_t y = first / pitch; y * pitch < end; ++y) {
      const int64_t x = std::max<int64_t>(first - y * pitch, 0);
      const int64_t columns = std::min(end - y * pitch, size) - x;
      if (columns > 0) stretches[count++] = {y * pitch + x - first, y * size + x, columns};
    }
    return count;
  }

  Convolution c_;
  const GemmKernels<float>* gemm_kernels_;
  const Im2colKernels* kernels_;
  ImplicitGemmGeometry geometry_;
  int64_t depth_, blocks_, spans_;     // blocks_: of VNNI pairs along k, spans_: of blocks
  int64_t tiles_, mr_;                 // rows of tiles, and the rows of each
  int64_t columns_, panels_, pieces_;  // pieces_: most panels in a piece
};

}  // namespace

bool suits_im2col(int64_t outputs, int64_t depth) {
  return im2col_kernels() && bfloat16_kernels() && outputs >= block && depth >= block;
}

std::shared_ptr<const ConvolutionForm> im2col(const Convolution& convolution) {
  return std::make_shared<Im2col>(convolution);
}

}  // namespace mithril::cpu_backend
