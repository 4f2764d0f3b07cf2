#include "mithril/per_sample/single_samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/comparison/value_mismatch.hpp"
#include "mithril/compile/evaluate.hpp"
#include "mithril/tensor/functions.hpp"

namespace mithril {
namespace {

int64_t elements_of_sample(const Tensor& tensor) {
  return element_count(Dims(tensor.dims().begin() + 1, tensor.dims().end()));
}

// <g_i, h_j> of two tensors of samples.
double inner_product(const Tensor& g, int64_t i, const Tensor& h, int64_t j) {
  const int64_t count = elements_of_sample(g);
  double sum = 0;
  for (int64_t k = 0; k < count; ++k)
    sum += g.at_as_double(i * count + k) * h.at_as_double(j * count + k);
  return sum;
}

Tensor from_doubles(DType dtype, const Dims& dims, const std::vector<double>& values) {
  const Tensor made = Tensor::of<double>(dims, values);
  return dtype == DType::float64 ? made : made.to(dtype);
}

Dims without_samples(const Tensor& tensor) {
  return Dims(tensor.dims().begin() + 1, tensor.dims().end());
}

// The sum over i of weights[i] * g_i.
Tensor weighted_sum(const Tensor& g, const std::vector<double>& weights) {
  const int64_t count = elements_of_sample(g);
  std::vector<double> sum(static_cast<size_t>(count));
  for (size_t i = 0; i < weights.size(); ++i) {
    for (int64_t k = 0; k < count; ++k) {
      sum[static_cast<size_t>(k)] +=
          weights[i] * g.at_as_double(static_cast<int64_t>(i) * count + k);
    }
  }
  return from_doubles(g.dtype(), without_samples(g), sum);
}

// Writes the elements of one sample.
void put_sample(Tensor& all, int64_t sample, const Tensor& one) {
  auto* to = static_cast<std::byte*>(all.mutable_raw_data());
  std::memcpy(to + static_cast<size_t>(sample) * one.bytes(), one.raw_data(), one.bytes());
}

// The loss of each sample: [B] of [B, ...].
std::vector<double> losses_of(const Tensor& all, LossReduction reduction) {
  const int64_t samples = all.dims()[0], row = elements_of_sample(all);
  std::vector<double> losses(static_cast<size_t>(samples));
  for (int64_t i = 0; i < samples; ++i) {
    double& loss = losses[static_cast<size_t>(i)];
    for (int64_t k = 0; k < row; ++k) loss += all.at_as_double(i * row + k);
    if (reduction == LossReduction::mean && row > 0) loss /= static_cast<double>(row);
  }
  return losses;
}

DType least_precise(const Graph& graph) {
  DType least = DType::float64;
  for (const Value& value : graph.values()) {
    if (epsilon_of(value.dtype) > epsilon_of(least)) least = value.dtype;
  }
  return least;
}

// The tolerance between the losses of a sample by itself and in the batch.
double tolerance_of_losses(const Graph& graph) {
  return std::max(tolerance_of_gradients(graph), least_precise(graph) == DType::float64 ? 0 : 1e-3);
}

}  // namespace

SingleSamples::SingleSamples(const CompiledModel& model, const PerSamplePrograms& programs,
                             const PerSampleOptions& options, const SampleBatch& batch,
                             const State& state)
    : programs_(programs),
      options_(options),
      losses_key_(programs.compiled().outputs[programs.output()].name),
      samples_(batch.samples) {
  const CompiledState& compiled = programs.compiled();
  for (const NamedIndex& key : compiled.parameters) {
    params_[key.name] = batch.inputs[key.index];
    if (compiled.is_frozen(key)) continue;
    Dims dims = batch.inputs[key.index].dims();
    dims.insert(dims.begin(), samples_);
    gradients_[key.name] = Tensor(batch.inputs[key.index].dtype(), dims);
  }
  TensorMap data;
  std::vector<std::string> rows;  // data whose rows are the samples
  for (const NamedIndex& key : compiled.data) {
    data[key.name] = batch.inputs[key.index];
    if (batch.batched[key.index]) rows.push_back(key.name);
  }
  const auto [outputs, next] = model.evaluate(params_, data, state);
  state_ = next;
  const Tensor whole = outputs.at(losses_key_).host();
  losses_ = from_doubles(whole.dtype(), {samples_}, losses_of(whole, options.reduction));
  if (draws_for_samples(model, data, batch, state)) {
    evaluate_in_batch(model, data, state, whole);
    return;
  }
  for (int64_t i = 0; i < samples_; ++i) {
    const Tensor own = evaluate(model, batch, state, i);
    const double alone = losses_of(own, options.reduction)[0], among = losses_.at_as_double(i);
    if (is_same_loss(alone, among)) continue;
    raise(
        {.kind = ErrorKind::gradient,
         .code = "E0513",
         .path = losses_key_,
         .message = "sample " + std::to_string(i) + " has another loss by itself than in the batch",
         .facts = {{"by itself", std::to_string(alone)},
                   {"in the batch", std::to_string(among)},
                   {"taken from", "the rows of " + join(rows, ", ")}},
         .help = "the model mixes the samples, or draws random numbers for them: use inference "
                 "mode. If the rows are not samples, put the samples first (batch_first=True, "
                 "axis=1 of Scan), or name the data in shared="});
  }
}

bool SingleSamples::is_same_loss(double alone, double among) const {
  const double tolerance = tolerance_of_losses(programs_.compiled().source);
  return std::abs(alone - among) <= tolerance * std::max(1.0, std::abs(among));
}

TensorMap SingleSamples::data_of(const SampleBatch& batch, int64_t sample) const {
  TensorMap data;
  for (const NamedIndex& key : programs_.compiled().data) {
    const Tensor& whole = batch.inputs[key.index];
    data[key.name] = batch.batched[key.index] ? slice(whole.host(), 0, sample, sample + 1) : whole;
  }
  return data;
}

// Such a model changes its states, which are keys: others, such as running statistics, take in all
// samples. Its losses agree in inference, without random numbers. In training they may agree by
// chance, as those of a layer of zeros, although the gradients differ.
bool SingleSamples::draws_for_samples(const CompiledModel& model, const TensorMap& data,
                                      const SampleBatch& batch, const State& state) const {
  bool draws = false;
  for (const auto& [key, next] : state_) {
    if (is_floating(next.dtype()) || !next.dims().empty()) return false;
    draws = draws || !equal(next.host(), state.at(key).host());
  }
  if (!draws) return false;
  const OutputOptions wanted{.outputs = {losses_key_}};
  const auto losses = [&](const TensorMap& given) {
    const Tensor made = model.infer(params_, given, state, wanted).at(losses_key_).host();
    return losses_of(made, options_.reduction);
  };
  const std::vector<double> among = losses(data);
  for (int64_t i = 0; i < samples_; ++i) {
    if (!is_same_loss(losses(data_of(batch, i))[0], among[static_cast<size_t>(i)])) return false;
  }
  return true;
}

// The gradient of each loss of the batch, with the numbers that the batch draws.
void SingleSamples::evaluate_in_batch(const CompiledModel& model, const TensorMap& data,
                                      const State& state, const Tensor& whole) {
  const int64_t row = elements_of_sample(whole);
  const double one =
      options_.reduction == LossReduction::mean && row > 0 ? 1 / static_cast<double>(row) : 1;
  for (int64_t i = 0; i < samples_; ++i) {
    std::vector<double> seed(static_cast<size_t>(whole.size()));
    for (int64_t k = i * row; k < (i + 1) * row; ++k) seed[static_cast<size_t>(k)] = one;
    const TensorMap incoming = {{losses_key_, from_doubles(whole.dtype(), whole.dims(), seed)}};
    auto [again, gradients, next] = model.evaluate(params_, data, OutputGradients(incoming), state);
    for (auto& [key, all] : gradients_) put_sample(all, i, gradients.at(key).host());
  }
}

Tensor SingleSamples::evaluate(const CompiledModel& model, const SampleBatch& batch,
                               const State& state, int64_t sample) {
  const TensorMap data = data_of(batch, sample);
  // The gradient of the loss in its row has the dims of the row.
  const auto [outputs, none] = model.evaluate(params_, data, state);
  const Tensor own = outputs.at(losses_key_).host();
  const double one = options_.reduction == LossReduction::mean && own.size() > 0
                         ? 1 / static_cast<double>(own.size())
                         : 1;
  const TensorMap incoming = {{losses_key_, Tensor::full(own.dtype(), own.dims(), one)}};
  auto [again, gradients, next] = model.evaluate(params_, data, OutputGradients(incoming), state);
  for (auto& [key, all] : gradients_) put_sample(all, sample, gradients.at(key).host());
  return own;
}

SampleNorms SingleSamples::norms() const {
  SampleNorms norms;
  std::vector<double> total(static_cast<size_t>(samples_));
  for (const auto& [key, g] : gradients_) {
    std::vector<double> own(static_cast<size_t>(samples_));
    for (int64_t i = 0; i < samples_; ++i) {
      const double square = inner_product(g, i, g, i);
      own[static_cast<size_t>(i)] = std::sqrt(square);
      total[static_cast<size_t>(i)] += square;
    }
    norms.by_key[key] = from_doubles(g.dtype(), {samples_}, own);
  }
  for (double& x : total) x = std::sqrt(x);
  norms.total = from_doubles(losses_.dtype(), {samples_}, total);
  return norms;
}

SampleDots SingleSamples::dots(const SingleSamples& validation, const DotsOptions& options) const {
  SampleDots dots;
  const int64_t n = samples_, m = validation.samples_;
  const Dims dims = options.pairs ? Dims{n, m} : Dims{n};
  const bool mean = !options.pairs && options.validation_reduction == LossReduction::mean && m > 0;
  std::vector<double> total(static_cast<size_t>(element_count(dims)));
  for (const auto& [key, g] : gradients_) {
    const Tensor& h = validation.gradients_.at(key);
    std::vector<double> own(total.size());
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < m; ++j) {
        own[static_cast<size_t>(options.pairs ? i * m + j : i)] +=
            inner_product(g, i, h, j) / (mean ? static_cast<double>(m) : 1);
      }
    }
    for (size_t i = 0; i < own.size(); ++i) total[i] += own[i];
    dots.by_key[key] = from_doubles(g.dtype(), dims, own);
    const double weight = n > 0 ? 1 / static_cast<double>(n) : 0;
    dots.gradients[key] = weighted_sum(g, std::vector<double>(static_cast<size_t>(n), weight));
  }
  dots.total = from_doubles(losses_.dtype(), dims, total);
  dots.losses = losses_;
  dots.validation_losses = validation.losses_;
  dots.state = state_;
  return dots;
}

