/* Chains: runs of arithmetic of which each operator takes the result of the one before it. A tile of elements goes through all of them
   in registers of the machine; what is needed later or elsewhere is kept in memory of a tile's size, or given to its place.

   Laws.
   - Operators are those whose results IEEE 754 decides, the larger and smaller of two, if NumPy's loops choose between zeros of two
     signs as the machine does, and exp, if they compute it as _exponentials_of_floats.h and _exponentials.h do (chains.py and exponentials.py ask them). So chains
     have the bits of NumPy's loops but for the payload of a NaN, and the same errors, of which nobody knows which operator met them.
   - Where an error was met, or a NaN is given, NumPy's loops compute the block once more: a chain gives nothing to a place that it takes
     something from. Where that happens often there are no chains for a while. That the only exp of a chain underflows to 0, as it does
     for what a mask of large negative numbers hides, is noted instead. */

enum { VECTORS = 8, TILE = 512, KEPT = 16, REPEATED = 16, GATHERED = 8, STEPS = 128, PATIENCE = 2, LONG = 256 }; /* TILE: bytes */

enum {
    TAKE, ADD, SUBTRACT, SUBTRACT_FROM, MULTIPLY, DIVIDE, DIVIDE_INTO, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL, EQUAL, NOT_EQUAL,
    SQUARE, SQRT, NEGATIVE, ABSOLUTE, MAXIMUM, MAXIMUM_OF, MINIMUM, MINIMUM_OF, EXP, CHOOSE, KEEP, GIVE, OPERATORS,
    GATHER = OPERATORS, /* puts elements that lie apart next to one another, before the chain itself */
    OF_ONE = 32 /* is added to those from ADD to NOT_EQUAL where their operand is one element, which then is in a register, too */
};

enum { UNKNOWN = 1, UNDERFLOWS = 2 }; /* what tiles tell: something that NumPy's loops have to compute, or an exp that is 0 by underflow */

/* An operator of a chain over a block: where its operands are; `moves` is -1 where they go on from tile to tile, else 0. What is
   gathered goes from `at` to `second`, `second_moves` bytes from element to element. */
typedef struct {
    int operator;
    char *at, *second;
    Py_ssize_t moves, second_moves, row, second_row;
} Step;

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#include "_exponentials.h"
#define WHOLE_LINES __attribute__((aligned(64)))

static const int64_t lanes_of_longs[] = {-1, -1, -1, -1, 0, 0, 0, 0};
static const int32_t lanes_of_ints[] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

/* Vectors of 32 bytes. */
#define TILES __attribute__((target("avx2")))
#define LANES __m256i
#define WHERE VECTOR
#define NOWHERE OF(setzero)()
#define EITHER(one, other) OF(or)(one, other)
#define ONE_WITHOUT(one, other) OF(andnot)(other, one)
#define ANYWHERE(where) (OF(movemask)(where) != 0)
#define COMPARED(one, other, how) OF(cmp)(one, other, how)
#define TRUTHS COMPARED
#define ZERO_WHERE(where, value) OF(andnot)(where, value)
#define CHOSEN(truths, one, other) OF(blendv)(other, one, truths)
#define LOAD_SOME(from, lanes) OF(blendv)(OF(set1)(*(from)), OF(maskload)(from, lanes), OF_LANES(lanes))
#define STORE_SOME(to, lanes, what) OF(maskstore)(to, lanes, what)

#define ELEMENT double
#define VECTOR __m256d
#define OF(name) _mm256_##name##_pd
#define OF_LANES _mm256_castsi256_pd
#define FIRST(count) _mm256_loadu_si256((const __m256i *)(lanes_of_longs + 4 - (count)))
#define NAME(name) name##_of_4_doubles
#define EXPONENTIALS exponentials_of_doubles
#define BACKWARDS(found) _mm256_permute4x64_pd(found, 0x1b)
#define EVERY_SECOND(one, other) _mm256_permute4x64_pd(_mm256_shuffle_pd(one, other, 0xa), 0xd8)
#include "_tiles.h"
#undef EXPONENTIALS
#undef BACKWARDS
#undef EVERY_SECOND
#include "_tiles_end.h"

#undef FIRST
#define ELEMENT float
#define VECTOR __m256
#define OF(name) _mm256_##name##_ps
#define OF_LANES _mm256_castsi256_ps
#define FIRST(count) _mm256_loadu_si256((const __m256i *)(lanes_of_ints + 8 - (count)))
#define NAME(name) name##_of_8_floats
#define EXPONENTIALS exponentials_of_8_floats
#define FUSED __attribute__((target("avx2,fma")))
#define BITS __m256i
#define INTS(name) _mm256_##name##_epi32
#define BACKWARDS(found) _mm256_permutevar8x32_ps(found, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0))
#define EVERY_SECOND(one, other) \
    _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(_mm256_shuffle_ps(one, other, 0xd8)), 0xd8))
