// fft: discrete Fourier transforms of complex numbers, which are pairs along the last axis.
#include <algorithm>
#include <vector>

#include "mithril/op/spelling.hpp"
#include "mithril/ops/shared/fourier.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void eval_fft(EvalContext& c) {
  const int64_t size = c.dims("input").end()[-2];
  if (size == 0) return;
  FourierTransform transform(size, c.flag("inverse"));
  std::vector<ComplexNumber> row(static_cast<size_t>(size)), result = row;
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input");
    auto y = c.write<T>();
    for (int64_t first = 0; first < x.size(); first += 2 * size) {
      for (int64_t k = 0; k < size; ++k) {
        row[static_cast<size_t>(k)] = {static_cast<double>(x[first + 2 * k]),
                                       static_cast<double>(x[first + 2 * k + 1])};
      }
      transform.run(row.data(), result.data());
      for (int64_t k = 0; k < size; ++k) {
        y[first + 2 * k] = static_cast<T>(result[static_cast<size_t>(k)].real);
        y[first + 2 * k + 1] = static_cast<T>(result[static_cast<size_t>(k)].imaginary);
      }
    }
  });
}

// Torch refuses transforms of no elements. view_as_complex needs pairs at even places of the
// memory, which slices need not have, so the parts are joined anew.
std::string spell_fft(const SpellingContext& node) {
  const Dims& dims = node.dims("input");
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return "aten::clone(input)";
  const std::string numbers =
      "aten::complex(aten::select(input, -1, 0), aten::select(input, -1, 1))";
  return "inverse ? aten::view_as_real(aten::fft_ifft(" + numbers +
         ", norm=\"forward\")) : aten::view_as_real(aten::fft_fft(" + numbers + "))";
}

}  // namespace

OpDef define_fft() {
  return {
      .name = "fft",
      .doc =
          "The discrete Fourier transform of each row of complex numbers: output[k] = sum(input[j] "
          "* exp(-2 pi i j k / N)). The last axis holds the real and the imaginary part. "
          "inverse=True uses exp(2 pi i j k / N), without the factor 1 / N.",
      .inputs = {{"input", "*b N 2", "float"}, value("inverse", "bool", false)},
      .outputs = {{"output", "*b N 2", "float"}},
      .eval = eval_fft,
      // The transpose of a symmetric matrix with the conjugate elements.
      .grad =
          [](GradContext& g) {
            g.flow("input", call("fft", {g.out_grad(), !g.value("inverse").flag()}));
          },
      .separable = {"*b"},
      .cast = CastPolicy::float32,
      .work = {.uncounted = true},
      .spell = {{"jax", "fft({input}, {inverse})"},
                {"onnx", "fourier_transform(input, inverse)"},
                {"torch", "aten::fft_fft or aten::fft_ifft of aten::complex", spell_fft}},
  };
}

}  // namespace mithril
