#include "mithril/passes/per_sample/factors.hpp"

#include "mithril/op/op_def.hpp"
#include "mithril/ops/support/axes.hpp"
#include "mithril/passes/per_sample/windows.hpp"

namespace mithril {
namespace {

Expression swapped(const Expression& x) { return call("swapaxes", {x, -1, -2}); }
Expression matrix_product(const Expression& a, const Expression& b) {
  return call("matmul", {a, b});
}
Expression with_axis(const Expression& x, int64_t axis) {
  return call("expand_dims", {x, Datum(axis)});
}

// [n, groups, t, x] of a lifted operand of a matmul, [n, *groups, t, x].
Expression grouped(const Expression& x, int64_t groups) {
  const Dims dims = dims_of(x);
  const int64_t t = dims[dims.size() - 2], width = dims.back();
  return reshaped(x, groups == 1 ? Dims{dims[0], t, width} : Dims{dims[0], groups, t, width});
}

class Reader {
 public:
  Reader(SampleCopy& copy, const FactorDims& dims)
      : copy_(copy), dims_(dims), makers_(makers_of(copy.source().graph)) {}

  SampleFactor read(const ProductTerm& term) {
    if (term.form == ProductTerm::Form::lookup) return lookup(term);
    if (term.form == ProductTerm::Form::windows) return windows(term);
    const Expression left = left_rows(term.site), right = copy_.lifted(term.site, "right");
    SampleFactor factor{grouped(left, dims_.groups), grouped(right, dims_.groups)};
    if (term.transposed) std::swap(factor.rows, factor.cols);
    return factor;
  }

 private:
  // [n, *groups, t, p] of the left operand [*groups, p, n * t], which mostly is a transpose.
  Expression left_rows(NodeId site) {
    const ValueId left = copy_.argument(site, "left");
    const NodeId maker = makers_[index(left)];
    const size_t rank = copy_.dims(left).size();
    if (maker == no_node || copy_.node(maker).op->name != "swapaxes")
      return swapped(copy_.lifted(site, "left"));
    const auto axis = [&](const char* port) {
      return axis_of(copy_.value(maker, port).integer(), rank);
    };
    const bool last_two = axis("axis1") + axis("axis2") == 2 * rank - 3 &&
                          std::max(axis("axis1"), axis("axis2")) == rank - 1;
    if (!last_two) return swapped(copy_.lifted(site, "left"));
    return copy_.lifted(copy_.argument(maker, "input"),
                        SampleAxis::along(rank - 2, copy_.axis(site, "left").outer));
  }

  SampleFactor lookup(const ProductTerm& term) {
    const ValueId index = copy_.argument(term.site, "index");
    const Expression ids = copy_.lifted(term.site, "index");
    const Expression cols = copy_.lifted(term.site, "input");
    const int64_t length = element_count(copy_.dims(index)) / copy_.samples();
    const Dims flat = {copy_.samples(), length};
    // Negative ids count from the end.
    const Expression counted = call("remainder", {reshaped(ids, flat), Datum(dims_.p)});
    return {counted, reshaped(cols, {copy_.samples(), length, dims_.d}), true};
  }

  SampleFactor windows(const ProductTerm& term) {
    const Expression rows = copy_.lifted(term.site, "grad");
    return {rows_of_windows(rows, dims_.groups), columns_of_windows(copy_, term.site)};
  }