#include "_exponentials_of_floats.h"
#include "_tiles.h"
#undef EXPONENTIALS
#undef FUSED
#undef BITS
#undef INTS
#undef BACKWARDS
#undef EVERY_SECOND
#include "_tiles_end.h"

#undef TILES
#undef LANES
#undef WHERE
#undef NOWHERE
#undef EITHER
#undef ONE_WITHOUT
#undef ANYWHERE
#undef COMPARED
#undef TRUTHS
#undef ZERO_WHERE
#undef CHOSEN
#undef LOAD_SOME
#undef STORE_SOME
#undef FIRST

/* Vectors of 64 bytes. */
#define TILES __attribute__((target("avx512f,avx512dq")))
#define LANES unsigned
#define WHERE unsigned
#define NOWHERE 0
#define EITHER(one, other) ((one) | (other))
#define ONE_WITHOUT(one, other) ((one) & ~(other))
#define ANYWHERE(where) ((where) != 0)
#define COMPARED(one, other, how) (unsigned)OF_MASK(cmp, one, other, how)
#define TRUTHS(one, other, how) TO_VECTOR(COMPARED(one, other, how))
#define ZERO_WHERE(where, value) OF(maskz_mov)(~(where), value)
#define CHOSEN(truths, one, other) OF(mask_blend)(TO_MASK(truths), other, one)
#define FIRST(count) ((1u << (count)) - 1)

#define ELEMENT double
#define VECTOR __m512d
#define OF(name) _mm512_##name##_pd
#define OF_MASK(name, ...) _mm512_##name##_pd_mask(__VA_ARGS__)
#define TO_VECTOR(mask) _mm512_castsi512_pd(_mm512_movm_epi64(mask))
#define TO_MASK(vector) _mm512_movepi64_mask(_mm512_castpd_si512(vector))
#define LOAD_SOME(from, lanes) _mm512_mask_loadu_pd(_mm512_set1_pd(*(from)), (__mmask8)(lanes), from)
#define STORE_SOME(to, lanes, what) _mm512_mask_storeu_pd(to, (__mmask8)(lanes), what)
#define NAME(name) name##_of_8_doubles
#define BACKWARDS(found) _mm512_permutexvar_pd(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), found)
#define EVERY_SECOND(one, other) _mm512_permutex2var_pd(one, _mm512_setr_epi64(0, 2, 4, 6, 9, 11, 13, 15), other)
#include "_tiles.h"
#undef BACKWARDS
#undef EVERY_SECOND
#undef LOAD_SOME
#undef STORE_SOME
#include "_tiles_end.h"

#define ELEMENT float
#define VECTOR __m512
#define OF(name) _mm512_##name##_ps
#define OF_MASK(name, ...) _mm512_##name##_ps_mask(__VA_ARGS__)
#define TO_VECTOR(mask) _mm512_castsi512_ps(_mm512_movm_epi32(mask))
#define TO_MASK(vector) _mm512_movepi32_mask(_mm512_castps_si512(vector))
#define LOAD_SOME(from, lanes) _mm512_mask_loadu_ps(_mm512_set1_ps(*(from)), (__mmask16)(lanes), from)
#define STORE_SOME(to, lanes, what) _mm512_mask_storeu_ps(to, (__mmask16)(lanes), what)
#define NAME(name) name##_of_16_floats
#define BACKWARDS(found) _mm512_permutexvar_ps(_mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), found)
#define EVERY_SECOND(one, other) \
    _mm512_permutex2var_ps(one, _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31), other)
#define EXPONENTIALS exponentials_of_16_floats
#define FUSED TILES
#define BITS __m512i
#define INTS(name) _mm512_##name##_epi32
#include "_exponentials_of_floats.h"
#include "_tiles.h"

