#include "mithril/passes/datum_hash.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "mithril/infer/symbol.hpp"

namespace mithril {
namespace {

size_t hash_of(const Dim& dim) {
  const Dim now = resolve(dim);
  if (now.is_constant()) return static_cast<size_t>(now.constant());
  size_t hash = 1;
  each_symbol(
      now, [&](const Symbol* symbol) { hash = mix_hash(hash, static_cast<size_t>(symbol->id)); });
  return hash;
}

}  // namespace

size_t hash_of(const Datum& datum) {
  const size_t kind = datum.kind();
  switch (kind) {
    case kind::bool_value:
      return mix_hash(kind, datum.flag());
    case kind::int_value:
      return mix_hash(kind, hash_of(datum.dim()));
    case kind::float_value:
      return mix_hash(kind, std::bit_cast<uint64_t>(datum.real()));
    case kind::string:
      return mix_hash(kind, text_hash(datum));
    case kind::dtype:
      return mix_hash(kind, static_cast<size_t>(datum.dtype()));
    case kind::tuple: {
      size_t hash = kind;
      for (const Datum& item : datum.tuple()) hash = mix_hash(hash, hash_of(item));
      return hash;
    }
    default:
      return kind;
  }
}

bool identical(const Datum& a, const Datum& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case kind::float_value:
      return std::bit_cast<uint64_t>(a.real()) == std::bit_cast<uint64_t>(b.real());
    case kind::tuple:
      return std::equal(a.tuple().begin(), a.tuple().end(), b.tuple().begin(), b.tuple().end(),
                        identical);
    case kind::slice:
      return identical(a.slice().start, b.slice().start) &&
             identical(a.slice().stop, b.slice().stop) && identical(a.slice().step, b.slice().step);
    default:
      return same(a, b);
  }
}

}  // namespace mithril
