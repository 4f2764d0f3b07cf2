#include "mithril/base/checksum.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace mithril {
namespace {

std::vector<std::byte> counting(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 37 + i / 251);
  return bytes;
}

}  // namespace

TEST_CASE("a checksum changes with each bit, wherever it is") {
  for (const std::size_t size : {1U, 7U, 8U, 63U, 64U, 65U, 256U, 300U, 1000U}) {
    CAPTURE(size);
    std::vector<std::byte> bytes = counting(size);
    std::set<std::uint64_t> seen = {checksum_of(bytes)};
    for (std::byte& byte : bytes) {
      for (int bit = 0; bit < 8; ++bit) {
        byte ^= std::byte{1} << bit;
        seen.insert(checksum_of(bytes));
        byte ^= std::byte{1} << bit;
      }
    }
    CHECK(seen.size() == 8 * size + 1);
    CHECK(checksum_of(bytes) == checksum_of(counting(size)));
  }
}

TEST_CASE("a checksum changes with the signs of two numbers, and with their order") {
  std::vector<double> numbers(512);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 1 + static_cast<double>(i);
  std::set<std::uint64_t> seen = {checksum_of(std::as_bytes(std::span(numbers)))};
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    numbers[0] = -numbers[0], numbers[i] = -numbers[i];
    seen.insert(checksum_of(std::as_bytes(std::span(numbers))));
    numbers[0] = -numbers[0], numbers[i] = -numbers[i];
    std::swap(numbers[0], numbers[i]);
    seen.insert(checksum_of(std::as_bytes(std::span(numbers))));
    std::swap(numbers[0], numbers[i]);
  }
  CHECK(seen.size() == 2 * numbers.size() - 1);
}

TEST_CASE("checksums of zeros differ by their number") {
  std::set<std::uint64_t> seen;
  const std::vector<std::byte> zeros(600);
  for (std::size_t size = 0; size <= zeros.size(); ++size)
    seen.insert(checksum_of(std::span(zeros).first(size)));
  CHECK(seen.size() == zeros.size() + 1);
}

}  // namespace mithril
