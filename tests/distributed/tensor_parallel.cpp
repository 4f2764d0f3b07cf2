// Processes that share parameters (threads here) train as one process does.
#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/embedding.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/transformer.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/train_model/train_model.hpp"
#include "mithril/training/checkpoint.hpp"
#include "mithril/training/fit.hpp"
#include "mithril/training/training_step.hpp"
#include "tests/distributed/on_each_rank.hpp"
#include "tests/distributed/relative_distance.hpp"
#include "tests/serialization/files.hpp"

namespace mithril::tensor_parallel_tests {
namespace {

using tests::FileFolder;
using tests::no_errors;
using tests::on_each_rank;
using tests::relative_distance;
using Placements = std::vector<std::pair<std::string, Sharded>>;
using MeshSizes = std::vector<std::pair<std::string, int>>;

// Six heads of two columns, and a table of 7 rows that is read at both ends.
TrainModel transformer() {
  Model layers;
  layers |= Embedding({.num_embeddings = 7, .dim = 12})({{"input", "ids"}, {"weight", "table"}});
  layers += TransformerBlock(
      {.num_heads = 6, .dimension = 12, .hidden_dimension = 24, .is_causal = true});
  layers += Dropout({.p = 0.2});
  layers += Linear({.dimension = 7, .use_bias = false})({{"weight", "table"}, {"output", "y"}});
  TrainModel train(layers);
  train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}});
  return train;
}

// Columns first, then rows: the attention and the perceptron exchange their outputs alone.
const Placements columns_then_rows = {
    {"*w_query", {0}},     {"*w_key", {0}},      {"*w_value", {0}},
    {"*bias_query", {0}},  {"*bias_value", {0}}, {"*w_output", {1}},
    {"*fc_1.weight", {0}}, {"*fc_1.bias", {0}},  {"*fc_2.weight", {-1}}};

TensorMap batch_of(std::int64_t rows, std::uint64_t seed) {
  Tensor ids(DType::int64, {rows, 5});
  std::uint64_t next = seed;
  for (std::int64_t& id : ids.mutable_values<std::int64_t>())
    id = static_cast<std::int64_t>((next = next * 2862933555777941757U + 3037000493U) >> 33U) % 7;
  return {{"ids", ids}, {"t", Tensor::randn({rows, 5, 7}, seed, DType::float64)}};
}

// The gradient of the bias of keys is 0 but for rounding, which Adam divides by itself.
CompileOptions options_for(const std::shared_ptr<Communicator>& group, const Placements& placements,
                           const MeshSizes& mesh = {}) {
  return {.shapes = {{"ids", {any, 5}}},
          .frozen = {"*norm_1*", "*bias_key", "*bias_value"},
          .group = group,
          .placements = placements,
          .mesh = mesh};
}

CompiledModel compiled_for(const CompileOptions& options) {
  return compile(transformer(), cpu({.dtype = DType::float64, .threads = 1}), options);
}

struct Trained {
  TensorMap own, whole;
  std::vector<double> losses = {};
};

// 20 updates; batches have other numbers of rows, some fewer than processes.
Trained train(const CompileOptions& options, Optimizer& optimizer, const TrainingOptions& how) {
  const CompiledModel compiled = compiled_for(options);
  TrainingStep step(compiled, optimizer, how);
  Trained trained{.own = compiled.get_parameters(3), .whole = {}};
  for (std::int64_t i = 0; i < 20 * how.accumulate; ++i) {
    const TensorMap batch = batch_of(i % 4 == 3 ? 1 : 4 + i % 3, static_cast<std::uint64_t>(i + 1));
    trained.losses.push_back(
        step(trained.own, rows_of_process(compiled, batch)).at("final_cost").item());
  }
  if (how.averages()) {
    for (const auto& [key, tensor] : compiled.gather_parameters(step.averages(trained.own)))
      trained.whole["average of " + key] = tensor;
  }
  for (const auto& [key, tensor] : compiled.gather_parameters(trained.own))
    trained.whole[key] = tensor;
  return trained;
}

