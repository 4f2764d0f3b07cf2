extern "C" __global__ void not_equal_1(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const bool v2 = v0 != v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void not_equal_1_double(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const bool v2 = v0 != v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void not_equal_2(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const int64_t v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const int64_t v1 = x1[((n / 4) % 2)];
    const bool v2 = v0 != v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void not_equal_3(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = x1[0];
    const bool v2 = v0 != v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void not_equal_3_double(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = x1[0];
    const bool v2 = v0 != v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void not_equal_7(const int64_t* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = v0 != 1;
    y0[n] = v1;
  }
}

extern "C" __global__ void not_equal_8(const int64_t* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = static_cast<double>(v0) != 1.5;
    y0[n] = v1;
  }
}

extern "C" __global__ void not_equal_9(const float* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const bool v1 = 0.1f != v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void not_equal_10(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = static_cast<int64_t>(v0) != 2;
    y0[n] = v1;
  }
}

extern "C" __global__ void not_equal_11(const int32_t* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int32_t v0 = x0[n];
    const float v1 = x1[n];
    const bool v2 = static_cast<float>(v0) != v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void not_equal_11_double(const int32_t* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int32_t v0 = x0[n];
    const double v1 = x1[n];
    const bool v2 = static_cast<double>(v0) != v1;
    y0[n] = v2;
  }
}
