// Attention with a cache or without one: Context of pretrained.py.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "mithril/mithril.hpp"

// What the tokens of a text attend to: themselves and the tokens before them. With a limit the
// tokens of earlier evaluations are in caches of as many rows (docs/generation.md).
class Context {
 public:
  Context(const mithril::Connection& mask, std::optional<int64_t> limit) : limit_(limit) {
    using namespace mithril;
    if (limit) {
      const Model places = CachePositions({.limit = *limit});
      const std::vector<Connection> outputs = places.apply(std::vector<Binding>{mask});
      start_ = outputs[0];
      positions_ = outputs[1];
      allowed_ = outputs[2];
    } else {
      const Connection tokens = mask.cast(DType::int64);
      positions_ = maximum(Cumsum({.axis = 1})(tokens) - 1, 0);
      allowed_ = mask.at({slice(none, none), none});
    }
  }

  const mithril::Connection& positions() const { return positions_; }

  // Attends with queries [N, groups, count, L, D]; a group shares one key and one value.
  mithril::Connection attend(const mithril::Connection& query, const mithril::Connection& key,
                             const mithril::Connection& value) const {
    using namespace mithril;
    const Model attention = ScaledDotProduct({.is_causal = !limit_, .use_attn_mask = true});
    const Connection k = cached(key), v = cached(value);
    const Connection mask = allowed_.at({slice(none, none), none, none});
    return attention.apply(
        Bindings{{"query", query}, {"key", k}, {"value", v}, {"attn_mask", mask}})[0];
  }

  // The rows of [N, L, D] of which logits are made: with a cache the last one.
  mithril::Connection read(const mithril::Connection& x) const {
    using namespace mithril;
    return limit_ ? x.at({slice(none, none), slice(-1, none)}) : x;
  }

 private:
  mithril::Connection cached(const mithril::Connection& rows) const {
    using namespace mithril;
    if (!limit_) return rows;
    return KeyValueCache({.limit = *limit_}).apply(Bindings{{"input", rows}, {"start", start_}})[0];
  }

  std::optional<int64_t> limit_;
  mithril::Connection start_, positions_, allowed_;
};
