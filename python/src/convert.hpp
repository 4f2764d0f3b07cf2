// From Python objects to ours and back.
#pragma once
#include <pybind11/pybind11.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter_lock.hpp"
#include "mithril/backend/backend.hpp"
#include "mithril/base/error.hpp"
#include "mithril/model/connection.hpp"
#include "mithril/model/model.hpp"
#include "mithril/tensor/tensor_map.hpp"

namespace mithril {
class CompiledModel;
class Engine;
struct OutputOptions;
struct State;
}  // namespace mithril

namespace mithril::python {

namespace py = pybind11;

// The repr of the object, truncated if it is long.
std::string shown(py::handle object);
// "Plateau(factor=0.5)": a call with these arguments.
std::string shown_call(const std::string& name, const py::dict& arguments);
// Raises the error as ml.AttributeError, a NameError that hasattr() and getattr() expect.
[[noreturn]] void raise_attribute_error(const Error& error);
// AttributeError E0624.
[[noreturn]] void no_attribute(const std::string& message, const std::string& help = "");
// Raises an error of ours that Python code has raised again in C++, and others as they are.
[[noreturn]] void rethrow_error_of_python(py::error_already_set& raised);
// TypeError E0390.
[[noreturn]] void wrong_type(py::handle object, const std::string& expected);
// Raises a TypeError E0390 again, as one of this code that names the argument.
[[noreturn]] void name_argument(const TypeError& error, const std::string& code,
                                const std::string& function, const std::string& argument);
// read(), which reads the argument; TypeError E0395, which names it, in place of E0390.
template <typename Read>
auto argument(const std::string& function, const std::string& name, const Read& read) {
  try {
    return read();
  } catch (const TypeError& error) {
    if (error.code() != "E0390") throw;
    name_argument(error, "E0395", function, name);
  }
}
// A str; TypeError E0390 for anything else.
std::string text_of(py::handle object, const std::string& expected = "a name");
// Whether the object is an int, of Python or another library, and no bool.
bool is_int(py::handle object);
int64_t int_of(py::handle object);  // TypeError E0393 for one of more than 64 bits
// Whether the object supports DLPack. A class does not, although it has the method.
bool has_dlpack(py::handle object);

// Counts the depth of nested lists while reading. TypeError E0392 if they are nested too deep, as a
// list that contains itself.
class Nesting {
 public:
  Nesting();
  ~Nesting();
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
};

// A TrainModel if the model is one.
py::object object_of(const Model& model);
// None, bool, int, float, str, dtype, tuple, list, slice, ... ; TypeError E0390 for anything else.
Datum datum_of(py::handle object);
py::object object_of(const Datum& datum);

// As datum_of, and Connection, Tensor, NumPy array; a string is a name.
Binding binding_of(py::handle object);
Bindings bindings_of(const py::dict& ports);

// [None, 1, "H", ...]: ints, names of symbols, None for any size, ... or ("run", ...) for a run of
// dims.
ShapeSpec shape_of(py::handle object);
// [4, "N", None, ...]: None for a size without a name, ... for a run of any number of sizes.
py::list sizes_of(const KnownShape& shape);
// Tensor[float], Tensor[int | float], int, float, bool, str, tuple: as a set of kinds.
Kinds kinds_of(py::handle object);
PortType port_type_of(py::handle object);  // the same, or Tensor[ml.uint8]
DType dtype_of_object(py::handle object);  // ml.float32, "float32" or a NumPy dtype

// A NumPy array or any object with __dlpack__, without a copy if it is contiguous. Errors name
// `key`, if it is given.
Tensor tensor_of(py::handle object, const std::string& key = "");
// The same for a tensor that is written in place, which may be a tensor of torch.
Tensor writable_tensor_of(py::handle object);
// A function of a Solver, for Model::add_constraint.
std::function<bool(Solver&)> constraint_of(const py::function& function);
// A function that any thread calls that holds the lock of the interpreter.
class PythonFunction {
 public:
  explicit PythonFunction(py::function function) : function_(std::move(function)) {}

  template <typename... Arguments>
  py::object operator()(Arguments&&... arguments) const {
    return calling_python(
        [&]() -> py::object { return function_(std::forward<Arguments>(arguments)...); });
  }

 private:
  py::function function_;
};
// C++ owns the function, and releases it with the interpreter's lock held.
std::shared_ptr<const PythonFunction> shared_function(py::function function);
// A NumPy array that shares the tensor's memory; a Tensor for dtypes that NumPy does not have.
py::object array_of(const Tensor& tensor);
TensorMap tensor_map_of(const py::dict& dict);
// The states of a dict; none for None.
State state_of(py::handle dict);
OutputOptions outputs_of(py::handle names);  // a name, several ones, or None
// Calls without the interpreter's lock.
template <typename Call>
auto call_unlocked(Call call) {
  const InterpreterUnlocked free;
  return call();
}
// os.fspath of a path, which is text or an object of pathlib.
std::string path_of(py::handle path);
// The ending of the path, which is one of these: ".cpp". ValueError E0492 for another one.
std::string_view ending_of(std::string_view path, std::initializer_list<std::string_view> endings);
py::dict dict_of(const TensorMap& map);

void bind_errors(py::module_& module);
void bind_values(py::module_& module);
void bind_tensors(py::module_& module);
void bind_connections(py::module_& module);
void bind_models(py::module_& module);
void bind_model_facts(py::class_<Model>& model);
void bind_model_copies(py::class_<Model>& model);
void bind_part_views(py::module_& module, py::class_<Model>& model);
void bind_edits(py::module_& module, py::class_<Model>& model);
void bind_views(py::module_& module, py::class_<Model>& model);
void bind_initializers(py::module_& module);
void bind_training(py::module_& module);
void bind_json(py::module_& module);
void bind_library(py::module_& module);
void bind_user_ops(py::module_& module);
void bind_constraints(py::module_& module);
void bind_backends(py::module_& module);
void bind_compile(py::module_& module);
void bind_compare(py::module_& module);
void bind_loss_scale(py::module_& module);
void bind_jax(py::module_& module);
void bind_jax_backend(py::module_& module);
void bind_web(py::module_& module);
void bind_derivatives(py::module_& module);
void bind_loops(py::module_& module);
void bind_vmap(py::module_& module);
void bind_distributed(py::module_& module);
void bind_generation(py::module_& module);
void bind_metrics(py::module_& module);
void bind_engine(py::module_& module);
void bind_pending_answer(py::module_& module);
void bind_served_models(py::class_<Engine, std::shared_ptr<Engine>>& engine);
void bind_per_sample(py::module_& module);
void bind_lbfgs(py::module_& module);
void bind_schedules(py::module_& module);
void bind_files(py::module_& module);
void bind_packages(py::module_& module);
void bind_tokenizer(py::module_& module);
void bind_training_options(py::module_& module);
void bind_optimizers(py::module_& module);
void bind_onnx(py::module_& module);
void bind_optimizer_classes(py::module_& module);
void bind_inference(py::class_<CompiledModel>& compiled);
void bind_weights(py::module_& module, py::class_<CompiledModel>& compiled);
void bind_memory(py::module_& module, py::class_<Backend, std::shared_ptr<Backend>>& backend);

}  // namespace mithril::python
