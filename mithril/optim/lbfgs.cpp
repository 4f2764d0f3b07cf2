#include "mithril/optim/lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <tuple>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/optim/line_search.hpp"
#include "mithril/optim/optimizer.hpp"

namespace mithril {
namespace {

using Vector = std::vector<double>;

// A pair of changes with a smaller product is not kept: the curvature is not positive.
constexpr double least_curvature = 1e-10;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double largest(const Vector& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

void add(Vector& to, double factor, const Vector& x) {
  for (size_t i = 0; i < to.size(); ++i) to[i] += factor * x[i];
}

Vector scaled(Vector x, double factor) {
  for (double& value : x) value *= factor;
  return x;
}

void append(Vector& to, const Tensor& tensor) {
  const Tensor wide = tensor.host().to(DType::float64);
  const auto values = wide.values<double>();
  to.insert(to.end(), values.begin(), values.end());
}

void require_size(const char* entry, size_t expected, size_t size) {
  if (size == expected) return;
  raise({.kind = ErrorKind::state,
         .code = "E0904",
         .message = "the state of LBFGS is one of other parameters",
         .facts = {{"expected", std::to_string(expected) + " elements"},
                   {entry, std::to_string(size) + " elements"}}});
}

}  // namespace

// Evaluates the loss at points that it writes into the parameters.
class LBFGS::Evaluations {
 public:
  Evaluations(TensorMap& params, const Closure& closure) : params_(params), closure_(closure) {}

  // At the parameters as they are: finds out which of them have gradients. They are sorted, so that
  // a restored history does not depend on the order of the maps.
  std::pair<double, Vector> first() {
    auto [loss, gradients] = closure_(params_);
    ++count_;
    for (const auto& [key, gradient] : gradients) {
      const Tensor* param = params_.find(key);
      if (!param) {
        unknown_name(ErrorKind::name, "E0609", "parameter", key, "", params_.keys());
      }
      check_gradient(key, *param, gradient);
      keys_.push_back(key);
    }
    std::sort(keys_.begin(), keys_.end());
    for (const std::string& key : keys_) append(point_, params_.at(key));
    begin_ = point_;
    return {loss, flat(gradients)};
  }

  std::pair<double, Vector> evaluate() {
    auto [loss, gradients] = closure_(params_);
    ++count_;
    return {loss, flat(gradients)};
  }

  const Vector& point() const { return point_; }

  void move_to(Vector point) {
    point_ = std::move(point);
    size_t at = 0;
    for (const std::string& key : keys_) {
      Tensor& param = params_.at(key);
      const auto size = static_cast<size_t>(param.size());
      const auto first = point_.begin() + static_cast<std::ptrdiff_t>(at);
      const Vector values(first, first + static_cast<std::ptrdiff_t>(size));
      const Tensor rounded = Tensor::of<double>(param.dims(), values).to(param.dtype());
      void* to = param.mutable_raw_data();
      if (size > 0) std::memcpy(to, rounded.raw_data(), rounded.bytes());
      at += size;
    }
  }

  void restore() { move_to(begin_); }
  std::int64_t count() const { return count_; }

 private:
  Vector flat(const TensorMap& gradients) const {
    Vector all;
    all.reserve(point_.size());
    for (const std::string& key : keys_) {
      const Tensor* gradient = gradients.find(key);
      if (!gradient) {
        raise({.kind = ErrorKind::name,
               .code = "E0609",
               .message = "the closure gave a gradient of " + in_quotes(key) +
                          " before, and gives none now"});
      }
      check_gradient(key, params_.at(key), *gradient);
      append(all, *gradient);
    }
    return all;
  }

