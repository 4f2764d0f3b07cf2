#include "mithril/infer/distinct_names.hpp"

#include "mithril/infer/symbol.hpp"

namespace mithril {

Dim DistinctNames::copy(const Dim& dim) {
  return rename(dim, copies_, [this](Symbol* symbol) {
    const Note name = symbol->name();
    return Dim(to_.symbol(name ? free_name(*name) : std::string(), symbol->size));
  });
}

Shape DistinctNames::copy(const Shape& shape) {
  Shape copied = shape;
  for (Dim& dim : copied.head) dim = copy(dim);
  for (Dim& dim : copied.tail) dim = copy(dim);
  return copied;
}

std::string DistinctNames::free_name(std::string_view name) {
  std::string free(name);
  for (int number = 1; !names_.insert(free).second; ++number)
    free = std::string(name) + "_" + std::to_string(number);
  return free;
}

}  // namespace mithril
