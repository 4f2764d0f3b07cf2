// Attention that is written out becomes one op: text in, text out.
#include "mithril/passes/fuse_attention.hpp"

#include <doctest/doctest.h>

#include <string>

#include "mithril/graph/graph.hpp"

using namespace mithril;

namespace {

std::string fused(const std::string& text) {
  const Graph graph = fuse_attention(parse_graph(text));
  verify(graph);
  return to_string(graph);
}

const std::string inputs = R"(graph {
  input q: float32[N, 4, L, 8]
  input k: float32[N, 4, S, 8]
  input v: float32[N, 4, S, 8]
)";
const std::string turned = R"(
  t: float32[N, 4, 8, S] = swapaxes(input: k, axis1: -2, axis2: -1))";
const std::string product = turned + R"(
  s: float32[N, 4, L, S] = matmul(left: q, right: t))";
const std::string weighed = R"(
  y: float32[N, 4, L, 8] = matmul(left: w, right: v)
  output y = y
})";
// These statements read the scores s.
const std::string attend = R"(
  w: float32[N, 4, L, S] = softmax(input: s, axis: -1))" +
                           weighed;
// These statements read the scores m.
const std::string attend_masked = R"(
  w: float32[N, 4, L, S] = softmax(input: m, axis: -1))" +
                                  weighed;

// The line that makes y, up to the scale.
std::string attention(const std::string& ports) {
  return "  y: float32[N, 4, L, 8] = scaled_dot_product(" + ports + ", is_causal: False, scale: ";
}

// Returns the line that makes y in the graph after the pass.
std::string line_of_y(const std::string& text) {
  const std::string made = fused(text);
  const size_t begin = made.find("  y: ");
  return made.substr(begin, made.find('\n', begin) - begin);
}

const std::string plain = attention("query: q, key: k, value: v, attn_mask: None");
const std::string no_dropout = ", dropout_p: 0.0)";

bool stays(const std::string& text) {
  const std::string before = to_string(parse_graph(text));
  return fused(before) == before;
}

}  // namespace

TEST_CASE("two products around a softmax become attention") {
  CHECK(fused(inputs + product + attend) ==
        inputs + plain + "1.0" + no_dropout + "\n  output y = y\n}\n");
}

TEST_CASE("the keys may be transposed by any op") {
  for (const char* way : {
           "swapaxes(input: k, axis1: 3, axis2: 2)",
           "swapaxes(input: k, axis1: -2, axis2: 3)",
           "transpose(input: k, axes: (0, 1, 3, 2))",
           "transpose(input: k, axes: (0, -3, 3, -2))",
       }) {
    CAPTURE(way);
    CHECK(line_of_y(inputs + "  t: float32[N, 4, 8, S] = " + way + R"(
  s: float32[N, 4, L, S] = matmul(left: q, right: t))" +
                    attend) == plain + "1.0" + no_dropout);
  }
}

TEST_CASE("keys that are transposed already are transposed back") {
  CHECK(fused(R"(graph {
  input q: float32[N, 4, L, 8]
  input x: float32[N, S, 4, 8]
  input v: float32[N, 4, S, 8]
  t: float32[N, 4, 8, S] = transpose(input: x, axes: (0, 2, 3, 1))
  s: float32[N, 4, L, S] = matmul(left: q, right: t))" +
              attend) == R"(graph {
  input q: float32[N, 4, L, 8]
  input x: float32[N, S, 4, 8]
  input v: float32[N, 4, S, 8]
  t: float32[N, 4, 8, S] = transpose(input: x, axes: (0, 2, 3, 1))
  y.attention.swapaxes_3: float32[N, 4, S, 8] = swapaxes(input: t, axis1: -1, axis2: -2)
  y: float32[N, 4, L, 8] = scaled_dot_product(query: q, key: y.attention.swapaxes_3, value: v, attn_mask: None, is_causal: False, scale: 1.0, dropout_p: 0.0)
  output y = y
}
)");
}

