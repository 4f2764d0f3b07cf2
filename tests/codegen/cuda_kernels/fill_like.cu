extern "C" __global__ void fill_like_1(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = 0.5f;
    y0[n] = v0;
  }
}

extern "C" __global__ void fill_like_1_double(double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = 0.5;
    y0[n] = v0;
  }
}

extern "C" __global__ void fill_like_2(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const float v0 = 3.0f;
    y0[n] = v0;
  }
}

extern "C" __global__ void fill_like_2_double(double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const double v0 = 3.0;
    y0[n] = v0;
  }
}

extern "C" __global__ void fill_like_3(int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = 3;
    y0[n] = v0;
  }
}

extern "C" __global__ void fill_like_4(bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = true;
    y0[n] = v0;
  }
}

extern "C" __global__ void fill_like_7(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = 0.5f;
      b0.at[k] = v0;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void fill_like_7_double(double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = 0.5;
      b0.at[k] = v0;
    }
    lanes_of(y0)[n] = b0;
  }
}
