// Choices, and loops that a condition ends, as generated code: values and gradients of C++ with the
// sanitizers, and the text.
#include <doctest/doctest.h>

#include "codegen/cpp/write_cpp.hpp"
#include "codegen/web/write_javascript.hpp"
#include "mithril/graph/cond_node.hpp"
#include "mithril/graph/while_node.hpp"
#include "tests/codegen/check_models.hpp"
#include "tests/codegen/numpy/numpy_target.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {
namespace {

struct BranchCase {
  std::string what;
  std::string inputs;           // statements of both graphs
  std::string then, otherwise;  // further statements
};

Graph nested_graph(const std::string& statements) {
  return parse_graph("graph {\n" + statements + "}\n");
}

// Adds inputs with the names of those of the nested graph.
std::vector<ValueId> add_inputs(Graph& graph, const Graph& nested) {
  std::vector<ValueId> added;
  for (const ValueId id : nested.inputs()) added.push_back(graph.add_input(nested.value(id)));
  return added;
}

// The outputs "y0", "y1", ...
void add_outputs(Graph& graph, const std::vector<ValueId>& made) {
  for (size_t k = 0; k < made.size(); ++k) graph.add_output("y" + std::to_string(k), made[k]);
}

// Its first input is the condition.
Graph choice_of(const BranchCase& branches) {
  Graph graph;
  CondNode cond{
      .then = nested_graph(branches.inputs + branches.then),
      .otherwise = nested_graph(branches.inputs + branches.otherwise),
      .condition = graph.add_input({.name = "chosen", .dims = {}, .dtype = DType::boolean})};
  cond.arguments = add_inputs(graph, cond.then);
  for (const Output& output : cond.then.outputs()) {
    cond.results.push_back(cond.then.value(output.value));
    cond.results.back().name.clear();
  }
  add_outputs(graph, add_cond(graph, cond, "y"));
  return graph;
}

Graph while_of_statements(const std::string& condition, const std::string& body) {
  Graph graph;
  WhileNode loop{.condition = nested_graph(condition), .body = nested_graph(body)};
  loop.arguments = add_inputs(graph, loop.body);
  add_outputs(graph, add_while(graph, loop, "last"));
  return graph;
}

const std::vector<BranchCase>& branch_cases() {
  static const std::vector<BranchCase> cases = {
      {.what = "two formulas",
       .inputs = "input x: float64[2, 3]\n"
                 "input w: float64[3]\n",
       .then = "a: float64[2, 3] = sine(input: x)\n"
               "y: float64[2, 3] = multiply(left: a, right: w)\n"
               "output y = y\n",
       .otherwise = "s: float64[2] = sum(input: x, axis: -1)\n"
                    "r: float64[2, 1] = reshape(input: s, shape: (2, 1))\n"
                    "y: float64[2, 3] = add(left: x, right: r)\n"
                    "output y = y\n"},
      {.what = "an input, a constant, a view, and one value twice",
       .inputs = "input x: float64[3]\n"
                 "input z: float64[3]\n",
       .then = "constant c: float64[3] = {0.5, 2, -1}\n"
               "v: float64[3, 1] = reshape(input: z, shape: (3, 1))\n"
               "n: float64[3] = multiply(left: x, right: z)\n"
               "output a = x\n"
               "output b = c\n"
               "output c = v\n"
               "output d = n\n"
               "output e = n\n",
       .otherwise = "n: float64[3] = multiply(left: x, right: x)\n"
                    "v: float64[3, 1] = reshape(input: n, shape: (3, 1))\n"
                    "output a = z\n"
                    "output b = n\n"
                    "output c = v\n"
                    "output d = x\n"
                    "output e = x\n"},
      {.what = "ints, bools and scalars",
       .inputs = "input n: int64[]\n"
                 "input i: int64[4]\n"
                 "input x: float64[]\n",
       .then = "a: int64[] = add(left: n, right: 1)\n"
               "b: bool[4] = greater(left: i, right: n)\n"
               "y: float64[] = multiply(left: x, right: a)\n"
               "output a = a\n"
               "output b = b\n"
               "output y = y\n",
       .otherwise = "constant c: bool[4] = {True, False, False, True}\n"
                    "output a = n\n"
                    "output b = c\n"
                    "output y = x\n"},
      {.what = "no elements",
       .inputs = "input x: float64[0, 2]\n",
       .then = "y: float64[0, 2] = sine(input: x)\n"
               "output y = y\n",
       .otherwise = "output y = x\n"},
      {.what = "a choice in a choice",
       .inputs = "input x: float64[3]\n"
                 "input inner: bool[]\n"
                 "input w: float64[3]\n",
       .then = "a: float64[3] = multiply(left: x, right: w)\n"
               "b: float64[3] = cond(condition: inner, arguments: [a, w], then: \"graph { "
               "input p: float64[3] input q: float64[3] "
               "r: float64[3] = tanh(input: p) output r = r }\", otherwise: \"graph { "
               "input p: float64[3] input q: float64[3] output q = q }\", "
               "results: ((float64, (3,)),))\n"
               "y: float64[3] = add(left: b, right: x)\n"
               "output y = y\n",
       .otherwise = "output y = w\n"},
      {.what = "a value in a branch with the name of an output of the choice",
       .inputs = "input x: float64[3]\n",
       .then = "y0: float64[] = sum(input: x)\n"
               "y: float64[3] = multiply(left: x, right: y0)\n"
               "output y = y\n",
       .otherwise = "output y = x\n"},
      {.what = "a loop in a branch",
       .inputs = "input h: float64[2]\n"
                 "input x: float64[3, 2]\n",
       .then =
           "last: float64[2], all: float64[3, 2] = scan(arguments: [h, x], body: \"graph { "
           "input s: float64[2] input e: float64[2] "
           "p: float64[2] = multiply(left: s, right: e) q: float64[2] = sine(input: p) "
           "output q = q output p = p }\", carries: 1, sequences: 1, length: 3, reverse: False, "
           "results: ((float64, (2,)), (float64, (3, 2))))\n"
           "output last = last\n"
           "output all = all\n",
       .otherwise = "output last = h\n"
                    "output all = x\n"},
  };
  return cases;
}

// x becomes (x + a / x) / 2 while an element of x * x is far from a.
const char* const far_from_root =
    "input x: float64[2]\n"
    "input a: float64[2]\n"
    "square: float64[2] = multiply(left: x, right: x)\n"
    "rest: float64[2] = subtract(left: square, right: a)\n"
    "size: float64[2] = absolute(input: rest)\n"
    "largest: float64[] = max(input: size)\n"
    "is_far: bool[] = greater(left: largest, right: 1e-9)\n"
    "output is_far = is_far\n";
const char* const step_to_root =
    "input x: float64[2]\n"
    "input a: float64[2]\n"
    "quotient: float64[2] = divide(numerator: a, denominator: x)\n"
    "sum: float64[2] = add(left: x, right: quotient)\n"
    "next: float64[2] = multiply(left: sum, right: 0.5)\n"
    "output next = next\n";

ExportedModel exported_branches(const Graph& graph) {
  ExportedModel model{.graph = graph, .inputs = {}, .outputs = {}};
  for (const ValueId id : graph.inputs()) {
    Dims dims;
    for (const Dim& dim : graph.value(id).dims) dims.push_back(resolve(dim).constant());
    model.inputs.push_back({.key = graph.value(id).name, .dims = dims});
  }
  for (size_t k = 0; k < graph.outputs().size(); ++k)
    model.outputs.push_back({.key = graph.outputs()[k].name, .index = k});
  return model;
}

// The text from one line to another one, both included.
std::string part_of(const std::string& text, const std::string& first, const std::string& last) {
  const size_t begin = text.find(first);
  REQUIRE(begin != std::string::npos);
  return text.substr(begin, text.find(last, begin) + last.size() - begin);
}

Graph small_choice() {
  return choice_of({.what = {},
                    .inputs = "input x: float32[3]\n",
                    .then = "y: float32[3] = sine(input: x)\noutput y = y\n",
                    .otherwise = "output y = x\n"});
}

}  // namespace

