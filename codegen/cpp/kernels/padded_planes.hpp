// Convolutions as GEMMs on tiles, over zero-padded planes.
#pragma once
#include <algorithm>
#include <vector>

#include "codegen/cpp/kernels/convolution.hpp"
#include "codegen/cpp/kernels/gemm.hpp"

namespace mithril::snippets {

// The planes of one group of an image, padded so that each tap of each window lies inside.
template <typename T>
struct PaddedPlanes {
  Window rows, columns;
  int64_t channels, height, width;
  std::vector<T> elements;
  std::vector<int64_t> taps;  // offsets of the taps of a window, in weight order

  explicit PaddedPlanes(const Convolution& sizes)
      : rows(sizes.rows),
        columns(sizes.columns),
        channels(sizes.weight[1]),
        height(rows.reach()),
        width(columns.reach()),
        // Packing may read the last panel beyond the end.
        elements(static_cast<size_t>(channels * height * width + tile_width<T>)) {
    for (int64_t channel = 0; channel < channels; ++channel) {
      for (int64_t p = 0; p < rows.kernel; ++p) {
        for (int64_t q = 0; q < columns.kernel; ++q) {
          taps.push_back((channel * height + p * rows.dilation) * width + q * columns.dilation);
        }
      }
    }
  }

  int64_t depth() const { return static_cast<int64_t>(taps.size()); }
  int64_t outputs() const { return rows.output * columns.output; }
  int64_t input_size() const { return channels * rows.input * columns.input; }

  // The offset of the window of output (i, j).
  int64_t window(int64_t i, int64_t j) const {
    return i * rows.stride * width + j * columns.stride;
  }

  std::vector<int64_t> windows() const {
    std::vector<int64_t> all;
    for (int64_t i = 0; i < rows.output; ++i) {
      for (int64_t j = 0; j < columns.output; ++j) all.push_back(window(i, j));
    }
    return all;
  }

  // Calls body(padded, plain, count) for the row pieces that planes with and without padding share.
  template <typename Body>
  void each_piece(const Body& body) {
    const int64_t top = std::max<int64_t>(0, -rows.before);
    const int64_t bottom = std::min(rows.input, height - rows.before);
    const int64_t left = std::max<int64_t>(0, -columns.before);
    const int64_t count = std::min(columns.input, width - columns.before) - left;
    for (int64_t channel = 0; channel < channels && count > 0; ++channel) {
      for (int64_t row = top; row < bottom; ++row) {
        const int64_t padded = (channel * height + row + rows.before) * width;
        body(elements.data() + padded + left + columns.before,
             (channel * rows.input + row) * columns.input + left, count);
      }
    }
  }

