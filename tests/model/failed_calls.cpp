// A failed call leaves its objects as they were: random calls on random models, most of them wrong.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/random.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/model/connection.hpp"
#include "tests/environment.hpp"
#include "tests/model/dump.hpp"
#include "tests/random_models/generator.hpp"

namespace mithril::tests {
namespace {

class Caller {
 public:
  Caller(std::uint64_t seed, std::map<std::string, int>& failures)
      : random_(seed), failures_(failures), random_model_(random_model(seed)) {
    model_ = compose(random_model_, {.shapes = happens(0.5), .nested = happens(0.5)});
    // Includes names of every kind: keys, paths, and unknown names.
    names_ = model_.input_keys();
    for (const std::string& key : model_.output_keys()) names_.push_back(key);
    names_.insert(names_.end(), {"output", "fresh", "x0", "nobody.weight"});
  }

  void run(int calls) {
    for (int i = 0; i < calls; ++i) {
      const auto& chosen = all()[random_.next() % all().size()];
      const std::string& name = chosen.first;
      objects_ = {model_};
      const Call call = (this->*chosen.second)();
      const std::vector<std::string> before = dumps();
      try {
        call();
        // Options of compile apply to that compile only, and failed calls must not change a model.
        if (name == "compile") CHECK(dumps() == before);
      } catch (const Error& error) {
        CAPTURE(name);
        CAPTURE(error.what());
        const std::vector<std::string> after = dumps();
        REQUIRE(after.size() == before.size());
        for (std::size_t at = 0; at < after.size(); ++at) REQUIRE(after[at] == before[at]);
        ++failures_[name];
      }
    }
  }

 private:
  using Call = std::function<void()>;
  using Maker = Call (Caller::*)();

  static const std::vector<std::pair<std::string, Maker>>& all() {
    static const std::vector<std::pair<std::string, Maker>> calls = {
        {"set_shapes", &Caller::set_shapes},
        {"set_types", &Caller::set_types},
        {"set_values", &Caller::set_values},
        {"set_differentiability", &Caller::set_differentiability},
        {"set_initializer", &Caller::set_initializer},
        {"set_cin", &Caller::set_cin},
        {"set_cout", &Caller::set_cout},
        {"merge_connections", &Caller::merge_connections},
        {"expose_keys", &Caller::expose_keys},
        {"rename_key", &Caller::rename_key},
        {"bind_state_keys", &Caller::bind_state_keys},
        {"|=", &Caller::add_part},
        {"+=", &Caller::chain},
        {"|= expression", &Caller::add_expression},
        {"operator", &Caller::use_operator},
        {"apply", &Caller::apply_model},
        {"compile", &Caller::compile_model},
    };
    return calls;
  }

  std::vector<std::string> dumps() const {
    std::vector<std::string> texts;
    for (const Model& object : objects_) texts.push_back(dump(object));
    return texts;
  }

  bool happens(double chance) { return random_.uniform() < chance; }
  template <typename T>
  const T& one_of(const std::vector<T>& items) {
    return items[random_.next() % items.size()];
  }
  std::string name() { return one_of(names_); }

  ShapeSpec shape() {
    std::vector<DimSpec> dims;
    for (std::size_t rank = random_.next() % 4; rank > 0; --rank) {
      const std::vector<DimSpec> choice = {Any{}, int64_t{1}, int64_t{2}, int64_t{3}, "N", "M"};
      dims.push_back(one_of(choice));
    }
    if (happens(0.1)) dims.emplace_back(Rest{"r"});
    if (happens(0.05)) dims.emplace_back(int64_t{-2});
    return ShapeSpec(std::move(dims));
  }
  Kinds kinds() {
    return one_of(std::vector<Kinds>{kind::float_tensor, kind::int_tensor, kind::int_value,
                                     kind::tensor, kind::bool_tensor | kind::none});
  }
  Tensor tensor() {
    const DType dtype = happens(0.7) ? DType::float32 : DType::int64;
    return Tensor(dtype, Dims(random_.next() % 3, static_cast<int64_t>(1 + random_.next() % 3)));
  }
  Binding binding() {
    switch (random_.next() % 8) {
      case 0:
        return tensor();
      case 1:
        return one_of(std::vector<Datum>{1, -1, 2.5, true, "text", None(), Tuple{1, 2}});
      case 2:
        return IOKey{.name = happens(0.5) ? name() : "",
                     .shape = shape(),
                     .type = happens(0.5) ? kinds() : Kinds{0},
                     .differentiable = happens(0.5)};
      case 3:
        return expression();
      case 4:
        return std::vector<Binding>{name(), expression(), name()};
      default:
        return name();
    }
  }
  // An expression of a separate model, which must also not change.
  Connection expression() {
    Connection x(name());
    for (std::size_t i = random_.next() % 3; i > 0; --i)
      x = happens(0.5) ? apply("relu", {x}) : x + x;
    if (happens(0.3)) x = apply("reshape", {x, Datum(Tuple{2, 2})});
    objects_.emplace_back(std::static_pointer_cast<Part>(root_of(x.model())));
    return x;
  }
  Connection connection() {
    const std::vector<std::string> keys = model_.input_keys();
    return happens(0.7) && !keys.empty() ? model_.at(one_of(keys)) : expression();
  }
  Model part() {
    const std::vector<std::string> ops = {"relu", "add",    "matmul", "concat", "reshape",
                                          "item", "conv2d", "sum",    "where",  "logical_not"};
    Model made = happens(0.6) ? Model::op(one_of(ops)) : block();
    objects_.push_back(made);
    return made;
  }
  Model block() {
    Model made("block");
    made |= Model::op("matmul")({{"left", "x"}, {"right", "w"}, {"output", "h"}});
    made |= Model::op("add")({{"left", "h"}, {"right", "x"}, {"output", "y"}});
    if (happens(0.5)) made.set_shapes({{"x", {"N", 2}}});
    if (happens(0.3)) made.set_values({{"w", Tensor(DType::float32, {2, 2})}});
    if (happens(0.3)) made.bind_state_keys("x", "y", Tensor(DType::float32, {}));
    return made;
  }
  Bindings bindings(const Model& of) {
    Bindings made;
    std::vector<std::string> ports = of.call_order();
    ports.push_back(of.part()->op ? "output" : "y");
    if (happens(0.05)) ports.push_back("no_such_port");
    for (const std::string& port : ports) {
      if (happens(0.7)) made.emplace_back(port, binding());
    }
    return made;
  }