template <typename MakeOptimizer>
void check_mesh(const MeshSizes& mesh, int size, const MakeOptimizer& make, double tolerance,
                const TrainingOptions& how = {}, const Placements& placements = columns_then_rows,
                OptimizerState memory = OptimizerState::replicated) {
  CAPTURE(size);
  auto of_one = make();
  const Trained alone = train(options_for(nullptr, {}), of_one, how);
  std::vector<Trained> each(static_cast<std::size_t>(size));
  const auto errors = on_each_rank(size, [&](Communicator& own) {
    CompileOptions options = options_for(communicator(own.name()), placements, mesh);
    options.optimizer_state = memory;
    auto optimizer = make();
    each[static_cast<std::size_t>(own.rank())] = train(options, optimizer, how);
  });
  REQUIRE(errors == no_errors(size));
  for (const Trained& other : each) {
    for (const auto& item : alone.whole) {
      CAPTURE(item.key());
      CHECK(relative_distance(other.whole.at(item.key()), item.tensor()) <= tolerance);
      CHECK(identical(other.whole.at(item.key()), each.front().whole.at(item.key())));
    }
    for (std::size_t i = 0; i < alone.losses.size(); ++i)
      CHECK(other.losses[i] == doctest::Approx(alone.losses[i]).epsilon(1e-11));
  }
  // Those of the same column hold the same bits.
  const auto columns = static_cast<std::size_t>(mesh.size() == 2 ? mesh[1].second : size);
  for (std::size_t rank = columns; rank < each.size(); ++rank) {
    for (const auto& item : each[rank].own)
      CHECK(identical(item.tensor(), each[rank % columns].own.at(item.key())));
  }
}

SGD sgd() { return SGD({.lr = 0.02, .momentum = 0.9}); }
AdamW adam() { return AdamW({.lr = 0.01}); }

template <typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool begins(const std::string& text, const std::string& with) { return text.starts_with(with); }

}  // namespace

TEST_CASE("processes that share parameters give those of one process by SGD") {
  check_mesh({}, 1, sgd, 1e-12);
  check_mesh({}, 2, sgd, 1e-12);
  check_mesh({}, 3, sgd, 1e-12);
  check_mesh({{"data", 2}, {"model", 2}}, 4, sgd, 1e-12);
}

TEST_CASE("processes that share parameters give those of one process by AdamW") {
  check_mesh({}, 2, adam, 1e-11, {.max_norm = 0.1});
  check_mesh({}, 3, adam, 1e-11, {.average = EMA{0.9}});
  check_mesh({{"data", 2}, {"model", 2}}, 4, adam, 1e-11,
             {.max_norm = 0.1, .accumulate = 2, .average = EMA{0.9}});
}

TEST_CASE("processes that share rows, parameters and the memory of the optimizer") {
  check_mesh({{"data", 2}, {"model", 2}}, 4, adam, 1e-11, {.max_norm = 0.1}, columns_then_rows,
             OptimizerState::sharded);
  check_mesh({{"data", 2}, {"model", 1}}, 2, adam, 1e-11, {.average = EMA{0.9}}, columns_then_rows,
             OptimizerState::sharded);
}

TEST_CASE("any parameter can be shared along any axis") {
  check_mesh({}, 2, sgd, 1e-12, {},
             {{"table", {1}}, {"*norm_*", {0}}, {"*w_query", {1}}, {"*fc_2*", {0}}});
}

