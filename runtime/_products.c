/* Products of matrices by instructions that NumPy's BLAS may not use: vectors of 64 bytes.

   Two names are offered to Python (npexport.runtime.kernels.products):

       SUPPORTED                 whether this machine has the instructions
       multiply(x, y, out, size) out[...] = x @ y, of elements of so many bytes; the floating-point errors met, one bit for each kind.
                                 None where it declines: it has written nothing then

   The results are sums in another order than BLAS has, of products that are not rounded.

   Laws.
   - All three are arrays of floats of one size, aligned, of two axes or more; `out` has the whole shape, x and y may be repeated along
     the axes before the last two. The elements of a row of `out` are next to one another, and it shares no memory with x and y.
   - What is left of x and y in panels of full size are zeros, with which infinities meet errors too: who called asks NumPy then. */

#include "_extension.h"

#include <fenv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNED = 0x100, WRITEABLE = 0x400 };
enum { AXES = 8, LINE = 64 };
enum { HIGH = 12, DEEP = 256, ROWS = 20 * HIGH, PANELS = 4 }; /* rows of a tile; terms, rows of x and panels of y that are packed at a time */
enum { RELEASES = 1 << 18 };                     /* multiplications for which other threads may run */

/* A matrix: where it lies, and the bytes from row to row and from element to element. */
typedef struct {
    char *at;
    Py_ssize_t row, step;
} Matrix;

typedef struct {
    Matrix x, y, out;
    Py_ssize_t rows, terms, columns;
} Product;

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define VECTORS __attribute__((target("avx512f,avx512dq")))
#define WITHIN VECTORS static inline __attribute__((always_inline))

/* Four rows of four elements, which lie `row` bytes apart, as columns that lie `width` elements apart. */
WITHIN void turned_float(const char *from, Py_ssize_t row, float *to, Py_ssize_t width)
{
    __m128 one = _mm_loadu_ps((const float *)from), two = _mm_loadu_ps((const float *)(from + row));
    __m128 three = _mm_loadu_ps((const float *)(from + 2 * row)), four = _mm_loadu_ps((const float *)(from + 3 * row));
    _MM_TRANSPOSE4_PS(one, two, three, four);
    _mm_storeu_ps(to, one);
    _mm_storeu_ps(to + width, two);
    _mm_storeu_ps(to + 2 * width, three);
    _mm_storeu_ps(to + 3 * width, four);
}

WITHIN void turned_double(const char *from, Py_ssize_t row, double *to, Py_ssize_t width)
{
    for (int half = 0; half < 4; half += 2, from += 16, to += 2 * width) {
        __m128d one = _mm_loadu_pd((const double *)from), two = _mm_loadu_pd((const double *)(from + row));
        __m128d three = _mm_loadu_pd((const double *)(from + 2 * row)), four = _mm_loadu_pd((const double *)(from + 3 * row));
        _mm_storeu_pd(to, _mm_unpacklo_pd(one, two));
        _mm_storeu_pd(to + 2, _mm_unpacklo_pd(three, four));
        _mm_storeu_pd(to + width, _mm_unpackhi_pd(one, two));
        _mm_storeu_pd(to + width + 2, _mm_unpackhi_pd(three, four));
    }
}

/* For each size of floats: ELEMENT, VECTOR of LANES, the instructions of this SUFFIX, and their MASK of lanes.

   turned_lines     `terms` elements of each of some lines, term by term; zeros for lines that are missing of `width`
   packed_columns   panels of y as wide as two vectors, term by term
   tile             `high` rows of results of a panel, added to what is there unless they are the first
   strip            all rows of results of a panel
   product          all of it: terms by DEEP, rows by ROWS, one panel after the other */
