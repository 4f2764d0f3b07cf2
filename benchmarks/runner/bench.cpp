#include "runner/bench.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/training/training_step.hpp"
#include "runner/npz.hpp"
#include "runner/workloads.hpp"

namespace mithril::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

struct Data {
  TensorMap inputs, weights;
  std::optional<Tensor> reference;
};

Data data_of(const Workload& workload, const std::string& folder) {
  Data data;
  for (size_t i = 0; i < workload.inputs.size(); ++i) {
    const bool target =
        workload.optimizer != Optimizing::nothing && i + 1 == workload.inputs.size();
    data.inputs[target ? "y" : "x" + std::to_string(i)] = workload.inputs[i];
  }
  if (folder.empty()) return data;
  for (const auto& [name, array] : read_npz(folder + "/inputs.npz")) data.inputs[name] = array;
  for (const auto& [name, array] : read_npz(folder + "/params.npz")) {
    // PyTorch's counters of batch norms are not weights.
    if (name.ends_with("num_batches_tracked")) continue;
    data.weights[key_of(name)] = array;
  }
  data.reference = read_npz(folder + "/ref.npz").at("out");
  return data;
}

CompiledModel compiled(const Workload& workload, const Data& data, const BenchOptions& given) {
  CompileOptions options;
  if (given.native) options.optimization_level = mithril::OptimizationLevel::max;
  for (const auto& [key, tensor] : data.inputs) {
    options.data_keys.push_back(key);
    options.shapes.emplace_back(
        key, ShapeSpec(std::vector<DimSpec>(tensor.dims().begin(), tensor.dims().end())));
  }
  return compile(workload.model(),
                 cpu({.dtype = given.dtype,
                      .threads = given.threads,
                      .weight_dtype = given.weight_dtype,
                      .use_amp = given.mixed}),
                 options);
}

// One call on the given inputs; its result is compared with the reference.
using Call = std::function<Tensor()>;

Call inference(const CompiledModel& model, const Data& data, TensorMap params) {
  const CompiledModel bound = model.bind(std::move(params));
  return [bound, &inputs = data.inputs] { return bound.evaluate({}, inputs).at("out"); };
}

template <typename Optimizer>
Call training(const CompiledModel& model, const Data& data, const TensorMap& params,
              Optimizer chosen) {
  struct Training {
    TensorMap params;
    Optimizer optimizer;
    TrainingStep step;
    Training(const CompiledModel& model, TensorMap given, Optimizer chosen)
        : params(std::move(given)), optimizer(std::move(chosen)), step(model, optimizer) {}
  };
  auto training = std::make_shared<Training>(model, params.copy(), std::move(chosen));
  return [training, &inputs = data.inputs] {
    return training->step(training->params, inputs).at("loss");
  };
}

Call call_of(const Workload& workload, const CompiledModel& model, const Data& data,
             TensorMap params) {
  switch (workload.optimizer) {
    case Optimizing::sgd:
      return training(model, data, params, SGD({.lr = workload.learning_rate}));
    case Optimizing::adam:
      return training(model, data, params, Adam({.lr = workload.learning_rate}));
    case Optimizing::nothing:
      break;
  }
  return inference(model, data, std::move(params));
}

// Returns ||got - expected|| / ||expected||; the results of training are the losses of the first
// steps.
double relative_error(const std::vector<Tensor>& got, const Tensor& expected) {
  double apart = 0, size = 0;
  int64_t at = 0;
  for (const Tensor& tensor : got) {
    for (int64_t i = 0; i < tensor.size() && at < expected.size(); ++i, ++at) {
      const double wanted = expected.at_as_double(at);
      apart += std::pow(tensor.at_as_double(i) - wanted, 2);
      size += wanted * wanted;
    }
  }
  return at == expected.size() ? std::sqrt(apart / size) : INFINITY;
}

// Calls until this time has passed, several at a time if a call is short.
double time_of(const Call& call, double seconds) {
  const double start = now();
  call();
  const int at_once = std::max(1, static_cast<int>(0.002 / std::max(now() - start, 1e-7)));
  std::vector<double> times;
  while (times.size() < 3 || now() - start < seconds) {
    const double before = now();
    for (int i = 0; i < at_once; ++i) call();
    times.push_back((now() - before) / at_once);
  }
  return median(std::move(times));
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double median_of_rounds(const Call& call, int rounds) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) times.push_back(time_of(call, 0.3));
  return median(std::move(times));
}

// A line for each number of seconds that is read; the first calls of a turn warm the caches.
void take_turns(const Call& call) {
  for (double seconds; std::cin >> seconds;) {
    const double used = processor_seconds();
    const double begin = now();
    do call();
    while (now() - begin < 0.02);
    const double milliseconds = time_of(call, seconds) * 1e3;
    fmt::print("{{\"ms\": {:.6f}, \"cpu_s\": {:.6f}}}\n", milliseconds, processor_seconds() - used);
    std::fflush(stdout);
  }
}

}  // namespace

void bench(const BenchOptions& options) {
  const Workload workload = bench::workload(options.workload);
  Data data = data_of(workload, options.data);
  for (auto& [key, tensor] : data.inputs) {
    if (is_floating(tensor.dtype())) tensor = tensor.to(options.dtype);
  }
  const bool trains = workload.optimizer != Optimizing::nothing;
  const double start = now();
  const CompiledModel model = compiled(workload, data, options);
  const Call call =
      call_of(workload, model, data,
              data.reference ? std::exchange(data.weights, {}) : model.get_parameters());
  std::vector<Tensor> results{call()};
  const double cold = now() - start;
  while (trains && results.size() < 4) results.push_back(call());
  std::string line = fmt::format("\"cold_s\": {:.6f}", cold);
  if (data.reference) {
    const double error = relative_error(results, *data.reference);
    // The line has the format of Python's json.
    line += ", \"rel_err\": " + (std::isfinite(error) ? fmt::format("{:.3g}", error) : "Infinity");
  }
  if (!options.takes_turns) {
    line = fmt::format("\"ms\": {:.6f}, {}", 1e3 * median_of_rounds(call, options.rounds), line);
  }
  fmt::print("{{{}}}\n", line);
  std::fflush(stdout);
  if (options.takes_turns) take_turns(call);
}

}  // namespace mithril::bench