  SampleCopy& copy_;
  const FactorDims dims_;
  const std::vector<NodeId> makers_;
};

// All samples in one row: [groups, n * t, x], without the axis of one group.
Expression flat(const Expression& x) {
  const Dims dims = dims_of(x);
  if (dims.size() == 3) return reshaped(x, {dims[0] * dims[1], dims[2]});
  return reshaped(permuted(x, {1, 0, 2, 3}), {dims[1], dims[0] * dims[2], dims[3]});
}
Expression flat_ids(const Expression& ids) { return reshaped(ids, {element_count(dims_of(ids))}); }

// The products of rows t of one factor and s of another one, for each sample: [n, groups, t, s].
Expression row_products(const SampleFactor& a, const SampleFactor& b) {
  if (!a.lookup && !b.lookup) return matrix_product(a.rows, swapped(b.rows));
  if (a.lookup && b.lookup) {
    const Expression equal = call("equal", {with_axis(a.rows, 2), with_axis(b.rows, 1)});
    return call("cast", {equal, Datum(a.cols.dtype())});
  }
  if (a.lookup) return swapped(row_products(b, a));
  const Dims rows = dims_of(a.rows), ids = dims_of(b.rows);
  const Expression wanted =
      call("broadcast_to", {with_axis(b.rows, 1), Datum::ints({rows[0], rows[1], ids[1]})});
  return call("take_along_axis", {a.rows, wanted, -1});
}

// The same for all rows of all samples: [groups, n * t, m * s].
Expression all_row_products(const SampleFactor& a, const SampleFactor& b) {
  if (!a.lookup && !b.lookup) return matrix_product(flat(a.rows), swapped(flat(b.rows)));
  if (a.lookup && b.lookup) {
    const Expression equal =
        call("equal", {with_axis(flat_ids(a.rows), 1), with_axis(flat_ids(b.rows), 0)});
    return call("cast", {equal, Datum(a.cols.dtype())});
  }
  if (a.lookup) return swapped(all_row_products(b, a));
  return call("gather", {flat(a.rows), flat_ids(b.rows), -1});
}

int64_t length_of(const SampleFactor& factor) {
  const Dims dims = dims_of(factor.cols);
  return dims[dims.size() - 2];
}

Expression sum_of_squares(const Expression& x) { return call("sum", {x * x, -1}); }

// The inner products of one factor with another or with itself: [n].
Expression inner_products(const SampleFactor& a, const SampleFactor& b, bool same) {
  // The norm of a single product is the product of the norms.
  if (same && length_of(a) == 1) {
    const Expression cols = sum_of_squares(a.cols);
    return summed_rows(a.lookup ? cols : sum_of_squares(a.rows) * cols);
  }
  return summed_rows(row_products(a, b) * matrix_product(a.cols, swapped(b.cols)));
}

Expression total(const std::vector<Expression>& parts) {
  Expression sum = parts.front();
  for (size_t i = 1; i < parts.size(); ++i) sum = sum + parts[i];
  return sum;
}

// [n, groups, t, x] with weights [n].
Expression weighted(const Expression& x, const Expression* weights) {
  if (!weights) return x;
  Dims dims(x.dims().size(), 1);
  dims[0] = dims_of(*weights)[0];
  return x * reshaped(*weights, dims);
}

Expression zeros_like(const Expression& like, const Dims& dims) {
  return call_in(like, "full", {Datum::ints(dims), 0.0, Datum(like.dtype())});
}

}  // namespace

SampleFactors factors_of(SampleCopy& copy, const ParameterTerms& terms, int64_t from, int64_t to) {
  Reader reader(copy, terms.dims);
  std::vector<Expression> rows, cols, ids, id_cols;
  for (const ProductTerm& term : terms.terms) {
    const SampleFactor factor = reader.read(term);
    (factor.lookup ? ids : rows).push_back(factor.lookup ? factor.rows : wide(factor.rows));
    (factor.lookup ? id_cols : cols).push_back(wide(factor.cols));
  }
  SampleFactors factors{terms.dims, {}, copy.samples()};
  if (!rows.empty()) factors.parts.push_back({joined(rows, -2), joined(cols, -2), false});
  if (!ids.empty()) factors.parts.push_back({joined(ids, -1), joined(id_cols, -2), true});
  return sliced(factors, from, to);
}

SampleFactors sliced(const SampleFactors& factors, int64_t from, int64_t to) {
  SampleFactors result{factors.dims, {}, to - from};
  for (const SampleFactor& part : factors.parts) {
    result.parts.push_back({sliced(part.rows, from, to), sliced(part.cols, from, to), part.lookup});
  }
  return result;
}

Expression squared_norms(const SampleFactors& factors) {
  std::vector<Expression> parts;
  for (const SampleFactor& part : factors.parts) parts.push_back(inner_products(part, part, true));
  if (factors.parts.size() == 2)
    parts.push_back(inner_products(factors.parts[0], factors.parts[1], false) * 2.0);
  return total(parts);
}

Expression dots(const SampleFactors& g, const SampleFactors& h, bool pairs) {
  std::vector<Expression> parts;
  for (const SampleFactor& a : g.parts) {
    for (const SampleFactor& b : h.parts) {
      const Expression products =
          all_row_products(a, b) * matrix_product(flat(a.cols), swapped(flat(b.cols)));
      const int64_t groups = g.dims.groups, t = length_of(a), s = length_of(b);
      const Expression each = reshaped(products, {groups, g.samples, t, h.samples, s});
      parts.push_back(
          summed(each, pairs ? std::vector<size_t>{0, 2, 4} : std::vector<size_t>{0, 2, 3, 4}));
    }
  }
  return total(parts);
}

Expression dots_with(const SampleFactors& g, const Expression& sum) {
  const FactorDims& dims = g.dims;
  std::vector<Expression> parts;
  for (const SampleFactor& part : g.parts) {
    if (part.lookup) {
      parts.push_back(summed_rows(call("gather", {sum, part.rows, 0}) * part.cols));
      continue;
    }
    const Expression matrices =
        reshaped(sum, dims.groups == 1 ? Dims{dims.p, dims.d} : Dims{dims.groups, dims.p, dims.d});
    // The product goes over the larger one of the two dims.
    parts.push_back(dims.d >= dims.p
                        ? summed_rows(matrix_product(part.cols, swapped(matrices)) * part.rows)
                        : summed_rows(matrix_product(part.rows, matrices) * part.cols));
  }
  return total(parts);
}

Expression sum_of(const SampleFactors& factors, const Expression* weights) {
  const FactorDims& dims = factors.dims;
  std::vector<Expression> parts;
  for (const SampleFactor& part : factors.parts) {
    if (!part.lookup) {
      const Expression matrices =
          matrix_product(swapped(flat(weighted(part.rows, weights))), flat(part.cols));
      parts.push_back(reshaped(matrices, {dims.groups * dims.p, dims.d}));
      continue;
    }
    const Expression zeros = zeros_like(part.cols, {dims.p, dims.d});
    parts.push_back(
        call("scatter_add", {flat(weighted(part.cols, weights)), flat_ids(part.rows), zeros, 0}));
  }
  return total(parts);
}

Expression materialized(const SampleFactors& factors) {
  const FactorDims& dims = factors.dims;
  const int64_t n = factors.samples;
  std::vector<Expression> parts;
  for (const SampleFactor& part : factors.parts) {
    if (!part.lookup) {
      parts.push_back(reshaped(matrix_product(swapped(part.rows), part.cols),
                               {n, dims.groups * dims.p, dims.d}));
      continue;
    }
    // The ids of sample i look up rows of the i-th of n tables.
    const Expression starts =
        call_in(part.cols, "arange", {Datum(n * dims.p), Datum(0), Datum(dims.p)});
    const Expression ids = part.rows + with_axis(starts, 1);
    const Expression zeros = zeros_like(part.cols, {n * dims.p, dims.d});
    const Expression tables = call("scatter_add", {flat(part.cols), flat_ids(ids), zeros, 0});
    parts.push_back(reshaped(tables, {n, dims.p, dims.d}));
  }
  return total(parts);
}

Expression projected(const SampleFactors& factors, const Expression& left,
                     const Expression& right) {
  std::vector<Expression> parts;
  for (const SampleFactor& part : factors.parts) {
    const Expression rows = part.lookup ? call("gather", {swapped(left), part.rows, 0})
                                        : matrix_product(part.rows, swapped(left));
    parts.push_back(matrix_product(swapped(rows), matrix_product(part.cols, swapped(right))));
  }
  const Expression sum = total(parts);
  const Dims dims = dims_of(sum);
  return reshaped(sum, {dims[0], factors.dims.groups, dims[dims.size() - 2], dims.back()});
}

}  // namespace mithril