/* Whether this machine has the instructions. */
static int has_chains(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

/* The bytes of a vector. */
static int vector_size(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") ? 64 : 32;
}

#include "_probes.h"

static int met_errors(void)
{
    return (_mm_getcsr() & (_MM_EXCEPT_INVALID | _MM_EXCEPT_DIV_ZERO | _MM_EXCEPT_OVERFLOW | _MM_EXCEPT_UNDERFLOW)) != 0;
}

static int go_along(const Step *steps, const Step *end, Py_ssize_t count, int size)
{
    if (vector_size() == 64)
        return size == 8 ? row_of_8_doubles(steps, end, count) : row_of_16_floats(steps, end, count);
    return size == 8 ? row_of_4_doubles(steps, end, count) : row_of_8_floats(steps, end, count);
}
#else
#define WHOLE_LINES
static int has_exponentials(int Py_UNUSED(size))
{
    return 0;
}

static int agrees(const Loop *Py_UNUSED(loop), int Py_UNUSED(size))
{
    return 0;
}

static int has_chains(void)
{
    return 0;
}

static int vector_size(void)
{
    return 32;
}

static int met_errors(void)
{
    return 0;
}

static int go_along(const Step *Py_UNUSED(steps), const Step *Py_UNUSED(end), Py_ssize_t Py_UNUSED(count), int Py_UNUSED(size))
{
    return 0;
}
#endif

/* Memory of a tile's size for what is kept, for what is repeated, and for what is gathered by steps before those of the chain. */
typedef struct {
    WHOLE_LINES char kept[KEPT][TILE];
    WHOLE_LINES char repeated[REPEATED][TILE];
    WHOLE_LINES char gathered[GATHERED][TILE];
    int apart[GATHERED], gathers; /* the places of values that are gathered */
    Step *first;
    int places[REPEATED], used;
    const char *from[REPEATED]; /* the element that is repeated in this row, */
    Py_ssize_t rows[REPEATED];  /* and the bytes to that of the next */
} Tiles;

static void repeat(char *tile, const char *element, int size, Py_ssize_t bytes)
{
    uint64_t once = 0;
    memcpy(&once, element, size == 8 ? 8 : 4);
    if (size != 8)
        once |= once << 32;
    for (Py_ssize_t place = 0; place < bytes; place += 8)
        memcpy(tile + place, &once, 8);
}

/* The memory that a value is gathered in, NULL where there is none left. */
static char *gathered(Tiles *tiles, int place, const Value *value)
{
    int number = 0;
    while (number < tiles->gathers && tiles->apart[number] != place)
        number++;
    if (number == GATHERED)
        return NULL;
    if (number == tiles->gathers) {
        tiles->apart[tiles->gathers++] = place;
        *--tiles->first = (Step){GATHER, value->at, tiles->gathered[number], 0, value->inner, value->row, 0};
    }
    return tiles->gathered[number];
}

/* Finds what a step takes or gives, or where it is gathered; false where nothing can be. */
static int find(const Call *call, Tiles *tiles, const Chain *chain, int place, char **at, Py_ssize_t *moves, Py_ssize_t *row)
{
    *moves = *row = 0;
    if (place < 0) {
        *at = tiles->kept[-1 - place];
        return 1;
    }
    const Value *value = &call->values[place];
    if (value->inner == chain->size) {
        *at = value->at;
        *moves = -1;
        *row = value->row;
        return 1;
    }
    if (value->inner)
        return (*at = gathered(tiles, place, value)) != NULL;
    int number = 0;
    while (number < tiles->used && tiles->places[number] != place)
        number++;
    if (number == REPEATED)
        return 0;
    *at = tiles->repeated[number];
    if (number == tiles->used) {
        tiles->places[tiles->used++] = place;
        tiles->from[number] = value->at;
        tiles->rows[number] = value->row;
        repeat(*at, value->at, chain->size, TILE);
    }
    return 1;
}

/* Computes a chain over a block; false where NumPy's loops are to do so. */
static int run_chain(const Chain *chain, Call *call, Py_ssize_t rows, Py_ssize_t width)
{
    Step steps[GATHERED + STEPS], *end = steps + GATHERED;
    Tiles tiles;
    tiles.used = tiles.gathers = 0;
    tiles.first = end;
    int even = 1;
    for (int number = 0; number < chain->count; number++, end++) {
        const int *each = chain->steps[number];
        end->operator = each[0];
        end->second = tiles.kept[0];
        end->second_moves = end->second_row = 0;
        if (!find(call, &tiles, chain, each[1], &end->at, &end->moves, &end->row) || (each[0] == GIVE && !end->moves))
            return 0;
        if (each[0] == CHOOSE && !find(call, &tiles, chain, each[2], &end->second, &end->second_moves, &end->second_row))
            return 0;
        if (each[0] >= ADD && each[0] <= NOT_EQUAL && each[1] >= 0 && !call->values[each[1]].inner)
            end->operator += OF_ONE;
        even &= !end->moves || end->row == width * chain->size;
        even &= !end->second_moves || end->second_row == width * chain->size;
    }
    for (int number = 0; number < tiles.used; number++)
        even &= !tiles.rows[number];
    for (const Step *step = tiles.first; step < steps + GATHERED; step++)
        even &= step->row == width * step->second_moves;
    int told = 0;
    if (even || rows == 1)
        told = go_along(tiles.first, end, rows * width, chain->size);
    else {
        const Py_ssize_t bytes = (width * chain->size + UNIT - 1) / UNIT * UNIT;
        for (Py_ssize_t row = 0; row < rows && !(told & UNKNOWN); row++) {
            for (int number = 0; row && number < tiles.used; number++)
                if (tiles.rows[number])
                    repeat(tiles.repeated[number], tiles.from[number] + row * tiles.rows[number], chain->size, bytes < TILE ? bytes : TILE);
            told |= go_along(tiles.first, end, width, chain->size);
            for (Step *step = tiles.first; step < end; step++) {
                step->at += step->row;
                step->second += step->second_row;
            }
        }
    }
    if (!(told & UNKNOWN) && !met_errors() && (!told || chain->exponential >= 0)) {
        if (told)
            note(call, chain->exponential, FE_UNDERFLOW);
        return 1;
    }
    feclearexcept(ERRORS);
    if (++call->stopped >= PATIENCE)
        call->chained = 0;
    return 0;
}
