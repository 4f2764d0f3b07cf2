// Tensors by name: order, finding and adding.
#include "mithril/tensor/tensor_map.hpp"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
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

TEST_CASE("the tensors of a map can be changed in a loop") {
  TensorMap map = numbered(3);
  for (auto& [key, tensor] : map) tensor = Tensor::scalar(tensor.item() + 1);
  CHECK(map.at("key2").item() == 3);
  for (const auto& [key, tensor] : map) CHECK(&tensor == map.find(key));
  for (auto [key, tensor] : map) tensor = Tensor::scalar(-1);
  CHECK(map.at("key2").item() == 3);
}

TEST_CASE("a copy of a map has elements of its own, and a shared one the same") {
  static_assert(!std::is_copy_constructible_v<TensorMap> && !std::is_copy_assignable_v<TensorMap>);
  TensorMap params = {{"w", Tensor::of<float>({2}, {1, 2})}};
  const TensorMap best = params.copy(), same = params.share();
  params.at("w").mutable_values<float>()[0] = 7;
  CHECK(best.at("w").at_as_double(0) == 1);
  CHECK(same.at("w").at_as_double(0) == 7);
}

TEST_CASE("erasing a key keeps the order of the others") {
  for (const int size : {3, 17, 18, 40}) {
    TensorMap map = numbered(size);
    CHECK(map.erase("key1"));
    CHECK_FALSE(map.erase("key1"));
    CHECK_FALSE(map.contains("key1"));
    CHECK(map.size() == static_cast<size_t>(size - 1));
    CHECK(map.keys()[1] == "key2");
    map["key1"] = Tensor::scalar(-1);
    CHECK(map.keys().back() == "key1");
    for (int i = 2; i < size; ++i) CHECK(map.at("key" + std::to_string(i)).item() == i);
  }
}

TEST_CASE("maps of different keys are merged") {
  TensorMap map = numbered(2);
  map.merge({{"a", Tensor::scalar(5)}, {"b", Tensor::scalar(6)}});
  CHECK(map.keys() == std::vector<std::string>{"key0", "key1", "a", "b"});
  CHECK_THROWS_AS(map.merge({{"c", Tensor()}, {"a", Tensor()}}), ValueError);
  CHECK_FALSE(map.contains("c"));
}

TEST_CASE("the parameters of a part go in and out of those of its model") {
  const TensorMap part = {{"fc.weight", Tensor::scalar(1)}, {"fc.bias", Tensor::scalar(2)}};
  TensorMap whole = part.with_prefix("encoder.");
  CHECK(whole.keys() == std::vector<std::string>{"encoder.fc.weight", "encoder.fc.bias"});
  whole["head.weight"] = Tensor();
  CHECK(whole.without_prefix("encoder.").keys() == part.keys());
  CHECK(whole.without_prefix("encoder.").at("fc.bias").raw_data() ==
        whole.at("encoder.fc.bias").raw_data());
}

}  // namespace mithril
