/* Whether chains compute exp as NumPy's loops do: both are asked for many numbers. */

/* Whether this machine has what the exponentials of floats of this size are those of NumPy with. */
static int has_exponentials(int size)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && (size == 4 || !__builtin_cpu_supports("avx512f"));
}

enum { PROBES = 1 << 14, APART = 3, AWAY = 5 };

/* Numbers of all sizes that are known: most up to the ends, some near 0. */
static void fill_with_probes(char *given, int size)
{
    const double most = size == 8 ? 998 : 170;
    uint32_t state = 1;
    for (int place = 0; place < PROBES; place++) {
        state = state * UINT32_C(1664525) + UINT32_C(1013904223);
        const double part = (double)state * 0x1p-32 - 0.5, number = part * (place % 4 ? most : place % 8 ? 4 : 0x1p-10);
        const float single = (float)number;
        memcpy(given + place * size, size == 8 ? (const void *)&number : (const void *)&single, (size_t)size);
    }
    memset(given, 0, (size_t)size);
}

TILES static int exponentials_of_wide_vector(char *at)
{
    __m512 floats = _mm512_loadu_ps((const float *)at);
    const int told = exponentials_of_16_floats(&floats, 1);
    _mm512_storeu_ps((float *)at, floats);
    return told;
}

__attribute__((target("avx2,fma"))) static int exponentials_of_vector(char *at, int size)
{
    __m256d doubles = _mm256_loadu_pd((const double *)at);
    __m256 floats = _mm256_castpd_ps(doubles);
    const int told = size == 8 ? exponentials_of_doubles(&doubles, 1) : exponentials_of_8_floats(&floats, 1);
    _mm256_storeu_pd((double *)at, size == 8 ? doubles : _mm256_castps_pd(floats));
    return told;
}

/* Whether a loop gives 0 for numbers far below 0, and raises the flag of underflow alone where one of them is finite. */
static int vanishes(const Loop *loop, int size)
{
    static const double far[] = {-105.125, -106, -300, -800.5, -1000, -1024, -1e5, -1e9, -3e38, -1e300, -1e308, -__builtin_inf()};
    int same = 1;
    for (int place = 0; place < (int)(sizeof(far) / sizeof(far[0])); place++)
        for (Py_ssize_t count = 1, least = size == 8 ? 3 : 0; place >= least && count <= 9; count += 4) {
            double given[9] = {0}, found[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
            const float single = far[place] < -3.4e38 ? -__builtin_inff() : (float)far[place];
            memcpy((char *)given + (count - 1) * size, size == 8 ? (const void *)&far[place] : (const void *)&single, (size_t)size);
            feclearexcept(ERRORS);
            same &= !loop->loop(loop->context, (char *[]){(char *)given, (char *)found}, &count, (Py_ssize_t[]){size, size}, loop->auxiliary);
            const int finite = size == 8 ? far[place] > -__builtin_inf() : single > -__builtin_inff();
            same &= fetestexcept(ERRORS) == (finite ? FE_UNDERFLOW : 0);
            same &= !memcmp((char *)found + (count - 1) * size, (const double[]){0}, (size_t)size);
        }
    return same;
}

/* Whether a loop of NumPy's over floats of this size gives the same for these, next to one another and with gaps. */
static int agrees(const Loop *loop, int size)
{
    char *given = has_exponentials(size) ? malloc((size_t)(PROBES * (2 + APART + AWAY) * size)) : NULL;
    if (!given)
        return 0;
    char *plain = given + PROBES * size, *apart = plain + PROBES * size, *away = apart + PROBES * APART * size;
    fill_with_probes(given, size);
    feclearexcept(ERRORS);
    for (int place = 0; place < PROBES; place++)
        memcpy(apart + place * APART * size, given + place * size, (size_t)size);
    const Py_ssize_t count = PROBES;
    int same = !loop->loop(loop->context, (char *[]){given, plain}, &count, (const Py_ssize_t[]){size, size}, loop->auxiliary);
    same &= !loop->loop(loop->context, (char *[]){apart, away}, &count, (const Py_ssize_t[]){APART * size, AWAY * size}, loop->auxiliary);
    for (int place = 0; place < PROBES * size; place += vector_size())
        same &= !(vector_size() == 64 ? exponentials_of_wide_vector(given + place) : exponentials_of_vector(given + place, size));
    same &= !memcmp(given, plain, (size_t)(PROBES * size)) && !fetestexcept(ERRORS) && vanishes(loop, size);
    for (int place = 0; place < PROBES; place++)
        same &= !memcmp(plain + place * size, away + place * AWAY * size, (size_t)size);
    feclearexcept(ERRORS);
    free(given);
    return same;
}