#define PRODUCTS(ELEMENT, VECTOR, LANES, SUFFIX, MASK)                                                                                             \
    WITHIN void turned_lines_##ELEMENT(const char *from, Py_ssize_t line, Py_ssize_t step, Py_ssize_t lines, Py_ssize_t terms, ELEMENT *to,        \
        Py_ssize_t width)                                                                                                                          \
    {                                                                                                                                              \
        Py_ssize_t number = 0;                                                                                                                     \
        for (; step == sizeof(ELEMENT) && number + 4 <= lines; number += 4) {                                                                      \
            const char *four = from + number * line;                                                                                               \
            Py_ssize_t term = 0;                                                                                                                   \
            for (; term + 4 <= terms; term += 4)                                                                                                   \
                turned_##ELEMENT(four + term * step, line, to + term * width + number, width);                                                     \
            for (; term < terms; term++)                                                                                                           \
                for (int each = 0; each < 4; each++)                                                                                               \
                    to[term * width + number + each] = *(const ELEMENT *)(four + each * line + term * step);                                       \
        }                                                                                                                                          \
        for (; number < lines; number++)                                                                                                           \
            for (Py_ssize_t term = 0; term < terms; term++)                                                                                        \
                to[term * width + number] = *(const ELEMENT *)(from + number * line + term * step);                                                \
        for (; number < width; number++)                                                                                                           \
            for (Py_ssize_t term = 0; term < terms; term++)                                                                                        \
                to[term * width + number] = 0;                                                                                                     \
    }                                                                                                                                              \
    WITHIN void packed_columns_##ELEMENT(const char *from, const Product *all, Py_ssize_t columns, Py_ssize_t terms, ELEMENT *to)                  \
    {                                                                                                                                              \
        enum { WIDE = 2 * LANES };                                                                                                                 \
        Py_ssize_t row = all->y.row, step = all->y.step, whole = step == sizeof(ELEMENT) ? columns / WIDE : 0;                                     \
        for (Py_ssize_t term = 0; whole && term < terms; term++)                                                                                   \
            for (Py_ssize_t each = 0; each < 2 * whole; each++)                                                                                    \
                _mm512_store_##SUFFIX(to + each / 2 * DEEP * WIDE + term * WIDE + each % 2 * LANES,                                                \
                    _mm512_loadu_##SUFFIX((const ELEMENT *)(from + term * row) + each * LANES));                                                   \
        for (Py_ssize_t column = whole * WIDE; column < columns; column += WIDE) {                                                                 \
            Py_ssize_t left = columns - column < WIDE ? columns - column : WIDE;                                                                   \
            turned_lines_##ELEMENT(from + column * step, step, row, left, terms, to + column * DEEP, WIDE);                                        \
        }                                                                                                                                          \
    }                                                                                                                                              \
    WITHIN void tile_##ELEMENT(const ELEMENT *x, const ELEMENT *y, Py_ssize_t terms, const Matrix *out, Py_ssize_t rows,                           \
        Py_ssize_t columns, int first, const int high)                                                                                             \
    {                                                                                                                                              \
        VECTOR sums[HIGH][2];                                                                                                                      \
        _Pragma("GCC unroll 12") for (int row = 0; row < high; row++)                                                                              \
            sums[row][0] = sums[row][1] = _mm512_setzero_##SUFFIX();                                                                               \
        for (; terms > 0; terms--, x += HIGH, y += 2 * LANES) {                                                                                    \
            const VECTOR one = _mm512_load_##SUFFIX(y), other = _mm512_load_##SUFFIX(y + LANES);                                                   \
            _Pragma("GCC unroll 12") for (int row = 0; row < high; row++)                                                                          \
            {                                                                                                                                      \
                const VECTOR each = _mm512_set1_##SUFFIX(x[row]);                                                                                  \
                sums[row][0] = _mm512_fmadd_##SUFFIX(each, one, sums[row][0]);                                                                     \
                sums[row][1] = _mm512_fmadd_##SUFFIX(each, other, sums[row][1]);                                                                   \
            }                                                                                                                                      \
        }                                                                                                                                          \
        const MASK left = (MASK)(columns >= LANES ? -1 : (1 << columns) - 1);                                                                      \
        const MASK right = (MASK)(columns >= 2 * LANES ? -1 : columns <= LANES ? 0 : (1 << (columns - LANES)) - 1);                                \
        _Pragma("GCC unroll 12") for (int row = 0; row < high; row++)                                                                              \
        {                                                                                                                                          \
            ELEMENT *to = (ELEMENT *)(out->at + row * out->row);                                                                                   \
            if (row >= rows)                                                                                                                       \
                break;                                                                                                                             \
            if (!first) {                                                                                                                          \
                sums[row][0] = _mm512_add_##SUFFIX(sums[row][0], _mm512_maskz_loadu_##SUFFIX(left, to));                                           \
                sums[row][1] = _mm512_add_##SUFFIX(sums[row][1], _mm512_maskz_loadu_##SUFFIX(right, to + LANES));                                  \
            }                                                                                                                                      \
            _mm512_mask_storeu_##SUFFIX(to, left, sums[row][0]);                                                                                   \
            _mm512_mask_storeu_##SUFFIX(to + LANES, right, sums[row][1]);                                                                          \
        }                                                                                                                                          \
    }                                                                                                                                              \
    WITHIN void strip_##ELEMENT(const ELEMENT *x, const ELEMENT *y, Py_ssize_t terms, Matrix out, Py_ssize_t rows, Py_ssize_t columns, int first)  \
    {                                                                                                                                              \
        for (; rows > 0; rows -= HIGH, x += HIGH * DEEP, out.at += HIGH * out.row)                                                                 \
            if (rows > 8)                                                                                                                          \
                tile_##ELEMENT(x, y, terms, &out, rows, columns, first, HIGH);                                                                     \
            else if (rows > 4)                                                                                                                     \
                tile_##ELEMENT(x, y, terms, &out, rows, columns, first, 8);                                                                        \
            else                                                                                                                                   \
                tile_##ELEMENT(x, y, terms, &out, rows, columns, first, 4);                                                                        \
    }                                                                                                                                              \
    VECTORS static void product_##ELEMENT(const Product *all, char *room)                                                                          \
    {                                                                                                                                              \
        enum { WIDE = 2 * LANES, SIZE = sizeof(ELEMENT) };                                                                                         \
        ELEMENT *panels = (ELEMENT *)room, *packed = panels + PANELS * WIDE * DEEP;                                                                \
        for (Py_ssize_t term = 0; term < all->terms; term += DEEP) {                                                                               \
            Py_ssize_t terms = all->terms - term < DEEP ? all->terms - term : DEEP;                                                                \
            for (Py_ssize_t row = 0; row < all->rows; row += ROWS) {                                                                               \
                Py_ssize_t rows = all->rows - row < ROWS ? all->rows - row : ROWS;                                                                 \
                const char *x = all->x.at + row * all->x.row + term * all->x.step;                                                                 \
                for (Py_ssize_t each = 0; each < rows; each += HIGH)                                                                               \
                    turned_lines_##ELEMENT(x + each * all->x.row, all->x.row, all->x.step, rows - each < HIGH ? rows - each : HIGH, terms,         \
                        packed + each * DEEP, HIGH);                                                                                               \
                for (Py_ssize_t column = 0; column < all->columns; column += WIDE) {                                                               \
                    Py_ssize_t columns = all->columns - column, panel = column / WIDE % PANELS;                                                    \
                    const char *y = all->y.at + term * all->y.row + column * all->y.step;                                                          \
                    if (!panel)                                                                                                                    \
                        packed_columns_##ELEMENT(y, all, columns < PANELS * WIDE ? columns : PANELS * WIDE, terms, panels);                        \
                    Matrix out = {all->out.at + row * all->out.row + column * SIZE, all->out.row, SIZE};                                           \
                    strip_##ELEMENT(packed, panels + panel * WIDE * DEEP, terms, out, rows, columns, !term);                                       \
                }                                                                                                                                  \
            }                                                                                                                                      \
        }                                                                                                                                          \
    }

