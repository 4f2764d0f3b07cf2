// Graphs as Python modules for JAX. tests/jax and python/tests run them.
#include <doctest/doctest.h>

#include <string>

#include "codegen/jax/write_jax.hpp"
#include "mithril/base/error.hpp"

namespace mithril::tests {
namespace {

std::string jax_of(const std::string& graph) { return jax_program(parse_graph(graph)).source; }

bool has_line(const std::string& source, const std::string& line) {
  return source.find("    " + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("sizes are read from the shapes of arrays, once, where they are needed") {
  const std::string source = jax_of(R"(graph {
    input x: float32[N, 4]
    input w: float32[2*M, N + 3]
    a: float32[4*N] = reshape(input: x, shape: (4*N,))
    b: float32[N, M] = ones(shape: (N, M), dtype: float32)
    c: float32[(N + 1)//2] = zeros(shape: ((N + 1)//2,), dtype: float32)
    output a = a
    output b = b
    output c = c
  })");
  CHECK(has_line(source, "N = x.shape[0]"));
  CHECK(has_line(source, "M = w.shape[0] // 2"));
  CHECK(has_line(source, "a = jnp.reshape(x, (4 * N,))  # float32[4*N]"));
  CHECK(has_line(source, "b = jnp.ones((N, M), jnp.float32)  # float32[N, M]"));
  CHECK(source.find("jnp.zeros((((N + 1) // 2),), jnp.float32)") != std::string::npos);
  CHECK(source.find("N = ") == source.rfind("N = "));
}

TEST_CASE("a size that follows from no input is refused") {
  std::string text;
  try {
    jax_of(R"(graph {
      size n
      input x: float32[2]
      y: float32[n] = zeros(shape: (n,), dtype: float32)
      output y = y
    })");
  } catch (const Error& error) {
    text = error.what();
  }
  CHECK(text ==
        "mithril.BackendError[E1034]: y: a size that the JAX of this node needs follows from no "
        "input\n"
        "  help: state the shapes of the inputs: shapes={...}");
}

TEST_CASE("a module contains the functions that it calls and no others") {
  const std::string source = jax_of(R"(graph {
    input x: float32[3]
    y: float32[] = variance(input: x)
    output y = y
  })");
  CHECK(source.find("def variance(") != std::string::npos);
  CHECK(source.find("def reduced_count(") != std::string::npos);
  CHECK(source.find("def conv2d(") == std::string::npos);
  CHECK(source.find("codegen") == std::string::npos);
}

TEST_CASE("operands of a lower kind are converted, and negative numbers have parentheses") {
  const std::string source = jax_of(R"(graph {
    input x: int64[3]
    y: float32[3] = exp(input: x)
    z: float32[3] = subtract(left: y, right: -0.5)
    output z = z
  })");
  CHECK(has_line(source, "y = jnp.exp(x.astype(jnp.float32))  # float32[3]"));
  CHECK(has_line(source, "z = y - (-0.5)  # float32[3]"));
}

}  // namespace mithril::tests
