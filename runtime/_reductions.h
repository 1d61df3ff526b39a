/* Reductions over a row of floats, of a multiple of 64, to the bit as NumPy makes them.

   Laws.
   - A sum is NumPy's pairwise one: halves down to 128 elements, of which each eighth is added up by itself.
   - The largest and the smallest are found in any order: they say where a NaN stands in the row, or zeros of both signs are the result,
     for then that order counts.
   - Whether this NumPy adds up so is asked (rows.py). */

#if defined(__GNUC__)
#define VECTOR_OF(type) __attribute__((vector_size(32), aligned(sizeof(type)), may_alias)) type
#if defined(__x86_64__)
#define WIDER __attribute__((target("avx2")))
static int has_wider(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}
#endif

typedef VECTOR_OF(float) Floats;
typedef VECTOR_OF(double) Doubles;
typedef VECTOR_OF(int32_t) Ints;
typedef VECTOR_OF(int64_t) Longs;

#define REDUCTIONS(element, Vector, Truths, name)                                                                                          \
    enum { name##_lanes = 32 / sizeof(element), name##_parts = 8 / name##_lanes };                                                         \
    static inline __attribute__((always_inline)) void name##_leaves(const element *from, Py_ssize_t size, const int leaves, element *sums) \
    {                                                                                                                                      \
        Vector found[4][name##_parts];                                                                                                     \
        for (int leaf = 0; leaf < leaves; leaf++)                                                                                          \
            for (int part = 0; part < name##_parts; part++)                                                                                \
                found[leaf][part] = *(const Vector *)(from + leaf * size + part * name##_lanes);                                           \
        for (Py_ssize_t place = 8; place < size; place += 8)                                                                               \
            for (int leaf = 0; leaf < leaves; leaf++)                                                                                      \
                for (int part = 0; part < name##_parts; part++)                                                                            \
                    found[leaf][part] += *(const Vector *)(from + leaf * size + place + part * name##_lanes);                              \
        for (int leaf = 0; leaf < leaves; leaf++) {                                                                                        \
            element r[8];                                                                                                                  \
            for (int lane = 0; lane < 8; lane++)                                                                                           \
                r[lane] = found[leaf][lane / name##_lanes][lane % name##_lanes];                                                           \
            sums[leaf] = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));                                                \
        }                                                                                                                                  \
    }                                                                                                                                      \
    /* Of a multiple of 8; where a half has halves of one size, these four go side by side. */                                             \
    static inline __attribute__((always_inline)) element name##_part(const element *from, Py_ssize_t size)                                 \
    {                                                                                                                                      \
        element sums[4];                                                                                                                   \
        if (size > 256 && size % 32 == 0) {                                                                                                \
            name##_leaves(from, size / 4, 4, sums);                                                                                        \
            return (sums[0] + sums[1]) + (sums[2] + sums[3]);                                                                              \
        }                                                                                                                                  \
        if (size > 128 && size % 16 == 0) {                                                                                                \
            name##_leaves(from, size / 2, 2, sums);                                                                                        \
            return sums[0] + sums[1];                                                                                                      \
        }                                                                                                                                  \
        name##_leaves(from, size, 1, sums);                                                                                                \
        return sums[0];                                                                                                                    \
    }                                                                                                                                      \
    static inline __attribute__((always_inline)) int name##_extreme(const element *from, Py_ssize_t size, const int least, element *found) \
    {                                                                                                                                      \
        enum { LANES_OF = name##_lanes };                                                                                                  \
        Vector best[4];                                                                                                                    \
        Truths bad = {0};                                                                                                                  \
        for (int k = 0; k < 4; k++)                                                                                                        \
            best[k] = *(const Vector *)(from + LANES_OF * k);                                                                              \
        for (Py_ssize_t place = 0; place < size; place += 4 * LANES_OF)                                                                    \
            for (int k = 0; k < 4; k++) {                                                                                                  \
                const Vector other = *(const Vector *)(from + place + LANES_OF * k);                                                       \
                const Truths takes = least ? other < best[k] : other > best[k];                                                            \
                bad |= other != other;                                                                                                     \
                best[k] = (Vector)(((Truths)other & takes) | ((Truths)best[k] & ~takes));                                                  \
            }                                                                                                                              \
        element one = best[0][0];                                                                                                          \
        int none = 0;                                                                                                                      \
        for (int k = 0; k < 4; k++)                                                                                                        \
            for (int lane = 0; lane < LANES_OF; lane++) {                                                                                  \
                one = (least ? best[k][lane] < one : best[k][lane] > one) ? best[k][lane] : one;                                           \
                none |= bad[lane] != 0;                                                                                                    \
            }                                                                                                                              \
        *found = one;                                                                                                                      \
        return !none;                                                                                                                      \
    }
REDUCTIONS(float, Floats, Ints, float)
REDUCTIONS(double, Doubles, Longs, double)

#define HALVES(element, how, name)                                                                                                         \
    how static element name##_sum(const element *from, Py_ssize_t size, element (*part)(const element *, Py_ssize_t))                      \
    {                                                                                                                                      \
        if (size <= 512 && (size <= 128 || size % 16 == 0) && (size <= 256 || size % 32 == 0))                                             \
            return part(from, size);                                                                                                       \
        const Py_ssize_t half = size / 2 - size / 2 % 8;                                                                                   \
        return name##_sum(from, half, part) + name##_sum(from + half, size - half, part);                                                  \
    }
HALVES(float, , float)
HALVES(double, , double)

#define VERSIONS(element, how, of, name)                                                                                                   \
    how static element name##_part_##of(const element *from, Py_ssize_t size)                                                              \
    {                                                                                                                                      \
        return name##_part(from, size);                                                                                                    \
    }                                                                                                                                      \
    how static int name##_extreme_##of(const element *from, Py_ssize_t size, int least, element *found)                                    \
    {                                                                                                                                      \
        return least ? name##_extreme(from, size, 1, found) : name##_extreme(from, size, 0, found);                                        \
    }
VERSIONS(float, , plain, float)
VERSIONS(double, , plain, double)
#ifdef WIDER
VERSIONS(float, WIDER, wide, float)
VERSIONS(double, WIDER, wide, double)
#define VERSION(call) (has_wider() ? call##_wide : call##_plain)
#else
#define VERSION(call) call##_plain
#endif

/* Whether zeros of both signs are among the elements. */
#define TWO_ZEROS(element, name)                                                                                                           \
    static int name##_zeros(const element *from, Py_ssize_t size)                                                                          \
    {                                                                                                                                      \
        int plus = 0, minus = 0;                                                                                                           \
        for (Py_ssize_t place = 0; place < size; place++)                                                                                  \
            if (from[place] == 0) {                                                                                                        \
                plus |= !signbit(from[place]);                                                                                             \
                minus |= signbit(from[place]) != 0;                                                                                        \
            }                                                                                                                              \
        return plus && minus;                                                                                                              \
    }
TWO_ZEROS(float, float)
TWO_ZEROS(double, double)

enum { LARGEST = 1, SMALLEST, SUM, MEAN };

/* A reduction of a row, to one element; false where it is left to NumPy. Means are divided as NumPy does, in doubles. */
#define REDUCED(element, name)                                                                                                             \
    static int name##_reduced(int how, const element *from, Py_ssize_t size, element *to)                                                  \
    {                                                                                                                                      \
        if (how >= SUM) {                                                                                                                  \
            const element sum = name##_sum(from, size, VERSION(name##_part));                                                              \
            *to = how == SUM ? sum : (element)((double)sum / (double)size);                                                                \
            return *to == *to;                                                                                                             \
        }                                                                                                                                  \
        return VERSION(name##_extreme)(from, size, how == SMALLEST, to) && (*to != 0 || !name##_zeros(from, size));                        \
    }
REDUCED(float, float)
REDUCED(double, double)

static int has_reductions(void)
{
    return 1;
}
#else
enum { LARGEST = 1, SMALLEST, SUM, MEAN };

static int float_reduced(int Py_UNUSED(how), const float *Py_UNUSED(from), Py_ssize_t Py_UNUSED(size), float *Py_UNUSED(to))
{
    return 0;
}

static int double_reduced(int Py_UNUSED(how), const double *Py_UNUSED(from), Py_ssize_t Py_UNUSED(size), double *Py_UNUSED(to))
{
    return 0;
}

static int has_reductions(void)
{
    return 0;
}
#endif
