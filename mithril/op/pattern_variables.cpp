// Matching patterns without making variables that are not needed.
#include "mithril/op/pattern_variables.hpp"

#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/infer/shape_window.hpp"

namespace mithril {

PatternVariables::PatternVariables(Facts& facts, const CompiledPorts& compiled, Dim* dims)
    : facts_(facts), compiled_(compiled), dims_(dims) {
  MITHRIL_CHECK(compiled.dims.size() <= 32, "too many dims in the patterns of one op");
  MITHRIL_CHECK(compiled.runs.size() <= runs_.size(), "too many runs in the patterns of one op");
  MITHRIL_CHECK(compiled.types.size() <= types_.size(), "too many type variables in one op");
}

Type* PatternVariables::type(int variable) {
  const size_t index = static_cast<size_t>(variable);
  if (!types_[index]) types_[index] = facts_.type(compiled_.type_kinds[index]);
  return types_[index];
}

void PatternVariables::match_type(int variable, Type* type) {
  const size_t index = static_cast<size_t>(variable);
  if (types_[index]) return facts_.unify(type, types_[index]);
  facts_.narrow(type, compiled_.type_kinds[index]);
  types_[index] = type;
}

StoredShape PatternVariables::run(int variable) {
  if (!(known_runs_ >> variable & 1)) match_run(variable, {.run = facts_.run()});
  return runs_[static_cast<size_t>(variable)];
}

void PatternVariables::match_run(int variable, const StoredShape& shape) {
  StoredShape& run = runs_[static_cast<size_t>(variable)];
  if (known_runs_ >> variable & 1) return facts_.unify(run, shape);
  run = shape;
  known_runs_ |= 1u << variable;
}

Dim PatternVariables::dim(const Element& element) {
  if (element.variable < 0) return facts_.fixed(element.number);
  Dim& dim = dims_[element.variable];
  if (!(known_dims_ >> element.variable & 1)) dim = Dim(facts_.symbol());
  known_dims_ |= 1u << element.variable;
  return dim;
}

void PatternVariables::match_dim(const Element& element, const Dim& dim) {
  if (element.variable < 0) {
    if (!resolve(dim).is_constant(element.number)) facts_.unify(dim, this->dim(element));
  } else if (known_dims_ >> element.variable & 1) {
    facts_.unify(dims_[element.variable], dim);
  } else {
    dims_[element.variable] = dim;
    known_dims_ |= 1u << element.variable;
  }
}

void PatternVariables::make_missing_dims() {
  for (size_t i = 0; i < compiled_.dims.size(); ++i) dim({static_cast<int16_t>(i), false, 0});
}

void PatternVariables::match_shape(const CompiledPorts::Port& port, bool list,
                                   const StoredShape& shape) {
  const auto& elements = port.elements;
  const auto run = std::find_if(elements.begin(), elements.end(),
                                [](const Element& element) { return element.run; });
  const bool has_run = run != elements.end();
  if (has_run && elements.size() == 1) {
    if (!list) match_run(run->variable, shape);
    return;
  }
  const size_t heads = static_cast<size_t>(run - elements.begin());
  const size_t tails = elements.size() - heads - (has_run ? 1 : 0);
  ShapeWindow window(shape);
  const bool open = window.run() != nullptr;
  const bool fits = has_run ? window.fronts() >= heads && window.backs() >= tails &&
                                  (open || window.fronts() >= heads + tails)
                            : !open && window.fronts() == heads;
  if (!fits) return facts_.unify(shape, this->shape(port, list));
  for (size_t i = 0; i < heads; ++i) match_dim(elements[i], window.take_front());
  for (size_t i = 1; i <= tails; ++i) {
    match_dim(elements[elements.size() - i], window.take_back());
  }
  if (has_run && !list) match_run(run->variable, window.store(facts_));
}

StoredShape PatternVariables::shape(const CompiledPorts::Port& port, bool list) {
  SmallVector<Dim, 16> dims;
  StoredShape shape;
  for (const Element& element : port.elements) {
    if (!element.run) {
      dims.push_back(dim(element));
      continue;
    }
    const StoredShape middle = list ? StoredShape{.run = facts_.run()} : run(element.variable);
    if (port.elements.size() == 1) return middle;
    dims.append(middle.head().data(), middle.head().data() + middle.head_size);
    shape.run = middle.run;
    if (middle.run) shape.head_size = static_cast<uint32_t>(dims.size());
    dims.append(middle.tail().data(), middle.tail().data() + middle.tail_size);
  }
  shape.dims = facts_.arena().copy(dims.data(), dims.size());
  shape.tail_size = static_cast<uint32_t>(dims.size()) - shape.head_size;
  return shape;
}

}  // namespace mithril
