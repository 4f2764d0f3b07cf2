extern "C" __global__ void full_1(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = 1.5f;
      b0.at[k] = v0;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void full_1_double(double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = 1.5;
      b0.at[k] = v0;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void full_2(int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = 7;
    y0[n] = v0;
  }
}

extern "C" __global__ void full_3(bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const bool v0 = true;
    y0[n] = v0;
  }
}

extern "C" __global__ void full_4(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = 7.0f;
    y0[n] = v0;
  }
}

extern "C" __global__ void full_5(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = 1.0f;
      b0.at[k] = v0;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void full_5_double(double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = 1.0;
      b0.at[k] = v0;
    }
    lanes_of(y0)[n] = b0;
  }
}