TEST_CASE("each process holds blocks of parameters, of gradients and of the optimizer's memory") {
  const TensorMap whole = compiled_for(options_for(nullptr, {})).get_parameters(5);
  const auto errors = on_each_rank(4, [&](Communicator& own) {
    const auto options =
        options_for(communicator(own.name()), columns_then_rows, {{"data", 2}, {"model", 2}});
    const CompiledModel compiled = compiled_for(options);
    CHECK(compiled.data_group()->size() == 2);
    CHECK(compiled.data_group()->rank() == own.rank() / 2);
    TensorMap params = compiled.get_parameters(5);
    std::string query;
    for (const std::string& key : params.keys())
      if (key.ends_with("w_query")) query = key;
    CHECK(params.at(query).dims() == Dims{6, 12});
    CHECK(params.at("table").dims() == Dims{7, 12});
    for (const auto& [key, tensor] : compiled.gather_parameters(params))
      CHECK(identical(tensor, whole.at(key)));
    for (const auto& [key, tensor] : compiled.shard_parameters(whole))
      CHECK(identical(tensor, params.at(key)));
    for (const auto& [key, tensor] : compiled.load_state_dict(params))
      CHECK(identical(tensor, params.at(key)));
    const auto made = compiled.evaluate(params, rows_of_process(compiled, batch_of(6, 1)), of_cost,
                                        compiled.initial_state_dict());
    const TensorMap& gradients = std::get<1>(made);
    CHECK(gradients.at(query).dims() == Dims{6, 12});
    AdamW optimizer;
    TrainingStep step(compiled, optimizer);
    step(params, rows_of_process(compiled, batch_of(6, 1)));
    CHECK(optimizer.find_memory(query)->slots.front().dims() == Dims{6, 12});
    CHECK(begins(error_of([&] { optimizer.state_dict(); }), "mithril.StateError[E0924]"));
    step.gather_optimizer();
    CHECK(optimizer.state_dict().at(query + ".exp_avg").dims() == Dims{12, 12});
  });
  for (const std::string& error : errors) CHECK(error == "");
}

TEST_CASE("calls that run on each process alone need whole parameters, and others blocks") {
  const auto errors = on_each_rank(2, [&](Communicator& own) {
    const CompiledModel compiled =
        compiled_for(options_for(communicator(own.name()), columns_then_rows));
    const TensorMap params = compiled.get_parameters(), batch = batch_of(2, 1);
    CHECK(begins(
        error_of([&] {
          compiled.infer(params, {{"ids", batch.at("ids")}});
        }),
        "mithril.StateError[E0925]: infer needs whole parameters, and this process holds blocks"));
    CHECK(begins(error_of([&] { compiled.bind(params); }),
                 "mithril.StateError[E0925]: bind needs whole parameters"));
    const TensorMap whole = compiled.gather_parameters(params);
    CHECK(compiled.infer(whole, {{"ids", batch.at("ids")}}).at("y").dims() == Dims{2, 5, 7});
    AdamW optimizer;
    const TrainingStep step(compiled, optimizer);
    CHECK(begins(error_of([&] { save("/blocks.safetensors", params, {.step = &step}); }),
                 "mithril.StateError[E0925]: save needs whole parameters"));
    CHECK(begins(error_of([&] { compiled.gather_parameters(whole); }),
                 "mithril.StateError[E0925]: parameters are whole"));
    CHECK(begins(error_of([&] { step.save_together("/whole.safetensors", whole, {}); }),
                 "mithril.StateError[E0925]: parameters are whole"));
  });
  CHECK(errors == no_errors(2));
}

TEST_CASE("placements and meshes that fit no model or group are refused with advice") {
  const auto refusal = [](int size, const Placements& placements, const MeshSizes& mesh) {
    std::string text;
    const auto errors = on_each_rank(size, [&](Communicator& own) {
      const auto options = options_for(communicator(own.name()), placements, mesh);
      const std::string found = error_of([&] { compiled_for(options); });
      if (own.rank() == 0) text = found;
    });
    CHECK(errors == no_errors(size));
    return text;
  };
  CHECK(begins(refusal(3, columns_then_rows, {{"data", 2}, {"model", 2}}),
               "mithril.ValueError[E0497]: compile: the product of mesh is not 3, the number of "
               "processes"));
  CHECK(begins(refusal(2, columns_then_rows, {{"model", -2}, {"data", -1}}),
               "mithril.ValueError[E0497]"));
  const std::string unknown = refusal(2, {}, {{"data", 1}, {"modle", 2}});
  CHECK(begins(unknown, "mithril.NameError[E0633]: a mesh has no axis 'modle'"));
  CHECK(unknown.find("did you mean 'model'?") != std::string::npos);
  CHECK(begins(refusal(2, {{"*w_qeury", {0}}}, {}), "mithril.NameError[E0623]"));
  CHECK(begins(refusal(2, {{"*w_query", {0}}, {"*.w_*", {1}}}, {}),
               "mithril.ValueError[E0499]: two patterns of placements match the parameter "
               "'transformerblock.attention.w_query'"));
  CHECK(begins(refusal(2, {{"table", {0}}}, {}),
               "mithril.ShapeError[E0212]: axis 0 of the parameter 'table' has no 2 equal blocks"));
  CHECK(begins(refusal(2, {{"table", {2}}}, {}), "mithril.ShapeError[E0212]"));
  CHECK(begins(error_of([] {
                 compiled_for(options_for(nullptr, {}, {{"data", 2}}));
               }),
               "mithril.ValueError[E0497]"));
}

