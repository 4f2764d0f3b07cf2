extern "C" __global__ void clamp_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = 0.5f < (v0 < -0.5f ? -0.5f : v0) ? 0.5f : v0 < -0.5f ? -0.5f : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = 0.5 < (v0 < -0.5 ? -0.5 : v0) ? 0.5 : v0 < -0.5 ? -0.5 : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 < -0.5f ? -0.5f : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 < -0.5 ? -0.5 : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_3(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = 0.5f < v0 ? 0.5f : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_3_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = 0.5 < v0 ? 0.5 : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_4(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_4_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_5(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = 1.0f < (v0 < -1.0f ? -1.0f : v0) ? 1.0f : v0 < -1.0f ? -1.0f : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_5_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = 1.0 < (v0 < -1.0 ? -1.0 : v0) ? 1.0 : v0 < -1.0 ? -1.0 : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_6(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = v0 < 0.0f ? 0.0f : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_6_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = v0 < 0.0 ? 0.0 : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_8(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 < 0.0f ? 0.0f : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_8_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 < 0.0 ? 0.0 : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_10(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = 1.0f < (v0 < 2.0f ? 2.0f : v0) ? 1.0f : v0 < 2.0f ? 2.0f : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_10_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = 1.0 < (v0 < 2.0 ? 2.0 : v0) ? 1.0 : v0 < 2.0 ? 2.0 : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_11(const int64_t* __restrict__ x0, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = 2 < (v0 < -2 ? -2 : v0) ? 2 : v0 < -2 ? -2 : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_12(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = 0.1f < (v0 < -0.1f ? -0.1f : v0) ? 0.1f : v0 < -0.1f ? -0.1f : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_13(const int64_t* __restrict__ x0, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_14(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = 2.5f < (static_cast<float>(v0) < -1.5f ? -1.5f : static_cast<float>(v0)) ? 2.5f : static_cast<float>(v0) < -1.5f ? -1.5f : static_cast<float>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_14_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = 2.5 < (static_cast<double>(v0) < -1.5 ? -1.5 : static_cast<double>(v0)) ? 2.5 : static_cast<double>(v0) < -1.5 ? -1.5 : static_cast<double>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_15(const int32_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int32_t v0 = x0[n];
    const float v1 = 2.5f < (static_cast<float>(v0) < -2.0f ? -2.0f : static_cast<float>(v0)) ? 2.5f : static_cast<float>(v0) < -2.0f ? -2.0f : static_cast<float>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_15_double(const int32_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int32_t v0 = x0[n];
    const double v1 = 2.5 < (static_cast<double>(v0) < -2.0 ? -2.0 : static_cast<double>(v0)) ? 2.5 : static_cast<double>(v0) < -2.0 ? -2.0 : static_cast<double>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_16(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = 0.25f < static_cast<float>(v0) ? 0.25f : static_cast<float>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_16_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = 0.25 < static_cast<double>(v0) ? 0.25 : static_cast<double>(v0);
    y0[n] = v1;
  }
}
