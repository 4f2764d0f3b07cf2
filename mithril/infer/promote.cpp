// Promotion of types: bool < int < float, and a tensor wins over a value.
#include <algorithm>
#include <bit>

#include "mithril/infer/facts.hpp"

namespace mithril {
namespace {

// Bits 0 to 2 are tensors, 3 to 5 values, both in the order bool, int, float.
constexpr Kinds promoted(int a, int b) {
  const bool tensor = a < 3 || b < 3;
  return static_cast<Kinds>(1u << (std::max(a % 3, b % 3) + (tensor ? 0 : 3)));
}

// The kinds that remain possible for each side of out == promote(a, b).
struct Possible {
  Kinds a = 0, b = 0, out = 0;
  int ways = 0;
};

Possible possible(Kinds a, Kinds b, Kinds out) {
  Possible found;
  for (int i = 0; i < 6; ++i) {
    if (!(a >> i & 1)) continue;
    for (int j = 0; j < 6; ++j) {
      if (!(b >> j & 1)) continue;
      const Kinds result = promoted(i, j);
      if (!(out & result)) continue;
      found.a |= static_cast<Kinds>(1u << i);
      found.b |= static_cast<Kinds>(1u << j);
      found.out |= result;
      ++found.ways;
    }
  }
  return found;
}

struct Promote final : Relation {
  Type *a, *b, *out;

  Promote(Type* left, Type* right, Type* result) : a(left), b(right), out(result) {}

  bool progress(Facts& facts) override {
    const Type *left = find(a), *right = find(b);
    const Possible found = possible(left->kinds, right->kinds, find(out)->kinds);
    if (found.ways == 0) {
      facts.conflict(
          ErrorKind::type, "E0302", "types do not promote to " + to_string_kinds(find(out)->kinds),
          to_string_kinds(left->kinds), to_string_kinds(right->kinds), left->origin, right->origin);
    }
    facts.narrow(a, found.a);
    facts.narrow(b, found.b);
    facts.narrow(out, found.out);
    // If any two of the remaining kinds give the only result, nothing more can follow.
    const bool free_choice =
        found.ways == std::popcount(found.a) * std::popcount(found.b) && find(a) != find(b);
    const bool decided = std::has_single_bit(found.a) && std::has_single_bit(found.b);
    if (std::has_single_bit(found.out) && (decided || free_choice)) return true;
    for (Type* type : {a, b, out}) facts.watch(this, type);
    return false;
  }
};

}  // namespace

void Facts::promote(Type* a, Type* b, Type* out, Origin origin) {
  Promote* relation = make<Promote>(a, b, out);
  relation->origin = origin;
  post(relation);
}

}  // namespace mithril
