#include "backends/cpu/cpu.hpp"

#include <utility>

#include "backends/cpu/dump.hpp"
#include "backends/cpu/executable.hpp"
#include "backends/cpu/kernels/half_kernels.hpp"
#include "backends/cpu/kernels/instruction_set.hpp"
#include "mithril/backend/dtype_options.hpp"
#include "mithril/base/thread_pool.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

constexpr const char* no_native_code =
    "no native code, loops are interpreted: jit=False or use_checkpointing forbids it";

class Interpreted final : public Executable {
 public:
  Interpreted(Graph graph, std::shared_ptr<const Observer> observer)
      : interpreter_(std::move(graph), std::move(observer)) {}
  std::vector<Tensor> run(std::span<const Tensor> inputs) const override {
    return interpreter_.run(inputs);
  }

 private:
  Interpreter interpreter_;
};

class Cpu final : public Backend {
 public:
  explicit Cpu(CpuOptions options) : options_(options) {}

  std::string_view name() const override { return "cpu"; }
  DType default_dtype() const override { return options_.dtype; }
  GraphOptions graph_options() const override {
    return {.mixed_precision = options_.use_amp ? std::optional(options_.amp_dtype) : std::nullopt};
  }

  std::vector<std::string> missing(const Graph& graph) const override {
    return missing_ops(graph, [](const OpDef& op) { return op.eval != nullptr; });
  }

  std::unique_ptr<Executable> load(const Graph& graph, const LoadOptions& options) override {
    if (options_.reference) return std::make_unique<Interpreted>(graph, options.observer);
    const int threads = options_.threads > 0 ? options_.threads : processor_count();
    const bool forbidden = options.max && !options.jit;
    return cpu_backend::make_executable(graph, {.observer = options.observer,
                                                .threads = threads,
                                                .memory_limit = options_.memory_limit,
                                                .winograd = options_.winograd,
                                                .fuse = options.fuse,
                                                .native = options.max && options.jit,
                                                .donations = options.donations,
                                                .native_note = forbidden ? no_native_code : "",
                                                .weight_dtype = options_.weight_dtype,
                                                .dump = cpu_backend::dump_from_environment()});
  }

  Tensor own(const Tensor& tensor) const override {
    return tensor.is_sole() ? tensor : tensor.copy();
  }

 private:
  CpuOptions options_;
};

}  // namespace

std::shared_ptr<Backend> cpu(CpuOptions options) {
  checked_dtype(options.dtype);
  if (options.threads < 0) {
    raise({.kind = ErrorKind::value,
           .code = "E0433",
           .message = "threads is " + std::to_string(options.threads) + ", expected 0 or more",
           .help = "0 takes as many as the process has processors"});
  }
  checked_amp_dtype(options.amp_dtype);
  if (options.weight_dtype && !cpu_backend::is_half(*options.weight_dtype)) {
    raise({.kind = ErrorKind::type,
           .code = "E0387",
           .message = "weight_dtype is " + std::string(name(*options.weight_dtype)) +
                      ", which does not hold weights in 16 bits",
           .help = "choose float16 or bfloat16, or leave it out"});
  }
  cpu_backend::best_instructions();  // raises errors of the environment here
  return std::make_shared<Cpu>(options);
}

}  // namespace mithril
