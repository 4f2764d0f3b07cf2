// What is written to run in one process refuses a model of several.
#include <doctest/doctest.h>

#include <string>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/onnx/export/write_onnx.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/per_sample/per_sample.hpp"
#include "mithril/train_model/train_model.hpp"
#include "tests/distributed/on_each_rank.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/serialization/files.hpp"

namespace mithril::tests {
namespace {

TrainModel network() {
  Model layers;
  layers |= Linear({.dimension = 2})({{"input", "x"}, {"output", "y"}});
  TrainModel train(layers);
  train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}});
  return train;
}

std::string refused(const std::string& subject) {
  return "mithril.BackendError[E1054]: " + subject +
         " takes a model of one process, and this one trains on 2\n"
         "  help: compile the model without a group to export it; its parameters fit both";
}

}  // namespace

TEST_CASE("files and generated code refuse a model of several processes") {
  const FileFolder folder;
  const auto errors = on_each_rank(2, [&](Communicator& own) {
    const CompiledModel compiled =
        compile(network(), cpu(),
                {.shapes = {{"x", {any, 3}}, {"t", {any, 2}}}, .group = communicator(own.name())});
    if (own.rank() == 1) return;
    const TensorMap params = compiled.get_parameters();
    const TensorMap data = {{"x", Tensor::ones({4, 3})}, {"t", Tensor::ones({4, 2})}};
    const std::string path = folder.at("model.onnx");
    const auto write = [&](bool gradients) {
      write_onnx(compiled, path, {.params = params.share(), .gradients = gradients});
    };
    const std::string code = refused("an export (to_onnx, generated code)");
    CHECK(text_of_error([&] { write(false); }) == code);
    CHECK(text_of_error([&] { write(true); }) == code);
    CHECK(text_of_error([&] { onnx_reference(compiled, data); }) == code);
    CHECK(text_of_error([&] { onnx_gradient_inputs(compiled); }) == code);
    CHECK(text_of_error([&] { compiled.exported(data); }) == code);
    CHECK(text_of_error([&] { compiled.exported_with_open_sizes(); }) == code);
    CHECK(text_of_error([&] { compiled.exported_with_open_gradients(); }) == code);
    CHECK(text_of_error([&] { compiled.save_torchscript(path, params, data); }) ==
          refused("save_torchscript"));
    const CompiledModel bound = compiled.bind(params);
    write_onnx(bound, path);  // each process runs it alone
    CHECK(bound.exported(data).outputs.size() == 1);
  });
  CHECK(errors == no_errors(2));
}

TEST_CASE("code of gradients of samples refuses a model of several processes") {
  const auto errors = on_each_rank(2, [&](Communicator& own) {
    Model net;
    net |= Linear({.dimension = 2})({{"input", "x"}, {"output", "y"}});
    net |= SquaredError()({{"input", "y"}, {"target", "t"}, {"output", "losses"}});
    const CompiledModel compiled = compile(net, cpu(),
                                           {.shapes = {{"x", {any, 3}}, {"t", {any, 2}}},
                                            .data_keys = {"t"},
                                            .group = communicator(own.name())});
    if (own.rank() == 1) return;
    const TensorMap data = {{"x", Tensor::ones({4, 3})}, {"t", Tensor::ones({4, 2})}};
    const PerSample samples(compiled, {.losses = "losses"});
    CHECK(samples.norms(compiled.get_parameters(), data).total.dims() == Dims{4});
    CHECK(text_of_error([&] { samples.exported_norms(data); }) ==
          refused("an export of PerSample"));
  });
  CHECK(errors == no_errors(2));
}

}  // namespace mithril::tests
