// How kernels are launched: which elements they read, and by how many threads.
#include "codegen/cuda/layout.hpp"

#include <doctest/doctest.h>

#include <string>

#include "codegen/cuda/batch.hpp"

namespace mithril::tests {
namespace {

using Numbers = std::vector<std::int64_t>;

alignas(64) constexpr char memory[64] = {};

struct Described {
  Numbers sizes, strides;
  std::int64_t offset = 0;  // in elements
};

std::vector<CudaInput> inputs_of(const std::vector<Described>& all) {
  std::vector<CudaInput> inputs;
  for (const Described& each : all)
    inputs.push_back({each.sizes, each.strides, memory + 4 * each.offset, 4});
  return inputs;
}

// "6x8: 8,1 0,1 -> 8,1": the loops, the steps of each input, and the strides of the results.
std::string arrangement(const Numbers& sizes, const std::vector<Described>& all) {
  const CudaArrangement made = arrange(sizes, inputs_of(all));
  const auto joined = [](auto begin, auto end, const char* between) {
    std::string text;
    for (; begin != end; ++begin) text += (text.empty() ? "" : between) + std::to_string(*begin);
    return text;
  };
  const CudaLayout& layout = made.layout;
  std::string text = joined(layout.sizes, layout.sizes + layout.axes, "x") + ":";
  for (std::size_t i = 0; i < all.size(); ++i)
    text += " " + joined(layout.steps[i], layout.steps[i] + layout.axes, ",");
  return text + " -> " + joined(made.output_strides.begin(), made.output_strides.end(), ",");
}

bool takes_lanes(const Numbers& sizes, const std::vector<Described>& all) {
  const std::vector<CudaInput> inputs = inputs_of(all);
  return fits_lanes(arrange(sizes, inputs).layout, inputs);
}

const Described rows{{6, 8}, {8, 1}}, columns{{6, 8}, {1, 6}}, row{{8}, {1}},
    column{{6, 1}, {1, 1}}, number{{}, {}}, cut{{6, 8}, {10, 1}}, shifted{{6, 8}, {8, 1}, 1};

}  // namespace

TEST_CASE("axes with proportional strides in all inputs become one loop") {
  CHECK(arrangement({6, 8}, {rows, rows}) == "48: 1 1 -> 8,1");
  CHECK(arrangement({6, 8}, {rows, number}) == "48: 1 0 -> 8,1");
  CHECK(arrangement({6, 8}, {rows, row}) == "6x8: 8,1 0,1 -> 8,1");
  CHECK(arrangement({6, 8}, {rows, column}) == "6x8: 8,1 1,0 -> 8,1");
  CHECK(arrangement({6, 8}, {cut}) == "6x8: 10,1 -> 8,1");
  CHECK(arrangement({2, 3, 4}, {{{2, 3, 4}, {12, 4, 1}}, {{3, 4}, {4, 1}}}) ==
        "2x12: 12,1 0,1 -> 12,4,1");
  CHECK(arrangement({5, 1, 3}, {{{5, 1, 3}, {3, 100, 1}}}) == "15: 1 -> 3,15,1");
  CHECK(arrangement({}, {number}) == "1: 0 -> ");
  CHECK(arrangement({3, 0}, {}) == "0: -> 1,1");
}

TEST_CASE("results have the order of axes of the first whole input") {
  CHECK(arrangement({6, 8}, {columns}) == "48: 1 -> 1,6");
  CHECK(arrangement({6, 8}, {row, columns, rows}) == "8x6: 1,0 6,1 1,8 -> 1,6");
  CHECK(arrangement({6, 8}, {rows, columns}) == "6x8: 8,1 1,6 -> 8,1");
  // Channels last, with a bias for each channel.
  CHECK(arrangement({2, 3, 4, 5}, {{{2, 3, 4, 5}, {60, 1, 15, 3}}, {{3, 1, 1}, {1, 1, 1}}}) ==
        "40x3: 3,1 0,1 -> 60,1,15,3");
}

TEST_CASE("four elements are moved at a time if they are adjacent in memory and aligned") {
  CHECK(takes_lanes({6, 8}, {rows, number}));
  CHECK(takes_lanes({6, 8}, {rows, row}));
  CHECK(takes_lanes({6, 8}, {rows, column}));
  CHECK(takes_lanes({6, 8}, {columns}));
  CHECK(!takes_lanes({6, 8}, {shifted}));
  CHECK(!takes_lanes({6, 8}, {cut}));            // its second row is not aligned
  CHECK(!takes_lanes({6, 8}, {rows, columns}));  // neighbours of one are apart in the other
  CHECK(!takes_lanes({7}, {{{7}, {1}}}));
  CHECK(!takes_lanes({}, {number}));
}

TEST_CASE("a grid has enough threads for all items, and no more than run at a time") {
  const auto grid = [](std::int64_t items, int multiprocessors) {
    const CudaGrid made = cuda_grid(items, multiprocessors);
    return std::to_string(made.blocks) + " x " + std::to_string(made.threads);
  };
  CHECK(grid(1, 132) == "1 x 32");
  CHECK(grid(33, 132) == "1 x 64");
  CHECK(grid(256, 132) == "1 x 256");
  CHECK(grid(257, 132) == "2 x 256");
  CHECK(grid(std::int64_t{1} << 40, 132) == "1056 x 256");
}

TEST_CASE("rows of a kernel are the last axis, which is not merged") {
  const Numbers sizes{2, 3, 8}, strides{24, 8, 1}, row{8}, step{1}, of_rows{2, 3, 1},
      number_strides{3, 1, 1};
  const std::vector<CudaInput> inputs{
      {sizes, strides, memory, 4}, {row, step, memory, 4}, {of_rows, number_strides, memory, 4}};
  const CudaArrangement made = arrange_rows(sizes, inputs);
  CHECK(made.layout.axes == 2);
  CHECK(made.layout.sizes[0] == 6);
  CHECK(made.layout.sizes[1] == 8);
  const Numbers steps[]{{8, 1}, {0, 1}, {1, 0}};
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(Numbers(made.layout.steps[i], made.layout.steps[i] + 2) == steps[i]);
  CHECK(made.output_strides == strides);
}

TEST_CASE("a warp computes a short row, and a block a longer one") {
  const auto text = [](const CudaGrid& grid) {
    return std::to_string(grid.blocks) + " x " + std::to_string(grid.rows) + " x " +
           std::to_string(grid.threads);
  };
  CHECK(text(cuda_row_grid(20, 128, 100)) == "3 x 8 x 32");
  CHECK(text(cuda_row_grid(20, 129, 100)) == "20 x 1 x 64");
  CHECK(text(cuda_row_grid(20, 1024, 100)) == "20 x 1 x 256");
  CHECK(text(cuda_row_grid(20, 100000, 100)) == "20 x 1 x 512");
  CHECK(text(cuda_row_grid(1000000, 1024, 2)) == "16 x 1 x 256");
}

TEST_CASE("a batch has the tensors and pointers that fit the parameters of a kernel") {
  const std::vector<const void*> few(2, memory), many(20, memory);
  const Numbers steps{1};
  const auto tensors = [&](const std::vector<CudaBatchItem>& items) {
    std::vector<std::int64_t> counts;
    for (const CudaBatch& batch : cuda_batches(items, steps)) counts.push_back(batch.tensors);
    return counts;
  };
  CHECK(tensors(std::vector<CudaBatchItem>(100, {5, few})) == Numbers{48, 48, 4});
  CHECK(tensors(std::vector<CudaBatchItem>(20, {5, many})) == Numbers{19, 1});
  CHECK(tensors({{0, few}}).empty());
  const auto batch =
      cuda_batches(std::vector<CudaBatchItem>{{8193, few}, {0, few}, {1, few}}, steps);
  CHECK(batch[0].tensors == 2);
  CHECK(batch[0].first_blocks[1] == 2);
  CHECK(batch[0].grid().blocks == 3);
}

}  // namespace mithril::tests
