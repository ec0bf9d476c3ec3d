// A radix sort of one block, four bits at a time, with ballots and a scan of counts. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern "C" __global__ void radix_sort(unsigned *data, int n) {
  __shared__ unsigned keys[256];
  __shared__ int counts[16][8];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  keys[t] = t < n ? data[t] : 0xffffffffu;
  for (int shift = 0; shift < 32; shift += 4) {
    __syncthreads();
    unsigned key = keys[t], digit = (key >> shift) & 15;
    unsigned same = __match_any_sync(0xffffffff, digit);
    int rank = __popc(same & ((1u << lane) - 1));
    if (lane < 16) {
      counts[lane][warp] = 0;
    }
    __syncwarp();
    if (rank == 0) {
      counts[digit][warp] = __popc(same);
    }
    __syncthreads();
    if (t == 0) {
      int sum = 0;
      for (int d = 0; d < 16; ++d) {
        for (int w = 0; w < 8; ++w) {
          int c = counts[d][w];
          counts[d][w] = sum;
          sum += c;
        }
      }
    }
    __syncthreads();
    keys[counts[digit][warp] + rank] = key;
  }
  __syncthreads();
  if (t < n) {
    data[t] = keys[t];
  }
}
