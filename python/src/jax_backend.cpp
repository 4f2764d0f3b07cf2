// The backend that runs graphs through modules for JAX.
#include <algorithm>
#include <utility>

#include "codegen/jax/write_jax.hpp"
#include "convert.hpp"
#include "mithril/backend/dtype_options.hpp"
#include "mithril/base/traced_run.hpp"
#include "mithril/eval/describe_step.hpp"
#include "mithril/eval/size_cache.hpp"

namespace mithril::python {
namespace {

py::list arrays_of(std::span<const Tensor> tensors) {
  py::list arrays;
  for (const Tensor& tensor : tensors) arrays.append(array_of(tensor.host()));
  return arrays;
}

// A function of lists of arrays, which Python made of a module.
class JaxExecutable final : public Executable {
 public:
  JaxExecutable(std::shared_ptr<const PythonFunction> function, const Graph& graph)
      : function_(std::move(function)), graph_(graph), sizes_(graph_) {}

  std::vector<Tensor> run(std::span<const Tensor> inputs) const override {
    const TracedRun traced;
    if (!traced.trace()) return call(inputs);
    const auto plan = plan_for(inputs);
    std::vector<TraceTicks> ticks{trace_ticks()};
    std::vector<Tensor> outputs = call(inputs);
    ticks.push_back(trace_ticks());
    traced.trace()->add_steps(plan->steps, std::move(ticks));
    return outputs;
  }

 private:
  struct TracedSizes {
    std::vector<Dims> inputs;
    std::shared_ptr<const TracedSteps> steps;  // shared with traces
  };

  // The function returns arrays of NumPy, so it ends when they are computed.
  std::vector<Tensor> call(std::span<const Tensor> inputs) const {
    const InterpreterLocked lock;
    const py::list made = (*function_)(arrays_of(inputs));
    std::vector<Tensor> outputs;
    for (const py::handle array : made) outputs.push_back(tensor_of(array));
    return outputs;
  }

  std::shared_ptr<const TracedSizes> plan_for(std::span<const Tensor> inputs) const {
    const auto fits = [&](const TracedSizes& sizes) {
      return std::equal(inputs.begin(), inputs.end(), sizes.inputs.begin(), sizes.inputs.end(),
                        [](const Tensor& input, const Dims& dims) { return input.dims() == dims; });
    };
    return traced_.find_or_make(fits, [&] {
      const Plan plan = make_plan(graph_, sizes_, inputs);
      TracedStep step = describe_whole(graph_, plan, "XLA");
      step.backend = step.device = "jax";
      return TracedSizes{plan.inputs, std::make_shared<const TracedSteps>(1, std::move(step))};
    });
  }

  std::shared_ptr<const PythonFunction>
      function_;  // shared: released with the interpreter's lock held
  const Graph graph_;
  const SizeSources sizes_;
  const SizeCache<TracedSizes> traced_ = {};
};

class JaxRunner final : public Backend {
 public:
  JaxRunner(std::shared_ptr<const PythonFunction> load, DType dtype)
      : load_(std::move(load)), dtype_(dtype) {}

  std::string_view name() const override { return "jax"; }
  DType default_dtype() const override { return dtype_; }
  std::vector<std::string> missing(const Graph& graph) const override {
    return ops_without_jax(graph);
  }

  std::unique_ptr<Executable> load(const Graph& graph, const LoadOptions& options) override {
    if (options.observer) {
      raise({.kind = ErrorKind::backend,
             .code = "E1035",
             .message = "JaxBackend compiles a graph as a whole, and shows no values of nodes",
             .help = "compile for CpuBackend to debug or to register hooks"});
    }
    const JaxProgram program = jax_program(graph);
    const InterpreterLocked lock;
    const py::object made = (*load_)(program.source, arrays_of(program.constants), options.jit);
    return std::make_unique<JaxExecutable>(shared_function(made), graph);
  }

 private:
  std::shared_ptr<const PythonFunction> load_;  // shared: released with the interpreter's lock held
  DType dtype_;
};

}  // namespace

void bind_jax_backend(py::module_& module) {
  module.def(
      "jax_backend",
      [](const py::function& load, py::handle dtype) -> std::shared_ptr<Backend> {
        return std::make_shared<JaxRunner>(shared_function(load),
                                           checked_dtype(dtype_of_object(dtype)));
      },
      py::arg("load"), py::arg("dtype"), "Makes the compiled part of a JaxBackend.");
}

}  // namespace mithril::python