  void load(const T* image) {
    each_piece([&](T* padded, int64_t plain, int64_t count) {
      std::copy_n(image + plain, count, padded);
    });
  }
  void store(T* image) {
    each_piece([&](const T* padded, int64_t plain, int64_t count) {
      std::copy_n(padded, count, image + plain);
    });
  }
};

// Calls body(column, i, j, count) for the runs of outputs from (i, j) on that the columns of a tile
// cover, where a row of outputs is `pitch` columns.
template <typename T, typename Body>
void each_output_run(const Tile<T>& tile, const Window& row, int64_t pitch, const Body& body) {
  int64_t i = tile.column / pitch, j = tile.column % pitch;
  for (int64_t c = 0; c < tile.columns; c += pitch - j, j = 0, ++i) {
    const int64_t count = std::min(row.output - j, tile.columns - c);
    if (count > 0) body(c, i, j, count);
  }
}

// Packs a panel with a row for each tap and a column for each window; `neighbours`: adjacent
// windows are one element apart.
template <typename T>
void pack_windows(T* panel, const T* elements, const int64_t* taps, int64_t depth,
                  const int64_t* windows, bool neighbours) {
  constexpr int64_t width = tile_width<T>;
  for (int64_t k = 0; k < depth; ++k, panel += width) {
    const T* const tap = elements + taps[k];
    if (neighbours) {
      std::copy_n(tap + windows[0], width, panel);
    } else {
      for (int64_t c = 0; c < width; ++c) panel[c] = tap[windows[c]];
    }
  }
}

// output = weight @ windows + bias, for one group of an image.
template <typename T, typename Start>
void convolve(const PaddedPlanes<T>& image, int64_t outputs, const T* weight, T* output,
              Start start) {
  constexpr int64_t width = tile_width<T>;
  // Without strides all windows of a plane are one element apart. This includes windows between the
  // last output of a row and the first of the next row, whose results are dropped.
  const bool neighbours =
      image.rows.stride == 1 && image.columns.stride == 1 && image.width < 2 * image.columns.output;
  const int64_t pitch = neighbours ? image.width : image.columns.output;
  const int64_t columns = (image.rows.output - 1) * pitch + image.columns.output;
  alignas(64) T panel[tile_depth * width];
  int64_t windows[width];
  Tile<T> tile;
  const auto put = [&](const Tile<T>& made) {
    for (int64_t r = 0; r < made.rows; ++r) {
      T* const plane = output + (made.row + r) * image.outputs();
      const T begin = static_cast<T>(start.at(made.row + r, 0));
      const T* const sums = made.sums + r * width;
      each_output_run(made, image.columns, pitch, [&](int64_t c, int64_t i, int64_t j, int64_t n) {
        T* const to = plane + i * image.columns.output + j;
        for (int64_t x = 0; x < n; ++x) to[x] = (made.first ? begin : to[x]) + sums[c + x];
      });
    }
  };
  tile.row = 0;
  for (tile.column = 0; tile.column < columns; tile.column += width) {
    tile.columns = std::min(width, columns - tile.column);
    for (int64_t c = 0; c < width; ++c) {
      const int64_t at = tile.column + std::min(c, tile.columns - 1);
      windows[c] = image.window(at / pitch, at % pitch);
    }
    for (int64_t from = 0; from == 0 || from < image.depth(); from += tile_depth) {
      const int64_t depth = std::min(tile_depth, image.depth() - from);
      const auto rows = [&](int64_t i) {
        return Strided<const T>{weight + i * image.depth() + from, image.depth(), 1};
      };
      tile.first = from == 0;
      pack_windows(panel, image.elements.data(), image.taps.data() + from, depth, windows,
                   neighbours);
      multiply_panel(tile, outputs, depth, rows, Strided<const T>{panel, 1, width}, put);
    }
  }
}

// Adds weight.T @ grad to the windows of one group of an image.
template <typename T>
void add_input_grad(PaddedPlanes<T>& image, int64_t outputs, const T* weight, const T* grad) {
  constexpr int64_t width = tile_width<T>;
  alignas(64) T panel[tile_depth * width];
  Tile<T> tile;
  const auto put = [&](const Tile<T>& made) {
    each_output_run(made, image.columns, image.columns.output,
                    [&](int64_t c, int64_t i, int64_t j, int64_t n) {
                      T* const window = image.elements.data() + image.window(i, j);
                      for (int64_t r = 0; r < made.rows; ++r) {
                        T* const tap = window + image.taps[static_cast<size_t>(made.row + r)];
                        const T* const sums = made.sums + r * width + c;
                        if (image.columns.stride == 1) {
                          for (int64_t x = 0; x < n; ++x) tap[x] += sums[x];
                        } else {
                          for (int64_t x = 0; x < n; ++x) {
                            tap[x * image.columns.stride] += sums[x];
                          }
                        }
                      }
                    });
  };
  tile.row = 0;
  for (tile.column = 0; tile.column < image.outputs(); tile.column += width) {
    tile.columns = std::min(width, image.outputs() - tile.column);
    for (int64_t from = 0; from < outputs; from += tile_depth) {
      const int64_t depth = std::min(tile_depth, outputs - from);
      pack_panel(panel, {grad + from * image.outputs() + tile.column, image.outputs(), 1}, depth,
                 tile.columns);
      const auto rows = [&](int64_t i) {
        return Strided<const T>{weight + from * image.depth() + i, 1, image.depth()};
      };
      multiply_panel(tile, image.depth(), depth, rows, Strided<const T>{panel, 1, width}, put);
    }
  }
}

// The rows of the im2col matrix: element (i, k) is tap i of window k.
template <typename T>
struct WindowRows {
  const T* data;
  const int64_t *windows, *taps;

  const T* at(int64_t k) const { return data + windows[k]; }
  int64_t offset(int64_t i) const { return taps[i]; }
};

// Adds (grad @ windows.T).T to `sums`: rows of `outputs` elements, one for each tap.
template <typename T>
void add_weight_grad(const PaddedPlanes<T>& image, int64_t outputs, const T* grad,
                     const int64_t* windows, T* sums) {
  constexpr int64_t width = tile_width<T>;
  alignas(64) T panel[tile_depth * width];
  Tile<T> tile;
  const auto put = [&](const Tile<T>& made) {
    for (int64_t r = 0; r < made.rows; ++r) {
      T* const to = sums + (made.row + r) * outputs + made.column;
      each_column(made, [&](int64_t c) { to[c] += made.sums[r * width + c]; });
    }
  };
  tile.row = 0;
  for (int64_t from = 0; from < image.outputs(); from += tile_depth) {
    const int64_t depth = std::min(tile_depth, image.outputs() - from);
    for (tile.column = 0; tile.column < outputs; tile.column += width) {
      tile.columns = std::min(width, outputs - tile.column);
      pack_panel(panel, {grad + tile.column * image.outputs() + from, 1, image.outputs()}, depth,
                 tile.columns);
      const auto rows = [&](int64_t i) {
        return WindowRows<T>{image.elements.data(), windows + from, image.taps.data() + i};
      };
      multiply_panel(tile, image.depth(), depth, rows, Strided<const T>{panel, 1, width}, put);
    }
  }
}

}  // namespace mithril::snippets
