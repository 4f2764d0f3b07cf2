// Arithmetic and comparisons of unknown ints: some fold, others wait.
#include <doctest/doctest.h>

#include <optional>
#include <span>
#include <vector>

#include "mithril/op/op_def.hpp"
#include "mithril/op/part.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {
namespace {

class Folding {
 public:
  // Returns the folded result of the op for these values; none if it waits.
  std::optional<Datum> operator()(const char* op, const std::vector<Datum>& operands) {
    Part& part = *facts_.make<Part>();
    part.op = &find_op(op);
    std::vector<Wire*> wires;
    for (const Datum& operand : operands) {
      wires.push_back(new_wire(facts_));
      facts_.narrow(wires.back()->type, operand.kind());
      facts_.set(value_of(facts_, wires.back()), operand);
    }
    wires.resize(part.op->port_count());
    instantiate(facts_, part, {}, wires);
    facts_.settle();
    output_ = find(value_of(facts_, part.wire(facts_, "output")));
    return output();
  }
  // The result of the last call with the facts learnt since.
  std::optional<Datum> output() const {
    return output_->known ? std::optional<Datum>(output_->datum) : std::nullopt;
  }
  void learn(const Dim& dim, int64_t number) {
    facts_.unify(dim, Dim(number));
    facts_.settle();
  }
  Dim size() { return Dim(facts_.symbol("n")); }

 private:
  Facts facts_;
  const DatumVariable* output_ = nullptr;
};

bool is(const std::optional<Datum>& got, const Datum& expected) {
  return got && got->kind() == expected.kind() && same(*got, expected);
}

}  // namespace

TEST_CASE("arithmetic on unknown ints stays symbolic") {
  Folding fold;
  const Dim n = fold.size();
  CHECK(is(fold("add", {n, 2}), n + Dim(2)));
  CHECK(is(fold("subtract", {n, n}), 0));
  CHECK(is(fold("multiply", {3, n}), n * Dim(3)));
  CHECK(is(fold("floor_divide", {n, 2}), floor_divide(n, Dim(2))));
  CHECK(is(fold("power", {n, 2}), n * n));
  CHECK(is(fold("negate", {n}), Dim(0) - n));
}

TEST_CASE("a float made of an unknown int waits for it") {
  Folding fold;
  const Dim n = fold.size();
  CHECK_FALSE(fold("divide", {n, 2}));
  fold.learn(n, 3);
  CHECK(is(fold.output(), 1.5));
  const Dim m = fold.size();
  CHECK_FALSE(fold("multiply", {m, 0.5}));
  fold.learn(m, 9);
  CHECK(is(fold.output(), 4.5));
  CHECK(is(fold("sqrt", {m}), 3.0));
}

TEST_CASE("unknown ints compare where their difference is known, and wait otherwise") {
  Folding fold;
  const Dim n = fold.size();
  CHECK(is(fold("less", {n, n + Dim(1)}), true));
  CHECK(is(fold("equal", {n, n}), true));
  CHECK(is(fold("not_equal", {n + Dim(2), n}), true));
  CHECK_FALSE(fold("greater", {n, 4}));
  fold.learn(n, 7);
  CHECK(is(fold.output(), true));
}

TEST_CASE("a size is known not to be negative") {
  Folding fold;
  const Dim n = fold.size();
  CHECK(is(fold("abs", {n}), n));
  CHECK(is(fold("abs", {Dim(0) - n}), n));
  CHECK(is(fold("maximum", {n, n + Dim(2)}), n + Dim(2)));
  CHECK(is(fold("minimum", {n, 0}), 0));
  CHECK_FALSE(fold("minimum", {n, 5}));
  fold.learn(n, 6);
  CHECK(is(fold.output(), 5));
}

TEST_CASE("the bits of numbers are combined where both are known") {
  Folding fold;
  const Dim n = fold.size();
  CHECK(is(fold("bitwise_and", {6, 3}), 2));
  CHECK(is(fold("bitwise_or", {6, true}), 7));
  CHECK(is(fold("bitwise_xor", {true, true}), false));
  CHECK_FALSE(fold("bitwise_and", {n, 6}));
  fold.learn(n, 12);
  CHECK(is(fold.output(), 4));
}

}  // namespace mithril
