// Fourier transforms. A complex number is a pair of its real and imaginary part along the last
// axis, as in PyTorch's view_as_real.
#pragma once
#include <string_view>

#include "mithril/model/model.hpp"

namespace mithril {

// Which transform has a factor: "backward" the inverse 1/n, "forward" the other one 1/n, "ortho"
// both 1/sqrt(n).
enum class FftNorm { backward, forward, ortho };
std::string_view name(FftNorm norm);

struct FftOptions {
  OptionValue n = {};  // numbers to transform: cut, or filled up with zeros; none: all
  int64_t axis = -1;  // of the complex numbers, whose last axis is the one before that of the pairs
  FftNorm norm = FftNorm::backward;
};
// Ports: input [..., N, 2], output [..., n, 2], for the last axis. PyTorch: torch.fft.fft.
Model Fft(const FftOptions& options = {});
// The inverse of Fft. Ports: input [..., N, 2], output [..., n, 2]. PyTorch: torch.fft.ifft.
Model Ifft(const FftOptions& options = {});
// The first n // 2 + 1 coefficients of the transform of real numbers. The other coefficients are
// conjugates of these. Ports: input [..., N], output [..., n // 2 + 1, 2]. PyTorch: torch.fft.rfft.
Model Rfft(const FftOptions& options = {});
// The inverse of Rfft. n is 2 (M - 1) by default; an odd n has to be given. Ports: input
// [..., M, 2], output [..., n]. PyTorch: torch.fft.irfft.
Model Irfft(const FftOptions& options = {});

}  // namespace mithril