TensorMap SingleSamples::weighted(const Tensor& weights) const {
  std::vector<double> numbers;
  for (int64_t i = 0; i < samples_; ++i) numbers.push_back(weights.at_as_double(i));
  TensorMap sums;
  for (const auto& [key, g] : gradients_) sums[key] = weighted_sum(g, numbers);
  return sums;
}

ClippedGradients SingleSamples::clipped(double max_norm) const {
  ClippedGradients clipped;
  clipped.norms = norms().total;
  std::vector<double> weights;
  for (int64_t i = 0; i < samples_; ++i)
    weights.push_back(std::min(1.0, max_norm / clipped.norms.at_as_double(i)));
  for (const auto& [key, g] : gradients_) clipped.gradients[key] = weighted_sum(g, weights);
  clipped.state = state_;
  return clipped;
}

Tensor SingleSamples::projected(const std::vector<ProjectedParameter>& parameters,
                                const std::vector<Tensor>& matrices) const {
  std::vector<std::vector<double>> rows(static_cast<size_t>(samples_));
  size_t next = 0;
  for (const ProjectedParameter& parameter : parameters) {
    const Tensor& g = gradients_.at(parameter.key);
    const Tensor &left = matrices[next++], &right = matrices[next++];
    const int64_t height = left.dims()[1], width = right.dims()[1];
    for (int64_t i = 0; i < samples_; ++i) {
      for (int64_t a = 0; a < left.dims()[0]; ++a) {
        for (int64_t b = 0; b < right.dims()[0]; ++b) {
          double sum = 0;
          for (int64_t r = 0; r < height; ++r) {
            for (int64_t c = 0; c < width; ++c) {
              sum += left.at_as_double(a * height + r) *
                     g.at_as_double((i * height + r) * width + c) *
                     right.at_as_double(b * width + c);
            }
          }
          rows[static_cast<size_t>(i)].push_back(sum);
        }
      }
    }
  }
  std::vector<double> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  const ProjectedParameter& last = parameters.back();
  return from_doubles(losses_.dtype(), {samples_, last.start + last.left * last.right}, all);
}

