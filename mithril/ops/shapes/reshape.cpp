// reshape: the same elements in another shape.
#include <algorithm>

#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// The requested shape: its dims, with new dims for -1 and None, and the known facts about these.
struct Target {
  std::vector<Dim> dims, named;  // all dims; those given as numbers
  std::vector<size_t> open;      // positions of -1 and None
  std::vector<Dim> undecided;    // ints that may yet turn out to be -1
};

Target read_target(Solver& s, const Datum& shape) {
  Target target;
  bool hole = false;
  for (const Datum& item : items_of(shape)) {
    if (item.is_none()) {
      target.open.push_back(target.dims.size());
      target.dims.push_back(s.fresh());
      continue;
    }
    if (item.kind() != kind::int_value)
      s.reject("a size is not an int", "an int, -1 or None", to_string(item));
    const Dim dim = resolve(item.dim());
    if (dim.is_constant(-1)) {
      if (hole) s.reject("more than one size is -1", "one -1 at most", to_string(shape));
      hole = true;
      target.open.push_back(target.dims.size());
      target.dims.push_back(s.fresh());
    } else if (dim.is_constant() && dim.constant() < 0) {
      s.reject("a size is negative", "0 or more, or one -1", to_string(shape));
    } else if (!is_size(dim)) {
      target.undecided.push_back(dim);
      target.dims.push_back(s.fresh());
    } else {
      target.dims.push_back(item.dim());
      target.named.push_back(item.dim());
    }
  }
  return target;
}

bool all_known(Solver& s, const std::vector<Dim>& dims) {
  bool known = true;
  for (const Dim& dim : dims) known = (resolve(dim).is_constant() || s.await(dim)) && known;
  return known;
}

// The one unknown size: the sizes of the input divided by the named sizes. Sizes on both sides
// cancel, so (n, -1) of [n, 3] is [n, 3] for n = 0 too. True if nothing is left to learn or to
// check.
bool fill_hole(Solver& s, std::vector<Dim> in, std::vector<Dim> named, const Dim& hole,
               const Datum& shape) {
  const std::string from = to_string(in);
  std::erase_if(named, [&](const Dim& dim) {
    const auto at = std::find_if(in.begin(), in.end(), [&](const Dim& d) { return same(d, dim); });
    if (at == in.end()) return false;
    in.erase(at);
    return true;
  });
  const Dim total = resolve(product(in)), rest = resolve(product(named));
  if (rest.is_constant(0) && !all_known(s, in)) return false;  // a 0 among them would cancel
  const bool numbers = total.is_constant() && rest.is_constant();
  if (rest.is_constant(0) || (numbers && total.constant() % rest.constant() != 0)) {
    s.reject("cannot reshape " + from + " to " + to_string(shape),
             "a multiple of " + to_string(product(named)) + " elements beside what both have",
             to_string(total), ErrorKind::shape);
  }
  s.same(hole, floor_divide(total, rest));
  if (rest.is_constant(1)) return true;
  const Dim size = resolve(hole);
  if (!size.is_constant()) return s.await(size);
  s.same(size * rest, total);
  return true;
}

bool solve_reshape(Solver& s) {
  const Datum* shape = s.value("shape");
  if (!shape) return false;
  const Target target = read_target(s, *shape);
  s.set_shape("output", target.dims);
  for (const Dim& dim : target.undecided) s.await(dim);
  std::vector<Dim> in;
  if (!target.undecided.empty() || !s.shape("input", in)) return false;
  if (target.open.size() == 1) {
    return fill_hole(s, in, target.named, target.dims[target.open.front()], *shape);
  }
  same_count(s, in, target.dims);
  return true;
}

}  // namespace

OpDef define_reshape() {
  return {
      .name = "reshape",
      .doc =
          "The same elements in row-major order, in another shape. One size may be -1, which is "
          "inferred from the other sizes. A size of None is inferred from the model.",
      .inputs = {{"input", "*s", "T=any"}, value("shape", "tuple|int")},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_reshape,
      .eval = copy_elements,
      .grad = flow_reshaped,
      .batch = batch_reshaped,
      .keeps_elements = true,
      .spell = {{"jax", "jnp.reshape({input}, {output.shape})"},
                {"onnx", "reshape(input, output.shape)"},
                {"torch", "aten::reshape(input, output.shape)"}},
  };
}

}  // namespace mithril
