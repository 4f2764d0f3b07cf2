extern "C" __global__ void sign_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 > 0.0f ? 1.0f : v0 < 0.0f ? -1.0f : 0.0f;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void sign_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 > 0.0 ? 1.0 : v0 < 0.0 ? -1.0 : 0.0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void sign_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = v0 > 0.0f ? 1.0f : v0 < 0.0f ? -1.0f : 0.0f;
    y0[n] = v1;
  }
}

extern "C" __global__ void sign_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = v0 > 0.0 ? 1.0 : v0 < 0.0 ? -1.0 : 0.0;
    y0[n] = v1;
  }
}

extern "C" __global__ void sign_6(const int64_t* __restrict__ x0, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = v0 > 0 ? 1 : v0 < 0 ? -1 : 0;
    y0[n] = v1;
  }
}
