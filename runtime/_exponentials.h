/* exp of vectors of floats of 4 bytes, to the bit as NumPy's loop computes it where machines have AVX2 and FMA and no AVX-512: reduction
   by Cody and Waite to a multiple of log 2, and a quotient of two polynomials for the rest.

   Laws.
   - It says where it does not know: a result that overflows, or is not normal, and a NaN. Of what is left no result meets an error.
   - Whether this NumPy and this machine compute so is asked (`agrees`), of many numbers and of loops over gaps; chains have no exp where
     they do not. */

#if defined(__x86_64__) && defined(__GNUC__)
static int has_exponentials(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && !__builtin_cpu_supports("avx512f");
}

/* Replaces vectors by their exponentials; true where it does not know one. */
__attribute__((target("avx2,fma"))) static int exponentials(__m256 *values, const int vectors)
{
    const __m256 shift = _mm256_set1_ps(0x1.8p23f);
    __m256 unknown = _mm256_setzero_ps();
    for (int k = 0; k < vectors; k++) {
        __m256 x = values[k];
        const __m256 nothing = _mm256_cmp_ps(x, _mm256_set1_ps(-__builtin_inff()), _CMP_EQ_OQ);
        const __m256 outside = _mm256_or_ps(
            _mm256_cmp_ps(x, _mm256_set1_ps(88.0f), _CMP_NLE_UQ), _mm256_cmp_ps(x, _mm256_set1_ps(-86.0f), _CMP_NGE_UQ));
        unknown = _mm256_or_ps(unknown, _mm256_andnot_ps(nothing, outside));
        x = _mm256_andnot_ps(nothing, x);
        __m256 power = _mm256_mul_ps(x, _mm256_set1_ps(0x1.715476p+0f)); /* 1 / log 2 */
        __asm__("" : "+x"(power));                                        /* rounded before the sum: no compiler makes both one */
        power = _mm256_sub_ps(_mm256_add_ps(power, shift), shift);
        x = _mm256_fmadd_ps(power, _mm256_set1_ps(-6.93145752e-1f), x); /* log 2, in two parts */
        x = _mm256_fmadd_ps(power, _mm256_set1_ps(-1.42860677e-6f), x);
        __m256 above = _mm256_fmadd_ps(_mm256_set1_ps(5.082762527590693718096e-04f), x, _mm256_set1_ps(6.757896990527504603057e-03f));
        above = _mm256_fmadd_ps(above, x, _mm256_set1_ps(5.114512081637298353406e-02f));
        above = _mm256_fmadd_ps(above, x, _mm256_set1_ps(2.473615434895520810817e-01f));
        above = _mm256_fmadd_ps(above, x, _mm256_set1_ps(7.257664613233124478488e-01f));
        above = _mm256_fmadd_ps(above, x, _mm256_set1_ps(9.999999999980870924916e-01f));
        __m256 below = _mm256_fmadd_ps(_mm256_set1_ps(2.159509375685829852307e-02f), x, _mm256_set1_ps(-2.742335390411667452936e-01f));
        below = _mm256_fmadd_ps(below, x, _mm256_set1_ps(1.0f));
        const __m256i found = _mm256_castps_si256(_mm256_div_ps(above, below));
        const __m256i exponent = _mm256_slli_epi32(_mm256_cvtps_epi32(power), 23);
        values[k] = _mm256_andnot_ps(nothing, _mm256_castsi256_ps(_mm256_add_epi32(found, exponent)));
    }
    return _mm256_movemask_ps(unknown) != 0;
}

enum { PROBES = 1 << 15, APART = 3, AWAY = 5 };

/* Whether a loop of NumPy's gives the same for numbers of all sizes that are known, next to one another and with gaps. */
__attribute__((target("avx2,fma"))) static int agrees(const Loop *loop)
{
    float *memory = has_exponentials() ? malloc(PROBES * (2 + APART + AWAY) * sizeof(float)) : NULL;
    if (!memory)
        return 0;
    float *plain = memory + PROBES, *apart = plain + PROBES, *away = apart + PROBES * APART;
    uint32_t state = 1;
    for (int place = 0; place < PROBES; place++) {
        state = state * UINT32_C(1664525) + UINT32_C(1013904223);
        const float part = (float)(state >> 8) * 0x1p-24f;
        memory[place] = place % 4 ? part * 170 - 85 : place % 8 ? (part - 0.5f) * 4 : (part - 0.5f) * 0x1p-10f;
        apart[place * APART] = memory[place];
    }
    memory[PROBES / 2] = -__builtin_inff();
    apart[PROBES / 2 * APART] = memory[PROBES / 2];
    const Py_ssize_t count = PROBES, size = sizeof(float);
    char *near[] = {(char *)memory, (char *)plain}, *far[] = {(char *)apart, (char *)away};
    int same = !loop->loop(loop->context, near, &count, (const Py_ssize_t[]){size, size}, loop->auxiliary);
    same &= !loop->loop(loop->context, far, &count, (const Py_ssize_t[]){APART * size, AWAY * size}, loop->auxiliary);
    for (int place = 0; same && place < PROBES; place += 8) {
        __m256 found = _mm256_loadu_ps(memory + place);
        same = !exponentials(&found, 1);
        _mm256_storeu_ps(memory + place, found);
        for (int each = place; each < place + 8; each++)
            same &= !memcmp(memory + each, plain + each, sizeof(float)) && !memcmp(memory + each, away + each * AWAY, sizeof(float));
    }
    free(memory);
    return same;
}
#else
static int has_exponentials(void)
{
    return 0;
}

static int agrees(const Loop *Py_UNUSED(loop))
{
    return 0;
}
#endif
