extern "C" __global__ void gelu_grad_1(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 * ((1.0f + float_erf(v1 * 0.70710677f)) / 2.0f + v1 * 0.3989423f * float_exp(-v1 * v1 / 2.0f));
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void gelu_grad_1_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 * ((1.0 + std::erf(v1 * 0.7071067811865476)) / 2.0 + v1 * 0.3989422804014327 * std::exp(-v1 * v1 / 2.0));
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void gelu_grad_2(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = x1[0];
    const float v2 = v0 * ((1.0f + float_erf(v1 * 0.70710677f)) / 2.0f + v1 * 0.3989423f * float_exp(-v1 * v1 / 2.0f));
    y0[n] = v2;
  }
}

extern "C" __global__ void gelu_grad_2_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = x1[0];
    const double v2 = v0 * ((1.0 + std::erf(v1 * 0.7071067811865476)) / 2.0 + v1 * 0.3989422804014327 * std::exp(-v1 * v1 / 2.0));
    y0[n] = v2;
  }
}

extern "C" __global__ void gelu_grad_6_double(const double* __restrict__ x0, const float* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const float v1 = a1.at[k];
      const double v2 = v0 * ((1.0 + std::erf(static_cast<double>(v1) * 0.7071067811865476)) / 2.0 + static_cast<double>(v1) * 0.3989422804014327 * std::exp(-static_cast<double>(v1) * static_cast<double>(v1) / 2.0));
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void gelu_grad_8(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 * (1.0f + float_tanh(0.7978846f * (v1 + 0.044715f * v1 * v1 * v1)) + v1 * (1.0f - std::pow(float_tanh(0.7978846f * (v1 + 0.044715f * v1 * v1 * v1)), 2.0f)) * 0.7978846f * (1.0f + 0.134145f * v1 * v1)) / 2.0f;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void gelu_grad_8_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 * (1.0 + std::tanh(0.7978845608028654 * (v1 + 0.044715 * v1 * v1 * v1)) + v1 * (1.0 - std::pow(std::tanh(0.7978845608028654 * (v1 + 0.044715 * v1 * v1 * v1)), 2.0)) * 0.7978845608028654 * (1.0 + 0.134145 * v1 * v1)) / 2.0;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void gelu_grad_9(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = x1[n];
    const float v2 = v0 * (1.0f + float_tanh(0.7978846f * (v1 + 0.044715f * v1 * v1 * v1)) + v1 * (1.0f - std::pow(float_tanh(0.7978846f * (v1 + 0.044715f * v1 * v1 * v1)), 2.0f)) * 0.7978846f * (1.0f + 0.134145f * v1 * v1)) / 2.0f;
    y0[n] = v2;
  }
}

extern "C" __global__ void gelu_grad_9_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = x1[n];
    const double v2 = v0 * (1.0 + std::tanh(0.7978845608028654 * (v1 + 0.044715 * v1 * v1 * v1)) + v1 * (1.0 - std::pow(std::tanh(0.7978845608028654 * (v1 + 0.044715 * v1 * v1 * v1)), 2.0)) * 0.7978845608028654 * (1.0 + 0.134145 * v1 * v1)) / 2.0;
    y0[n] = v2;
  }
}
