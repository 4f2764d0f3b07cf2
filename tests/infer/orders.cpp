// Random systems of facts, stated in random orders, lead to the same knowledge, which is right.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "mithril/infer/facts.hpp"

namespace mithril {
namespace {

using Numbers = std::vector<int64_t>;

int64_t floored(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

// How a dim is written, and its number in the one solution that all facts agree with.
struct Expression {
  enum class Kind { symbol, number, sum, product, quotient } kind;
  int a = 0, b = 0;  // indices of earlier expressions
  int64_t number = 0;
};

class SystemState;

// Names refer to variables of `System::state`: dims, shapes and types by index.
struct Fact {
  std::function<void(SystemState&)> state;
};

// The variables of one run.
class SystemState {
 public:
  SystemState(const std::vector<Expression>& expressions, size_t shapes, size_t types)
      : expressions_(expressions) {
    for (const Expression& e : expressions) {
      symbols.push_back(e.kind == Expression::Kind::symbol ? Dim(facts.symbol()) : Dim());
    }
    for (size_t i = 0; i < shapes; ++i) this->shapes.push_back({.run = facts.run()});
    for (size_t i = 0; i < types; ++i) this->types.push_back(facts.type());
  }

  Dim dim(int index) {  // written anew each time, as an op would
    const Expression& e = expressions_[static_cast<size_t>(index)];
    switch (e.kind) {
      case Expression::Kind::symbol:
        return symbols[static_cast<size_t>(index)];
      case Expression::Kind::number:
        return Dim(e.number);
      case Expression::Kind::sum:
        return dim(e.a) + dim(e.b);
      case Expression::Kind::product:
        return dim(e.a) * dim(e.b);
      case Expression::Kind::quotient:
        return floor_divide(dim(e.a), dim(e.b));
    }
    return {};
  }

  // The known facts, without the names of unknowns.
  std::string known() const {
    std::string text;
    const auto add = [&](const Dim& dim) {
      const Dim now = resolve(dim);
      text += now.is_constant() ? to_string(now) + " " : "? ";
    };
    for (const Dim& dim : symbols) add(dim);
    for (const StoredShape& stored : shapes) {
      const mithril::Shape shape = Facts::resolve(stored);
      text += "[";
      for (const Dim& dim : shape.head) add(dim);
      if (shape.run) text += "... ";
      for (const Dim& dim : shape.tail) add(dim);
      text += "] ";
    }
    for (Type* type : types) text += to_string_kinds(find(type)->kinds) + "; ";
    return text;
  }

  Facts facts;
  std::vector<Dim> symbols;
  std::vector<StoredShape> shapes;
  std::vector<Type*> types;

 private:
  const std::vector<Expression>& expressions_;
};

// Facts that one hidden solution fulfils.
class System {
 public:
  explicit System(unsigned seed) : random_(seed) {
    for (int i = 0; i < 6; ++i)
      expressions.push_back({Expression::Kind::symbol, 0, 0, 1 + pick(5)});
    for (int i = 0; i < 8; ++i) add_expression();
    for (int i = 0; i < 4; ++i) add_shape(random_dims());
    for (int i = 0; i < 3; ++i) types.push_back(random_kind());
    for (int i = 0; i < 24; ++i) add_fact();
  }

  // Gives each symbol its number, but one symbol another number.
  void give_numbers_with_one_wrong() {
    const int wrong = pick(6);
    for (int i = 0; i < 6; ++i) {
      const int64_t is = number(i) + (i == wrong ? 1 : 0);
      facts.push_back({[=](SystemState& state) { state.facts.unify(state.dim(i), Dim(is)); }});
    }
  }

  // Gives each type its kind, but one type another kind.
  void give_kinds_with_one_wrong() {
    const size_t wrong = static_cast<size_t>(pick(types.size()));
    for (size_t i = 0; i < types.size(); ++i) {
      const Kinds is = i == wrong ? random_kind() : types[i];
      facts.push_back({[=](SystemState& state) { state.facts.narrow(state.types[i], is); }});
    }
  }

  // The facts in another order.
  std::vector<Fact> shuffled() {
    std::vector<Fact> order = facts;
    std::shuffle(order.begin(), order.end(), random_);
    return order;
  }

  std::vector<Expression> expressions;
  std::vector<std::vector<int>> shapes;  // expressions
  std::vector<Kinds> types;
  std::vector<Fact> facts;

 private:
  int pick(size_t below) { return static_cast<int>(random_() % below); }
  int64_t number(int index) const { return expressions[static_cast<size_t>(index)].number; }
  int any_expression() { return pick(expressions.size()); }

  int add_number(int64_t number) {
    expressions.push_back({Expression::Kind::number, 0, 0, number});
    return static_cast<int>(expressions.size()) - 1;
  }

  // An expression for the number: a symbol or another known expression, otherwise the number
  // itself.
  int expression_for(int64_t wanted) {
    for (int i = 0; i < 8; ++i) {
      if (const int index = any_expression(); number(index) == wanted) return index;
    }
    return add_number(wanted);
  }

  void add_expression() {
    const int a = any_expression(), b = any_expression(), factor = add_number(2 + pick(2));
    switch (pick(4)) {
      case 0:
        expressions.push_back({Expression::Kind::sum, a, b, number(a) + number(b)});
        break;
      case 1:
        expressions.push_back({Expression::Kind::product, a, factor, number(a) * number(factor)});
        break;
      default:
        expressions.push_back(
            {Expression::Kind::quotient, a, factor, floored(number(a), number(factor))});
    }
  }

  std::vector<int> random_dims() {
    std::vector<int> dims;
    for (int i = pick(4); i > 0; --i) dims.push_back(any_expression());
    return dims;
  }

  int add_shape(std::vector<int> dims) {
    shapes.push_back(std::move(dims));
    return static_cast<int>(shapes.size()) - 1;
  }

  Kinds random_kind() { return static_cast<Kinds>(1 << pick(6)); }

  void add_fact() {
    switch (pick(8)) {
      case 0:
        return add_number_fact();
      case 1:
        return add_equation();
      case 2:
      case 3:
        return add_dims_fact();
      case 4:
      case 5:
        return add_broadcast();
      case 6:
        return add_same_shape();
      default:
        return add_promotion();
    }
  }

  void add_number_fact() {
    const int index = any_expression();
    const int64_t is = number(index);
    facts.push_back({[=](SystemState& state) { state.facts.unify(state.dim(index), Dim(is)); }});
  }

  void add_equation() {
    const int a = any_expression(), b = expression_for(number(a));
    facts.push_back({[=](SystemState& state) { state.facts.unify(state.dim(a), state.dim(b)); }});
  }

  // Adds the first or the last dims of a shape, and then all of them as another fact. A shape of
  // unknown rank has dims at one end only: those that were stated first.
  void add_dims_fact() {
    const size_t shape = static_cast<size_t>(pick(shapes.size())), rank = shapes[shape].size();
    if (pick(2) == 0) return add_dims(shape, static_cast<size_t>(pick(rank + 1)), rank);
    add_dims(shape, 0, static_cast<size_t>(pick(rank + 1)));
    add_dims(shape, 0, rank);
  }

  void add_dims(size_t shape, size_t first, size_t last) {
    std::vector<int> dims;
    for (size_t i = first; i < last; ++i) dims.push_back(expression_for(number(shapes[shape][i])));
    const bool head = first == 0 && last < shapes[shape].size(), all = !head && first == 0;
    facts.push_back({[=](SystemState& state) {
      mithril::Shape given;
      for (const int dim : dims) (head ? given.head : given.tail).push_back(state.dim(dim));
      if (!all) given.run = state.facts.run();
      state.facts.unify(state.shapes[shape], state.facts.store(given));
    }});
  }

  void add_broadcast() {
    const int a = pick(shapes.size());
    std::vector<int> dims = shapes[static_cast<size_t>(a)], result = dims;
    dims.erase(dims.begin(), dims.begin() + pick(dims.size() + 1));
    for (int& dim : dims) {
      if (pick(3) == 0) dim = expression_for(1);
    }
    const bool flip = pick(2) == 0;
    const int b = add_shape(dims), out = add_shape(result);
    facts.push_back({[=](SystemState& state) {
      const auto at = [&](int index) { return state.shapes[static_cast<size_t>(index)]; };
      state.facts.broadcast(at(flip ? b : a), at(flip ? a : b), at(out), {});
    }});
  }

  void add_same_shape() {
    const size_t a = static_cast<size_t>(pick(shapes.size()));
    const size_t b = static_cast<size_t>(add_shape(shapes[a]));
    facts.push_back(
        {[=](SystemState& state) { state.facts.unify(state.shapes[a], state.shapes[b]); }});
  }

  static Kinds promoted(Kinds a, Kinds b) {
    const auto rank = [](Kinds kinds) { return kinds & 9 ? 0 : kinds & 18 ? 1 : 2; };
    const int tensor = (a | b) & kind::tensor ? 0 : 3;
    return static_cast<Kinds>(1 << (std::max(rank(a), rank(b)) + tensor));
  }

  void add_promotion() {
    const size_t a = static_cast<size_t>(pick(types.size()));
    const size_t b = static_cast<size_t>(pick(types.size())), out = types.size();
    types.push_back(promoted(types[a], types[b]));
    facts.push_back({[=](SystemState& state) {
      state.facts.promote(state.types[a], state.types[b], state.types[out], {});
    }});
    const size_t told = static_cast<size_t>(pick(types.size()));
    const Kinds kinds = types[told] | random_kind();
    facts.push_back({[=](SystemState& state) { state.facts.narrow(state.types[told], kinds); }});
  }

  std::mt19937 random_;
};

void check_against_solution(const System& system, SystemState& state) {
  for (size_t i = 0; i < system.expressions.size(); ++i) {
    if (system.expressions[i].kind != Expression::Kind::symbol) continue;
    const Dim now = resolve(state.symbols[i]);
    if (now.is_constant()) CHECK(now.constant() == system.expressions[i].number);
  }
  for (size_t i = 0; i < system.types.size(); ++i) {
    CHECK((find(state.types[i])->kinds & system.types[i]) == system.types[i]);
  }
}

TEST_CASE("the order in which facts arrive does not change the result") {
  constexpr int orders = 6;
  size_t numbers = 0;
  for (unsigned seed = 1; seed <= 600; ++seed) {
    System system(seed);
    std::string first;
    for (int order = 0; order < orders; ++order) {
      SystemState state(system.expressions, system.shapes.size(), system.types.size());
      INFO("seed ", seed, ", order ", order);
      const bool at_once = order % 2 == 1;  // else each fact by itself
      for (const Fact& fact : system.shuffled()) {
        fact.state(state);
        if (!at_once) state.facts.settle();
      }
      state.facts.settle();
      check_against_solution(system, state);
      if (order == 0) first = state.known();
      REQUIRE(state.known() == first);
      numbers += static_cast<size_t>(std::count_if(first.begin(), first.end(), isdigit));
    }
  }
  CHECK(numbers > 20000);  // most of them produced numbers
}

// Whether a fact of the system is refused.
bool is_refused(const System& system, const std::vector<Fact>& facts, bool at_once) {
  SystemState state(system.expressions, system.shapes.size(), system.types.size());
  try {
    for (const Fact& fact : facts) {
      fact.state(state);
      if (!at_once) state.facts.settle();
    }
    state.facts.settle();
    return false;
  } catch (const Error&) {
    return true;
  }
}

TEST_CASE("facts that contradict each other are refused in every order") {
  size_t refusals = 0;
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    System system(seed);
    if (seed % 2 == 0) {
      system.give_numbers_with_one_wrong();
    } else {
      system.give_kinds_with_one_wrong();
    }
    const bool first = is_refused(system, system.facts, false);
    refusals += first;
    for (int order = 1; order < 6; ++order) {
      INFO("seed ", seed, ", order ", order);
      REQUIRE(is_refused(system, system.shuffled(), order % 2 == 1) == first);
    }
  }
  CHECK(refusals > 1000);
  CHECK(refusals < 2000);
}

}  // namespace
}  // namespace mithril
