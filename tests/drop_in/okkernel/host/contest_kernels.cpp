// SPDX-License-Identifier: Apache-2.0
// contest_kernels NAME [MISTAKE]: compares a kernel of contest_kernels.c with loops on the host.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>
#include <vector>

#include "bmlib_runtime.h"

typedef struct {
    unsigned long long in, weight, bias, output;
    int n, c, h, w, oc, kernel, pad, stride;
    int mistake;
} __attribute__((packed)) param_t;

typedef std::vector<float> Floats;

static bm_handle_t handle;
static param_t param;

static Floats numbers(int count, float size) {
    Floats values(count);
    for (float& value : values) value = static_cast<float>(rand() % 2001 - 1000) / 1000.0f * size;
    return values;
}

static unsigned long long upload(const Floats& values) {
    bm_device_mem_t memory;
    if (bm_malloc_device_byte(handle, &memory, values.size() * sizeof(float)) != BM_SUCCESS) {
        exit(1);
    }
    bm_memcpy_s2d(handle, memory, const_cast<float*>(values.data()));
    return bm_mem_get_device_addr(memory);
}

static Floats launch(const std::string& kernel, int results) {
    bm_device_mem_t memory;
    Floats output(results);
    if (bm_malloc_device_byte(handle, &memory, results * sizeof(float)) != BM_SUCCESS) exit(1);
    param.output = bm_mem_get_device_addr(memory);
    if (okkernel_launch_sync(handle, kernel.c_str(), &param, sizeof param) != BM_SUCCESS) exit(1);
    bm_memcpy_d2s(handle, output.data(), memory);
    return output;
}

static double conv2d_at(const Floats& in, const Floats& weight, int n, int o, int y, int x) {
    double sum = 0;
    for (int i = 0; i < param.c; ++i) {
        for (int k = 0; k < param.kernel * param.kernel; ++k) {
            const int row = y * param.stride + k / param.kernel - param.pad;
            const int col = x * param.stride + k % param.kernel - param.pad;
            if (row < 0 || col < 0 || row >= param.h || col >= param.w) continue;
            sum += static_cast<double>(in[((n * param.c + i) * param.h + row) * param.w + col]) *
                   weight[(o * param.c + i) * param.kernel * param.kernel + k];
        }
    }
    return sum;
}

static Floats conv2d(Floats* expected) {
    const int mistake = param.mistake;
    param = {0, 0, 0, 0, 3, 5, 11, 9, 70, 3, 1, 2, mistake};
    const Floats in = numbers(param.n * param.c * param.h * param.w, 2);
    const Floats weight = numbers(param.oc * param.c * 9, 2), bias = numbers(param.oc, 2);
    const int rows = (param.h - 1) / 2 + 1, cols = (param.w - 1) / 2 + 1;
    for (int i = 0; i < param.n * param.oc * rows * cols; ++i) {
        const int o = i / (rows * cols) % param.oc;
        expected->push_back(
            static_cast<float>(bias[o] + conv2d_at(in, weight, i / (rows * cols * param.oc), o,
                                                   i / cols % rows, i % cols)));
    }
    param.in = upload(in);
    param.weight = upload(weight);
    param.bias = upload(bias);
    return launch("contest_conv2d", expected->size());
}

static Floats softmax(Floats* expected) {
    param.n = 70;
    param.w = 37;
    const Floats in = numbers(param.n * param.w, param.mistake == 1 ? 120 : 4);
    for (int i = 0; i < param.n; ++i) {
        double sum = 0;
        for (int k = 0; k < param.w; ++k) sum += exp(in[i * param.w + k]);
        for (int k = 0; k < param.w; ++k) {
            expected->push_back(static_cast<float>(exp(in[i * param.w + k]) / sum));
        }
    }
    param.in = upload(in);
    return launch("contest_softmax", expected->size());
}

static Floats matmul(Floats* expected) {
    param.h = 7;
    param.c = 100;
    param.w = 130;
    const Floats in = numbers(param.h * param.c, 1), weight = numbers(param.c * param.w, 1);
    for (int i = 0; i < param.h * param.w; ++i) {
        double sum = 0;
        for (int k = 0; k < param.c; ++k) {
            sum += static_cast<double>(in[i / param.w * param.c + k]) *
                   weight[k * param.w + i % param.w];
        }
        expected->push_back(static_cast<float>(sum));
    }
    param.in = upload(in);
    param.weight = upload(weight);
    return launch("contest_matmul", expected->size());
}

static Floats packed(Floats* expected) {
    param.n = 6;
    param.c = 3;
    param.h = 4;
    param.w = 5;
    const int plane = param.c * param.h * param.w;
    std::vector<signed char> in(8 * plane);
    for (signed char& value : in) value = static_cast<signed char>(rand() % 41 - 20);
    Floats words(2 * plane);
    memcpy(words.data(), in.data(), in.size());
    param.in = upload(words);
    const Floats output = launch("contest_packed", 2 * plane);
    std::vector<signed char> out(in.size());
    memcpy(out.data(), output.data(), out.size());
    Floats result;
    for (int i = 0; i < 8 * plane; ++i) {
        if (i / (4 * plane) * 4 + i % 4 >= param.n) continue;
        const int product = (in[i] * 3 + 1) >> 1;
        expected->push_back(static_cast<float>((product > 0 ? product : 0) + in[i]));
        result.push_back(out[i]);
    }
    return result;
}

static Floats argmax(Floats* expected) {
    param.n = 20;
    param.w = 33;
    const Floats in = numbers(param.n * param.w, 1);
    for (int i = 0; i < param.n; ++i) {
        int best = 0;
        for (int k = 1; k < param.w; ++k) {
            if (in[i * param.w + k] > in[i * param.w + best]) best = k;
        }
        expected->push_back(static_cast<float>(best));
    }
    param.in = upload(in);
    return launch("contest_argmax", param.n);
}

int main(int argc, char** argv) {
    const std::string name = argc > 1 ? argv[1] : "";
    param.mistake = argc > 2 ? atoi(argv[2]) : 0;
    if (bm_dev_request(&handle, 0) != BM_SUCCESS) return 1;
    Floats expected, output;
    if (name == "conv2d") output = conv2d(&expected);
    if (name == "softmax") output = softmax(&expected);
    if (name == "matmul") output = matmul(&expected);
    if (name == "packed") output = packed(&expected);
    if (name == "argmax") output = argmax(&expected);
    bm_dev_free(handle);
    if (output.empty()) return 1;
    for (size_t i = 0; i < output.size(); ++i) {
        if (!(fabs(output[i] - expected[i]) < 1e-4)) return param.mistake == 0;
    }
    printf("%s: right\n", name.c_str());
    return 0;
}