PRODUCTS(float, __m512, 16, ps, __mmask16)
PRODUCTS(double, __m512d, 8, pd, __mmask8)

static int is_supported(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}

static void compute(const Product *all, int size, char *room)
{
    if (size == 8)
        product_double(all, room);
    else
        product_float(all, room);
}
#else
static int is_supported(void)
{
    return 0;
}

static void compute(const Product *Py_UNUSED(all), int Py_UNUSED(size), char *Py_UNUSED(room))
{
}
#endif

/* The bytes from one matrix of a stack to the next, 0 where one is repeated; false where it is not of that stack. */
static int along(const Array *array, const Array *out, Py_ssize_t *strides)
{
    int missing = out->nd - array->nd;
    if (missing < 0 || array->nd < 2)
        return 0;
    for (int axis = 0; axis < out->nd - 2; axis++) {
        Py_ssize_t size = axis < missing ? 1 : array->dimensions[axis - missing];
        if (size != 1 && size != out->dimensions[axis])
            return 0;
        strides[axis] = size == 1 ? 0 : array->strides[axis - missing];
    }
    return 1;
}

static Matrix last_of(const Array *array)
{
    return (Matrix){array->data, array->strides[array->nd - 2], array->strides[array->nd - 1]};
}

/* The errors that were met, as NumPy numbers them. */
static long met(void)
{
    int flags = fetestexcept(FE_ALL_EXCEPT);
    feclearexcept(FE_ALL_EXCEPT);
    return (flags & FE_DIVBYZERO ? 1 : 0) | (flags & FE_OVERFLOW ? 2 : 0) | (flags & FE_UNDERFLOW ? 4 : 0) | (flags & FE_INVALID ? 8 : 0);
}