TEST_CASE("numbers scale the scores, the queries and the keys") {
  const std::string eighth = plain + "0.125" + no_dropout;
  CHECK(line_of_y(inputs + turned + R"(
  p: float32[N, 4, L, S] = matmul(left: q, right: t)
  s: float32[N, 4, L, S] = multiply(left: 0.125, right: p))" +
                  attend) == eighth);
  CHECK(line_of_y(inputs + turned + R"(
  p: float32[N, 4, L, S] = matmul(left: q, right: t)
  s: float32[N, 4, L, S] = divide(numerator: p, denominator: 8))" +
                  attend) == eighth);
  CHECK(line_of_y(inputs + R"(
  a: float32[N, 4, L, 8] = divide(numerator: q, denominator: 4.0)
  b: float32[N, 4, S, 8] = multiply(left: k, right: 0.25)
  c: float32[N, 4, 8, S] = swapaxes(input: b, axis1: -2, axis2: -1)
  t: float32[N, 4, 8, S] = multiply(left: c, right: 2.0)
  s: float32[N, 4, L, S] = matmul(left: a, right: t))" +
                  attend) == eighth);
  CHECK(line_of_y(inputs + "constant eighth: float32[1] = {0.125}" + turned + R"(
  p: float32[N, 4, L, S] = matmul(left: q, right: t)
  s: float32[N, 4, L, S] = multiply(left: p, right: eighth))" +
                  attend) == eighth);
}

TEST_CASE("scaled queries with another reader are used scaled") {
  CHECK(line_of_y(inputs + turned + R"(
  a: float32[N, 4, L, 8] = multiply(left: q, right: 0.5)
  s: float32[N, 4, L, S] = matmul(left: a, right: t)
  output a = a)" + attend) ==
        attention("query: a, key: k, value: v, attn_mask: None") + "1.0" + no_dropout);
}

TEST_CASE("attention with dropout in inference mode is fused without dropout") {
  CHECK(line_of_y(inputs + product + R"(
  p: float32[N, 4, L, S] = softmax(input: s, axis: 3)
  w: float32[N, 4, L, S] = buffer(input: p))" +
                  weighed) == plain + "1.0" + no_dropout);
}

TEST_CASE("an additive mask that masks all keys of a query gives NaN") {
  const std::string with_mask = inputs + "  input mask: float32[N, 1, 1, S]\n";
  CHECK(fused(with_mask + product + R"(
  m: float32[N, 4, L, S] = add(left: mask, right: s))" +
              attend_masked) ==
        with_mask +
            R"(  y.attention.softmax_4: float32[N, 1, 1, S] = softmax(input: mask, axis: -1)
  y.attention.multiply_5: float32[N, 1, 1, S] = multiply(left: y.attention.softmax_4, right: 0.0)
  y.attention.add_6: float32[N, 1, 1, S] = add(left: mask, right: y.attention.multiply_5)
  y: float32[N, 4, L, 8] = scaled_dot_product(query: q, key: k, value: v, attn_mask: y.attention.add_6, is_causal: False, scale: 1.0, dropout_p: 0.0)
  output y = y
}
)");
}

TEST_CASE("a bool mask that chooses between scores and -inf is fused") {
  const std::string with_mask = inputs + "  input mask: bool[L, S]\n";
  CHECK(fused(with_mask + product + R"(
  m: float32[N, 4, L, S] = where(cond: mask, input1: s, input2: -inf))" +
              attend_masked) ==
        with_mask + R"(  y.attention.cast_4: float32[L, S] = cast(input: mask, dtype: float32)
  y.attention.log_5: float32[L, S] = log(input: y.attention.cast_4, robust: False, threshold: None)
  y.attention.softmax_6: float32[L, S] = softmax(input: y.attention.log_5, axis: -1)
  y.attention.multiply_7: float32[L, S] = multiply(left: y.attention.softmax_6, right: 0.0)
  y.attention.add_8: float32[L, S] = add(left: y.attention.log_5, right: y.attention.multiply_7)
  y: float32[N, 4, L, 8] = scaled_dot_product(query: q, key: k, value: v, attn_mask: y.attention.add_8, is_causal: False, scale: 1.0, dropout_p: 0.0)
  output y = y
}
)");
}

