// Tensors by name: order, finding and adding.
#include "mithril/tensor/tensor_map.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace mithril {
namespace {

TensorMap numbered(int count) {
  TensorMap map;
  for (int i = 0; i < count; ++i) map["key" + std::to_string(i)] = Tensor::scalar(i);
  return map;
}

}  // namespace

TEST_CASE("a map keeps the order in which its keys were added") {
  const TensorMap map = {{"b", Tensor::scalar(1)}, {"a", Tensor::scalar(2)}};
  CHECK(map.keys() == std::vector<std::string>{"b", "a"});
}

TEST_CASE("a map of any size finds its keys and no others") {
  for (const int size : {0, 1, 16, 17, 40}) {
    const TensorMap map = numbered(size);
    CHECK(map.size() == static_cast<size_t>(size));
    for (int i = 0; i < size; ++i) CHECK(map.at("key" + std::to_string(i)).item() == i);
    CHECK_FALSE(map.contains("key" + std::to_string(size)));
    if (size > 3) CHECK(map.find("key3", 3)->item() == 3);
    if (size > 3) CHECK(map.find("key3", 1000)->item() == 3);
  }
}

TEST_CASE("an unknown key of a map gives the nearest") {
  const TensorMap map = {{"logits", Tensor()}};
  try {
    map.at("logit");
    FAIL("nothing was raised");
  } catch (const NameError& error) {
    CHECK(std::string(error.what()) ==
          "mithril.NameError[E0681]: there is no key 'logit'\n"
          "  known : logits\n"
          "  help: did you mean 'logits'?");
  }
}

TEST_CASE("a key given twice is refused") {
  try {
    const TensorMap map = {{"a", Tensor()}, {"a", Tensor()}};
    FAIL("nothing was raised");
  } catch (const ValueError& error) {
    CHECK(std::string(error.what()) == "mithril.ValueError[E0486]: the key 'a' is given twice");
  }
}

TEST_CASE("setting a key again keeps its place") {
  TensorMap map = numbered(3);
  map["key1"] = Tensor::scalar(7);
  CHECK(map.size() == 3);
  CHECK(map.keys()[1] == "key1");
  CHECK(map.at("key1").item() == 7);
}

}  // namespace mithril