/* All products of a stack; the errors met. */
static long work(Product *all, const Array *out, Py_ssize_t (*strides)[AXES], int size, char *room)
{
    Py_ssize_t count = 1;
    for (int axis = 0; axis < out->nd - 2; axis++)
        count *= out->dimensions[axis];
    Product first = *all;
    feclearexcept(FE_ALL_EXCEPT);
    for (Py_ssize_t number = 0; number < count; number++) {
        Py_ssize_t rest = number;
        *all = first;
        for (int axis = out->nd - 3; axis >= 0; axis--) {
            Py_ssize_t place = rest % out->dimensions[axis];
            rest /= out->dimensions[axis];
            all->x.at += place * strides[0][axis];
            all->y.at += place * strides[1][axis];
            all->out.at += place * strides[2][axis];
        }
        compute(all, size, room);
    }
    return met();
}

static PyObject *multiply(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count)
{
    const Array *x, *y, *out;
    long size;
    if (count != 4 || ((size = PyLong_AsLong(args[3])) != 4 && size != 8)) {
        PyErr_SetString(PyExc_TypeError, "multiply(x, y, out, size) takes three arrays of floats of 4 or 8 bytes");
        return NULL;
    }
    x = (const Array *)args[0], y = (const Array *)args[1], out = (const Array *)args[2];
    Py_ssize_t strides[3][AXES];
    if (!is_supported() || out->nd > AXES || !along(x, out, strides[0]) || !along(y, out, strides[1]) || !along(out, out, strides[2]))
        Py_RETURN_NONE;
    Product all = {.x = last_of(x), .y = last_of(y), .out = last_of(out)};
    all.rows = out->dimensions[out->nd - 2];
    all.columns = out->dimensions[out->nd - 1];
    all.terms = x->dimensions[x->nd - 1];
    int fits = x->dimensions[x->nd - 2] == all.rows && y->dimensions[y->nd - 1] == all.columns && y->dimensions[y->nd - 2] == all.terms;
    fits &= all.rows > 1 && all.columns * size > LINE; /* a vector and less costs as much as two */
    fits &= (x->flags & y->flags & out->flags & ALIGNED) && (out->flags & WRITEABLE) && all.out.step == size && all.terms > 0;
    if (!fits)
        Py_RETURN_NONE;
    Py_ssize_t packed = (all.rows < ROWS ? all.rows + HIGH : ROWS) * DEEP * size;
    char *memory = malloc((size_t)(PANELS * DEEP * 2 * LINE + packed + LINE));
    if (!memory)
        Py_RETURN_NONE;
    char *room = memory + (LINE - (uintptr_t)memory % LINE) % LINE;
    PyThreadState *state = all.rows * all.columns * all.terms >= RELEASES ? PyEval_SaveThread() : NULL;
    long errors = work(&all, out, strides, (int)size, room);
    if (state)
        PyEval_RestoreThread(state);
    free(memory);
    return PyLong_FromLong(errors);
}

static PyMethodDef methods[] = {
    {"multiply", (PyCFunction)(void (*)(void))multiply, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_products", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__products(void)
{
    PyObject *made = module_of(&module);
    if (made && PyModule_AddIntConstant(made, "SUPPORTED", is_supported()))
        Py_CLEAR(made);
    return made;
}
