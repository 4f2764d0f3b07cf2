// Nodes as kernels, which run on the CPU here, against the operators of torch.
#include "backends/torch/kernels/fuse_nodes.hpp"

#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include <limits>

#include "backends/torch/device/dtypes.hpp"
#include "tests/torch_internal/doctest.hpp"
#include "tests/torch_internal/fused_chain.hpp"

namespace mithril::tests {
namespace {

// gelu(x * scale + shift) + x, of rows and of a number.
void add_chain(Chain& chain) {
  const ValueId x = chain.input("x", {Dim(6), Dim(8)}), scale = chain.input("scale", {Dim(8)}),
                shift = chain.input("shift", {});
  const ValueId scaled = chain.add("multiply", {x, scale}, "scaled");
  const ValueId shifted = chain.add("add", {scaled, shift}, "shifted");
  const ValueId active = chain.add("gelu", {shifted, Datum(true)}, "active");
  chain.graph.add_output("y", chain.add("add", {active, x}, "y"));
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("a chain of elementwise nodes is one kernel, for inputs of any strides") {
  Chain chain;
  add_chain(chain);
  const at::Tensor scale = at::randn({8}), shift = at::randn({});
  chain.check({at::randn({6, 8}), scale, shift});
  CHECK((chain.nodes == Strings{"mithril::elementwise(multiply, add, gelu, add)"}));
  CHECK(chain.fused.nodes == 4);
  CHECK(chain.fused.kernels == 1);
  CHECK(chain.device.lanes == 1);
  chain.check({at::randn({8, 6}).t(), scale, shift});
  chain.check({at::randn({6, 9}).slice(1, 1), scale, shift});
  chain.check({at::randn({6, 8}), at::randn({16}).slice(0, 0, 16, 2), shift});
  chain.check({at::randn({1, 8}).expand({6, 8}), scale, shift});
  CHECK(chain.device.lanes == 2);
  CHECK(chain.device.plain == 3);
  CHECK(chain.device.texts.front() == chain.device.texts.back());
}

TEST_CASE("a kernel writes the values that others read, before they do") {
  Chain chain;
  const ValueId x = chain.input("x", {Dim(5), Dim(7)});
  const ValueId twice = chain.add("add", {x, x}, "twice");
  const ValueId total = chain.add("sum", {twice, Datum(None{}), Datum(false)}, "total");
  const ValueId square = chain.add("multiply", {twice, x}, "square");
  const ValueId more = chain.add("add", {square, x}, "more");
  // It reads the sum, which reads the kernel: it is not a part of that one.
  const ValueId shifted = chain.add("add", {more, total}, "shifted");
  chain.graph.add_output("square", square);
  chain.graph.add_output("y", chain.add("relu", {shifted}, "y"));
  chain.check({at::randn({5, 7})});
  CHECK((chain.nodes == Strings{"mithril::elementwise(add, multiply, add)", "sum",
                                "mithril::elementwise(add, relu)"}));
}

TEST_CASE("half precision is rounded after each node, as by operators") {
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    CAPTURE(name(dtype));
    Chain chain;
    const ValueId x = chain.input("x", {Dim(64)}, dtype), z = chain.input("z", {Dim(64)}, dtype);
    const ValueId product = chain.add("multiply", {x, z}, "product");
    const ValueId sum = chain.add("add", {product, z}, "sum");
    chain.graph.add_output("y", chain.add("subtract", {sum, product}, "y"));
    const auto torch_dtype = torch_backend::scalar_type(dtype);
    const auto [got, expected] =
        chain.both({at::randn({64}).to(torch_dtype), at::randn({64}).to(torch_dtype)});
    CHECK((got[0].scalar_type() == torch_dtype));
    CHECK(at::equal(got[0], expected[0]));
    CHECK(chain.device.lanes == 1);
  }
}

TEST_CASE("results of a kernel stay channels last") {
  Chain chain;
  const ValueId x = chain.input("x", {Dim(2), Dim(4), Dim(5), Dim(5)}),
                bias = chain.input("bias", {Dim(4), Dim(1), Dim(1)});
  const ValueId shifted = chain.add("add", {x, bias}, "shifted");
  chain.graph.add_output("y", chain.add("relu", {shifted}, "y"));
  const auto last = at::MemoryFormat::ChannelsLast;
  const auto [got, expected] =
      chain.both({at::randn({2, 4, 5, 5}).contiguous(last), at::randn({4, 1, 1})});
  CHECK(at::equal(got[0], expected[0]));
  CHECK(got[0].is_contiguous(last));
  CHECK(chain.device.lanes == 1);
}

TEST_CASE("nodes without a kernel run as operators, and the reason is known") {
  Chain chain;
  add_chain(chain);
  chain.device.refusal = "no compiler today";
  const Tensors inputs{at::randn({6, 8}), at::randn({8}), at::randn({})};
  chain.check(inputs);
  CHECK((chain.nodes == Strings{"multiply", "add", "gelu", "add"}));
  CHECK(chain.fused.why == "no compiler today");
  CHECK(chain.fused.kernels == 0);
}

TEST_CASE("texts of kernels have no sizes") {
  Chain chain;
  const Dim size(chain.graph.facts()->symbol("N"));
  const ValueId x = chain.input("x", {size, Dim(8)});
  const ValueId mean = chain.add("divide", {x, Datum(size)}, "mean");
  const ValueId negative = chain.add("negate", {mean}, "negative");
  chain.graph.add_output("y", chain.add("relu", {negative}, "y"));
  for (const int rows : {3, 5}) {
    chain.rows = rows;
    chain.check({at::randn({rows, 8})});
    CHECK((chain.nodes == Strings{"divide", "mithril::elementwise(negate, relu)"}));
  }
  CHECK(chain.device.texts.size() == 2);
  CHECK(chain.device.texts.front() == chain.device.texts.back());
}

TEST_CASE("a kernel of no elements is not launched, and a single operator stays one") {
  Chain empty;
  const ValueId x = empty.input("x", {Dim(0), Dim(3)});
  empty.graph.add_output("y", empty.add("relu", {empty.add("negate", {x}, "n")}, "y"));
  empty.check({at::randn({0, 3})});
  CHECK(empty.fused.kernels == 1);
  CHECK(empty.device.plain + empty.device.lanes == 0);
  Chain single;
  single.graph.add_output("y", single.add("relu", {single.input("x", {Dim(3)})}, "y"));
  single.check({at::randn({3})});
  CHECK((single.nodes == Strings{"relu"}));
}

TEST_CASE("a sum of a residual and its layer norm are one kernel") {
  Chain chain;
  const ValueId x = chain.input("x", {Dim(3), Dim(5), Dim(64)}),
                residual = chain.input("residual", {Dim(3), Dim(5), Dim(64)}),
                weight = chain.input("weight", {Dim(64)}), bias = chain.input("bias", {Dim(64)});
  const ValueId sum = chain.add("add", {x, residual}, "sum");
  chain.graph.add_output("sum", sum);
  const auto normal =
      chain.graph.add(find_op("layer_norm"), {sum, weight, bias, Datum(1e-5)}, "normal");
  for (const ValueId id : normal) chain.graph.add_output(chain.graph.value(id).name, id);
  const at::Tensor gain = at::randn({64}), offset = at::randn({64});
  chain.check({at::randn({3, 5, 64}), at::randn({3, 5, 64}), gain, offset}, 1e-5);
  CHECK((chain.nodes == Strings{"mithril::rows(add, layer_norm)"}));
  CHECK(chain.device.lanes == 1);
  chain.check(
      {at::randn({5, 3, 64}).transpose(0, 1), at::randn({3, 64, 5}).transpose(1, 2), gain, offset},
      1e-5);
  CHECK(chain.device.plain == 1);
}

TEST_CASE("softmax reads scaled scores and a mask in one kernel") {
  Chain chain;
  const ValueId scores = chain.input("scores", {Dim(2), Dim(3), Dim(4), Dim(200)}),
                mask = chain.input("mask", {Dim(2), Dim(1), Dim(1), Dim(200)});
  const ValueId scaled = chain.add("multiply", {scores, Datum(0.125)}, "scaled");
  const ValueId masked = chain.add("add", {scaled, mask}, "masked");
  chain.graph.add_output("y", chain.add("softmax", {masked, Datum(-1)}, "y"));
  at::Tensor hidden = at::zeros({2, 1, 1, 200});
  hidden.slice(3, 150).fill_(-std::numeric_limits<float>::infinity());
  chain.check({at::randn({2, 3, 4, 200}), hidden});
  CHECK((chain.nodes == Strings{"mithril::rows(multiply, add, softmax)"}));
}

TEST_CASE("numbers of rows stay in the kernel that reads them again") {
  Chain chain;
  const ValueId x = chain.input("x", {Dim(6), Dim(33)});
  const ValueId square = chain.add("multiply", {x, x}, "square");
  const ValueId mean = chain.add("mean", {square, Datum(-1), Datum(true)}, "mean");
  const ValueId root = chain.add("sqrt", {mean}, "root");
  chain.graph.add_output("y", chain.add("divide", {x, root}, "y"));
  chain.check({at::randn({6, 33})}, 1e-5);
  CHECK((chain.nodes == Strings{"mithril::rows(multiply, mean, sqrt, divide)"}));
}

TEST_CASE("a kernel for rows has no nodes that read its results along other axes") {
  Chain chain;
  const ValueId x = chain.input("x", {Dim(4), Dim(4)});
  const ValueId total = chain.add("sum", {x, Datum(-1), Datum(false)}, "total");
  chain.graph.add_output("y", chain.add("relu", {chain.add("add", {x, total}, "sum")}, "y"));
  chain.check({at::randn({4, 4})});
  CHECK((chain.nodes == Strings{"sum", "mithril::elementwise(add, relu)"}));
  Chain columns;
  const ValueId z = columns.input("z", {Dim(4), Dim(5)});
  columns.graph.add_output(
      "y", columns.add("softmax", {columns.add("negate", {z}, "n"), Datum(0)}, "y"));
  columns.check({at::randn({4, 5})});
  CHECK((columns.nodes == Strings{"negate", "softmax"}));
}

TEST_CASE("rows that are too long for a block are computed by operators") {
  for (const std::int64_t width : {16384, 16385}) {
    Chain chain;
    const ValueId x = chain.input("x", {Dim(2), Dim(width)});
    chain.graph.add_output("y",
                           chain.add("softmax", {chain.add("negate", {x}, "n"), Datum(-1)}, "y"));
    chain.check({at::randn({2, width})});
    CHECK(chain.nodes.size() == (width == 16384 ? 1 : 2));
  }
}

TEST_CASE("steps of an optimizer are one launch for many tensors") {
  Chain chain;
  Tensors inputs = add_updates(chain, {4, 5000, 8, 1, 0});
  inputs[2] = at::randn({3, 4}).t();
  chain.check(inputs);
  CHECK((chain.nodes == Strings{"mithril::batch(multiply, subtract, multiply, subtract, multiply, "
                                "subtract, multiply, subtract, multiply, subtract)"}));
  CHECK(chain.fused.kernels == 1);
  CHECK(chain.device.lanes == 1);
  CHECK(chain.device.plain == 1);  // of the size that four do not divide
  Chain many;
  many.check(add_updates(many, std::vector<std::int64_t>(100, 4)));
  CHECK(many.device.lanes == 3);
}

TEST_CASE("kernels that read each other's results are not a batch") {
  Chain chain;
  const ValueId x = chain.input("x", {Dim(3)}), z = chain.input("z", {Dim(4), Dim(3)});
  const ValueId once = chain.add("negate", {chain.add("multiply", {x, x}, "a")}, "once");
  chain.graph.add_output("once", once);
  const ValueId row = chain.add("add", {z, once}, "row");
  chain.graph.add_output("y", chain.add("negate", {chain.add("multiply", {row, row}, "b")}, "y"));
  chain.check({at::randn({3}), at::randn({4, 3})});
  CHECK(chain.fused.kernels == 2);
}

TEST_CASE("a batch that cannot be compiled is a kernel for each tensor") {
  Chain chain;
  chain.device.refusal = "no batch today";
  chain.device.refused = "Batch";
  chain.check(add_updates(chain, {4, 8}));
  CHECK(chain.fused.kernels == 2);
  CHECK(chain.device.lanes == 2);
}

TEST_CASE("collectives keep their order, whichever nodes kernels join") {
  Chain chain;
  const ValueId x = chain.input("x", {Dim(6), Dim(8)}), y = chain.input("y", {Dim(3)});
  const ValueId square = chain.add("multiply", {x, x}, "square");
  const ValueId a = chain.add("add", {square, x}, "a");
  const ValueId first = chain.add("all_reduce_start", {a, Datum("g"), Datum("sum")}, "first");
  const ValueId b = chain.add("multiply", {y, y}, "b");
  const ValueId second = chain.add("all_reduce_start", {b, Datum("g"), Datum("sum")}, "second");
  // A part of the kernel that computes a.
  chain.graph.add_output("c", chain.add("add", {a, x}, "c"));
  chain.graph.add_output("a", chain.add("all_reduce_wait", {first}, "whole_a"));
  chain.graph.add_output("b", chain.add("all_reduce_wait", {second}, "whole_b"));
  TorchProgram program = chain.lowered();
  CHECK(fuse_nodes(chain.graph, program, chain.device).nodes == 3);
  std::vector<ValueId> started;
  for (std::size_t i = 0; i < program.nodes.size(); ++i) {
    if (program.nodes[i].exchange == torch_backend::ExchangePart::start)
      started.push_back(program.plan.nodes[i].outputs.front());
  }
  CHECK((started == std::vector<ValueId>{first, second}));
}

}  // namespace mithril::tests
