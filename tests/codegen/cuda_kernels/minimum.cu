extern "C" __global__ void minimum_1(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 < v1 || (v0 != v0) ? v0 : v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void minimum_1_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 < v1 || (v0 != v0) ? v0 : v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void minimum_2(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const float v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const float v1 = x1[((n / 4) % 2)];
    const float v2 = v0 < v1 || (v0 != v0) ? v0 : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void minimum_2_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const double v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const double v1 = x1[((n / 4) % 2)];
    const double v2 = v0 < v1 || (v0 != v0) ? v0 : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void minimum_5(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = v0 < 0.5f || (v0 != v0) ? v0 : 0.5f;
    y0[n] = v1;
  }
}

extern "C" __global__ void minimum_5_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = v0 < 0.5 || (v0 != v0) ? v0 : 0.5;
    y0[n] = v1;
  }
}

extern "C" __global__ void minimum_6(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = 0.5f < v0 || (0.5f != 0.5f) ? 0.5f : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void minimum_6_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = 0.5 < v0 || (0.5 != 0.5) ? 0.5 : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void minimum_7_double(const float* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[((n) % 3)];
    const double v1 = x1[n];
    const double v2 = static_cast<double>(v0) < v1 || (static_cast<double>(v0) != static_cast<double>(v0)) ? static_cast<double>(v0) : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void minimum_10(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const int64_t v0 = x0[((n) % 3)];
    const int64_t v1 = x1[n];
    const int64_t v2 = v0 < v1 || (v0 != v0) ? v0 : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void minimum_11(const int64_t* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = x1[n];
    const float v2 = static_cast<float>(v0) < v1 || (static_cast<float>(v0) != static_cast<float>(v0)) ? static_cast<float>(v0) : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void minimum_11_double(const int64_t* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = x1[n];
    const double v2 = static_cast<double>(v0) < v1 || (static_cast<double>(v0) != static_cast<double>(v0)) ? static_cast<double>(v0) : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void minimum_12(const bool* __restrict__ x0, const bool* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const Lanes<bool> a0 = lanes_of(x0)[n];
    const Lanes<bool> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const bool v0 = a0.at[k];
      const bool v1 = a1.at[k];
      const bool v2 = v0 < v1 || (v0 != v0) ? v0 : v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}