TEST_CASE("generated C++ gives the values and gradients of choices") {
  ModelChecks checks;
  for (const BranchCase& branches : branch_cases()) {
    for (const bool chosen : {true, false})
      checks.add_drawn(branches.what + (chosen ? ", then" : ", otherwise"), choice_of(branches), 7,
                       {Tensor::scalar(chosen)});
  }
  checks.run();
}

TEST_CASE("generated C++ gives the values of loops that a condition ends") {
  ModelChecks checks;
  const Graph root = while_of_statements(far_from_root, step_to_root);
  const Tensor nine = Tensor::of<double>({2}, {9, 9});
  for (const double first : {1.0, 2.0, 3.0})
    checks.add_drawn("a root from " + std::to_string(first), root, 7,
                     {Tensor::of<double>({2}, {first, first}), nine});
  const std::string carries =
      "input n: int64[]\n"
      "input a: float64[3]\n"
      "input b: float64[3]\n"
      "input c: float64[3]\n"
      "input most: int64[]\n";
  const Graph turns =
      while_of_statements(carries + "few: bool[] = less(left: n, right: most)\noutput few = few\n",
                          carries +
                              "m: int64[] = add(left: n, right: 1)\n"
                              "output n = m\n"
                              "output a = b\n"
                              "output b = a\n"
                              "output c = c\n");
  for (const int64_t most : {0, 1, 2, 3}) {
    Random random(3);
    std::vector<Tensor> given{Tensor::scalar<int64_t>(0)};
    for (int k = 0; k < 3; ++k) given.push_back(random_direction({3}, random));
    given.push_back(Tensor::scalar(most));
    checks.add("carries that change places " + std::to_string(most) + " times", turns, given,
               {"a", "b", "c"});
  }
  checks.run();
}

