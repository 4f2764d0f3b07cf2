#include <sstream>

#include "backends/cpu/cpu.hpp"
#include "codegen/cpp/write_cpp.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/models/convolution.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/library.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/arithmetic.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/moving_data.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/models/ops/shapes.hpp"
#include "mithril/models/perceptron.hpp"
#include "mithril/models/recurrent_cells.hpp"
#include "mithril/models/regularizers.hpp"
#include "mithril/models/transformer.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/op/solver.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/train_model/train_model.hpp"
#include "mithril/training/training_step.hpp"
#include "tests/allocation_failure/scenario.hpp"
#include "tests/allocation_failure/scenario_tensors.hpp"

namespace mithril::tests {
namespace {

using tests::text_of;  // of tensors

std::string text_of(const Model& model) {
  std::string text = model.summary(true, true);
  for (const std::string& key : model.input_keys()) text += key + " ";
  for (const std::string& key : model.output_keys()) text += "-> " + key;
  for (const auto& [key, shape] : model.get_shapes()) text += "\n" + key + ": " + to_string(shape);
  return text + "\n";
}

class Composing final : public Scenario {
 public:
  Composing() {
    add([this] { model_ |= linear_call_; });
    add([this] { model_ += relu_; });
    add([this] { model_ |= block_call_; });
    add([this] { model_ |= concat_call_; });
    add([this] { model_["named"]; });
    add([this] { model_.set_shapes(shapes_); });
    add([this] { model_.set_types(types_); });
    add([this] { model_.set_differentiability(differentiable_); });
    add([this] { model_ |= add_call_; });
    add([this] { model_.bind_state_keys(state_, next_, initial_); });
    add([this] { model_.set_initializer(weight_, initializer_); });
    add([this] { model_.rename_key(before_, after_); });
    add([this] { model_.merge_connections(merged_, merged_name_); });
    add([this] { model_.add_constraint(constraint_, constrained_); });
    for (size_t i = 0; i < 20; ++i) add([this, i] { model_ |= relu_calls_[i]; });
    add([this] { model_.set_values(values_); });
    add([this] { model_.set_cin(cin_); });
    add([this] { model_.set_cout(cout_); });
    add([this] { model_.expose_keys(exposed_); });
  }
  std::string state() override { return text_of(model_) + text_of(block_); }

 private:
  static std::vector<Call> many_relus() {
    std::vector<Call> calls;
    for (int i = 0; i < 20; ++i) {
      const std::string number = std::to_string(i);
      calls.push_back(Relu()({{"input", "in_" + number}, {"output", "out_" + number}}));
    }
    return calls;
  }

  static Model block() {
    Model block;
    block |= Linear({.dimension = 4})({{"input", "x"}, {"output", "h"}});
    block |= Relu()({{"input", "h"}, {"output", "y"}});
    return block;
  }

  Model model_, block_ = block();
  const Call linear_call_ = Linear({.dimension = 4})({{"input", "image"}, {"output", "a"}});
  const Model relu_ = Relu();
  const Call block_call_ =
      block_({{"x", "a"}, {"y", IOKey{.name = "b", .shape = ShapeSpec{any, 4}}}});
  const Call concat_call_ = Concat({.axis = 1})(
      {{"input", std::vector<Binding>{"a", "b", numbers({2, 3}, 0)}}, {"output", "all"}});
  const Call add_call_ = Model::op("add")({{"left", "count"}, {"right", "a"}, {"output", "next"}});
  const std::vector<std::pair<std::string, ShapeSpec>> shapes_{{"image", {"N", 3}}};
  const std::vector<std::pair<std::string, PortType>> types_{{"named", kind::float_tensor}};
  const std::vector<std::pair<std::string, bool>> differentiable_{{"image", true}};
  const std::string state_ = "count", next_ = "next", weight_ = "linear.weight";
  const Tensor initial_ = Tensor::scalar(1.0f);
  const Initializer initializer_{.distribution = Initializer::Distribution::uniform_fan_in};
  const std::string before_ = "all", after_ = "everything_together";
  const std::vector<Binding> merged_{"named", "image"};
  const std::string merged_name_ = "merged_by_its_name";
  const std::function<bool(Solver&)> constraint_ = [](Solver& solver) {
    std::vector<Dim> dims;
    return solver.shape("a", dims);
  };
  const std::vector<std::string> constrained_{"a"};
  const std::vector<std::pair<std::string, Binding>> values_{{"in_7", numbers({2}, 1)}};
  const std::vector<Call> relu_calls_ = many_relus();
  const std::vector<std::string> cin_{"merged_by_its_name"}, cout_{"everything_together"},
      exposed_{"b", "out_3"};
};

class Expressions final : public Scenario {
 public:
  Expressions() {
    add([this] { sum_ = x_ + y_; });
    add([this] { product_ = sum_ * 2.0; });
    add([this] { hidden_ = linear_(product_); });
    add([this] { total_ = product_.sum(1); });
    add([this] { shape_ = product_.shape(); });
    add([this] { rows_ = shape_[0]; });
    add([this] { mean_ = total_ / rows_; });
    add([this] { items_of_x_ = x_.at(items_); });
    add([this] { model_ |= hidden_; });
  }
  std::string state() override {
    std::string text = text_of(model_) + text_of(linear_);
    for (const Connection* connection :
         {&x_, &y_, &sum_, &product_, &hidden_, &total_, &shape_, &rows_, &mean_, &items_of_x_})
      text += connection->name() + " " + to_string(connection->known_shape()) + "\n";
    return text;
  }

