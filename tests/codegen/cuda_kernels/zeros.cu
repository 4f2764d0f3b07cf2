extern "C" __global__ void zeros_1(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = 0.0f;
    y0[n] = v0;
  }
}

extern "C" __global__ void zeros_1_double(double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = 0.0;
    y0[n] = v0;
  }
}

extern "C" __global__ void zeros_4(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = 0.0f;
      b0.at[k] = v0;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void zeros_4_double(double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = 0.0;
      b0.at[k] = v0;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void zeros_5(int32_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const int32_t v0 = 0;
    y0[n] = v0;
  }
}

extern "C" __global__ void zeros_6(bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = 0;
    y0[n] = v0;
  }
}
