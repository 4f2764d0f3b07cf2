// The casts of mixed precision: text in, text out.
#include "mithril/passes/mix_precision.hpp"

#include <doctest/doctest.h>

#include "mithril/grad/differentiate.hpp"
#include "mithril/passes/passes.hpp"
#include "mithril/passes/pipeline.hpp"

using namespace mithril;

namespace {

std::string mixed(const char* text, std::vector<bool> parameters = {}) {
  const Graph graph = mix_precision(parse_graph(text), {.parameters = std::move(parameters)});
  verify(graph);
  return to_string(graph);
}

}  // namespace

TEST_CASE("products are computed in the lower precision, and outputs come out as before") {
  CHECK(mixed(R"(graph {
  input x: float32[N, 4]
  input w: float32[4, 3]
  y: float32[N, 3] = matmul(left: x, right: w)
  output y = y
})") == R"(graph {
  input x: float32[N, 4]
  input w: float32[4, 3]
  x.as_bfloat16: bfloat16[N, 4] = cast(input: x, dtype: bfloat16)
  w.as_bfloat16: bfloat16[4, 3] = cast(input: w, dtype: bfloat16)
  y: bfloat16[N, 3] = matmul(left: x.as_bfloat16, right: w.as_bfloat16)
  y.as_float32: float32[N, 3] = cast(input: y, dtype: float32)
  output y = y.as_float32
}
)");
}

TEST_CASE("ops that lose precision are computed in float32") {
  CHECK(mixed(R"(graph {
  input x: bfloat16[N, 4]
  y: bfloat16[N, 4] = softmax(input: x, axis: -1)
  z: bfloat16[N, 4] = relu(input: x)
  output y = y
  output z = z
})") == R"(graph {
  input x: bfloat16[N, 4]
  x.as_float32: float32[N, 4] = cast(input: x, dtype: float32)
  y: float32[N, 4] = softmax(input: x.as_float32, axis: -1)
  z: bfloat16[N, 4] = relu(input: x)
  y.as_bfloat16: bfloat16[N, 4] = cast(input: y, dtype: bfloat16)
  output y = y.as_bfloat16
  output z = z
}
)");
}

TEST_CASE("a value is cast once, however many read it") {
  CHECK(mixed(R"(graph {
  input x: float32[N, 4]
  input w: float32[4, 4]
  a: float32[N, 4] = matmul(left: x, right: w)
  b: float32[N, 4] = matmul(left: a, right: w)
  c: float32[N, 4] = exp(input: b)
  d: float32[N, 4] = log(input: b)
  e: float32[N, 4] = add(left: c, right: d)
  output e = e
})") == R"(graph {
  input x: float32[N, 4]
  input w: float32[4, 4]
  x.as_bfloat16: bfloat16[N, 4] = cast(input: x, dtype: bfloat16)
  w.as_bfloat16: bfloat16[4, 4] = cast(input: w, dtype: bfloat16)
  a: bfloat16[N, 4] = matmul(left: x.as_bfloat16, right: w.as_bfloat16)
  b: bfloat16[N, 4] = matmul(left: a, right: w.as_bfloat16)
  b.as_float32: float32[N, 4] = cast(input: b, dtype: float32)
  c: float32[N, 4] = exp(input: b.as_float32)
  d: float32[N, 4] = log(input: b.as_float32, robust: False, threshold: None)
  e: float32[N, 4] = add(left: c, right: d)
  output e = e
}
)");
}

