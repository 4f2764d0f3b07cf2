extern "C" __global__ void robust_log_grad_1(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = x1[n];
    const float v2 = v0 < 0.0f ? -v1 / std::max<float>(std::abs(v0), 0.1f) : v1 / std::max<float>(std::abs(v0), 0.1f);
    y0[n] = v2;
  }
}

extern "C" __global__ void robust_log_grad_1_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = x1[n];
    const double v2 = v0 < 0.0 ? -v1 / std::max<double>(std::abs(v0), 0.1) : v1 / std::max<double>(std::abs(v0), 0.1);
    y0[n] = v2;
  }
}

extern "C" __global__ void robust_log_grad_3(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 < 0.0f ? -v1 / std::max<float>(std::abs(v0), 0.1f) : v1 / std::max<float>(std::abs(v0), 0.1f);
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void robust_log_grad_3_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 < 0.0 ? -v1 / std::max<double>(std::abs(v0), 0.1) : v1 / std::max<double>(std::abs(v0), 0.1);
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void robust_log_grad_5(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 < 0.0f ? -v1 / std::max<float>(std::abs(v0), 0.5f) : v1 / std::max<float>(std::abs(v0), 0.5f);
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void robust_log_grad_5_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 < 0.0 ? -v1 / std::max<double>(std::abs(v0), 0.5) : v1 / std::max<double>(std::abs(v0), 0.5);
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}
