// Arithmetic: integers of all widths, bits, small floats, libdevice's functions.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

extern "C" __global__ void divisions(const long long *x, const long long *y,
                                     long long *result) {
  int i = threadIdx.x;
  long long a = x[i], b = y[i];
  long long *out = result + 10 * i;
  out[0] = a / b;
  out[1] = a % b;
  out[2] = int(a) / int(b);
  out[3] = int(a) % int(b);
  out[4] = (unsigned long long)a / (unsigned long long)b;
  out[5] = unsigned(a) % unsigned(b);
  out[6] = short(a) / (short(b) ? short(b) : short(1));
  out[7] = int(a) / 7 + int(a) % 1000003;
  out[8] = a / 1000000007ll;
  out[9] = (unsigned char)a / 10;
}

// Products and quotients of 128 bits, as pairs of halves.
extern "C" __global__ void wide(const long long *x, const long long *y,
                                unsigned long long *result) {
  int i = threadIdx.x;
  __int128 a = x[i], b = y[i];
  __int128 values[] = {a * b, (a << 40) / b, (a * b) >> 13, a * a - b, (a << 70) % b};
  for (int k = 0; k < 5; ++k) {
    result[10 * i + 2 * k] = (unsigned long long)values[k];
    result[10 * i + 2 * k + 1] = (unsigned long long)(values[k] >> 64);
  }
}

struct Fields {
  unsigned low : 5;
  int middle : 11;
  unsigned long long high : 40;
};

extern "C" __global__ void bits(const unsigned *x, const unsigned *y, unsigned *result) {
  int i = threadIdx.x;
  unsigned a = x[i], b = y[i];
  unsigned *out = result + 20 * i;
  out[0] = __clz(a);
  out[1] = __popc(a);
  out[2] = __ffs(a);
  out[3] = __brev(a);
  out[4] = __byte_perm(a, b, 0x3715);
  out[5] = __funnelshift_l(a, b, b);
  out[6] = __funnelshift_rc(a, b, b & 63);
  out[7] = __umulhi(a, b);
  out[8] = __mulhi(int(a), int(b));
  out[9] = __dp4a(int(a), int(b), 5);
  out[10] = __sad(int(a >> 1), int(b >> 1), 7u);
  out[11] = __uhadd(a, b);
  out[12] = __clzll((unsigned long long)a << 20) + __popcll(((unsigned long long)a << 32) | b);
  Fields fields = {a, int(b), ((unsigned long long)b << 32) | a};
  fields.middle += 3;
  out[13] = fields.low * 2 + fields.middle;
  out[14] = unsigned(fields.high >> 8);
  out[15] = __vmaxs2(a, b);
  out[16] = __vadd4(a, b);
  out[17] = __viaddmax_s32(int(a), int(b), 100);
  out[18] = __vimin3_u32(a, b, 1u << 30);
  out[19] = __mul24(int(a), int(b)) + __usad(a, b, 3u);
}

// Double precision: what libdevice computes, to be within its documented error.
extern "C" __global__ void doubles(const double *x, double *result) {
  int i = threadIdx.x;
  double a = x[i];
  double *out = result + 16 * i;
  out[0] = sin(a);
  out[1] = cos(a * 1e5);
  out[2] = exp(a);
  out[3] = log(fabs(a) + 1e-3);
  out[4] = pow(fabs(a), 1.7);
  out[5] = sqrt(fabs(a));
  out[6] = 1.0 / a;
  out[7] = tanh(a);
  out[8] = erf(a);
  out[9] = atan2(a, 0.3);
  out[10] = cbrt(a);
  out[11] = tgamma(fabs(a) + 0.5);
  out[12] = fma(a, a, -1.0);
  out[13] = rint(a * 10) + floor(a) + trunc(a);
  out[14] = hypot(a, 2.0);
  out[15] = fmod(a * 100, 7.0);
}

extern "C" __global__ void singles(const float *x, float *result) {
  int i = threadIdx.x;
  float a = x[i];
  float *out = result + 12 * i;
  out[0] = sinf(a);
  out[1] = cosf(a * 1e5f);
  out[2] = expf(a);
  out[3] = logf(fabsf(a) + 1e-3f);
  out[4] = powf(fabsf(a), 1.7f);
  out[5] = sqrtf(fabsf(a));
  out[6] = 1.0f / a;
  out[7] = tanhf(a);
  out[8] = erff(a);
  out[9] = a / 3.0f;
  out[10] = __expf(a);
  out[11] = rsqrtf(fabsf(a));
}

// Half, bfloat16 and fp8: conversions and arithmetic.
extern "C" __global__ void halves(const float *x, const float *y, float *result) {
  int i = threadIdx.x;
  __half a = __float2half(x[i]), b = __float2half(y[i]);
  __nv_bfloat16 c = __float2bfloat16(x[i]), d = __float2bfloat16(y[i]);
  float *out = result + 14 * i;
  out[0] = __half2float(a + b);
  out[1] = __half2float(a * b);
  out[2] = __half2float(a / b);
  out[3] = __half2float(__hfma(a, b, a));
  out[4] = __half2float(__hmax(a, b));
  out[5] = a < b ? 1.0f : 0.0f;
  out[6] = __bfloat162float(c + d);
  out[7] = __bfloat162float(c * d);
  out[8] = __bfloat162float(__hmin(c, d));
  __half2 pair = __hadd2(__halves2half2(a, b), __float2half2_rn(2.0f));
  out[9] = __low2float(pair);
  out[10] = __high2float(pair);
  out[11] = float(__nv_fp8_e4m3(x[i]));
  out[12] = float(__nv_fp8_e5m2(y[i]));
  out[13] = float(__half2int_rn(a)) + float(__bfloat162int_rz(d));
}
