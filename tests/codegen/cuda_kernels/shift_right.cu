template <int lanes>
__device__ void shift_right_1_items(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<int64_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<int64_t, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<int64_t, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int64_t v0 = a0.at[k];
      const int64_t v1 = a1.at[k];
      const int64_t v2 = shifted_right<int64_t>(v0, v1);
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) shift_right_1(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0, const Layout layout) {
  shift_right_1_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) shift_right_1_lanes(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0, const Layout layout) {
  shift_right_1_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void shift_right_5_items(const int32_t* __restrict__ x0, const int32_t* __restrict__ x1, int32_t* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<int32_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<int32_t, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<int32_t, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int32_t v0 = a0.at[k];
      const int32_t v1 = a1.at[k];
      const int32_t v2 = shifted_right<int32_t>(v0, v1);
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) shift_right_5(const int32_t* __restrict__ x0, const int32_t* __restrict__ x1, int32_t* __restrict__ y0, const Layout layout) {
  shift_right_5_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) shift_right_5_lanes(const int32_t* __restrict__ x0, const int32_t* __restrict__ x1, int32_t* __restrict__ y0, const Layout layout) {
  shift_right_5_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void shift_right_6_items(const int64_t* __restrict__ x0, int64_t* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<int64_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<int64_t, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int64_t v0 = a0.at[k];
      const int64_t v1 = shifted_right<int64_t>(v0, 3);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) shift_right_6(const int64_t* __restrict__ x0, int64_t* __restrict__ y0, const Layout layout) {
  shift_right_6_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) shift_right_6_lanes(const int64_t* __restrict__ x0, int64_t* __restrict__ y0, const Layout layout) {
  shift_right_6_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void shift_right_7_items(const int64_t* __restrict__ x0, const bool* __restrict__ x1, int64_t* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<int64_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<bool, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<int64_t, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int64_t v0 = a0.at[k];
      const bool v1 = a1.at[k];
      const int64_t v2 = shifted_right<int64_t>(v0, static_cast<int64_t>(v1));
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) shift_right_7(const int64_t* __restrict__ x0, const bool* __restrict__ x1, int64_t* __restrict__ y0, const Layout layout) {
  shift_right_7_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) shift_right_7_lanes(const int64_t* __restrict__ x0, const bool* __restrict__ x1, int64_t* __restrict__ y0, const Layout layout) {
  shift_right_7_items<4>(x0, x1, y0, layout);
}