TEST_CASE("other ops take the widest dtype of their inputs, and parameters are cast to it") {
  CHECK(mixed(R"(graph {
  input x: float32[N, 4]
  input w: float32[4, 4]
  input b: float32[4]
  h: float32[N, 4] = matmul(left: x, right: w)
  row: float32[1, 4] = reshape(input: b, shape: (1, 4))
  biased: float32[N, 4] = add(left: h, right: row)
  y: float32[N, 4] = add(left: biased, right: x)
  output y = y
})",
              {false, true, true}) == R"(graph {
  input x: float32[N, 4]
  input w: float32[4, 4]
  input b: float32[4]
  x.as_bfloat16: bfloat16[N, 4] = cast(input: x, dtype: bfloat16)
  w.as_bfloat16: bfloat16[4, 4] = cast(input: w, dtype: bfloat16)
  h: bfloat16[N, 4] = matmul(left: x.as_bfloat16, right: w.as_bfloat16)
  row: float32[1, 4] = reshape(input: b, shape: (1, 4))
  row.as_bfloat16: bfloat16[1, 4] = cast(input: row, dtype: bfloat16)
  biased: bfloat16[N, 4] = add(left: h, right: row.as_bfloat16)
  biased.as_float32: float32[N, 4] = cast(input: biased, dtype: float32)
  y: float32[N, 4] = add(left: biased.as_float32, right: x)
  output y = y
}
)");
}

TEST_CASE("a sum with a value that depends on data stays float32") {
  const std::string text = mixed(R"(graph {
  input table: float32[9, 4]
  input ids: int64[N]
  input w: float32[4, 4]
  x: float32[N, 4] = gather(input: table, index: ids, axis: 0)
  h: float32[N, 4] = matmul(left: x, right: w)
  y: float32[N, 4] = add(left: x, right: h)
  output y = y
})",
                                 {true, false, true});
  CHECK(text.find("y: float32[N, 4] = add(left: x, right: h.as_float32)") != std::string::npos);
}

TEST_CASE("float64 and ints are left as they are") {
  const char* text = R"(graph {
  input x: float64[N, 4]
  input w: float32[4, 4]
  input i: int64[4, 4]
  x2: float64[4, 4] = cast(input: w, dtype: float64)
  y: float64[N, 4] = matmul(left: x, right: x2)
  k: int64[4, 4] = matmul(left: i, right: i)
  output y = y
  output k = k
}
)";
  CHECK(mixed(text) == to_string(parse_graph(text)));
}

TEST_CASE("random numbers are those without mixed precision") {
  const std::string text = mixed(R"(graph {
  input x: float32[N, 4]
  input w: float32[4, 4]
  input key: int64[]
  h: float32[N, 4] = matmul(left: x, right: w)
  r: float32[N, 4] = random_uniform(like: h, key: key)
  kept: bool[N, 4] = less(left: r, right: 0.5)
  y: float32[N, 4] = where(cond: kept, input1: h, input2: 0.0)
  output y = y
})");
  CHECK(text.find("r: float32[N, 4] = random_uniform") != std::string::npos);
  CHECK(text.find("y: bfloat16[N, 4] = where") != std::string::npos);
}

TEST_CASE("an op that is written as others is cast as a whole") {
  const char* text = R"(graph {
  input x: float32[N, 4]
  input w: float32[4, 3]
  input t: int64[N]
  y: float32[N, 3] = matmul(left: x, right: w)
  loss: float32[N] = cross_entropy(input: y, target: t, input_type: "logits", weights: False, categorical: True, robust: False, threshold: None)
  output loss = loss
})";
  const std::string result = to_string(expand_ops(mix_precision(parse_graph(text), {})));
  CHECK(result.find("log_softmax(input: y.as_float32") != std::string::npos);
}

TEST_CASE("gradients of parameters come out in their own dtype") {
  const Graph graph = run_passes(mix_precision(parse_graph(R"(graph {
  input x: float32[N, 4]
  input w: float32[4, 3]
  input b: float32[3]
  h: float32[N, 3] = matmul(left: x, right: w)
  y: float32[N, 3] = add(left: h, right: b)
  output y = y
})"),
                                               {.parameters = {false, true, true}}));
  const Graph both = differentiate(graph, {.outputs = {"y"}, .wanted = {"w", "b"}});
  verify(both);
  for (const Output& output : both.outputs()) {
    CHECK(both.value(output.value).dtype == DType::float32);
  }
}
