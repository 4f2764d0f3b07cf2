#include "mithril/models/fourier.hpp"

#include <string>
#include <utility>
#include <vector>

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

// Numbers `places` along an axis, which is the last one or the one before; zeros where there is
// none, or where `wanted` is false.
Connection taken(const Connection& x, const Connection& places, const Connection& wanted,
                 int64_t axis) {
  const Connection size = x.shape()[axis];
  const Connection numbers =
      apply("gather", {x, apply("minimum", {places, (size - 1).tensor()}), axis});
  const Connection kept = (places < size.tensor()) & wanted;
  return apply("where", {axis == -1 ? kept : kept.reshape({-1, 1}), numbers, 0.0});
}

// The first n numbers, with zeros after the last.
Connection resized(const Connection& x, int64_t n, int64_t axis) {
  const Connection places = apply("arange", {n});
  return taken(x, places, places >= 0, axis);
}

class Transform {
 public:
  explicit Transform(const CheckedArguments& arguments)
      : axis_(arguments.integer("axis")), norm_(arguments.text("norm")) {
    if (arguments.has("n")) n_ = arguments.integer("n");
    if (arguments.has("n") && n_ < 1) arguments.reject("n", "at least 1");
  }

  bool has_n() const { return n_ > 0; }
  int64_t n() const { return n_; }

  // With the axis of the transform last: of reals, or of pairs, which have one more axis.
  Connection turned(const Connection& x, bool pairs) const {
    const int64_t last = pairs ? -2 : -1, axis = pairs && axis_ < 0 ? axis_ - 1 : axis_;
    return axis == last ? x : apply("swapaxes", {x, axis, last});
  }

  Connection scaled(const Connection& x, const Connection& count, bool inverse) const {
    if (norm_ == (inverse ? "forward" : "backward")) return x;
    const Connection size = widened(count.tensor());
    return x / (norm_ == "ortho" ? size.sqrt() : size);
  }

 private:
  int64_t axis_, n_ = 0;
  std::string norm_;
};

Connection transformed(const Connection& pairs, bool inverse) {
  return apply("fft", {pairs, inverse});
}

Model of_complex(const char* name, bool inverse, const CheckedArguments& arguments) {
  const Transform transform(arguments);
  Model model = model_of_class(name);
  const Connection input = model["input"];
  Connection x = transform.turned(widened(input), true);
  if (transform.has_n()) x = resized(x, transform.n(), -2);
  x = transform.scaled(transformed(x, inverse), x.shape()[-2], inverse);
  return finished(std::move(model), narrowed(transform.turned(x, true), {input}));
}

Model build_rfft(const CheckedArguments& arguments) {
  const Transform transform(arguments);
  Model model = model_of_class("Rfft");
  const Connection input = model["input"];
  Connection x = transform.turned(widened(input), false);
  if (transform.has_n()) x = resized(x, transform.n(), -1);
  const Connection size = x.shape()[-1];
  const Connection is_real = apply("arange", {2}).eq(0);
  const Connection pairs = apply("where", {is_real, apply("expand_dims", {x, -1}), 0.0});
  const Connection half =
      transformed(pairs, false)
          .at({ellipsis, slice(0, floor_divide(size, 2) + 1), slice(none, none)});
  x = transform.scaled(half, size, false);
  return finished(std::move(model), narrowed(transform.turned(x, true), {input}));
}

// The real part of the sum over k is that over the first half: number n - k is the conjugate of
// number k, so that k counts twice. Numbers 0 and n / 2 count once, and their imaginary parts not.
Model build_irfft(const CheckedArguments& arguments) {
  const Transform transform(arguments);
  Model model = model_of_class("Irfft");
  const Connection input = model["input"];
  Connection x = transform.turned(widened(input), true);
  const Connection size =
      transform.has_n() ? apply("to_tensor", {transform.n()}) : ((x.shape()[-2] - 1) * 2).tensor();
  const Connection places = transform.has_n() ? apply("arange", {transform.n()})
                                              : apply("arange", {(x.shape()[-2] - 1) * 2});
  const Connection twice = places * 2;
  const Connection once = places.eq(0) | twice.eq(size);
  x = taken(x, places, twice <= size, -2);
  x = x * (2.0 - once * 1.0).reshape({-1, 1});
  x = transformed(x, true).at({ellipsis, 0});
  x = transform.scaled(x, x.shape()[-1], true);
  return finished(std::move(model), narrowed(transform.turned(x, false), {input}));
}

std::vector<ArgumentDef> fft_arguments(const char* n) {
  return {{"n", "int|none", Datum(), n},
          {"axis", "int", -1,
           "axis of the transform; the axis of the real and imaginary parts does not count"},
          {"norm",
           "str",
           "backward",
           "whether the inverse has the factor 1/n (backward), the other transform (forward), or "
           "both its root (ortho)",
           {"backward", "forward", "ortho"}}};
}

Model make_fft(const char* name, const FftOptions& options) {
  return make_model(name, {{"n", options.n},
                           {"axis", options.axis},
                           {"norm", std::string(mithril::name(options.norm))}});
}

constexpr const char* cut_or_filled = "numbers to transform: cut, or filled up with zeros";

}  // namespace

std::string_view name(FftNorm norm) {
  constexpr std::string_view names[] = {"backward", "forward", "ortho"};
  return names[static_cast<size_t>(norm)];
}

Model Fft(const FftOptions& options) { return make_fft("Fft", options); }
Model Ifft(const FftOptions& options) { return make_fft("Ifft", options); }
Model Rfft(const FftOptions& options) { return make_fft("Rfft", options); }
Model Irfft(const FftOptions& options) { return make_fft("Irfft", options); }

ModelDef define_fft_model();
ModelDef define_fft_model() {
  return {.name = "Fft",
          .doc =
              "The discrete Fourier transform of complex numbers. The last axis holds the real and "
              "the imaginary part.",
          .ports = {{"input", "[..., N, 2]"}, {"output", "[..., n, 2]"}},
          .arguments = fft_arguments(cut_or_filled),
          .build = [](const CheckedArguments& arguments) {
            return of_complex("Fft", false, arguments);
          }};
}

ModelDef define_ifft();
ModelDef define_ifft() {
  return {.name = "Ifft",
          .doc = "The inverse of Fft.",
          .ports = {{"input", "[..., N, 2]"}, {"output", "[..., n, 2]"}},
          .arguments = fft_arguments(cut_or_filled),
          .build = [](const CheckedArguments& arguments) {
            return of_complex("Ifft", true, arguments);
          }};
}

ModelDef define_rfft();
ModelDef define_rfft() {
  return {.name = "Rfft",
          .doc =
              "The first n // 2 + 1 coefficients of the discrete Fourier transform of real "
              "numbers. The other coefficients are conjugates of these.",
          .ports = {{"input", "[..., N]"}, {"output", "[..., n // 2 + 1, 2]"}},
          .arguments = fft_arguments(cut_or_filled),
          .build = build_rfft};
}

ModelDef define_irfft();
ModelDef define_irfft() {
  return {.name = "Irfft",
          .doc = "The inverse of Rfft.",
          .ports = {{"input", "[..., M, 2]"}, {"output", "[..., n]"}},
          .arguments = fft_arguments("real numbers of the result; None: 2 (M - 1)"),
          .build = build_irfft};
}

}  // namespace mithril
