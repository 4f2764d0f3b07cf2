// A model: parts with named ports, connected by name. Inference runs as parts are added.
#pragma once
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mithril/infer/datum.hpp"
#include "mithril/infer/known_shape.hpp"
#include "mithril/model/connection.hpp"
#include "mithril/model/initializer.hpp"

namespace mithril {

struct Part;
class Model;
class Solver;  // op/solver.hpp

// A part and the bindings of its ports: model |= part({{"input", "x"}}).
struct Call {
  std::shared_ptr<Part> part;
  Bindings bindings;
  // Converts an expression to its first output:
  //   Connection h = Linear()({{"input", x}, {"weight", "w"}});
  operator Connection() const;
};

// A handle: copies name the same model (shared_ptr: the tree is held by handles, connections and
// parents). A model that has become a part is frozen.
class Model {
 public:
  Model();
  explicit Model(std::string name);
  // Not inline, as in class Datum.
  Model(const Model& other);
  Model(Model&& other) noexcept;
  Model& operator=(const Model& other);
  Model& operator=(Model&& other) noexcept;
  ~Model();
  // A part that is one op, with values for ports that are not wired: op("softmax", {{"axis", 1}}).
  static Model op(std::string_view name, Arguments arguments = {});
  // A new model that computes these connections, with outputs of these names. Its parts are copies:
  // the expression, and models created from it before, do not change. When the new model is
  // composed further or compiled, the connections refer to their copies.
  static Model create(const std::vector<std::pair<std::string, Connection>>& outputs,
                      std::string name = {});
  explicit Model(std::shared_ptr<Part> part) : part_(std::move(part)) {}

  // Composing. ConnectionError: E0101 two drivers, E0102 a cycle, E0103 a part of two parents,
  // E0104 a frozen model, E0105 a canonical port that is not unique. NameError E0604: an unknown
  // port. After an error the model, its parts and its connections are unchanged.
  Call operator()(Bindings bindings) const;
  Call connect(Bindings bindings) const;  // refuses an unknown port
  // Applied to connections (or values), in the order of its inputs: h = Linear({.dimension =
  // 64})(x).
  template <typename... Operands>
  Connection operator()(const Connection& first, const Operands&... rest) const {
    return apply({Binding(first), Binding(rest)...}).front();
  }
  std::vector<Connection> apply(const std::vector<Binding>& operands) const;  // every output
  std::vector<std::string> call_order() const;  // the names of the inputs in that order
  std::vector<Connection> apply(const Bindings& inputs) const;
  Model& operator|=(const Call& call);
  Model& operator|=(const Model& part);
  Model& operator|=(
      const Connection& expression);  // the parts of an expression become parts of this model
  Model& operator+=(
      const Call& call);  // the part's canonical input is wired to the model's canonical output
  Model& operator+=(const Model& part);

  // A new model that is equal to this one (==) and belongs to no other. Of a part, it is the part
  // as it is inside the other model: sizes and values that were inferred there are known. compile,
  // save_package and to_json take parts, too: they work on such a copy.
  Model copy() const;
  // A part for another place that reads the parameters and states of this one. In a call, all
  // inputs that are neither bound nor canonical are those of this part, which must have been added
  // before (ConnectionError E0122). Example:
  //   Model encoder = Linear({.dimension = 8});
  //   net |= encoder({{"input", "left"}, {"output", "a"}});
  //   net |= encoder.shared()({{"input", "right"}, {"output", "b"}});
  Model shared() const;

  // Names the part before it is added: net |= Linear().named("fc1")({{"input", "x"}}).
  // ConnectionError E0119 for a part that was added before.
  Model named(std::string name);

  // Ports.
  Connection operator[](
      const std::string& key);  // the key or path; made as a new key if there is none
  Connection add_input(const std::string& key);  // a new key; NameError E0607 if there is one
  Connection at(const std::string& key) const;  // NameError with the nearest names if there is none
  std::vector<std::string> input_keys() const;  // with the paths of unnamed inputs; without state
  std::vector<std::string> output_keys()
      const;  // all named outputs, or after expose_keys the exposed ones
  Model& expose_keys(std::initializer_list<const char*> keys);
  Model& expose_keys(const std::vector<std::string>& keys);
  Model& expose_keys(const std::vector<std::pair<std::string, Connection>>& keys);
  Model& rename_key(const std::string& from, const std::string& to);
  Model& set_cin(const std::vector<std::string>& keys);
  Model& set_cout(const std::vector<std::string>& keys);
  // The canonical ports, which += connects. They do not change after the model has become a part.
  std::vector<Connection> cins() const, couts() const;
  Connection cin() const, cout() const;  // ConnectionError E0105 if there is not exactly one
  Model& merge_connections(const std::vector<Binding>& connections, const std::string& name = {});

  // Facts: a contradiction is an error at the call, which does not change the model.
  Model& set_shapes(const std::vector<std::pair<std::string, ShapeSpec>>& shapes);
  Model& set_types(const std::vector<std::pair<std::string, PortType>>& types);
  Model& set_values(
      const std::vector<std::pair<std::string, Binding>>& values);  // values and tensors
  // False freezes a parameter of a layer (CompileOptions::frozen), and makes another input data.
  Model& set_differentiability(const std::vector<std::pair<std::string, bool>>& keys);
  // Calls `constraint` like an op's solve (OpDef::solve), with these keys as its ports: now, and
  // whenever a fact changes that the constraint read and found unknown, until it returns true. Its
  // statements hold like a user's. It raises errors with Solver::reject. It must keep no state,
  // because the facts of a failed call are undone. Example, keys with the same number of rows:
  //   model.add_constraint([](ml::Solver& s) {
  //     std::vector<ml::Dim> a, b;
  //     if (!s.shape("a", a) || !s.shape("b", b)) return false;
  //     s.same(a[0], b[0]);
  //     return true;
  //   }, {"a", "b"});
  Model& add_constraint(std::function<bool(Solver&)> constraint,
                        const std::vector<std::string>& keys);
  Model& set_initializer(const std::string& key, const Initializer& initializer);
  // The input has the value of the output in the previous evaluation. It starts as `initial`, or,
  // if the state has more axes, as tensors of it. A RandomKey is an int, or a key per element.
  Model& bind_state_keys(const std::string& input, const std::string& output, InitialState initial);

  // Asking.
  const std::string& name() const;  // given by the user; empty: by its class
  std::string class_name() const;   // "Linear"
  // The shapes of inputs and outputs that may hold tensors. Unnamed sizes have the same number in
  // all shapes.
  std::map<std::string, KnownShape> get_shapes() const;
  KnownShape shape(const std::string& key) const;  // TypeError E0371 for a value
  std::string summary(bool shapes = true, bool types = false, int depth = 0) const;

  const std::shared_ptr<Part>& part() const { return part_; }
  // The composite; an op is wrapped in a model first.
  std::shared_ptr<Composite> composite() const;

 private:
  std::shared_ptr<Composite> changing();  // as composite(), which an op on its own becomes for good
  std::shared_ptr<Part> part_;
};

// The model itself, or a copy if it is a part of another.
Model standalone(const Model& model);

}  // namespace mithril
