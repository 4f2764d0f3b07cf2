// Reads and writes arrays in the format of NumPy's .npy files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

struct NpyHeader;

// Why bytes are not an array.
struct NpyFault {
  std::string why;
};

// Reads the array `name` of the file at `path`, which errors name.
class NpyReader {
 public:
  // Bytes of the type V1 are elements of the low-bit dtype, if one is given.
  NpyReader(const std::string& path, std::string name, std::optional<DType> low_bit = {})
      : path_(path), name_(std::move(name)), low_bit_(low_bit) {}

  // The array of a header and its elements, which live as long as the owner. It shares them where
  // they are aligned, in C order and in a dtype of Mithril. Throws an NpyFault for bytes of another
  // form; ParseError E0745 if they end too early, E0748 for an array that no tensor can hold.
  Tensor read(std::span<std::byte> bytes, const std::shared_ptr<void>& owner,
              bool may_be_longer) const;

  // ParseError E0745, with the numbers of bytes if `expected` is given.
  [[noreturn]] void refuse_cut(std::optional<std::uint64_t> expected, std::uint64_t got) const;

 private:
  [[noreturn]] void refuse_type(const NpyHeader& header) const;

  const std::string& path_;
  std::string name_;
  std::optional<DType> low_bit_;
};

}  // namespace mithril
