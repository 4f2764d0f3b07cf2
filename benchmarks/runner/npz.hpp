// Arrays out of the files that numpy.savez writes.
#pragma once

#include <map>
#include <string>

#include "mithril/tensor/tensor.hpp"

namespace mithril::bench {

// The arrays by name. std::runtime_error if the file is not an npz file, is compressed, or holds
// arrays of dtypes other than float32, float64, int32 and int64, or arrays that are not in C order.
std::map<std::string, Tensor> read_npz(const std::string& path);

}  // namespace mithril::bench