TEST_CASE("the text of a choice") {
  const ExportedModel model = exported_branches(small_choice());
  CHECK(part_of(cpp_source(model, "net"), "void evaluate(", "\n}\n") ==
        R"(void evaluate(const net_inputs& inputs, const net_outputs& outputs, char*) {
  const auto chosen = tensor(inputs.chosen);  // chosen []
  const auto x = tensor(inputs.x, 3);  // x [3]

  const auto y0 = tensor(outputs.y0, 3);  // y0 [3]
  // The choice y
  if (chosen[0]) {
    for (int64_t i = 0; i < 3; ++i) {
      y0[i] = std::sin(x[i]);
    }
  } else {
    copy(y0.data, x);
  }
}
)");
  CHECK(part_of(javascript_source(model, "net"), "function evaluator(", "\n}\n") ==
        R"(function evaluator(memory) {
  const x = tensorAt(Float32Array, memory, 64, 3);  // [3]
  const y0 = tensorAt(Float32Array, memory, 128, 3);  // [3]
  const chosen = tensorAt(Uint8Array, memory, 0);  // []
  return () => {
    // The choice y
    if (chosen.data[0]) {
      $loop_y(x.data, y0.data);
    } else {
      $copy(y0.data, x.data);
    }
  };
}
)");
}

