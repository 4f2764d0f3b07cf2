extern "C" __global__ void divide_1(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 / v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void divide_1_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 / v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void divide_2(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const float v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const float v1 = x1[((n / 4) % 2)];
    const float v2 = v0 / v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void divide_2_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const double v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const double v1 = x1[((n / 4) % 2)];
    const double v2 = v0 / v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void divide_6(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = v0 / 2.5f;
    y0[n] = v1;
  }
}

extern "C" __global__ void divide_6_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = v0 / 2.5;
    y0[n] = v1;
  }
}

extern "C" __global__ void divide_7(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = 2.5f / v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void divide_7_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = 2.5 / v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void divide_8(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = v0 / 3.0f;
    y0[n] = v1;
  }
}

extern "C" __global__ void divide_8_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = v0 / 3.0;
    y0[n] = v1;
  }
}

extern "C" __global__ void divide_9_double(const float* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[((n) % 3)];
    const double v1 = x1[n];
    const double v2 = static_cast<double>(v0) / v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void divide_15(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = x1[0];
    const float v2 = static_cast<float>(v0) / static_cast<float>(v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void divide_15_double(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = x1[0];
    const double v2 = static_cast<double>(v0) / static_cast<double>(v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void divide_16(const int64_t* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = x1[n];
    const float v2 = static_cast<float>(v0) / v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void divide_16_double(const int64_t* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = x1[n];
    const double v2 = static_cast<double>(v0) / v1;
    y0[n] = v2;
  }
}
