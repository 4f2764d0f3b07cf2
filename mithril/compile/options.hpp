// Options of compile.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mithril/model/connection.hpp"
#include "mithril/model/model.hpp"

namespace mithril {

class Backend;
class Communicator;  // distributed/communicator.hpp

// A key of a model: its name, its path, or a connection.
class KeyRef {
 public:
  KeyRef(const char* name);
  KeyRef(std::string name);
  KeyRef(Connection connection);
  // Not inline, as in class Datum.
  KeyRef(const KeyRef& other);
  KeyRef(KeyRef&& other) noexcept;
  KeyRef& operator=(const KeyRef& other);
  KeyRef& operator=(KeyRef&& other) noexcept;
  ~KeyRef();

  std::string name() const;
  // NameError E0606 with the nearest keys; ConnectionError E0107 for a connection of another model.
  Wire* wire(Composite& model) const;

 private:
  std::variant<std::string, Connection> held_;
};

// none: ops are computed one by one, as composed; max: takes longer to compile (docs/semantics.md).
enum class OptimizationLevel { none, standard, max };
// The level named "none", "standard" or "max"; NameError E0610 for other words.
OptimizationLevel optimization_level_named(std::string_view name);

// What each process of a group holds of the memory of an optimizer.
enum class OptimizerState : std::uint8_t { replicated, sharded };
// The one named "replicated" or "sharded"; NameError E0632 for other words.
OptimizerState optimizer_state_named(std::string_view name);

// A parameter of which the processes along the axis "model" of a mesh hold blocks: process r of n
// the r-th of n equal blocks along this axis. A negative axis counts from the last one.
struct Sharded {
  int axis = 0;
};

struct CompileOptions {
  // Facts that hold for this compiled model only: the model itself does not change.
  std::vector<std::pair<KeyRef, ShapeSpec>> shapes = {};
  std::vector<std::pair<KeyRef, PortType>> types = {};
  std::vector<std::pair<KeyRef, Binding>> constant_keys = {};  // inputs with their values: folded

  // A key belongs to at most one of these and constant_keys (ValueError E0407). It is not a state
  // (E0415).
  std::vector<KeyRef> data_keys = {};       // inputs that are not parameters
  std::vector<KeyRef> trainable_keys = {};  // inputs that are parameters, canonical ones too
  // Patterns of the keys of parameters that stay as they are, such as "encoder.*" (`*` and `?` as
  // in ParameterGroup). evaluate, PerSample, training steps and generated code compute no gradients
  // of them. Parameters of layers that are declared not differentiable are frozen as well.
  // NameError E0623 for a pattern that matches no parameter, with the nearest key. ValueError E0407
  // if it matches a key of trainable_keys, or is one of data_keys.
  std::vector<std::string> frozen = {};
  std::vector<KeyRef> discard_keys =
      {};  // outputs to leave out, with the nodes that only they need
  // The outputs to make; the inputs that only others need are not inputs. Empty: all, in inference
  // mode without losses and metrics (docs/semantics.md, "Outputs").
  std::vector<KeyRef> outputs = {};

  bool inference = false;          // in inference mode, and without gradients
  bool jit = true;                 // whether the backend may compile code where it can
  bool use_short_namings = false;  // "weight_0" for "encoder.fc1.weight"
  bool safe_shapes = true;         // whether each evaluation checks ranks and sizes
  OptimizationLevel optimization_level = OptimizationLevel::standard;
  // Checks the graph after each pass, and names the pass that breaks it. Evaluations print what
  // each op makes (path, op, dtype, dims, whether it is finite) on standard error, and end with
  // ValueError E0410 at the first NaN or infinity, which says which inputs had some.
  bool debug = false;
  bool quiet = false;  // debug prints only the value with the first NaN or infinity

  // Recomputes values in the gradient instead of keeping them: the same results in less memory.
  bool use_checkpointing = false;

  // The processes that train together (docs/distributed.md). Each gives the rows of its part of a
  // batch. Null, or a group of one process: this process alone. BackendError E1054 for a backend
  // that cannot exchange tensors.
  std::shared_ptr<Communicator> group = nullptr;
  // Data inputs that are the same on all processes, such as a table of positions. The other data
  // inputs hold the rows of the process along their first axis. NameError E0606 for a name that is
  // no data input, with the nearest key.
  std::vector<std::string> replicated_keys = {};
  // Gradients are exchanged in buckets of at most this number of bytes.
  std::int64_t bucket_bytes = std::int64_t{25} << 20;
  // What each process of the group holds of the slots of the optimizer and of averages. Sharded:
  // the blocks of the process along the first axis that the number of processes divides.
  OptimizerState optimizer_state = OptimizerState::replicated;
  // Parameters that are sharded, by patterns of their keys (as in `frozen`). NameError E0623 for a
  // pattern that matches no parameter, with the nearest key. ValueError E0499 for two patterns that
  // match one parameter. ShapeError E0212 for an axis that has no equal blocks.
  std::vector<std::pair<std::string, Sharded>> placements = {};
  // How many processes share the rows of a batch ("data") and the sharded parameters ("model"). One
  // that is left out is 1. Empty: all processes share the parameters if there are placements, and
  // the rows otherwise. NameError E0633 for another axis; ValueError E0497 if the product is not
  // the number of processes of the group.
  std::vector<std::pair<std::string, int>> mesh = {};

  // Keeps transformed graphs on disk and reuses them for equal graphs (docs/pytorch-backend.md).
  // Results do not depend on the cache.
  bool cache = false;
};

}  // namespace mithril
