// Reads examples/data/digits.bin; examples/data/README.md describes its format.
#pragma once
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "mithril/mithril.hpp"

struct Digits {
  int64_t count = 0, height = 0, width = 0;
  std::vector<float> pixels;  // from 0 to 1
  std::vector<int64_t> labels;

  // Images [rows, 1, height, width] of these rows.
  mithril::Tensor images_of(const std::vector<size_t>& rows) const {
    const auto size = static_cast<size_t>(height * width);
    std::vector<float> picked;
    for (const size_t row : rows)
      picked.insert(picked.end(), pixels.begin() + static_cast<long>(row * size),
                    pixels.begin() + static_cast<long>((row + 1) * size));
    return mithril::Tensor::of<float>({static_cast<int64_t>(rows.size()), 1, height, width},
                                      picked);
  }
  mithril::Tensor labels_of(const std::vector<size_t>& rows) const {
    std::vector<int64_t> picked;
    for (const size_t row : rows) picked.push_back(labels[row]);
    return mithril::Tensor::of<int64_t>({static_cast<int64_t>(rows.size())}, picked);
  }
};

inline Digits load_digits(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)),
                                std::istreambuf_iterator<char>());
  if (bytes.size() < 20 || std::memcmp(bytes.data(), "DIGITS01", 8) != 0)
    throw std::runtime_error(path + " is not a file of digits");
  uint32_t header[3];
  std::memcpy(header, bytes.data() + 8, sizeof header);
  Digits digits{
      .count = header[0], .height = header[1], .width = header[2], .pixels = {}, .labels = {}};
  const size_t size = size_t{header[0]} * header[1] * header[2];
  if (bytes.size() != 20 + size + header[0]) throw std::runtime_error(path + " is cut short");
  for (size_t i = 0; i < size; ++i)
    digits.pixels.push_back(static_cast<float>(static_cast<unsigned char>(bytes[20 + i])) / 16.0f);
  for (size_t i = 0; i < header[0]; ++i) digits.labels.push_back(bytes[20 + size + i]);
  return digits;
}

// Three of each five rows are for training, one for validation and one for the test.
inline mithril::TensorMap part_of(const Digits& digits, size_t first, size_t last) {
  std::vector<size_t> rows;
  for (size_t row = 0; row < digits.labels.size(); ++row)
    if (row % 5 >= first && row % 5 <= last) rows.push_back(row);
  return {{"image", digits.images_of(rows)}, {"label", digits.labels_of(rows)}};
}

// The fraction of rows whose largest logit is at the label.
inline double accuracy(const mithril::TensorMap& outputs, const mithril::TensorMap& batch) {
  const mithril::Tensor found = mithril::argmax(outputs.at("logits"), 1);
  double right = 0;
  for (int64_t i = 0; i < found.size(); ++i)
    right += found.data<int64_t>()[i] == batch.at("label").data<int64_t>()[i];
  return right / static_cast<double>(found.size());
}
