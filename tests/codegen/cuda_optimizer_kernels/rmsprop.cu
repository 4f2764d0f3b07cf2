template <int lanes>
__device__ void rmsprop_batch(const Batch& batch) {
  const Share share = share_of_block(batch);
  const float* const x0 = pointer_of<const float>(batch, share.tensor, 0);
  const float* const x1 = pointer_of<const float>(batch, share.tensor, 1);
  const float* const x2 = pointer_of<const float>(batch, share.tensor, 2);
  const float* const x3 = pointer_of<const float>(batch, share.tensor, 3);
  const float* const x4 = pointer_of<const float>(batch, share.tensor, 4);
  const float* const x5 = pointer_of<const float>(batch, share.tensor, 5);
  float* const y0 = pointer_of<float>(batch, share.tensor, 6);
  float* const y1 = pointer_of<float>(batch, share.tensor, 7);
  float* const y2 = pointer_of<float>(batch, share.tensor, 8);
  float* const y3 = pointer_of<float>(batch, share.tensor, 9);
  const int64_t items = share.end / lanes;
  for (int64_t item = share.first / lanes + threadIdx.x; item < items; item += blockDim.x) {
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + item * lanes * batch.steps[0], batch.steps[0]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + item * lanes * batch.steps[1], batch.steps[1]);
    const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + item * lanes * batch.steps[2], batch.steps[2]);
    const Lanes<float, lanes> a3 = load_lanes<lanes>(x3 + item * lanes * batch.steps[3], batch.steps[3]);
    const Lanes<float, lanes> a4 = load_lanes<lanes>(x4 + item * lanes * batch.steps[4], batch.steps[4]);
    const Lanes<float, lanes> a5 = load_lanes<lanes>(x5 + item * lanes * batch.steps[5], batch.steps[5]);
    Lanes<float, lanes> b0;
    Lanes<float, lanes> b1;
    Lanes<float, lanes> b2;
    Lanes<float, lanes> b3;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v2 = a1.at[k];
      const float v6 = a2.at[k];
      const float v16 = a3.at[k];
      const float v19 = a4.at[k];
      const float v21 = a5.at[k];
      const float v1 = v0 * 0.99f;
      const float v3 = v2 * 0.01f;
      const float v4 = v3 * v2;
      const float v5 = v1 + v4;
      const float v7 = v2 - v6;
      const float v8 = v7 * 0.01f;
      const float v9 = v6 + v8;
      const float v10 = v9 * v9;
      const float v11 = v5 - v10;
      const float v12 = v11 < 0.0f ? 0.0f : v11;
      const float v13 = std::sqrt(v12);
      const float v14 = v13 + 1e-08f;
      const float v15 = v2 / v14;
      const float v17 = v16 * 0.9f;
      const float v18 = v17 + v15;
      const float v20 = v18 * v19;
      const float v22 = v21 - v20;
      b0.at[k] = v22;
      b1.at[k] = v5;
      b2.at[k] = v9;
      b3.at[k] = v18;
    }
    store_lanes(y0 + item * lanes, b0);
    store_lanes(y1 + item * lanes, b1);
    store_lanes(y2 + item * lanes, b2);
    store_lanes(y3 + item * lanes, b3);
  }
}
extern "C" __global__ void __launch_bounds__(256) rmsprop(const Batch batch) {
  rmsprop_batch<1>(batch);
}
extern "C" __global__ void __launch_bounds__(256) rmsprop_lanes(const Batch batch) {
  rmsprop_batch<4>(batch);
}