TEST_CASE("the text of a loop that a condition ends") {
  const ExportedModel model = exported_branches(while_of_statements(far_from_root, step_to_root));
  CHECK(part_of(cpp_source(model, "net"), "void evaluate(", "\n}\n") ==
        R"(void evaluate(const net_inputs& inputs, const net_outputs& outputs, char* workspace) {
  const auto x = tensor(inputs.x, 2);  // x [2]
  const auto a = tensor(inputs.a, 2);  // a [2]

  const auto y0 = tensor(outputs.y0, 2);  // y0 [2]
  const auto is_far = tensor(at<bool>(workspace, 128));  // is_far []
  // The loop last: while is_far
  Carry<double> x_carry{x.data, y0.data, at<double>(workspace, 192)};
  while (true) {
    const auto x_2 = tensor(x_carry.now, 2);  // x [2]

    const auto size = tensor(at<double>(workspace, 0), 2);  // size [2]
    for (int64_t i = 0; i < 2; ++i) {
      const double square = x_2[i] * x_2[i];
      const double rest = square - a[i];
      size[i] = std::abs(rest);
    }

    const auto largest = tensor(at<double>(workspace, 64));  // largest []
    max(largest, size, /*axis=*/none, /*keepdim=*/false);

    is_far[0] = largest[0] > 1e-09;
    if (!is_far[0]) break;

    const auto next = tensor(x_carry.next, 2);  // next [2]
    for (int64_t i = 0; i < 2; ++i) {
      const double quotient = a[i] / x_2[i];
      const double sum = x_2[i] + quotient;
      next[i] = sum * 0.5;
    }
    x_carry.advance();
  }
  if (x_carry.now != y0.data) {
    copy(y0.data, tensor(x_carry.now, 2));
  }
}
)");
  CHECK(part_of(javascript_source(model, "net"), "function evaluator(", "\n}\n") ==
        R"(function evaluator(memory) {
  const x = tensorAt(Float64Array, memory, 0, 2);  // [2]
  const y0 = tensorAt(Float64Array, memory, 128, 2);  // [2]
  const y0_spare = tensorAt(Float64Array, memory, 384, 2);
  const is_far = tensorAt(Uint8Array, memory, 320);  // []
  const a = tensorAt(Float64Array, memory, 64, 2);  // [2]
  const size = tensorAt(Float64Array, memory, 192, 2);  // [2]
  const largest = tensorAt(Float64Array, memory, 256);  // []
  return () => {
    // The loop last: while is_far
    const x_carry = carryOf(x, y0, y0_spare);
    while (true) {
      const x_2 = x_carry.now;  // x [2]
      $loop_size(x_2.data, a.data, size.data);
      max(largest, size, null, false);
      $loop_is_far(largest.data, is_far.data);
      if (!is_far.data[0]) break;
      const next = x_carry.next;  // [2]
      $loop_next(a.data, x_2.data, next.data);
      x_carry.advance();
    }
    if (x_carry.now !== y0) {
      $copy(y0.data, x_carry.now.data);
    }
  };
}
)");
}

TEST_CASE("both branches share their memory") {
  // Each branch has one tensor of 64 bytes.
  const auto branch = [](const std::string& op) {
    return "s: float64[8] = " + op + "(input: x)\nm: float64[] = sum(input: s)\noutput m = m\n";
  };
  const Graph graph = choice_of({.what = {},
                                 .inputs = "input x: float64[8]\n",
                                 .then = branch("sine"),
                                 .otherwise = branch("cosine")});
  const std::string text = cpp_source(exported_branches(graph), "net");
  CHECK(text.find("size_t net_workspace_bytes(void) { return 64; }") != std::string::npos);
}

TEST_CASE("a target without nested statements refuses choices and loops with a condition") {
  const std::string help =
      "\n  help: loops and branches can be written in C++, JavaScript and WebAssembly, and run on "
      "backends";
  CHECK(text_of_error([] { numpy_source(exported_branches(small_choice()), "net"); }) ==
        "mithril.BackendError[E1031]: y: there is no NumPy for the op cond" + help);
  CHECK(text_of_error([] {
          numpy_source(exported_branches(while_of_statements(far_from_root, step_to_root)), "net");
        }) == "mithril.BackendError[E1031]: last: there is no NumPy for the op while_loop" + help);
}

}  // namespace mithril::tests