 private:
  Connection x_{"x"}, y_{"y"};
  const std::vector<Binding> items_{slice(1, none), 0};
  Connection sum_ = x_, product_ = x_, hidden_ = x_, total_ = x_, shape_ = x_, rows_ = x_,
             mean_ = x_, items_of_x_ = x_;
  Model linear_ = Linear({.dimension = 3}), model_;
};

class Layers final : public Scenario {
 public:
  Layers() {
    add([this] { keep(Conv2d({.filters = 2, .kernel_size = 3})); });
    add([this] { keep(BatchNorm2D()); });
    add([this] { keep(MLP(mlp_)); });
    add([this] { keep(TransformerBlock(block_)); });
    add([this] { keep(LSTMCell()); });
    add([this] { keep(make_model(name_, arguments_)); });
  }
  std::string state() override {
    std::string text;
    for (const Model& model : made_) text += text_of(model);
    return text;
  }

 private:
  void keep(const Model& model) { made_.push_back(model); }

  const MLPOptions mlp_{.activations = {"Relu", "Tanh"}, .dimensions = {4, 2}};
  const TransformerBlockOptions block_{.num_heads = 2, .dimension = 4};
  const std::string name_ = "Dropout";
  const Arguments arguments_{{"p", 0.25}};
  std::vector<Model> made_;
};

Model network() {
  Model model;
  model |=
      Conv2d({.filters = 4, .kernel_size = 3, .padding = 1})({{"input", "image"}, {"output", "c"}});
  model |= BatchNorm2D()({{"input", "c"}, {"output", "n"}});
  model |= Dropout({.p = 0.5})({{"input", "n"}, {"output", "d"}});
  model |= Relu()({{"input", "d"}, {"output", "r"}});
  model |= Flatten({.start_dim = 1})({{"input", "r"}, {"output", "f"}});
  model |= Linear({.dimension = 3})({{"input", "f"}, {"output", "logits"}});
  model |= CrossEntropy()({{"input", "logits"}, {"target", "label"}, {"output", "losses"}});
  model |= Mean()({{"input", "losses"}, {"output", "loss"}});
  return model;
}

CompileOptions options() { return {.shapes = {{"image", {any, 1, 6, 6}}}, .data_keys = {"label"}}; }

const TensorMap& data() {
  static const TensorMap tensors{{"image", numbers({2, 1, 6, 6}, -2)},
                                 {"label", Tensor::of<int64_t>({2}, {0, 2})}};
  return tensors;
}

OutputGradients of_loss() { return TensorMap{{"loss", Tensor::scalar(1.0f)}}; }

class Compiling final : public Scenario {
 public:
  Compiling() {
    add([this] { compiled_ = compile(model_, backend_, copied(options_)); });
    add([this] { params_ = compiled_->get_parameters(); });
    add([this] { params_ = compiled_->load_state_dict(params_); });
    add([this] { bound_ = compiled_->bind(shared(params_)); });
    add([this] { deployed_ = compiled_->bind(shared(params_), compiled_->initial_state_dict()); });
    add([this] { summary_ = compiled_->summary(); });
    add([this] { source_ = cpp_source(compiled_->exported(data()), name_); });
    add([this] { compiled_->register_hook(hooked_, hook_); });
    add([this] { inference_ = compile(model_, backend_, copied(inference_options_)); });
    add([this] { compiled_.reset(); });
  }
  std::string state() override {
    std::string text = text_of(model_) + text_of(params_) + summary_ + source_;
    for (const auto* made : {&compiled_, &bound_, &inference_}) {
      if (!*made) continue;
      text += (*made)->summary();
    }
    if (bound_) text += text_of(bound_->evaluate({}, data(), bound_->initial_state_dict()).first);
    if (deployed_) text += text_of(deployed_->evaluate({}, data()));
    return text;
  }

 private:
  static CompileOptions for_inference() {
    CompileOptions made = options();
    made.inference = true;
    return made;
  }