TEST_CASE("a mask of bools may mark the keys that are left out, and -inf may be a constant") {
  const std::string filled =
      fused(inputs + "  input mask: bool[L, S]\n  constant low: float32[] = {-inf}" + product + R"(
  m: float32[N, 4, L, S] = where(cond: mask, input1: low, input2: s))" +
            attend_masked);
  CHECK(filled.find("y.attention.logical_not_4: bool[L, S] = logical_not(input: mask)\n"
                    "  y.attention.cast_5: float32[L, S] = cast(input: y.attention.logical_not_4, "
                    "dtype: float32)\n") != std::string::npos);
  CHECK(filled.find("attn_mask: y.attention.add_9") != std::string::npos);
}

TEST_CASE(
    "attention in half precision with a float mask is not fused, because its scores are rounded") {
  const auto text = [](const std::string& dtype, const std::string& masking) {
    return "graph {\n  input q: " + dtype + "[2, 4, 3, 8]\n  input k: " + dtype +
           "[2, 4, 3, 8]\n  input bias: " + dtype +
           "[3, 3]\n  input mask: bool[3, 3]\n  t: " + dtype +
           "[2, 4, 8, 3] = swapaxes(input: k, axis1: -2, axis2: -1)\n  s: " + dtype +
           "[2, 4, 3, 3] = matmul(left: q, right: t)\n  m: " + dtype + "[2, 4, 3, 3] = " + masking +
           "\n  w: " + dtype + "[2, 4, 3, 3] = softmax(input: m, axis: -1)\n  y: " + dtype +
           "[2, 4, 3, 8] = matmul(left: w, right: k)\n  output y = y\n}";
  };
  const std::string added = "add(left: s, right: bias)";
  const std::string filled = "where(cond: mask, input1: s, input2: -inf)";
  for (const char* dtype : {"bfloat16", "float16"}) {
    CHECK(stays(text(dtype, added)));
    CHECK(!stays(text(dtype, filled)));
  }
  CHECK(!stays(text("float64", added)));
}

TEST_CASE("attention with a value that another node reads is not fused") {
  const std::string masked = inputs + "  input mask: float32[S]\n" + product + R"(
  m: float32[N, 4, L, S] = add(left: s, right: mask)
  w: float32[N, 4, L, S] = softmax(input: m, axis: -1))";
  CHECK(!stays(masked + weighed));
  for (const char* value : {"s", "m", "w"}) {
    CAPTURE(value);
    CHECK(stays(masked + "\n  output seen = " + value + weighed));
    CHECK(stays(masked + "\n  watched: float32[N, 4, L, S] = relu(input: " + value +
                ")\n  output seen = watched" + weighed));
  }
}

TEST_CASE("additions that are not masks are not fused") {
  const auto masked = [](const std::string& mask, const std::string& masking) {
    return inputs + "  input mask: " + mask + "\n" + product +
           "\n  m: float32[N, 4, L, S] = " + masking + attend_masked;
  };
  CHECK(!stays(masked("float32[S]", "add(left: s, right: mask)")));
  INFO("a number for all");
  CHECK(stays(masked("float32[]", "add(left: s, right: mask)")));
  INFO("one that nothing shares, so that reading it twice takes long");
  CHECK(stays(masked("float32[N, 4, L, S]", "add(left: s, right: mask)")));
  INFO("ints");
  CHECK(stays(masked("int64[S]", "add(left: s, right: mask)")));
  INFO("a number that still weighs something where every score is as low");
  CHECK(stays(masked("bool[L, S]", "where(cond: mask, input1: s, input2: -1e+09)")));
  INFO("scores in both places");
  CHECK(stays(masked("bool[L, S]", "where(cond: mask, input1: s, input2: s)")));
}

TEST_CASE("a constant mask is fused even if it does not broadcast") {
  const auto masked = [](const std::string& declared) {
    return "graph {\n  input q: float32[1, 2, 8]\n  " + declared + R"(
  t: float32[1, 8, 2] = swapaxes(input: q, axis1: 1, axis2: 2)
  s: float32[1, 2, 2] = matmul(left: q, right: t)
  m: float32[1, 2, 2] = add(left: s, right: mask)
  w: float32[1, 2, 2] = softmax(input: m, axis: 2)
  y: float32[1, 2, 8] = matmul(left: w, right: q)
  output y = y
})";
  };
  CHECK(stays(masked("input mask: float32[2, 2]")));
  CHECK(!stays(masked("constant mask: float32[2, 2] = {0, -inf, 0, 0}")));
}

