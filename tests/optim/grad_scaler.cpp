// Scaling of gradients. The rule itself is compared with torch's in Python.
#include "mithril/optim/grad_scaler.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "mithril/optim/optimizers.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

constexpr float infinity = std::numeric_limits<float>::infinity();

TensorMap one(const char* key, float value) { return {{key, Tensor::of<float>({1}, {value})}}; }

float value_of(const TensorMap& map, const char* key) { return map.at(key).values<float>()[0]; }

}  // namespace

TEST_CASE("unscale returns the unscaled gradients as new tensors") {
  GradScaler scaler({.scale = 1024});
  const TensorMap given = one("y", 3.0f);
  const TensorMap scaled = scaler.scale(given);
  CHECK(value_of(given, "y") == 3.0f);
  CHECK(value_of(scaled, "y") == 3072.0f);
  CHECK(value_of(scaler.unscale(scaled), "y") == 3.0f);
  CHECK(value_of(scaled, "y") == 3072.0f);
}

TEST_CASE("a step is skipped where a gradient overflowed, and the scale backs off") {
  GradScaler scaler({.scale = 8, .growth_interval = 2});
  SGD optimizer({.lr = 1});
  TensorMap params = one("w", 1.0f);
  const auto iterate = [&](float scaled) {
    const bool stepped = scaler.step(optimizer, params, scaler.unscale(one("w", scaled)));
    scaler.update();
    return stepped;
  };
  CHECK(!iterate(infinity));
  CHECK(scaler.get_scale() == 4);
  CHECK(value_of(params, "w") == 1.0f);
  CHECK(!iterate(-std::numeric_limits<float>::quiet_NaN()));
  CHECK(scaler.get_scale() == 2);
  CHECK(iterate(1.0f));
  CHECK(value_of(params, "w") == 0.5f);
  CHECK(scaler.state_dict().growth_tracker == 1);
  CHECK(iterate(1.0f));
  CHECK(scaler.get_scale() == 4);
}

TEST_CASE("one of several gradients that overflows skips every step of the iteration") {
  GradScaler scaler;
  SGD optimizer;
  TensorMap first = one("a", 1.0f), second = one("b", 1.0f);
  const TensorMap good = scaler.unscale(one("a", 1.0f));
  const TensorMap bad = scaler.unscale(one("b", infinity));
  CHECK(!scaler.step(optimizer, first, good));
  CHECK(!scaler.step(optimizer, second, bad));
}

TEST_CASE("the scale grows no further than float32 does") {
  LossScale state{.scale = 0x1p127, .growth_interval = 1};
  state.update(false);
  CHECK(state.scale == 0x1p127);
}

TEST_CASE("a scaler goes on from a state") {
  GradScaler scaler, other;
  scaler.unscale(one("w", infinity));
  scaler.update();
  other.load_state_dict(scaler.state_dict());
  CHECK(other.get_scale() == 32768);
  other.update(16.0);
  CHECK(other.get_scale() == 16);
  // The old names, until 0.2.
  other.load_state(scaler.state());
  CHECK(other.scale() == 32768);
  CHECK(other.enabled());
}

TEST_CASE("a scaler that is not enabled lets everything through") {
  GradScaler scaler({}, false);
  SGD optimizer({.lr = 1});
  TensorMap params = one("w", 1.0f);
  CHECK(value_of(scaler.scale(one("y", 2.0f)), "y") == 2.0f);
  CHECK(scaler.step(optimizer, params, scaler.unscale(one("w", 1.0f))));
  scaler.update();
  CHECK(scaler.get_scale() == 1.0);
}

TEST_CASE("misuse of a scaler is refused") {
  GradScaler scaler;
  SGD optimizer;
  TensorMap params = one("w", 1.0f);
  CHECK(text_of_error([&] { scaler.step(optimizer, params, params); }) ==
        "mithril.StateError[E0910]: step: no gradients were unscaled since the last update");
  CHECK(text_of_error([&] { scaler.update(); }) ==
        "mithril.StateError[E0910]: update: no gradients were unscaled since the last update");
  CHECK(text_of_error([] { GradScaler({.growth_factor = 1}); }) ==
        "mithril.ValueError[E0406]: grad scaler: growth_factor is 1, expected above 1");
  CHECK(text_of_error([] { GradScaler({.backoff_factor = 1}); }) ==
        "mithril.ValueError[E0406]: grad scaler: backoff_factor is 1, expected below 1");
  CHECK(text_of_error([] { GradScaler({.growth_interval = 0}); }) ==
        "mithril.ValueError[E0406]: grad scaler: growth_interval is 0, expected at least 1");
  const TensorMap half = {{"w", Tensor(DType::float16, {1})}};
  CHECK(text_of_error([&] { scaler.unscale(half); }) ==
        "mithril.TypeError[E0386]: the gradient of 'w' is float16: it cannot be unscaled\n"
        "  help: keep parameters in float32, and let mixed precision cast them");
}

}  // namespace mithril
