// Values that name sizes: an int or a tuple of ints as dims; sizes that must have the same product.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mithril/infer/datum.hpp"
#include "mithril/op/solver.hpp"

namespace mithril {

// The items of a tuple; anything else is the only item.
inline Tuple items_of(const Datum& datum) {
  return datum.kind() == kind::tuple ? datum.tuple() : Tuple{datum};
}

inline Dim product(const std::vector<Dim>& dims) {
  Dim result = 1;
  for (const Dim& dim : dims) result = result * dim;
  return result;
}

// The dims that an int or a tuple of ints names; rejects other items and negative numbers.
inline std::vector<Dim> dims_of(Solver& s, const Datum& shape) {
  std::vector<Dim> dims;
  for (const Datum& item : items_of(shape)) {
    if (item.kind() != kind::int_value) s.reject("a size is not an int", "an int", to_string(item));
    const Dim now = resolve(item.dim());
    if (now.is_constant() && now.constant() < 0) {
      s.reject("a size is negative", "0 or more", to_string(shape));
    }
    dims.push_back(item.dim());
  }
  return dims;
}

inline std::vector<Dim> fresh_dims(Solver& s, size_t count) {
  std::vector<Dim> dims;
  for (size_t i = 0; i < count; ++i) dims.push_back(s.fresh());
  return dims;
}

// States that the two shapes have the same number of elements.
inline void same_count(Solver& s, const std::vector<Dim>& from, const std::vector<Dim>& to) {
  const Dim before = resolve(product(from)), after = resolve(product(to));
  if (before.is_constant() && after.is_constant() && before.constant() != after.constant()) {
    s.reject("cannot reshape " + to_string(from) + " to " + to_string(to),
             to_string(before) + " elements", to_string(after) + " elements", ErrorKind::shape);
  }
  s.same(before, after);
}

}  // namespace mithril
