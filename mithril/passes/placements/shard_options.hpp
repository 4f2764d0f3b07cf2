// Which inputs and outputs of a graph the processes of a group hold as blocks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mithril {

struct ShardOptions {
  std::string group = {};  // the name of the communicator
  int rank = 0, size = 1;  // of this process; of the group
  // Per input and per output the axis along which process r of n holds block r of n equal ones.
  // None, and beyond the end: every process holds the whole value, with the same bits. The size of
  // the axis is a multiple of n.
  std::vector<std::optional<size_t>> input_axes = {}, output_axes = {};
  // Names of values that are whole for their readers: they are exchanged once where several values
  // that depend on them would be.
  std::vector<std::string> whole_values = {};
  // Per input, whether its first axis holds rows of a batch. Only tells open sizes apart.
  std::vector<bool> row_inputs = {};
  int64_t bucket_bytes = int64_t{25} << 20;
};

}  // namespace mithril