TEST_CASE("processes with other placements are refused") {
  const auto errors = on_each_rank(2, [&](Communicator& own) {
    const Placements placements = {{"table", {own.rank() == 0 ? 1 : -1}}};
    compiled_for(options_for(communicator(own.name()), placements));
  });
  for (const std::string& error : errors)
    CHECK(begins(error,
                 "mithril.DistributedError[E0964]: compile: the processes of group "
                 "'threads' differ in 'placements'"));
}

TEST_CASE("processes that share parameters give the same number of rows") {
  const auto errors = on_each_rank(2, [&](Communicator& own) {
    const CompiledModel compiled =
        compiled_for(options_for(communicator(own.name()), columns_then_rows));
    SGD optimizer = sgd();
    TensorMap params = compiled.get_parameters();
    TrainingStep(compiled, optimizer)(params, batch_of(2 + own.rank(), 1));
  });
  for (const std::string& error : errors)
    CHECK(begins(error,
                 "mithril.DistributedError[E0964]: a step: the processes of group "
                 "'threads' differ in"));
}

TEST_CASE("fit continues on any mesh, and its checkpoints have whole tensors") {
  const TensorMap data = batch_of(16, 9);
  const FileFolder folder;
  const auto fitted = [&](const CompileOptions& options, std::int64_t epochs,
                          const std::string& path) {
    const CompiledModel compiled = compiled_for(options);
    AdamW optimizer({.lr = 0.01});
    TrainingStep step(compiled, optimizer, {.max_norm = 0.5, .accumulate = 3, .average = EMA{0.9}});
    const History history = fit(step, data,
                                {.epochs = epochs,
                                 .batch_size = 4,
                                 .validation = data,
                                 .averages = true,
                                 .checkpoint = path,
                                 .progress = nullptr});
    CHECK(history.epochs.back().contains("validation_loss"));
    return compiled.gather_parameters(history.params);
  };
  const TensorMap alone = fitted(options_for(nullptr, {}), 5, "");
  const std::string path = folder.at("run");
  const auto on_mesh = [&](int size, const MeshSizes& mesh, std::int64_t epochs) {
    const auto errors = on_each_rank(size, [&](Communicator& own) {
      fitted(options_for(communicator(own.name()), columns_then_rows, mesh), epochs, path);
    });
    for (const std::string& error : errors) CHECK(error == "");
  };
  on_mesh(4, {{"data", 2}, {"model", 2}}, 1);
  fitted(options_for(nullptr, {}), 2, path);
  on_mesh(2, {}, 3);
  on_mesh(3, {{"data", 3}}, 4);
  const TensorMap saved = load(path + "/last.safetensors").params;
  for (const auto& item : alone) CHECK(saved.at(item.key()).dims() == item.tensor().dims());
  on_mesh(4, {{"data", 2}, {"model", 2}}, 5);
  const TensorMap trained = load(path + "/last.safetensors").params;
  for (const auto& item : alone) {
    CAPTURE(item.key());
    CHECK(relative_distance(trained.at(item.key()), item.tensor()) <= 1e-10);
  }
}

}  // namespace mithril::tensor_parallel_tests
