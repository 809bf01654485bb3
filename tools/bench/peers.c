// SPDX-License-Identifier: GPL-2.0
#include <dlfcn.h>
#include <immintrin.h>
#include <stddef.h>
#include <stdlib.h>

#include "peers.h"

/* The two enumerations of CBLAS that are needed. */
#define ROW_MAJOR	101
#define NO_TRANSPOSE	111
#define TRANSPOSE	112

typedef void cblas_sgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k,
			    float alpha, const float *a, int lda, const float *b, int ldb,
			    float beta, float *c, int ldc);
typedef int dnnl_sgemm_fn(char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
			  float alpha, const float *a, int64_t lda, const float *b, int64_t ldb,
			  float beta, float *c, int64_t ldc);
typedef void cblas_sgemv_fn(int order, int trans, int m, int n, float alpha, const float *a,
			    int lda, const float *x, int incx, float beta, float *y, int incy);

static void cblas_compute(void *arg)
{
	const struct product *p = arg;
	cblas_sgemm_fn *sgemm = p->library->function;

	sgemm(ROW_MAJOR, NO_TRANSPOSE, TRANSPOSE, p->rows, p->outputs, p->terms, 1, p->a,
	      p->terms, p->b, p->terms, 0, p->c, p->outputs);
}

static void cblas_vector(void *arg)
{
	const struct product *p = arg;
	cblas_sgemv_fn *sgemv = p->library->function;

	sgemv(ROW_MAJOR, NO_TRANSPOSE, p->outputs, p->terms, 1, p->b, p->terms, p->a, 1, 0, p->c,
	      1);
}

static void dnnl_compute(void *arg)
{
	const struct product *p = arg;
	dnnl_sgemm_fn *sgemm = p->library->function;

	sgemm('N', 'T', p->rows, p->outputs, p->terms, 1, p->a, p->terms, p->b, p->terms, 0, p->c,
	      p->outputs);
}

static struct library libraries[] = {
	{ "OpenBLAS sgemm", "libopenblas.so.0", "cblas_sgemm", cblas_compute, NULL },
	{ "BLIS sgemm", "libblis.so.4", "cblas_sgemm", cblas_compute, NULL },
	{ "oneDNN sgemm", "libdnnl.so.2", "dnnl_sgemm", dnnl_compute, NULL },
	{ "OpenBLAS sgemv", "libopenblas.so.0", "cblas_sgemv", cblas_vector, NULL },
	{ "BLIS sgemv", "libblis.so.4", "cblas_sgemv", cblas_vector, NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

struct library *peers_open(void)
{
	struct library *library;
	void *object;

	setenv("OPENBLAS_NUM_THREADS", "1", 1);
	setenv("BLIS_NUM_THREADS", "1", 1);
	setenv("OMP_NUM_THREADS", "1", 1);
	for (library = libraries; library->name; library++) {
		object = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
		library->function = object ? dlsym(object, library->symbol) : NULL;
	}
	return libraries;
}

#define FMA_TIMES	4096
#define FMA_REGISTERS	12

double peers_fma_work(bool avx512)
{
	if (avx512 ? !__builtin_cpu_supports("avx512f") :
	    !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
		return 0;
	return 2.0 * FMA_TIMES * FMA_REGISTERS * (avx512 ? 16 : 8);
}

/* The sums are looked at by the volatile store only, so that none can be left out. */
static volatile float sink;

__attribute__((target("avx512f")))
void peers_fma_avx512(void *unused)
{
	__m512 sum[FMA_REGISTERS], a = _mm512_set1_ps(0.5f), b = _mm512_set1_ps(0.25f);
	int i, r;

	(void)unused;
#pragma GCC unroll 12
	for (r = 0; r < FMA_REGISTERS; r++)
		sum[r] = _mm512_set1_ps(r);
	for (i = 0; i < FMA_TIMES; i++)
#pragma GCC unroll 12
		for (r = 0; r < FMA_REGISTERS; r++)
			sum[r] = _mm512_fmadd_ps(sum[r], a, b);
#pragma GCC unroll 12
	for (r = 1; r < FMA_REGISTERS; r++)
		sum[0] = _mm512_add_ps(sum[0], sum[r]);
	sink = _mm512_cvtss_f32(sum[0]);
}

__attribute__((target("avx2,fma")))
void peers_fma_avx2(void *unused)
{
	__m256 sum[FMA_REGISTERS], a = _mm256_set1_ps(0.5f), b = _mm256_set1_ps(0.25f);
	int i, r;

	(void)unused;
#pragma GCC unroll 12
	for (r = 0; r < FMA_REGISTERS; r++)
		sum[r] = _mm256_set1_ps(r);
	for (i = 0; i < FMA_TIMES; i++)
#pragma GCC unroll 12
		for (r = 0; r < FMA_REGISTERS; r++)
			sum[r] = _mm256_fmadd_ps(sum[r], a, b);
#pragma GCC unroll 12
	for (r = 1; r < FMA_REGISTERS; r++)
		sum[0] = _mm256_add_ps(sum[0], sum[r]);
	sink = _mm256_cvtss_f32(sum[0]);
}

__attribute__((target("avx2")))
void peers_read(void *arg)
{
	const struct range *range = arg;
	const __m256i *at = range->start, *end = at + range->bytes / sizeof(*at);
	__m256i sum[4] = {};
	int i;

	for (; at + 4 <= end; at += 4)
		for (i = 0; i < 4; i++)
			sum[i] = _mm256_xor_si256(sum[i], _mm256_load_si256(at + i));
	sum[0] = _mm256_xor_si256(_mm256_xor_si256(sum[0], sum[1]),
				  _mm256_xor_si256(sum[2], sum[3]));
	sink = _mm256_extract_epi32(sum[0], 0);
}
