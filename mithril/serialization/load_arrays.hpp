// Reads the files of tensors of NumPy and PyTorch: .npy, and zip archives.
#pragma once

#include <optional>
#include <string>

#include "mithril/tensor/tensor_map.hpp"

namespace mithril {

// The arrays of a .npz file, compressed or not. They share their elements with the mapped file
// where it has them uncompressed, aligned, and in a dtype of Mithril. InputError E0830 if the file
// cannot be read; ParseError E0750 if it is not a .npz file or has Python objects, E0745 for a file
// that is cut, E0748 for an array that no tensor can hold.
TensorMap load_npz(const std::string& path);

// The array of a .npy file. It shares its elements as those of load_npz do. Files of ml_dtypes do
// not say their dtype: bytes of the type V1 are elements of `low_bit`. InputError E0830 if the file
// cannot be read; ParseError E0750 if it is not a .npy file or has Python objects, E0745 for a
// file that is cut, E0748 for an array that no tensor can hold.
Tensor load_npy(const std::string& path, std::optional<DType> low_bit = {});

// The tensors of a file that torch.save wrote, version 1.6 or newer. Keys of nested dicts are
// joined by dots. No code of the file runs. They share their elements with the mapped file where
// they are row-major and in a dtype of Mithril. InputError E0830 if the file cannot be read;
// ParseError E0751 if it is not a .pt file, E0752 and E0753 for a pickle with more than plain data
// and tensors, E0754 for a tensor outside of its elements, E0745 for a file that is cut.
TensorMap load_torch(const std::string& path);

}  // namespace mithril
