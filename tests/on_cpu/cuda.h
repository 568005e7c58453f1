// As much of CUDA C++ as the kernels of assets/kernels use, for a CPU: one fiber per thread, one block after the other.
//
// A fiber runs until it ends or waits at a barrier; when all of a block wait, all go on. Waiting for a warp (shuffles) is
// the same among 32. Fibers run in ascending or in descending order: an answer that needs one of them is a race. A barrier
// that some threads of a block never reach ends the program, and so does a write beyond the end of a buffer.
//
// Speaks bytes (mod.rs): requests on stdin, buffers on stdout.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <vector>

#define __global__
#define __shared__ static // one block at a time
#define __launch_bounds__(threads)

struct dim3 {
    unsigned int x, y, z;
};
static dim3 threadIdx, blockIdx, blockDim, gridDim;

template <class T> static T min(T a, T b) { return a < b ? a : b; }

enum State { READY, AT_BARRIER, AT_WARP, DONE };
struct Fiber {
    ucontext_t context;
    State state;
    dim3 place;
    unsigned int shuffles;
};
enum { MOST_THREADS = 1024, STACK = 64 * 1024, DYNAMIC = 64 * 1024 };
static Fiber fibers[MOST_THREADS];
static char *stacks;
static ucontext_t scheduler;
static unsigned int current;
static float shuffled[2][MOST_THREADS];
alignas(16) static char dynamic_shared[DYNAMIC];
static void (*kernel)();

[[noreturn]] static void fail(const char *why) {
    fprintf(stderr, "%s: block %u %u, thread %u\n", why, blockIdx.x, blockIdx.y, current);
    exit(3);
}

static void wait_as(State state) {
    fibers[current].state = state;
    swapcontext(&fibers[current].context, &scheduler);
}

static void __syncthreads() { wait_as(AT_BARRIER); }

// The lanes of `mask` exchange. Two places in turn: a lane that is ahead by one does not overwrite what another still reads.
static float __shfl_down_sync(unsigned int mask, float value, unsigned int by) {
    const unsigned int at = current, lane = at % 32, turn = fibers[at].shuffles++ % 2;
    shuffled[turn][at] = value;
    wait_as(AT_WARP);
    const bool there = lane + by < 32 && (mask >> (lane + by) & 1);
    return there ? shuffled[turn][at + by] : value;
}

static unsigned int atomicAdd(unsigned int *at, unsigned int value) {
    const unsigned int old = *at;
    *at += value;
    return old;
}

static void body() {
    kernel();
    fibers[current].state = DONE;
}

static void run_fiber(unsigned int i) {
    current = i;
    threadIdx = fibers[i].place;
    swapcontext(&scheduler, &fibers[i].context);
}

// Whether every fiber from `first` to `end` is in this state; ended ones count where `or_done`.
static bool all(unsigned int first, unsigned int end, State state, bool or_done) {
    for (unsigned int i = first; i < end; ++i) {
        if (fibers[i].state != state && !(or_done && fibers[i].state == DONE)) return false;
    }
    return true;
}

static void release(unsigned int first, unsigned int end) {
    for (unsigned int i = first; i < end; ++i) {
        if (fibers[i].state != DONE) fibers[i].state = READY;
    }
}

static void run_block(unsigned int threads, bool descending) {
    memset(dynamic_shared, 0xff, sizeof dynamic_shared); // not a number: reading before writing shows
    for (unsigned int i = 0; i < threads; ++i) {
        Fiber &f = fibers[i];
        f.state = READY;
        f.shuffles = 0;
        f.place = {i % blockDim.x, i / blockDim.x % blockDim.y, i / (blockDim.x * blockDim.y)};
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = stacks + (size_t)i * STACK;
        f.context.uc_stack.ss_size = STACK;
        f.context.uc_link = &scheduler;
        makecontext(&f.context, body, 0);
    }
    while (!all(0, threads, DONE, false)) {
        bool ran = false;
        for (unsigned int k = 0; k < threads; ++k) {
            const unsigned int i = descending ? threads - 1 - k : k;
            if (fibers[i].state == READY) {
                run_fiber(i);
                ran = true;
            }
        }
        for (unsigned int w = 0; w < threads; w += 32) {
            const unsigned int end = min(w + 32, threads);
            if (!all(w, end, DONE, false) && all(w, end, AT_WARP, false)) {
                release(w, end);
                ran = true;
            }
        }
        if (all(0, threads, AT_BARRIER, false)) {
            release(0, threads);
            ran = true;
        }
        if (!ran) fail("a barrier that not all threads reach");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Requests: kernel, order, grid, block, dynamic bytes, arguments; an argument: bytes of its buffer and the buffer, or 0 and
// the four bytes of a scalar. All numbers are uint32. The answer is the buffers, one after the other.

struct Argument {
    std::vector<unsigned char> buffer;
    uint32_t length, scalar;
};
static std::vector<Argument> arguments;

static bool read_all(void *to, size_t bytes) { return fread(to, 1, bytes, stdin) == bytes; }

template <class T> static T *pointer(int i) { return (T *)arguments[i].buffer.data(); }
template <class T> static T scalar(int i) {
    T value;
    memcpy(&value, &arguments[i].scalar, sizeof value);
    return value;
}

// Behind each buffer, another for each, so that no copy from one to another goes unseen; as a float it is huge.
enum { GUARD = 256 };
static unsigned char guard(size_t argument) { return (unsigned char)(0xe0 + argument); }

static bool answer(void (*const *kernels)(), uint32_t count) {
    uint32_t head[10];
    if (!read_all(head, sizeof head)) return false;
    if (head[0] >= count || head[8] > DYNAMIC) fail("bad request");
    gridDim = {head[2], head[3], head[4]};
    blockDim = {head[5], head[6], head[7]};
    arguments.assign(head[9], Argument());
    for (size_t k = 0; k < arguments.size(); ++k) {
        Argument &a = arguments[k];
        if (!read_all(&a.length, 4)) fail("short request");
        if (a.length == 0) {
            if (!read_all(&a.scalar, 4)) fail("short request");
            continue;
        }
        a.buffer.assign(a.length + GUARD, guard(k));
        if (!read_all(a.buffer.data(), a.length)) fail("short request");
    }
    kernel = kernels[head[0]];
    const unsigned int threads = blockDim.x * blockDim.y * blockDim.z;
    if (threads == 0 || threads > MOST_THREADS) fail("bad block");
    for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y) {
        for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) run_block(threads, head[1] != 0);
    }
    for (size_t k = 0; k < arguments.size(); ++k) {
        const Argument &a = arguments[k];
        if (a.length == 0) continue;
        for (int i = 0; i < GUARD; ++i) {
            if (a.buffer[a.length + i] != guard(k)) fail("written beyond the end of a buffer");
        }
        fwrite(a.buffer.data(), 1, a.length, stdout);
    }
    return true;
}

static int serve(void (*const *kernels)(), uint32_t count) {
    stacks = (char *)malloc((size_t)MOST_THREADS * STACK);
    while (answer(kernels, count)) {
    }
    return 0;
}
