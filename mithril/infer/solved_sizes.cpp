#include "mithril/infer/solved_sizes.hpp"

#include "mithril/infer/polynomial.hpp"
#include "mithril/infer/walk.hpp"

namespace mithril {
void SolvedSizes::add(const Dim& inner, const Dim& outer) {
  const Dim now = resolve(inner);
  if (now.is_constant()) return;
  if (!solve(now, outer)) {
    waiting_.emplace_back(now, outer);
    return;
  }
  const auto solves = [&](const auto& pair) { return solve(pair.first, pair.second); };
  while (std::erase_if(waiting_, solves) > 0) continue;
}

// Whether all symbols of the dim are known afterwards. Computes with outer dims alone: other
// threads may read the inner ones.
bool SolvedSizes::solve(const Dim& inner, const Dim& outer) {
  if (Symbol* symbol = inner.symbol()) {
    memo_.emplace(symbol, outer);
    return true;
  }
  std::optional<Term> open;
  for (const Term& term : inner.polynomial()->terms()) {
    if (follows(term.symbol)) continue;
    if (open) return false;
    open = term;
  }
  if (!open) return true;
  Dim rest = outer - Dim(inner.polynomial()->constant);
  for (const Term& term : inner.polynomial()->terms()) {
    if (term.symbol == open->symbol) continue;
    rest = rest - Dim(term.factor) * rename(Dim(term.symbol), memo_, [](Symbol* symbol) -> Dim {
                    MITHRIL_CHECK(false, "the size " + to_string(Dim(symbol)) + " is not known");
                  });
  }
  memo_.emplace(open->symbol, floor_divide(rest, Dim(open->factor)));
  return true;
}

bool SolvedSizes::follows(Symbol* symbol) const {
  const auto is_known = [&](Symbol* part) { return memo_.contains(part); };
  return walk(
      Dim(symbol), is_known, [](Symbol*) { return false; }, [](Symbol*, const Operation&) {});
}

// A whole multiple of a dim of which only the sum is known.
std::optional<Dim> SolvedSizes::multiple(const Dim& resolved) const {
  if (!resolved.polynomial()) return std::nullopt;
  const Sum sum = to_sum(resolved);
  for (const auto& [inner, outer] : waiting_) {
    Sum part = to_sum(inner);
    const int64_t factor = sum.terms[0].factor / part.terms[0].factor;
    if (factor == 0) continue;
    scale(part, factor);
    if (equal(sum, part)) return Dim(factor) * outer;
  }
  return std::nullopt;
}

Dim SolvedSizes::operator()(const Dim& inner, const std::function<Dim(Symbol*)>& unknown) {
  const Dim now = resolve(inner);
  if (const std::optional<Dim> known = multiple(now)) return *known;
  return resolve(rename(now, memo_, unknown));
}

}  // namespace mithril
