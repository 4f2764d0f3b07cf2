#include <optional>

#include "mithril/compile/options.hpp"
#include "mithril/infer/known_shape.hpp"
#include "mithril/json/json.hpp"
#include "mithril/model/connection.hpp"
#include "tests/allocation_failure/scenario.hpp"
#include "tests/allocation_failure/scenario_tensors.hpp"

namespace mithril::tests {
namespace {

// The text is so long that a string needs heap memory.
const std::string long_text(64, 'x');

// Copies into new objects, and over old ones.
template <typename T>
class Copies {
 public:
  Copies(T from, T other) : from_(std::move(from)), assigned_(std::move(other)) {}
  void construct() { made_.emplace(from_); }
  void assign() { assigned_ = from_; }
  int stage(bool (*are_equal)(const T&, const T&)) const {
    return (made_ && are_equal(*made_, from_)) + 2 * are_equal(assigned_, from_);
  }

 private:
  T from_, assigned_;
  std::optional<T> made_;
};

bool are_equal_json(const Json& a, const Json& b) { return a == b; }
bool are_equal_dims(const KnownDim& a, const KnownDim& b) { return a == b; }
bool are_equal_shapes(const ShapeSpec& a, const ShapeSpec& b) {
  return to_string(a) == to_string(b);
}
bool are_equal_data(const Datum& a, const Datum& b) { return to_string(a) == to_string(b); }
bool are_equal_bindings(const Binding& a, const Binding& b) {
  const auto *left = std::get_if<IOKey>(&a.held()), *right = std::get_if<IOKey>(&b.held());
  return left && right && left->name == right->name;
}
bool are_equal_keys(const KeyRef& a, const KeyRef& b) { return a.name() == b.name(); }

class CopyingValues final : public Scenario {
 public:
  CopyingValues() {
    add_copies(text_);
    add_copies(array_);
    add_copies(object_);
    add_copies(dim_);
    add_copies(shape_);
    add_copies(datum_);
    add_copies(binding_);
    add_copies(key_);
  }
  std::string state() override {
    std::string stages;
    for (const auto* json : {&text_, &array_, &object_})
      stages += std::to_string(json->stage(are_equal_json));
    return stages + std::to_string(dim_.stage(are_equal_dims)) +
           std::to_string(shape_.stage(are_equal_shapes)) +
           std::to_string(datum_.stage(are_equal_data)) +
           std::to_string(binding_.stage(are_equal_bindings)) +
           std::to_string(key_.stage(are_equal_keys));
  }

 private:
  template <typename T>
  void add_copies(Copies<T>& copies) {
    add([&] { copies.construct(); });
    add([&] { copies.assign(); });
  }

  Copies<Json> text_{Json(long_text), Json(1)};
  Copies<Json> array_{Json(Json::Array{long_text, Json::Array{2, long_text}}), Json(long_text)};
  Copies<Json> object_{Json(Json::Object{{long_text, 1}}), Json(Json::Array{long_text})};
  Copies<KnownDim> dim_{KnownDim(long_text), KnownDim(2)};
  Copies<ShapeSpec> shape_{ShapeSpec{2, long_text, rest(long_text)}, ShapeSpec{any}};
  Copies<Datum> datum_{Datum(Tuple{long_text, 2}), Datum(long_text)};
  Copies<Binding> binding_{Binding(IOKey{.name = long_text, .shape = ShapeSpec{long_text}}),
                           Binding(long_text)};
  Copies<KeyRef> key_{KeyRef(long_text), KeyRef("x")};
};

class MapsOfTensors final : public Scenario {
 public:
  MapsOfTensors() {
    for (const std::string& key : keys_) add([this, &key] { map_[key] = shared_; });
    add([this] { map_.merge(others_); });
    add([this] { copy_ = map_.copy(); });
    for (const std::string& key : erased_) add([this, &key] { map_.erase(key); });
  }
  std::string state() override {
    std::string text = text_of(copy_);
    for (const std::string& key : map_.keys())
      text += key + (map_.find(key) ? " is found\n" : " is lost\n");
    return text;
  }

 private:
  static std::vector<std::string> numbered(const std::string& name, int count) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) names.push_back(name + std::to_string(i) + long_text);
    return names;
  }

  const std::vector<std::string> keys_ = numbered("key", 20);
  const std::vector<std::string> erased_{keys_[3], keys_[19], keys_[0], keys_[5]};
  const Tensor shared_ = numbers({2}, 1);
  const TensorMap others_{{"a" + long_text, numbers({2}, 3)}, {"b" + long_text, numbers({2}, 4)}};
  TensorMap map_, copy_;
};

}  // namespace

std::vector<NamedScenario> value_scenarios() {
  return {{"copying_values", make_scenario<CopyingValues>},
          {"maps_of_tensors", make_scenario<MapsOfTensors>}};
}

}  // namespace mithril::tests
