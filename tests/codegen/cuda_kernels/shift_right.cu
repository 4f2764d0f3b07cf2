extern "C" __global__ void shift_right_1(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<int64_t> a0 = lanes_of(x0)[n];
    const Lanes<int64_t> a1 = lanes_of(x1)[n];
    Lanes<int64_t> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int64_t v0 = a0.at[k];
      const int64_t v1 = a1.at[k];
      const int64_t v2 = shifted_right<int64_t>(v0, v1);
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void shift_right_2(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const int64_t v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const int64_t v1 = x1[((n / 4) % 2)];
    const int64_t v2 = shifted_right<int64_t>(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void shift_right_5(const int32_t* __restrict__ x0, const int32_t* __restrict__ x1, int32_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int32_t v0 = x0[n];
    const int32_t v1 = x1[n];
    const int32_t v2 = shifted_right<int32_t>(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void shift_right_6(const int64_t* __restrict__ x0, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = shifted_right<int64_t>(v0, 3);
    y0[n] = v1;
  }
}

extern "C" __global__ void shift_right_7(const int64_t* __restrict__ x0, const bool* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = x1[n];
    const int64_t v2 = shifted_right<int64_t>(v0, static_cast<int64_t>(v1));
    y0[n] = v2;
  }
}
