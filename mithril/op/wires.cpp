// Making one wire of two.
#include <atomic>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/op/part.hpp"

namespace mithril {
namespace {

struct WireNaming {
  const Part* home = nullptr;
  Note name = {};
};

bool is_root(const Part* part) { return part && !part->owner; }

// A driven wire is named by a model around its driver; the composing root is around everything in
// it.
WireNaming naming_of(const Wire& outer, const Wire& inner) {
  const WireNaming out{outer.home, outer.name}, in{inner.home, inner.name};
  if (!outer.driver && !inner.driver) return out.home ? out : in;
  if (inner.driver) return is_root(out.home) ? out : in;
  if (out.home) return out;
  return is_root(in.home) ? in : WireNaming{};
}

std::string driver_text(const Wire& wire) {
  if (wire.driver) return wire.driver->owner ? path(wire.driver) : wire.driver->class_name();
  return "a tensor value";
}

std::optional<DType> common_dtype(const Wire& outer, const Wire& inner) {
  if (!outer.dtype || !inner.dtype || outer.dtype == inner.dtype)
    return outer.dtype ? outer.dtype : inner.dtype;
  raise({.kind = ErrorKind::type,
         .code = "E1360",
         .message = "two dtypes are stated for one connection",
         .facts = {{"one side", std::string(name(*outer.dtype)), ""},
                   {"other side", std::string(name(*inner.dtype)), ""}},
         .help = "cast between the two"});
}

}  // namespace

[[noreturn]] void raise_two_drivers(Wire* wire, std::string first, std::string second);
void raise_two_drivers(Wire* wire, std::string first, std::string second) {
  raise({.kind = ErrorKind::connection,
         .code = "E0101",
         .path = wire_name(wire),
         .message = "two outputs drive one connection",
         .facts = {{"first", std::move(first), ""}, {"second", std::move(second), ""}},
         .help = "give one of the outputs another name"});
}

uint64_t moment() {
  static std::atomic<uint64_t> last = 0;
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void unify_wires(Facts& facts, Wire* outer, Wire* inner) {
  Wire* a = top(outer);
  Wire* b = top(inner);
  if (a == b) return;
  if ((a->driver || a->constant) && (b->driver || b->constant))
    raise_two_drivers(a, driver_text(*a), driver_text(*b));
  facts.unify(a->type, b->type);
  facts.unify(a->shape, b->shape);
  if (a->value && b->value) facts.unify(a->value, b->value);
  const WireNaming naming = naming_of(*a, *b);
  const std::optional<DType> dtype = common_dtype(*a, *b);
  const int8_t differentiable = a->differentiable >= 0 ? a->differentiable : b->differentiable;
  if (a->weight < b->weight) std::swap(a, b);
  save(*a);
  save(b->parent);
  b->parent = a;
  b->linked_at = moment();
  a->weight += b->weight;
  a->uses += b->uses;
  if (!a->value) a->value = b->value;
  if (b->driver) {
    a->driver = b->driver;
    a->driver_slot = b->driver_slot;
  }
  a->home = naming.home;
  a->name = naming.name;
  a->differentiable = differentiable;
  a->dtype = dtype;
  a->constant = a->constant || b->constant;
}

}  // namespace mithril
