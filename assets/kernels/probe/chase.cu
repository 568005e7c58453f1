// probe_chase: one thread follows a chain of indices, each load waiting for the one before. Time over steps is the latency
// of a load that misses every cache, address translation included. A launch goes on where the one before ended (sink), so
// that its lines are not those that the last one left in L2. steps is a multiple of 8.
extern "C" __global__ void probe_chase(const unsigned int *__restrict__ next, unsigned int *__restrict__ sink,
                                       unsigned int steps)
{
    unsigned int at = sink[0];
    for (unsigned int step = 0; step < steps; step += 8u) {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            at = next[at];
        }
    }
    sink[0] = at;
}