  Call set_shapes() {
    return [this, a = name(), b = name(), s = shape(), t = shape()] {
      model_.set_shapes({{a, s}, {b, t}});
    };
  }
  Call set_types() {
    return [this, a = name(), b = name(), s = kinds(), t = kinds()] {
      model_.set_types({{a, s}, {b, t}});
    };
  }
  Call set_values() {
    return [this, a = name(), b = name(), s = binding(), t = binding()] {
      model_.set_values({{a, s}, {b, t}});
    };
  }
  Call set_differentiability() {
    return [this, a = name(), b = name()] {
      model_.set_differentiability({{a, true}, {b, false}});
    };
  }
  Call set_initializer() {
    return [this, a = name(), b = name()] { model_.set_initializer(a, {.fan_of = b}); };
  }
  Call set_cin() {
    return [this, a = name(), b = name()] { model_.set_cin({a, b}); };
  }
  Call set_cout() {
    return [this, a = name(), b = name()] { model_.set_cout({a, b}); };
  }
  Call merge_connections() {
    return [this, a = binding(), b = binding(), c = name()] {
      model_.merge_connections({a, b}, c);
    };
  }
  Call expose_keys() {
    if (happens(0.5)) {
      return [this, a = name(), b = name()] { model_.expose_keys(std::vector<std::string>{a, b}); };
    }
    return [this, a = name(), c = connection(), b = name(), d = connection()] {
      model_.expose_keys({{a, c}, {b, d}});
    };
  }
  Call rename_key() {
    return [this, a = name(), b = name()] { model_.rename_key(a, b); };
  }
  Call bind_state_keys() {
    return [this, a = name(), b = name(), t = tensor()] { model_.bind_state_keys(a, b, t); };
  }
  Call add_part() {
    const Model made = part();
    return [this, made, b = bindings(made)] { model_ |= made(b); };
  }
  Call chain() {
    const Model made = part();
    return [this, made, b = happens(0.5) ? Bindings() : bindings(made)] { model_ += made(b); };
  }
  Call add_expression() {
    return [this, x = expression()] { model_ |= x; };
  }
  Call use_operator() {
    return [a = connection(), b = connection(), times = happens(0.5)] {
      static_cast<void>(times ? matmul(a, b) : a + b);
    };
  }
  Call apply_model() {
    const Model made = part();
    std::vector<Binding> operands = {connection()};
    while (happens(0.6)) operands.push_back(binding());
    return [made, operands] { made.apply(operands); };
  }
  Call compile_model() {
    CompileOptions options;
    if (happens(0.5)) options.shapes = {{name(), shape()}, {name(), shape()}};
    if (happens(0.3)) options.types = {{name(), kinds()}};
    if (happens(0.3)) options.constant_keys = {{name(), binding()}};
    if (happens(0.3)) options.data_keys = {name()};
    if (happens(0.3)) options.trainable_keys = {name()};
    if (happens(0.2)) options.discard_keys = {name()};
    if (happens(0.1)) options.discard_keys = {"most"};
    return [this, options] { compile(model_, cpu(), options); };
  }

  Random random_;
  std::map<std::string, int>& failures_;
  RandomModel random_model_;
  Model model_;
  std::vector<std::string> names_;
  std::vector<Model> objects_;  // of the call at hand
};

}  // namespace

TEST_CASE("a failed call leaves its objects as they were") {
  std::map<std::string, int> failures;
  const std::uint64_t seeds = sampled(15, 60);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    Caller(seed, failures).run(100);
  }
  for (const auto& [name, count] : failures) {
    const std::string& call = name;
    CAPTURE(call);
    CHECK(3 * count >= static_cast<int>(seeds));
  }
  CHECK(failures.size() == 17);
}

}  // namespace mithril::tests