double tolerance_of_gradients(const Graph& graph) {
  return default_tolerance(least_precise(graph));
}

void compare_samples(const TensorMap& made, const TensorMap& expected, double tolerance) {
  std::vector<double> squares;
  for (const auto& [key, g] : expected) {
    squares.resize(static_cast<size_t>(g.dims()[0]));
    for (int64_t i = 0; i < g.dims()[0]; ++i)
      squares[static_cast<size_t>(i)] += inner_product(g, i, g, i);
  }
  std::string worst;
  double largest = 0;
  int64_t at = 0;
  for (const auto& [key, g] : expected) {
    const Tensor own = made.at(key).host();
    const int64_t count = elements_of_sample(g);
    for (int64_t i = 0; i < g.dims()[0]; ++i) {
      double square = 0;
      for (int64_t k = i * count; k < (i + 1) * count; ++k)
        square += std::pow(own.at_as_double(k) - g.at_as_double(k), 2);
      const double norm = std::sqrt(squares[static_cast<size_t>(i)]);
      const double error = std::sqrt(square) / (norm > 0 ? norm : 1);
      // A NaN in one of the two is an error, too.
      if (error <= largest) continue;
      largest = error;
      worst = key;
      at = i;
      if (std::isnan(error)) break;
    }
    if (std::isnan(largest)) break;
  }
  if (largest <= tolerance) return;
  raise({.kind = ErrorKind::gradient,
         .code = "E0512",
         .path = worst,
         .message = "the gradient of sample " + std::to_string(at) + " in '" + worst +
                    "' differs from that of an evaluation of the sample by itself",
         .facts = {{"relative error", std::to_string(largest)},
                   {"tolerance", std::to_string(tolerance)}}});
}

}  // namespace mithril
