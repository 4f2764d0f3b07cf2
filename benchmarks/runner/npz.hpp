// Arrays out of the files that numpy.savez writes.
#pragma once

#include <map>
#include <string>

#include "mithril/tensor/tensor.hpp"

namespace mithril::bench {

// By name. std::runtime_error where the file is none, is compressed, or holds arrays of other
// dtypes than float32, float64, int32 and int64, or in another order than C's.
std::map<std::string, Tensor> read_npz(const std::string& path);

}  // namespace mithril::bench
