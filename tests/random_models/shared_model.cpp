#include "tests/random_models/shared_model.hpp"

#include <utility>

#include "mithril/infer/tensor_kind.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {

SharedModel share(const RandomModel& random, Random& choose) {
  SharedModel shared{.model = compose(random, {.shapes = false})};
  std::vector<const std::pair<std::string, TensorSpec>*> candidates;
  for (const auto& input : random.inputs) {
    if (!input.second.dims.empty() && input.second.dims.front() > 0) candidates.push_back(&input);
  }
  if (candidates.empty()) return shared;
  const int64_t rows = candidates[choose() % candidates.size()]->second.dims.front();
  for (const auto& [name, spec] : random.inputs) {
    std::vector<DimSpec> dims(spec.dims.begin(), spec.dims.end());
    const bool fits = !spec.dims.empty() && spec.dims.front() == rows;
    if (fits && (choose() % 3 != 0 || shared.sharded.empty())) {
      dims.front() = DimSpec("rows");
      shared.sharded.insert(name);
    }
    shared.model.set_shapes({{name, ShapeSpec(std::move(dims))}});
  }
  return shared;
}

std::vector<Tensor> values_of(const Graph& graph, const RandomModel& random, Random& choose,
                              const std::map<std::string, Dims>& dims) {
  std::map<std::string, Tensor> given;
  std::vector<TensorSpec> specs;
  for (const auto& [name, spec] : random.inputs) {
    specs.push_back(is_floating(spec.dtype)  ? spec.as(DType::float64)
                    : is_integer(spec.dtype) ? spec.as(DType::int64)
                                             : spec);
  }
  const std::vector<Tensor> tensors = generate(specs, random.seed);
  for (std::size_t i = 0; i < specs.size(); ++i) given.emplace(random.inputs[i].first, tensors[i]);
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    const auto at = given.find(value.name);
    inputs.push_back(at != given.end()
                         ? at->second
                         : random_direction(dims.at(value.name), choose).to(value.dtype));
  }
  return inputs;
}

}  // namespace mithril::tests
