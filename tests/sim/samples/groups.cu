// Cooperative groups: tiles, coalesced groups, labelled partitions, and a barrier of the grid. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void groups_tile(const int *in, int *out, int n) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = cg::reduce(tile, i < n ? in[i] : 0, cg::plus<int>());
  if (tile.thread_rank() == 0) {
    out[i / 8] = sum;
  }
}

// Positive values are packed; one atomic for each group of lanes that are active together.
extern "C" __global__ void groups_filter(const int *in, int *out, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) {
    auto active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0) {
      first = atomicAdd(count, (int)active.size());
    }
    first = active.shfl(first, 0);
    out[first + active.thread_rank()] = in[i];
  }
}
