// Writes the format of NumPy's .npy files.
#pragma once

#include <string>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

// Writes the tensor as an array of version 1.0, atomically. NumPy has no bfloat16: its elements are
// written as float32. Elements of few bits are bytes of the type V1, as numpy.save writes those of
// ml_dtypes. InputError E0831 if the file cannot be written.
void save_npy(const std::string& path, const Tensor& tensor);

}  // namespace mithril