  TensorMap& params_;
  const Closure& closure_;
  std::vector<std::string> keys_;
  Vector point_, begin_;
  std::int64_t count_ = 0;
};

LBFGS::LBFGS(const LBFGSOptions& options) : options_(options) {
  const auto require = [](double value, double least, const char* option, const char* range) {
    require_option(value >= least, option, value, range);
  };
  require(options.lr, 0, "lr", "at least 0");
  require(static_cast<double>(options.max_iter), 1, "max_iter", "at least 1");
  require(static_cast<double>(options.max_eval.value_or(1)), 1, "max_eval", "at least 1");
  require(options.tolerance_grad, 0, "tolerance_grad", "at least 0");
  require(options.tolerance_change, 0, "tolerance_change", "at least 0");
  require(static_cast<double>(options.history_size), 1, "history_size", "at least 1");
}

double LBFGS::step(TensorMap& params, const Closure& closure) {
  Evaluations at(params, closure);
  auto [loss, gradient] = at.first();
  history_.evaluations += at.count();
  if (history_.iterations > 0)
    require_size("the history", gradient.size(), history_.direction.size());
  if (largest(gradient) <= options_.tolerance_grad) return loss;
  try {
    iterate(at, loss, std::move(gradient));
  } catch (...) {
    at.restore();
    history_ = {};
    throw;
  }
  return loss;
}

void LBFGS::add_to_history(const Vector& gradient) {
  Vector change = gradient, step = scaled(history_.direction, history_.step_size);
  add(change, -1, history_.gradient);
  const double curvature = dot(change, step);
  if (!(curvature > least_curvature)) return;
  if (std::ssize(history_.steps) == options_.history_size) {
    history_.gradient_changes.erase(history_.gradient_changes.begin());
    history_.steps.erase(history_.steps.begin());
  }
  history_.scale = curvature / dot(change, change);
  history_.gradient_changes.push_back(std::move(change));
  history_.steps.push_back(std::move(step));
}

// The two-loop recursion.
LBFGS::Vector LBFGS::next_direction(const Vector& gradient) const {
  const auto &changes = history_.gradient_changes, &steps = history_.steps;
  Vector direction = scaled(gradient, -1);
  Vector weights(steps.size());
  for (size_t i = steps.size(); i-- > 0;) {
    weights[i] = dot(steps[i], direction) / dot(changes[i], steps[i]);
    add(direction, -weights[i], changes[i]);
  }
  direction = scaled(std::move(direction), history_.scale);
  for (size_t i = 0; i < steps.size(); ++i) {
    const double back = dot(changes[i], direction) / dot(changes[i], steps[i]);
    add(direction, weights[i] - back, steps[i]);
  }
  return direction;
}

void LBFGS::iterate(Evaluations& at, double loss, Vector gradient) {
  const std::int64_t most = options_.max_eval.value_or(options_.max_iter * 5 / 4);
  for (std::int64_t i = 1; i <= options_.max_iter; ++i) {
    if (history_.iterations++ == 0) {
      history_ = {.iterations = 1, .evaluations = history_.evaluations};
    } else {
      add_to_history(gradient);
    }
    history_.direction = next_direction(gradient);
    history_.gradient = gradient;
    history_.loss = loss;
    double step = options_.lr;
    if (history_.iterations == 1) {
      double sum = 0;
      for (const double slope : gradient) sum += std::abs(slope);
      step *= std::min(1.0, 1 / sum);
    }
    history_.step_size = step;
    const Vector& direction = history_.direction;
    const double slope = dot(gradient, direction), longest = largest(direction);
    if (slope > -options_.tolerance_change) return;

    const Vector begin = at.point();
    const auto move = [&](double by) {
      Vector point = begin;
      add(point, by, direction);
      at.move_to(std::move(point));
    };
    const std::int64_t before = at.count();
    if (options_.strong_wolfe) {
      const auto evaluate = [&](double by) {
        move(by);
        auto [there, its_gradient] = at.evaluate();
        const double its_slope = dot(its_gradient, direction);
        return LinePoint{by, there, std::move(its_gradient), its_slope};
      };
      LinePoint found = strong_wolfe(evaluate, {0, loss, std::move(gradient), slope}, step, longest,
                                     options_.tolerance_change);
      move(found.step);
      step = history_.step_size = found.step;
      loss = found.loss;
      gradient = std::move(found.gradient);
    } else {
      move(step);
      if (i < options_.max_iter) std::tie(loss, gradient) = at.evaluate();
    }
    history_.evaluations += at.count() - before;
    if (i == options_.max_iter || at.count() >= most) return;
    if (largest(gradient) <= options_.tolerance_grad) return;
    if (longest * std::abs(step) <= options_.tolerance_change) return;
    if (std::abs(loss - history_.loss) < options_.tolerance_change) return;
  }
}

namespace {

Tensor tensor_of(const Vector& vector) { return Tensor::of<double>({std::ssize(vector)}, vector); }

Tensor tensor_of(const std::vector<Vector>& vectors, size_t columns) {
  Vector all;
  for (const Vector& vector : vectors) all.insert(all.end(), vector.begin(), vector.end());
  return Tensor::of<double>({std::ssize(vectors), static_cast<std::int64_t>(columns)}, all);
}

const Tensor& entry_of(const TensorMap& state, const char* entry) {
  if (const Tensor* tensor = state.find(entry)) return *tensor;
  raise({.kind = ErrorKind::state,
         .code = "E0905",
         .message = "the state of LBFGS has no entry " + in_quotes(entry)});
}

Vector vector_in(const TensorMap& state, const char* entry) {
  Vector vector;
  append(vector, entry_of(state, entry));
  return vector;
}

std::vector<Vector> vectors_in(const TensorMap& state, const char* entry, size_t columns) {
  const Vector all = vector_in(state, entry);
  const Dims& dims = entry_of(state, entry).dims();
  const size_t rows = dims.empty() ? 0 : static_cast<size_t>(dims[0]);
  require_size(entry, rows * columns, all.size());
  std::vector<Vector> vectors;
  for (size_t row = 0; row < rows; ++row) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(row * columns);
    vectors.emplace_back(first, first + static_cast<std::ptrdiff_t>(columns));
  }
  return vectors;
}

}  // namespace

TensorMap LBFGS::state_dict() const {
  const size_t size = history_.direction.size();
  return {{"d", tensor_of(history_.direction)},
          {"prev_flat_grad", tensor_of(history_.gradient)},
          {"old_dirs", tensor_of(history_.gradient_changes, size)},
          {"old_stps", tensor_of(history_.steps, size)},
          {"t", Tensor::scalar(history_.step_size)},
          {"H_diag", Tensor::scalar(history_.scale)},
          {"prev_loss", Tensor::scalar(history_.loss)},
          {"n_iter", Tensor::scalar(history_.iterations)},
          {"func_evals", Tensor::scalar(history_.evaluations)}};
}

void LBFGS::load_state_dict(const TensorMap& state) {
  History history;
  history.direction = vector_in(state, "d");
  const size_t size = history.direction.size();
  history.gradient = vector_in(state, "prev_flat_grad");
  require_size("prev_flat_grad", size, history.gradient.size());
  history.gradient_changes = vectors_in(state, "old_dirs", size);
  history.steps = vectors_in(state, "old_stps", size);
  require_size("old_stps", history.gradient_changes.size() * size, history.steps.size() * size);
  history.step_size = entry_of(state, "t").item();
  history.scale = entry_of(state, "H_diag").item();
  history.loss = entry_of(state, "prev_loss").item();
  history.iterations = static_cast<std::int64_t>(entry_of(state, "n_iter").item());
  history.evaluations = static_cast<std::int64_t>(entry_of(state, "func_evals").item());
  history_ = std::move(history);
}

}  // namespace mithril
