#include "mithril/passes/per_sample/strategy.hpp"

#include <algorithm>

namespace mithril {
namespace {

using Query = PerSampleQuery::Kind;

// Operations and elements of one parameter: n training samples, m validation samples, factors
// [groups, t, p] and [groups, t, d].
struct TermSizes {
  double n, m, g, t, p, d;

  // Products of rows p and d of all pairs of `pairs` samples, multiplied and added up.
  StrategyCost gram(double pairs) const {
    if (t == 1 && pairs == n) return {Strategy::gram, 3 * n * g * (p + d), n * g * (p + d)};
    return {Strategy::gram, 2 * pairs * g * t * t * (p + d), 3 * pairs * g * t * t};
  }
  // The gradients of `count` samples, written and read.
  StrategyCost materialized(double count) const {
    return {Strategy::materialized, 2 * count * g * t * p * d, 2 * count * g * p * d};
  }
  // The sum of the gradients of `count` samples.
  StrategyCost sum(double count) const { return {{}, 2 * count * g * t * p * d, g * p * d}; }
};

StrategyCost operator+(StrategyCost a, const StrategyCost& b) {
  return {a.strategy, a.flops + b.flops, a.elements + b.elements};
}

}  // namespace

std::string_view name(Strategy strategy) {
  constexpr std::string_view names[] = {"gram", "bilinear", "materialized"};
  return names[static_cast<size_t>(strategy)];
}

std::vector<StrategyCost> strategy_costs(const PerSampleQuery& query, const ParameterTerms& terms,
                                         int64_t samples) {
  const FactorDims& dims = terms.dims;
  // A lookup reads no rows: its products compare ids.
  const bool dense =
      std::any_of(terms.terms.begin(), terms.terms.end(),
                  [](const ProductTerm& term) { return term.form != ProductTerm::Form::lookup; });
  TermSizes sizes{static_cast<double>(samples),     static_cast<double>(query.validation),
                  static_cast<double>(dims.groups), static_cast<double>(terms.length),
                  static_cast<double>(dims.p),      static_cast<double>(dims.d)};
  const double n = sizes.n, m = sizes.m;
  std::vector<StrategyCost> costs = {{Strategy::materialized}};
  if (terms.terms.empty()) return costs;
  TermSizes products = sizes;
  if (!dense) products.p = 1;
  switch (query.kind) {
    case Query::weighted:
      break;
    case Query::gradients:
      costs = {sizes.materialized(n)};
      break;
    case Query::norms:
      costs = {products.gram(n), sizes.materialized(n)};
      break;
    case Query::clipped:
      // The sum of materialized gradients is one more pass over them.
      costs = {products.gram(n) + sizes.sum(n),
               sizes.materialized(n) + StrategyCost{{}, 0, sizes.n * sizes.g * sizes.p * sizes.d}};
      break;
    case Query::dots: {
      const StrategyCost read{{}, 0, n * sizes.g * sizes.p * sizes.d};
      costs = {products.gram(n * m) + sizes.sum(n)};
      if (query.pairs) {
        costs.push_back(sizes.materialized(n) + sizes.materialized(m) + read);
        break;
      }
      costs.push_back(StrategyCost{Strategy::bilinear,
                                   2 * n * sizes.g * sizes.t * sizes.p * sizes.d,
                                   2 * n * sizes.g * sizes.t * std::min(sizes.p, sizes.d)} +
                      sizes.sum(m) + sizes.sum(n));
      costs.push_back(sizes.materialized(n) + sizes.sum(m) + read);
      break;
    }
    case Query::projections:
      costs = {{Strategy::gram}, sizes.materialized(n)};
      break;
  }
  std::stable_sort(costs.begin(), costs.end(), [](const StrategyCost& a, const StrategyCost& b) {
    return a.total() < b.total();
  });
  return costs;
}

}  // namespace mithril
