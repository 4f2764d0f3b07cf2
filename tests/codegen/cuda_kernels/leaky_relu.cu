extern "C" __global__ void leaky_relu_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 > 0.0f ? v0 : v0 * 0.01f;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void leaky_relu_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 > 0.0 ? v0 : v0 * 0.01;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void leaky_relu_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = v0 > 0.0f ? v0 : v0 * 0.01f;
    y0[n] = v1;
  }
}

extern "C" __global__ void leaky_relu_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = v0 > 0.0 ? v0 : v0 * 0.01;
    y0[n] = v1;
  }
}

extern "C" __global__ void leaky_relu_6(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = static_cast<float>(v0) > 0.0f ? static_cast<float>(v0) : static_cast<float>(v0) * 0.01f;
    y0[n] = v1;
  }
}

extern "C" __global__ void leaky_relu_6_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = static_cast<double>(v0) > 0.0 ? static_cast<double>(v0) : static_cast<double>(v0) * 0.01;
    y0[n] = v1;
  }
}

extern "C" __global__ void leaky_relu_7(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 > 0.0f ? v0 : v0 * 0.5f;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void leaky_relu_7_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 > 0.0 ? v0 : v0 * 0.5;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void leaky_relu_8(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 > 0.0f ? v0 : v0 * 0.3f;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void leaky_relu_8_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 > 0.0 ? v0 : v0 * 0.3;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void leaky_relu_9(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 > 0.0f ? v0 : v0 * -2.0f;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void leaky_relu_9_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 > 0.0 ? v0 : v0 * -2.0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}
