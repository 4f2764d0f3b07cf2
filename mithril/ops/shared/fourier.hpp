// Discrete Fourier transforms of any size in O(n log n), in double.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace mithril {

// Products without the tests for infinities of std::complex.
struct ComplexNumber {
  double real = 0, imaginary = 0;

  friend ComplexNumber operator+(ComplexNumber x, ComplexNumber y) {
    return {x.real + y.real, x.imaginary + y.imaginary};
  }
  friend ComplexNumber operator-(ComplexNumber x, ComplexNumber y) {
    return {x.real - y.real, x.imaginary - y.imaginary};
  }
  friend ComplexNumber operator*(ComplexNumber x, ComplexNumber y) {
    return {x.real * y.real - x.imaginary * y.imaginary,
            x.real * y.imaginary + x.imaginary * y.real};
  }
};

// exp(-2 pi i k / order) for k < order, or its conjugate.
inline std::vector<ComplexNumber> roots_of_unity(int64_t order, bool conjugate) {
  constexpr double pi = 3.14159265358979323846;
  std::vector<ComplexNumber> roots(static_cast<size_t>(order));
  for (int64_t k = 0; k < order; ++k) {
    const double angle = 2 * pi * static_cast<double>(k) / static_cast<double>(order);
    roots[static_cast<size_t>(k)] = {std::cos(angle),
                                     conjugate ? std::sin(angle) : -std::sin(angle)};
  }
  return roots;
}

// Fourier transforms of sizes whose prime factors are small (Cooley and Tukey 1965).
class SmoothTransform {
 public:
  static constexpr int64_t largest_factor = 13;
  static bool supports(int64_t size) { return rest_of(size, nullptr) == 1; }

  SmoothTransform(int64_t size, bool inverse) : size_(size), roots_(roots_of_unity(size, inverse)) {
    rest_of(size, &factors_);
  }

  void run(const ComplexNumber* in, ComplexNumber* out) const { transform(size_, 0, in, out); }

 private:
  // Divides by small factors, and lists them.
  static int64_t rest_of(int64_t size, std::vector<int64_t>* factors) {
    for (const int64_t factor : {4, 2, 3, 5, 7, 11, 13}) {
      for (; size > 1 && size % factor == 0; size /= factor) {
        if (factors) factors->push_back(factor);
      }
    }
    return size;
  }

  // Transforms `count` elements with the stride size / count.
  void transform(int64_t count, size_t level, const ComplexNumber* in, ComplexNumber* out) const {
    if (count == 1) {
      *out = *in;
      return;
    }
    const int64_t radix = factors_[level], part = count / radix, step = size_ / count;
    for (int64_t r = 0; r < radix; ++r) transform(part, level + 1, in + r * step, out + r * part);
    if (radix == 2) return join_2(part, step, out);
    if (radix == 4) return join_4(part, step, out);
    for (int64_t k = 0; k < part; ++k) join(radix, part, k, step, out + k);
  }

  // Elements k of the `radix` parts become elements k, k + part, k + 2 part of the whole.
  void join(int64_t radix, int64_t part, int64_t k, int64_t step, ComplexNumber* out) const {
    ComplexNumber terms[largest_factor];
    for (int64_t r = 0; r < radix; ++r) terms[r] = out[r * part] * root(r * k * step);
    for (int64_t q = 0; q < radix; ++q) {
      ComplexNumber sum = terms[0];
      for (int64_t r = 1; r < radix; ++r) sum = sum + terms[r] * root(r * q % radix * part * step);
      out[q * part] = sum;
    }
  }

  void join_2(int64_t part, int64_t step, ComplexNumber* out) const {
    for (int64_t k = 0; k < part; ++k) {
      const ComplexNumber x = out[k], y = out[k + part] * root(k * step);
      out[k] = x + y;
      out[k + part] = x - y;
    }
  }

  void join_4(int64_t part, int64_t step, ComplexNumber* out) const {
    const ComplexNumber quarter = root(part * step);  // -i, or i
    for (int64_t k = 0; k < part; ++k) {
      const ComplexNumber x = out[k], y = out[k + part] * root(k * step),
                          z = out[k + 2 * part] * root(2 * k * step),
                          w = out[k + 3 * part] * root(3 * k * step);
      const ComplexNumber even = x + z, odd = x - z, sum = y + w, turned = (y - w) * quarter;
      out[k] = even + sum;
      out[k + part] = odd + turned;
      out[k + 2 * part] = even - sum;
      out[k + 3 * part] = odd - turned;
    }
  }

  ComplexNumber root(int64_t k) const { return roots_[static_cast<size_t>(k)]; }

  int64_t size_;
  std::vector<int64_t> factors_;
  std::vector<ComplexNumber> roots_;
};

// out[k] = the sum of in[j] exp(-2 pi i jk / size). The inverse has the conjugate, and no factor.
// Sizes with a large prime factor become a convolution (Bluestein, IEEE Transactions on Audio and
// Electroacoustics 18, 1970): jk = (j^2 + k^2 - (k - j)^2) / 2.
class FourierTransform {
 public:
  FourierTransform(int64_t size, bool inverse)
      : size_(size),
        smooth_(SmoothTransform::supports(size)),
        forward_(smooth_ ? size : padded(size), smooth_ && inverse),
        back_(smooth_ ? 1 : padded(size), true) {
    if (!smooth_) prepare(inverse);
  }

  void run(const ComplexNumber* in, ComplexNumber* out) {
    if (smooth_) {
      forward_.run(in, out);
      return;
    }
    for (size_t k = 0; k < chirp_.size(); ++k) terms_[k] = in[k] * chirp_[k];
    for (size_t k = chirp_.size(); k < terms_.size(); ++k) terms_[k] = {};
    forward_.run(terms_.data(), spectrum_.data());
    for (size_t k = 0; k < terms_.size(); ++k) spectrum_[k] = spectrum_[k] * filter_[k];
    back_.run(spectrum_.data(), terms_.data());
    for (size_t k = 0; k < chirp_.size(); ++k) out[k] = terms_[k] * chirp_[k];
  }

 private:
  static int64_t padded(int64_t size) {
    int64_t power = 1;
    while (power < 2 * size - 1) power *= 2;
    return power;
  }

  void prepare(bool inverse) {
    const int64_t count = padded(size_);
    const std::vector<ComplexNumber> roots = roots_of_unity(2 * size_, inverse);
    terms_.resize(static_cast<size_t>(count));
    spectrum_ = filter_ = terms_;
    for (int64_t k = 0; k < size_; ++k) {
      const ComplexNumber root = roots[static_cast<size_t>(k * k % (2 * size_))];
      chirp_.push_back(root);
      const ComplexNumber tap{root.real / static_cast<double>(count),
                              -root.imaginary / static_cast<double>(count)};
      terms_[static_cast<size_t>(k)] = tap;
      if (k > 0) terms_[static_cast<size_t>(count - k)] = tap;
    }
    forward_.run(terms_.data(), filter_.data());
  }

  int64_t size_;
  bool smooth_;
  SmoothTransform forward_, back_;
  std::vector<ComplexNumber> chirp_, filter_, terms_, spectrum_;
};

}  // namespace mithril