TEST_CASE("a mask that broadcasts the scores is not fused") {
  const auto masked = [](const std::string& dims) {
    return R"(graph {
  input q: float32[2, 4, 1, 8]
  input k: float32[2, 4, 5, 8]
  input mask: float32)" +
           dims + R"(
  t: float32[2, 4, 8, 5] = swapaxes(input: k, axis1: -2, axis2: -1)
  s: float32[2, 4, 1, 5] = matmul(left: q, right: t)
  m: float32[2, 4, L, 5] = add(left: s, right: mask)
  w: float32[2, 4, L, 5] = softmax(input: m, axis: -1)
  y: float32[2, 4, L, 8] = matmul(left: w, right: k)
  output y = y
})";
  };
  const auto with = [&](const std::string& dims, const std::string& rows) {
    std::string text = masked(dims);
    for (size_t at; (at = text.find('L')) != std::string::npos;) text.replace(at, 1, rows);
    return text;
  };
  CHECK(!stays(with("[1, 5]", "1")));
  CHECK(stays(with("[3, 5]", "3")));
}

TEST_CASE("attention that the op does not support, or runs slowly, is not fused") {
  const auto written = [](const std::string& q, const std::string& t, const std::string& v,
                          const std::string& s, const std::string& y, const char* axis = "-1") {
    return "graph {\n  input q: " + q + "\n  input t: " + t + "\n  input v: " + v + "\n  s: " + s +
           " = matmul(left: q, right: t)\n  w: " + s + " = softmax(input: s, axis: " + axis +
           ")\n  y: " + y + " = matmul(left: w, right: v)\n  output y = y\n}";
  };
  const std::string a = "float32[2, 3, 8]", b = "float32[2, 8, 3]", c = "float32[2, 3, 3]";
  CHECK(!stays(written(a, b, a, c, a)));
  INFO("another axis");
  CHECK(stays(written(a, b, a, c, a, "1")));
  INFO("batches that broadcast");
  CHECK(stays(written(a, "float32[8, 3]", a, c, a)));
  CHECK(stays(written("float32[1, 3, 8]", b, a, c, a)));
  CHECK(stays(written(a, b, "float32[1, 3, 8]", c, a)));
  INFO("values of another width");
  CHECK(stays(written(a, b, "float32[2, 3, 5]", c, "float32[2, 3, 5]")));
  INFO("another dtype");
  CHECK(stays(written(a, b, "float64[2, 3, 8]", c, "float64[2, 3, 8]")));
  INFO("five axes");
  CHECK(stays(written("float32[1, 1, 2, 3, 8]", "float32[1, 1, 2, 8, 3]", "float32[1, 1, 2, 3, 8]",
                      "float32[1, 1, 2, 3, 3]", "float32[1, 1, 2, 3, 8]")));
  INFO("an axis of another size in the place of the width");
  CHECK(stays(written("float32[2, 3, W]", "float32[2, W, 3]", a, c, a)));
}

TEST_CASE("a scale that is not a number, or not finite, stays") {
  for (const char* by : {"q", "z"}) {
    CAPTURE(by);
    CHECK(stays(R"(graph {
  input q: float32[2, 3, 3]
  constant z: float32[] = {0}
  t: float32[2, 3, 3] = swapaxes(input: q, axis1: 1, axis2: 2)
  p: float32[2, 3, 3] = matmul(left: q, right: t)
  s: float32[2, 3, 3] = divide(numerator: p, denominator: )" +
                std::string(by) + R"()
  w: float32[2, 3, 3] = softmax(input: s, axis: -1)
  y: float32[2, 3, 3] = matmul(left: w, right: q)
  output y = y
  output z = z
})"));
  }
}

TEST_CASE("the gradient of attention written as several ops reads the weights, so that they stay") {
  CHECK(stays(inputs + product + R"(
  w: float32[N, 4, L, S] = softmax(input: s, axis: -1)
  y: float32[N, 4, L, 8] = matmul(left: w, right: v)
  input dy: float32[N, 4, L, 8]
  u: float32[N, 4, S, L] = swapaxes(input: w, axis1: -1, axis2: -2)
  dv: float32[N, 4, S, 8] = matmul(left: u, right: dy)
  output y = y
  output dv = dv
})"));
}
