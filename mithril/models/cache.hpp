// Key-value caches, for models that read a text piece by piece.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct KeyValueCacheOptions {
  int64_t limit = 1024;  // the number of rows
};
// Writes the rows of the input into the cache from row `start` on. The output is the whole cache:
// the rows of all evaluations so far, followed by zeros. Ports: input [..., L, D], start [] (int:
// the place of the first row), output [..., limit, D]. State: cache [..., limit, D].
Model KeyValueCache(KeyValueCacheOptions options = {});

struct CachePositionsOptions {
  int64_t limit = 1024;           // the number of rows of the caches
  std::optional<int64_t> window;  // the places that a query sees; empty: all before it
};
// Positions for models with caches: `start` is the index of the first new row in the caches,
// `positions` are those of the tokens in their texts, and `mask` is true for the rows that each
// token may attend to, which are those before it that hold tokens. Ports: input [N, L] (bool: a
// token, not padding), start [] (int), positions [N, L] (int), mask [N, L, limit] (bool). State:
// length [] (int), cached_tokens [N, limit] (int).
Model CachePositions(const CachePositionsOptions& options = {});

}  // namespace mithril
