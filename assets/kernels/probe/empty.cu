// probe_empty: does nothing. What a launch of it takes is the launch floor, of the host as much as of the GPU.
extern "C" __global__ void probe_empty() {}
