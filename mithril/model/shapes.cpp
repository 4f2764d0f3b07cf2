#include "mithril/model/shapes.hpp"

#include "mithril/base/error.hpp"
#include "mithril/model/undo.hpp"

namespace mithril {
namespace {

Dim symbol_named(Composite& model, const std::string& name) {
  auto& symbols = model.more().symbols;
  if (const auto at = symbols.find(name); at != symbols.end()) return at->second;
  const Dim made(model.facts->symbol(name));
  on_undo([&symbols, name] { symbols.erase(name); });
  symbols.emplace(name, made);
  return made;
}

Run* run_named(Composite& model, const std::string& name) {
  if (name.empty()) return model.facts->run();
  auto& runs = model.more().runs;
  if (const auto at = runs.find(name); at != runs.end()) return at->second;
  Run* made = model.facts->run();
  on_undo([&runs, name] { runs.erase(name); });
  runs.emplace(name, made);
  return made;
}

}  // namespace

StoredShape shape_of(Facts& facts, const Tensor& tensor) {
  std::vector<Dim> dims;
  for (const int64_t dim : tensor.dims()) dims.push_back(facts.fixed(dim));
  return facts.store(dims);
}

StoredShape shape_of(Composite& model, const ShapeSpec& spec) {
  Facts& facts = *model.facts;
  Shape shape;
  for (const DimSpec& dim : spec.dims()) {
    auto& side = shape.run ? shape.tail : shape.head;
    if (const auto* size = std::get_if<int64_t>(&dim)) {
      if (*size < 0) {
        raise({.kind = ErrorKind::shape,
               .code = "E0204",
               .message = "the shape " + to_string(spec) + " has a negative dim"});
      }
      side.push_back(facts.fixed(*size));
    } else if (const auto* symbol = std::get_if<std::string>(&dim)) {
      side.push_back(symbol_named(model, *symbol));
    } else if (std::holds_alternative<Any>(dim)) {
      side.emplace_back(facts.symbol());
    } else {
      if (shape.run) {
        raise({.kind = ErrorKind::shape,
               .code = "E0207",
               .message = "the shape " + to_string(spec) + " has two runs of unknown length"});
      }
      shape.run = run_named(model, std::get<Rest>(dim).name);
    }
  }
  if (!shape.run) std::swap(shape.head, shape.tail);
  return facts.store(shape);
}

}  // namespace mithril
