extern "C" __global__ void where_1(const bool* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<bool> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    const Lanes<float> a2 = lanes_of(x2)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const bool v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = a2.at[k];
      const float v3 = v0 ? v1 : v2;
      b0.at[k] = v3;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void where_1_double(const bool* __restrict__ x0, const double* __restrict__ x1, const double* __restrict__ x2, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<bool> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    const Lanes<double> a2 = lanes_of(x2)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const bool v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = a2.at[k];
      const double v3 = v0 ? v1 : v2;
      b0.at[k] = v3;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void where_2(const bool* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const bool v0 = x0[(n / 8)];
    const float v1 = x1[((n / 4) % 2)];
    const float v2 = x2[((n) % 4)];
    const float v3 = v0 ? v1 : v2;
    y0[n] = v3;
  }
}

extern "C" __global__ void where_2_double(const bool* __restrict__ x0, const double* __restrict__ x1, const double* __restrict__ x2, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const bool v0 = x0[(n / 8)];
    const double v1 = x1[((n / 4) % 2)];
    const double v2 = x2[((n) % 4)];
    const double v3 = v0 ? v1 : v2;
    y0[n] = v3;
  }
}

extern "C" __global__ void where_6(const bool* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const float v1 = x1[n];
    const float v2 = v0 ? 0.5f : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void where_6_double(const bool* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const double v1 = x1[n];
    const double v2 = v0 ? 0.5 : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void where_7(const bool* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const float v1 = x1[n];
    const float v2 = v0 ? v1 : 0.0f;
    y0[n] = v2;
  }
}

extern "C" __global__ void where_7_double(const bool* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const double v1 = x1[n];
    const double v2 = v0 ? v1 : 0.0;
    y0[n] = v2;
  }
}

extern "C" __global__ void where_8(const bool* __restrict__ x0, const int64_t* __restrict__ x1, const int64_t* __restrict__ x2, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const int64_t v1 = x1[n];
    const int64_t v2 = x2[n];
    const int64_t v3 = v0 ? v1 : v2;
    y0[n] = v3;
  }
}

extern "C" __global__ void where_9(const bool* __restrict__ x0, const bool* __restrict__ x1, const bool* __restrict__ x2, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = x1[n];
    const bool v2 = x2[0];
    const bool v3 = v0 ? v1 : v2;
    y0[n] = v3;
  }
}

extern "C" __global__ void where_10(const bool* __restrict__ x0, const int64_t* __restrict__ x1, const float* __restrict__ x2, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const int64_t v1 = x1[n];
    const float v2 = x2[n];
    const float v3 = v0 ? static_cast<float>(v1) : v2;
    y0[n] = v3;
  }
}

extern "C" __global__ void where_10_double(const bool* __restrict__ x0, const int64_t* __restrict__ x1, const double* __restrict__ x2, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const int64_t v1 = x1[n];
    const double v2 = x2[n];
    const double v3 = v0 ? static_cast<double>(v1) : v2;
    y0[n] = v3;
  }
}

extern "C" __global__ void where_11_double(const bool* __restrict__ x0, const float* __restrict__ x1, const double* __restrict__ x2, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const bool v0 = x0[n];
    const float v1 = x1[((n) % 3)];
    const double v2 = x2[n];
    const double v3 = v0 ? static_cast<double>(v1) : v2;
    y0[n] = v3;
  }
}