  const Model model_ = network();
  const std::shared_ptr<Backend> backend_ = cpu({.threads = 1});
  const CompileOptions options_ = options(), inference_options_ = for_inference();
  std::optional<CompiledModel> compiled_, bound_, deployed_, inference_;
  TensorMap params_;
  const std::string name_ = "model_of_a_longer_name", hooked_ = "logits";
  const HookFunction hook_ = [](const Tensor&) {};
  std::string summary_, source_;
};

class Evaluating final : public Scenario {
 public:
  explicit Evaluating(int threads) : threads_(threads) {
    for (int i = 0; i < 2; ++i) {  // the first makes objects that later ones use
      add([this] { std::tie(outputs_, next_) = compiled_.evaluate(params_, data(), state_); });
      add([this] {
        std::tie(outputs_, gradients_, next_) =
            compiled_.evaluate(params_, data(), of_loss_, state_);
      });
    }
    for (int i = 0; i < 2; ++i) {
      add([this] { outputs_ = compiled_.infer(params_, data(), state_); });
    }
  }
  std::string state() override {
    return text_of(params_) + text_of(data()) + text_of(outputs_) + text_of(gradients_) +
           text_of(state_) + text_of(next_);
  }

 private:
  const int threads_;
  CompiledModel compiled_ = compile(network(), cpu({.threads = threads_}), options());
  const TensorMap params_ = compiled_.get_parameters();
  const State state_{compiled_.initial_state_dict().share()};
  const OutputGradients of_loss_ = of_loss();
  TensorMap outputs_, gradients_;
  State next_;
};

class Training final : public Scenario {
 public:
  Training() {
    add([this] { step_.emplace(compiled_, adam_, of_loss_); });
    for (int i = 0; i < 2; ++i) add([this] { outputs_ = (*step_)(params_, data()); });
    add([this] { sgd_.step(others_, gradients_); });
    add([this] { sgd_.step(others_, gradients_); });
    add([this] { remembered_ = adam_.state_dict(); });
    add([this] { again_.load_state_dict(remembered_); });
    add([this] { again_.step(others_, gradients_); });
  }
  std::string state() override {
    return text_of(params_) + text_of(others_) + text_of(outputs_) + text_of(remembered_) +
           text_of(adam_.state_dict()) + text_of(sgd_.state_dict()) + text_of(again_.state_dict());
  }

 private:
  CompiledModel compiled_ = compile(network(), cpu({.threads = 1}), options());
  TensorMap params_ = compiled_.get_parameters();
  TensorMap others_ = compiled_.get_parameters(1);
  const OutputGradients of_loss_ = of_loss();
  const TensorMap gradients_ =
      std::get<1>(compiled_.evaluate(others_, data(), of_loss_, compiled_.initial_state_dict()));
  Adam adam_{{.lr = 0.01}}, again_{{.lr = 0.01}};
  SGD sgd_{{.lr = 0.1, .momentum = 0.9}};
  std::optional<TrainingStep> step_;
  TensorMap outputs_, remembered_;
};

class TrainModels final : public Scenario {
 public:
  TrainModels() {
    add([this] { train_.add_loss(loss_, ports_); });
    add([this] { train_.add_regularization(penalty_, 0.5, pattern_); });
    add([this] { train_.add_metric(metric_, ports_); });
    add([this] { train_.set_loss_combiner(combiner_); });
    add([this] { compiled_ = compile(train_, backend_, copied(options_)); });
  }
  std::string state() override {
    return text_of(static_cast<const Model&>(train_)) + (compiled_ ? compiled_->summary() : "");
  }

 private:
  static Model net() {
    Model model;
    model |= Linear({.dimension = 2})({{"input", "x"}, {"output", "y"}});
    return model;
  }

  TrainModel train_{net()};
  const Model loss_ = SquaredError(), penalty_ = L2(), metric_ = SquaredError(), combiner_ = Sum();
  const Bindings ports_{{"input", "y"}, {"target", "target"}};
  const KeyPattern pattern_{"weight"};
  const std::shared_ptr<Backend> backend_ = cpu({.threads = 1});
  const CompileOptions options_{.shapes = {{"x", {4, 3}}}};
  std::optional<CompiledModel> compiled_;
};

class ModelJson final : public Scenario {
 public:
  ModelJson() {
    add([this] { text_ = to_json(model_); });
    add([this] { read_ = from_json(text_); });
    add([this] { same_ = *read_ == model_; });
    add([this] { read_.reset(); });
  }
  std::string state() override {
    return text_of(model_) + text_ + (read_ ? text_of(*read_) : "") + (same_ ? "same" : "");
  }

 private:
  const Model model_ = network();
  std::string text_;
  std::optional<Model> read_;
  bool same_ = false;
};

}  // namespace

std::vector<NamedScenario> model_scenarios() {
  return {
      {"composing", make_scenario<Composing>},
      {"expressions", make_scenario<Expressions>},
      {"layers", make_scenario<Layers>},
      {"train_models", make_scenario<TrainModels>},
      {"json", make_scenario<ModelJson>},
      {"compiling", make_scenario<Compiling>},
      {"evaluating", make_scenario<Evaluating, 1>},
      {"evaluating_on_two_threads", make_scenario<Evaluating, 2>},
      {"training", make_scenario<Training>},
  };
}

}  // namespace mithril::tests
