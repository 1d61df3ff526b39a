/* Element-wise operators of NumPy, a whole run of them in one call.

   Two names are offered to Python (npexport.runtime.expressions):

       Expression(api, …)                   what is to be computed
       run(expression, *operands, *outs)    the results, as a tuple; None where it declines

   The loops are NumPy's own, as its ufuncs give them out: each is called over one block of the elements after the other, its
   results lie in memory that all blocks share, and only what leaves the run gets an array.

   Laws.
   - Where it declines the operators are called one by one: nothing has been written then.
   - Flags of floating-point errors are read after each operator. Where there are any, `tell` of the expression is asked: it warns
     as the operators would, or makes the run decline.
   - Operands that are contiguous are cut at multiples of UNIT elements: each loop treats each element by the same instructions
     as in one call over all. Others are gone through by rows. Only expressions of `exact` operators are, whose numbers do not
     depend on that but for the payload of a NaN: such a run declines where one comes out.
   - Operands lie in C order, gaps and repetitions allowed, so that new results do.
   - An array of `outs` is written when all is computed, where that is one block, and else block by block, where `passes` says that
     no error can stop the run, and it is no part of an operand, or both are the same contiguous elements.
   - No loop of an expression raises.
   - Nothing is kept from one call to the next but memory for one run, of ARENA bytes at most. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <fenv.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "_try_lock.h"

enum { UNIT = 64, AXES = 8, ARGUMENTS = 5, LOCAL = 32, SMALL = 4096, PAD = 192 };
enum { ARENA = 1 << 18, RELEASES = 1 << 14 };
enum { COPY = 4, ROWS = 256 };   /* operators that pay where results are copied, of so many elements */
enum { WHOLE = 4096 };           /* elements up to which what `outs` take is one block */
enum { SHORT = 16, MANY = 1024 }; /* elements of rows that cost as much as calls, where there are so many in all */
enum { ARRAY_TYPE = 2, SCALAR_AS_CTYPE = 62, NEW_FROM_DESCR = 94 }; /* places in the table of NumPy's C interface */
enum { C_CONTIGUOUS = 0x1, ALIGNED = 0x100, WRITEABLE = 0x400 };
enum { ERRORS = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID };
static const int kinds_of_errors[] = {FE_DIVBYZERO, FE_OVERFLOW, FE_UNDERFLOW, FE_INVALID}; /* in the order in which NumPy tells */

/* As NumPy's C interface lays out arrays since 1.7. */
typedef struct {
    PyObject_HEAD
    char *data;
    int nd;
    Py_ssize_t *dimensions;
    Py_ssize_t *strides;
    PyObject *base;
    PyObject *descr;
    int flags;
} Array;

/* What `ufunc._get_strided_loop` fills in since NumPy 1.24. */
typedef struct {
    int (*loop)(void *context, char *const *data, const Py_ssize_t *count, const Py_ssize_t *strides, void *auxiliary);
    void *context;
    void *auxiliary;
    char takes_gil;
    char no_errors;
} Loop;

typedef struct {
    const Loop *loop;
    int count;
    int places[ARGUMENTS]; /* of values: the operands and the result */
} Instruction;

/* A value of an expression. Its place says what it is: operands, results, registers, constants stand in this order. */
typedef struct {
    Py_ssize_t itemsize;
    PyObject *descr;  /* borrowed from `held` */
    PyObject *scalar; /* of an operand: the type of its scalars */
    char full;        /* of an operand: it has the shape of the result */
    char real;        /* of a result: 4 or 8 for floats of so many bytes, else 0 */
    int when;         /* the operator that makes it, or uses an operand last */
    char *data;       /* of a constant */
} Kind;

typedef struct {
    PyObject_HEAD
    PyObject *held, *tell, *passes;
    Kind *kinds;
    Instruction *code;
    int operands, results, registers, constants, instructions, rank, exact;
    int spare; /* results may be new arrays where `outs` cannot take them */
    int few;   /* operators from which on blocks in place pay */
    Py_ssize_t fewest, highest, cached; /* elements of a block at least and at most, and its bytes */
    Py_ssize_t most;                    /* elements from which on it declines */
    int wait, failures;
} Expression;

/* A value in one call: where the block begins, and the bytes from element to element, and from row to row. */
typedef struct {
    char *at, *base;
    Py_ssize_t inner, row;
    const Py_ssize_t *outer; /* bytes along all axes */
    const Array *target;     /* of a result that is staged */
} Value;

typedef struct {
    Value *values;
    Py_ssize_t dims[AXES]; /* the axes of the call, neighbours made one where they can be */
    int axes, looks, waits, spares;      /* `spares` what `outs` has, `looks` for NaNs, `waits` with what `outs` take until all is done */
    Py_ssize_t outers, lines, count;     /* outer axes as one, the last but one, all elements */
    Py_ssize_t rows, width;              /* of a block */
    Py_ssize_t outer, line, cell;        /* where the next block begins */
    unsigned char *errors;               /* that each operator met, */
    int met;                             /* and whether any did */
} Call;

static PyTypeObject *array_type;
static void (*scalar_as_ctype)(PyObject *, void *);
static PyObject *(*new_from_descr)(PyTypeObject *, PyObject *, int, const Py_ssize_t *, const Py_ssize_t *, void *, int, PyObject *);
static char arena[ARENA];

/* The answer of a call of Python. */
static int is_true(PyObject *answer)
{
    int truth = answer == Py_True;
    Py_XDECREF(answer);
    return truth;
}

/* Shapes */

static int has_shape(const Array *array, const Array *like)
{
    return array->nd == like->nd && !memcmp(array->dimensions, like->dimensions, (size_t)like->nd * sizeof(Py_ssize_t));
}

/* The strides of an array over the axes of `shape`, 0 where it is repeated; false where it is not of that shape, or not in C order. */
static int strides_over(const Array *array, const Array *shape, Py_ssize_t *strides)
{
    int missing = shape->nd - array->nd;
    if (missing < 0)
        return 0;
    Py_ssize_t extent = 0;
    for (int axis = shape->nd - 1; axis >= 0; axis--) {
        Py_ssize_t size = axis < missing ? 1 : array->dimensions[axis - missing];
        if (size != 1 && size != shape->dimensions[axis])
            return 0;
        strides[axis] = size == 1 ? 0 : array->strides[axis - missing];
        if (strides[axis] < 0 || (strides[axis] && strides[axis] < extent))
            return 0;
        if (strides[axis])
            extent = strides[axis] * size;
    }
    return 1;
}

/* Makes neighbouring axes one where that is one for all operands. `strides` holds those of each operand, AXES apart. */
static void coalesce(Call *call, const Array *shape, Py_ssize_t *strides, int operands)
{
    int last = -1;
    for (int axis = 0; axis < shape->nd; axis++) {
        Py_ssize_t size = shape->dimensions[axis];
        int joins = last >= 0;
        if (size == 1)
            continue;
        for (int place = 0; joins && place < operands; place++)
            joins = strides[place * AXES + last] == strides[place * AXES + axis] * size;
        if (joins)
            call->dims[last] *= size;
        else
            call->dims[++last] = size;
        for (int place = 0; place < operands; place++)
            strides[place * AXES + last] = strides[place * AXES + axis];
    }
    call->axes = last + 1;
    if (last < 0)
        call->dims[call->axes++] = 1;
}

/* Takes the operands: false where the expression is not for them. `strides` as above, `numbers` for those that are no arrays. */
static int take(
    const Expression *self, Call *call, PyObject *const *given, const Array *shape, Py_ssize_t *strides, char (*numbers)[16])
{
    int flat = 1;
    for (int place = 0; place < self->operands; place++) {
        const Kind *kind = &self->kinds[place];
        const Array *array = (const Array *)given[place];
        call->values[place].base = numbers[place];
        if (Py_TYPE(array) != array_type) {
            if (kind->full || (PyObject *)Py_TYPE(array) != kind->scalar)
                return 0;
            scalar_as_ctype(given[place], numbers[place]);
            continue;
        }
        if (array->descr != kind->descr || !(array->flags & ALIGNED) || array->nd > self->rank)
            return 0;
        call->values[place].base = array->data;
        if (kind->full) {
            if (array->nd != self->rank || !has_shape(array, shape))
                return 0;
            flat &= array->flags & C_CONTIGUOUS;
        }
    }
    Py_ssize_t count = 1;
    for (int axis = 0; axis < self->rank; axis++)
        count *= shape->dimensions[axis];
    if (!count)
        return 0;
    for (int place = 0; place < self->operands; place++) {
        const Array *array = (const Array *)given[place];
        Py_ssize_t *own = strides + place * AXES;
        if (Py_TYPE(array) != array_type)
            memset(own, 0, AXES * sizeof(Py_ssize_t));
        else if (!strides_over(array, shape, own))
            return 0;
        else if (!self->kinds[place].full)
            for (int axis = 0; axis < shape->nd; axis++)
                flat &= !own[axis];
    }
    if (!flat && !self->exact)
        return 0;
    call->looks = !flat;
    coalesce(call, shape, strides, self->operands);
    return 1;
}

/* Choices: element-wise `where` of NumPy for elements of each size. Operands that are next to one another, or but one, are taken at
   once. */

#define CHOICE(bits)                                                                                                          \
    static inline void choose_##bits(const char *test, const uint##bits##_t *one, const uint##bits##_t *other, uint##bits##_t *to,      \
        Py_ssize_t count, const Py_ssize_t first, const Py_ssize_t second)                                                    \
    {                                                                                                                         \
        for (Py_ssize_t place = 0; place < count; place++)                                                                    \
            to[place] = test[place] ? one[place * first] : other[place * second];                                             \
    }                                                                                                                         \
    static int loop_of_choice_##bits(                                                                                         \
        void *Py_UNUSED(context), char *const *data, const Py_ssize_t *count, const Py_ssize_t *strides, void *Py_UNUSED(auxiliary)) \
    {                                                                                                                         \
        const Py_ssize_t size = bits / 8;                                                                                     \
        const void *one = data[1], *other = data[2];                                                                          \
        int close = strides[0] == 1 && strides[3] == size && !(strides[1] % size) && strides[1] <= size && strides[1] >= 0;    \
        close &= !(strides[2] % size) && strides[2] <= size && strides[2] >= 0;                                               \
        if (close && strides[1] && strides[2])                                                                                \
            choose_##bits(data[0], one, other, (void *)data[3], *count, 1, 1);                                                \
        else if (close && strides[1])                                                                                         \
            choose_##bits(data[0], one, other, (void *)data[3], *count, 1, 0);                                                \
        else if (close && strides[2])                                                                                         \
            choose_##bits(data[0], one, other, (void *)data[3], *count, 0, 1);                                                \
        else                                                                                                                  \
            for (Py_ssize_t place = 0; place < *count; place++)                                                               \
                memcpy(data[3] + place * strides[3],                                                                          \
                    data[0][place * strides[0]] ? data[1] + place * strides[1] : data[2] + place * strides[2], bits / 8);     \
        return 0;                                                                                                             \
    }
CHOICE(8)
CHOICE(16)
CHOICE(32)
CHOICE(64)

static const Loop choices[] = {
    {.loop = loop_of_choice_8, .no_errors = 1},
    {.loop = loop_of_choice_16, .no_errors = 1},
    {.loop = loop_of_choice_32, .no_errors = 1},
    {.loop = loop_of_choice_64, .no_errors = 1},
};

static const Array *shape_of(const Expression *self, PyObject *const *given)
{
    for (int place = 0; place < self->operands; place++)
        if (self->kinds[place].full)
            return (const Array *)given[place];
    return NULL;
}

/* Outputs */

static void extent_of(const Array *array, char **begin, char **end)
{
    *begin = *end = array->data;
    for (int axis = 0; axis < array->nd; axis++) {
        Py_ssize_t span = (array->dimensions[axis] - 1) * array->strides[axis];
        *(span < 0 ? begin : end) += span;
    }
    *end += 16; /* more than any element has */
}

static int apart(const Array *one, const Array *other)
{
    char *begin, *end, *first, *last;
    extent_of(one, &begin, &end);
    extent_of(other, &first, &last);
    return end <= first || last <= begin;
}

static int is_same(const Array *one, const Array *other)
{
    return one->data == other->data && one->descr == other->descr && one->flags & other->flags & C_CONTIGUOUS && has_shape(one, other);
}

/* Whether all these arrays can take the results. */
static int can_take(const Expression *self, const Call *call, PyObject *const *given, const Array *shape)
{
    PyObject *const *outs = given + self->operands;
    int written = 0;
    for (int place = 0; place < self->results; place++) {
        const Array *out = (const Array *)outs[place];
        if (outs[place] == Py_None)
            continue;
        written = !call->waits;
        if (Py_TYPE(out) != array_type || out->descr != self->kinds[self->operands + place].descr || !has_shape(out, shape))
            return 0;
        if ((out->flags & (ALIGNED | WRITEABLE)) != (ALIGNED | WRITEABLE))
            return 0;
        for (int other = 0; other < place; other++)
            if (outs[other] != Py_None && !apart(out, (const Array *)outs[other]))
                return 0;
        for (int other = 0; !call->waits && other < self->operands; other++)
            if (Py_TYPE(given[other]) == array_type && !apart(out, (const Array *)given[other]))
                if (call->looks || !is_same(out, (const Array *)given[other]))
                    return 0;
    }
    return !written || is_true(PyObject_CallNoArgs(self->passes));
}

/* Whether so few operators are as fast one by one, which compute in these arrays: in place, and where elements lie apart. */
static int are_few(const Expression *self, const Call *call, PyObject *const *outs)
{
    for (int place = 0; place < self->results; place++) {
        const Array *out = (const Array *)outs[place];
        if (outs[place] == Py_None || Py_TYPE(out) != array_type || !out->nd || call->count <= ROWS)
            continue;
        int lie_apart = out->strides[out->nd - 1] != self->kinds[self->operands + place].itemsize;
        if (self->instructions < (lie_apart ? COPY : call->waits ? 0 : self->few))
            return 1;
    }
    return 0;
}

/* Whether an operator may compute in the array that takes a result: nothing reads there afterwards. */
static int is_direct(const Expression *self, const Call *call, PyObject *const *given, int place)
{
    const Array *out = (const Array *)given[self->operands + place];
    if (call->waits || call->looks || !(out->flags & C_CONTIGUOUS))
        return 0;
    for (int other = 0; other < self->operands; other++)
        if (self->kinds[other].when > self->kinds[self->operands + place].when && Py_TYPE(given[other]) == array_type)
            if (!apart(out, (const Array *)given[other]))
                return 0;
    return 1;
}

/* Writes a block to the array that takes it: `flat` elements from `first` of its `count` on, which lie at `from`. */
static void put(const Array *target, Py_ssize_t itemsize, Py_ssize_t first, Py_ssize_t count, const char *from)
{
    Py_ssize_t index[32], rest = first;
    int last = target->nd - 1;
    char *to = target->data;
    for (int axis = last; axis >= 0; axis--) {
        index[axis] = rest % target->dimensions[axis];
        rest /= target->dimensions[axis];
        to += index[axis] * target->strides[axis];
    }
    while (count > 0) {
        Py_ssize_t run = target->dimensions[last] - index[last], stride = target->strides[last];
        run = run < count ? run : count;
        if (stride == itemsize)
            memcpy(to, from, (size_t)(run * itemsize));
        else
            for (Py_ssize_t place = 0; place < run; place++)
                memcpy(to + place * stride, from + place * itemsize, (size_t)itemsize);
        from += run * itemsize;
        count -= run;
        to -= index[last] * stride;
        index[last] = 0;
        for (int axis = last - 1; axis >= 0; axis--) {
            to += target->strides[axis];
            if (++index[axis] < target->dimensions[axis])
                break;
            to -= target->strides[axis] * target->dimensions[axis];
            index[axis] = 0;
        }
    }
}

/* Blocks */

/* In integers, of which compilers make vectors: a NaN is what is more than infinity. */
static int has_nan(const char *data, int size, Py_ssize_t count)
{
    uint64_t wide = 0;
    uint32_t narrow = 0;
    if (size == 8)
        for (Py_ssize_t place = 0; place < count; place++)
            wide |= UINT64_C(0x7ff0000000000000) - (((const uint64_t *)data)[place] & UINT64_C(0x7fffffffffffffff));
    else
        for (Py_ssize_t place = 0; place < count; place++)
            narrow |= UINT32_C(0x7f800000) - (((const uint32_t *)data)[place] & UINT32_C(0x7fffffff));
    return wide >> 63 || narrow >> 31;
}

/* Notes the errors that an operator met. */
static void note(Call *call, Py_ssize_t number)
{
    int flags = fetestexcept(ERRORS);
    feclearexcept(ERRORS);
    for (int kind = 0; kind < 4; kind++)
        if (flags & kinds_of_errors[kind])
            call->errors[number] |= (unsigned char)(1 << kind);
    call->met = 1;
}

/* Calls the loops of all operators over a block of `rows` times `width` elements; false where one raises. */
static int compute(const Expression *self, Call *call, Py_ssize_t rows, Py_ssize_t width)
{
    for (const Instruction *each = self->code; each < self->code + self->instructions; each++) {
        char *data[ARGUMENTS];
        Py_ssize_t strides[ARGUMENTS], steps[ARGUMENTS], count = rows * width;
        int even = 1;
        for (int place = 0; place < each->count; place++) {
            const Value *value = &call->values[each->places[place]];
            data[place] = value->at;
            strides[place] = value->inner;
            steps[place] = value->row;
            even &= value->row == value->inner * width;
        }
        const Loop *loop = each->loop;
        if (even || rows == 1) {
            if (loop->loop(loop->context, data, &count, strides, loop->auxiliary))
                return 0;
        }
        else
            for (Py_ssize_t row = 0; row < rows; row++) {
                if (loop->loop(loop->context, data, &width, strides, loop->auxiliary))
                    return 0;
                for (int place = 0; place < each->count; place++)
                    data[place] += steps[place];
            }
        if (!loop->no_errors && fetestexcept(ERRORS))
            note(call, each - self->code);
    }
    return 1;
}

/* Where the values of a block begin. Registers, and results that are staged, stay where they are. */
static void locate(const Expression *self, Call *call, Py_ssize_t first)
{
    for (int place = 0; place < self->operands; place++) {
        Value *value = &call->values[place];
        Py_ssize_t offset = call->line * value->row + call->cell * value->inner, rest = call->outer;
        for (int axis = call->axes - 3; axis >= 0; axis--) {
            offset += rest % call->dims[axis] * value->outer[axis];
            rest /= call->dims[axis];
        }
        value->at = value->base + offset;
    }
    for (int place = self->operands; place < self->operands + self->results; place++)
        if (!call->values[place].target)
            call->values[place].at = call->values[place].base + first * call->values[place].inner;
}

/* One block; false where the run declines. */
static int work_on_block(const Expression *self, Call *call, Py_ssize_t first, Py_ssize_t rows, Py_ssize_t width)
{
    const Value *results = call->values + self->operands;
    const Kind *kinds = self->kinds + self->operands;
    locate(self, call, first);
    if (!compute(self, call, rows, width))
        return 0;
    for (int place = 0; call->looks && place < self->results; place++)
        if (kinds[place].real && has_nan(results[place].at, kinds[place].real, rows * width))
            return 0;
    for (int place = 0; !call->waits && place < self->results; place++)
        if (results[place].target)
            put(results[place].target, kinds[place].itemsize, first, rows * width, results[place].at);
    return 1;
}

/* All blocks; as above. */
static int work(const Expression *self, Call *call)
{
    Py_ssize_t cells = call->dims[call->axes - 1];
    for (call->outer = 0; call->outer < call->outers; call->outer++)
        for (call->line = 0; call->line < call->lines; call->line += call->rows)
            for (call->cell = 0; call->cell < cells; call->cell += call->width) {
                Py_ssize_t rows = call->lines - call->line < call->rows ? call->lines - call->line : call->rows;
                Py_ssize_t width = cells - call->cell < call->width ? cells - call->cell : call->width;
                if (!work_on_block(self, call, (call->outer * call->lines + call->line) * cells + call->cell, rows, width))
                    return 0;
            }
    return 1;
}

/* Computes all, and tells of errors; false where the run declines. */
static int finish(const Expression *self, Call *call)
{
    memset(call->errors, 0, (size_t)self->instructions);
    PyThreadState *state = call->count * self->instructions >= RELEASES ? PyEval_SaveThread() : NULL;
    feclearexcept(ERRORS);
    int done = work(self, call);
    feclearexcept(ERRORS);
    if (state)
        PyEval_RestoreThread(state);
    if (!done || PyErr_Occurred())
        return 0;
    if (call->met && !is_true(PyObject_CallFunction(self->tell, "y#", (char *)call->errors, (Py_ssize_t)self->instructions)))
        return 0;
    for (int place = self->operands; call->waits && place < self->operands + self->results; place++)
        if (call->values[place].target)
            put(call->values[place].target, self->kinds[place].itemsize, 0, call->count, call->values[place].at);
    return 1;
}

/* The elements of a block: operands that are passed over, results and registers are to fit the cache. */
static Py_ssize_t step_of(const Expression *self, const Call *call, const Py_ssize_t *strides)
{
    Py_ssize_t bytes = 0;
    for (int place = 0; place < self->operands; place++) {
        Py_ssize_t stride = strides[place * AXES + call->axes - 1];
        bytes += stride < UNIT ? stride : UNIT;
    }
    for (int place = self->operands; place < self->operands + self->results + self->registers; place++)
        bytes += self->kinds[place].itemsize;
    Py_ssize_t step = self->cached / bytes / UNIT * UNIT;
    return step < self->fewest ? self->fewest : step < self->highest ? step : self->highest;
}

/* The sizes of blocks. */
static void divide(const Expression *self, Call *call, Py_ssize_t step, PyObject *const *outs)
{
    Py_ssize_t cells = call->dims[call->axes - 1], all = 1;
    for (int axis = 0; axis < call->axes; axis++)
        all *= call->dims[axis];
    for (int place = 0; all <= WHOLE && place < self->results; place++)
        if (outs[place] != Py_None && step < all)
            step = all;
    call->outers = 1;
    call->lines = call->axes > 1 ? call->dims[call->axes - 2] : 1;
    for (int axis = 0; axis < call->axes - 2; axis++)
        call->outers *= call->dims[axis];
    call->width = cells < step ? cells : step;
    call->rows = step / call->width;
    call->rows = call->rows < call->lines ? call->rows : call->lines;
    call->count = call->outers * call->lines * cells;
    call->waits = call->rows * call->width == call->count;
}

/* Computes over these operands, in the memory `room` for `size` bytes of registers; the results, NULL where it declines. */
static PyObject *results_of(const Expression *self, Call *call, PyObject *const *given, const Array *shape, char *room, Py_ssize_t block)
{
    PyObject *const *outs = given + self->operands;
    PyObject *results = PyTuple_New(self->results);
    for (int place = 0; results && place < self->results + self->registers; place++) {
        const Kind *kind = &self->kinds[self->operands + place];
        Value *value = &call->values[self->operands + place];
        value->inner = kind->itemsize;
        value->row = kind->itemsize * call->width;
        value->target = NULL;
        if (place < self->results && (call->spares || outs[place] == Py_None)) {
            Py_INCREF(kind->descr);
            PyObject *made = new_from_descr(array_type, kind->descr, shape->nd, shape->dimensions, NULL, NULL, 0, NULL);
            if (!made)
                Py_CLEAR(results);
            else {
                value->base = ((Array *)made)->data;
                PyTuple_SET_ITEM(results, place, made);
            }
            continue;
        }
        if (place < self->results) {
            PyTuple_SET_ITEM(results, place, Py_NewRef(outs[place]));
            if (is_direct(self, call, given, place)) {
                value->base = ((Array *)outs[place])->data;
                continue;
            }
            value->target = (Array *)outs[place];
        }
        value->at = room;
        room += (block * kind->itemsize + UNIT - 1) / UNIT * UNIT + PAD;
    }
    if (results && !finish(self, call))
        Py_CLEAR(results);
    return results;
}

/* The bytes of memory that a call needs besides its results. */
static Py_ssize_t room_of(const Expression *self, PyObject *const *outs, Py_ssize_t block)
{
    Py_ssize_t bytes = UNIT + self->instructions;
    for (int place = 0; place < self->results + self->registers; place++)
        if (place >= self->results || outs[place] != Py_None)
            bytes += block * self->kinds[self->operands + place].itemsize + UNIT + PAD;
    return bytes;
}

static PyObject *attempt(const Expression *self, PyObject *const *given, Value *values, Py_ssize_t *strides, char (*numbers)[16])
{
    Call call = {.values = values};
    const Array *shape = shape_of(self, given);
    if (!shape || Py_TYPE(shape) != array_type || !take(self, &call, given, shape, strides, numbers))
        return NULL;
    divide(self, &call, step_of(self, &call, strides), given + self->operands);
    for (int place = 0; place < self->operands; place++) {
        const Py_ssize_t *own = strides + place * AXES;
        values[place].inner = own[call.axes - 1];
        values[place].row = call.axes > 1 ? own[call.axes - 2] : call.width * values[place].inner;
        values[place].outer = own;
    }
    for (int place = 0; place < self->constants; place++) {
        int value = self->operands + self->results + self->registers + place;
        values[value] = (Value){.at = self->kinds[value].data};
    }
    Py_ssize_t block = call.rows * call.width;
    int short_rows = call.axes > 1 && call.dims[call.axes - 1] < SHORT && call.count > MANY;
    if (call.count > self->most || short_rows || are_few(self, &call, given + self->operands))
        return NULL;
    if (!can_take(self, &call, given, shape)) {
        if (!self->spare)
            return NULL;
        call.spares = 1;
    }
    Py_ssize_t bytes = room_of(self, given + self->operands, block);
    char small[SMALL], *room = small;
    int locked = bytes > SMALL && bytes <= ARENA && TRY_LOCK();
    if (locked)
        room = arena;
    else if (bytes > SMALL && !(room = malloc((size_t)bytes)))
        return NULL;
    call.errors = (unsigned char *)room;
    char *registers = room + self->instructions;
    PyObject *results = results_of(self, &call, given, shape, registers + (UNIT - (uintptr_t)registers % UNIT) % UNIT, block);
    if (locked)
        UNLOCK();
    else if (room != small)
        free(room);
    return results;
}

static PyTypeObject expression_type;

static PyObject *run(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count)
{
    Expression *self = (Expression *)(count ? args[0] : NULL);
    if (!self || Py_TYPE(self) != &expression_type || count != 1 + self->operands + self->results) {
        PyErr_SetString(PyExc_TypeError, "run(expression, *operands, *outs) takes what the expression has");
        return NULL;
    }
    PyObject *results = NULL;
    if (self->wait > 0)
        self->wait--;
    else {
        Value local[LOCAL], *values = local;
        Py_ssize_t own[LOCAL * AXES], *strides = own;
        double near[LOCAL][2]; /* aligned for numbers of 16 bytes at most */
        char(*numbers)[16] = (char(*)[16])near;
        int all = self->operands + self->results + self->registers + self->constants;
        void *more = all <= LOCAL ? NULL : PyMem_Malloc((size_t)all * (sizeof(Value) + AXES * sizeof(Py_ssize_t) + 16));
        if (more) {
            values = more;
            strides = (Py_ssize_t *)(values + all);
            numbers = (char(*)[16])(strides + (size_t)all * AXES);
        }
        if (all <= LOCAL || more)
            results = attempt(self, args + 1, values, strides, numbers);
        PyMem_Free(more);
        PyErr_Clear();
        self->failures = results ? 0 : self->failures < 6 ? self->failures + 1 : 6;
        self->wait = results ? 0 : 1 << self->failures;
    }
    return results ? results : Py_NewRef(Py_None);
}

/* Making */

static void expression_dealloc(PyObject *object)
{
    Expression *self = (Expression *)object;
    Py_XDECREF(self->held);
    PyMem_Free(self->kinds);
    PyMem_Free(self->code);
    Py_TYPE(self)->tp_free(object);
}

static int describe(Expression *self, PyObject *operands, PyObject *results, PyObject *registers, PyObject *constants)
{
    Kind *kind = self->kinds;
    for (int place = 0; place < self->operands; place++, kind++)
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(operands, place), "OOb", &kind->descr, &kind->scalar, &kind->full))
            return 0;
    for (int place = 0; place < self->results; place++, kind++)
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(results, place), "Onb", &kind->descr, &kind->itemsize, &kind->real))
            return 0;
    for (int place = 0; place < self->registers; place++, kind++)
        kind->itemsize = PyLong_AsSsize_t(PyTuple_GET_ITEM(registers, place));
    for (int place = 0; place < self->constants; place++, kind++) {
        if (Py_TYPE(PyTuple_GET_ITEM(constants, place)) != array_type)
            return 0;
        kind->data = ((Array *)PyTuple_GET_ITEM(constants, place))->data;
    }
    return 1;
}

static int instruct(Expression *self, PyObject *instructions)
{
    int all = self->operands + self->results + self->registers + self->constants;
    for (int number = 0; number < self->instructions; number++) {
        Instruction *each = &self->code[number];
        PyObject *capsule, *places;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(instructions, number), "OO!", &capsule, &PyTuple_Type, &places))
            return 0;
        if (PyLong_Check(capsule)) {
            long size = PyLong_AsLong(capsule);
            each->loop = size == 8 ? &choices[3] : size == 4 ? &choices[2] : size == 2 ? &choices[1] : &choices[0];
        }
        else
            each->loop = PyCapsule_GetPointer(capsule, "numpy_1.24_ufunc_call_info");
        each->count = (int)PyTuple_GET_SIZE(places);
        if (!each->loop || !each->loop->loop || each->loop->takes_gil || each->count > ARGUMENTS)
            return 0;
        for (int place = 0; place < each->count; place++) {
            long value = PyLong_AsLong(PyTuple_GET_ITEM(places, place));
            if (value < 0 || value >= all)
                return 0;
            each->places[place] = (int)value;
            if (value < self->operands || place == each->count - 1)
                self->kinds[value].when = number;
        }
    }
    return 1;
}

static PyObject *expression_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *api, *operands, *results, *registers, *constants, *instructions, *tell, *passes;
    int rank, exact, spare, few;
    Py_ssize_t fewest, highest, cached, most;
    if (!PyArg_ParseTuple(args, "Oii(nnn)npiO!O!O!O!O!OO", &api, &rank, &exact, &fewest, &highest, &cached, &most, &spare, &few, &PyTuple_Type, &operands, &PyTuple_Type, &results,
            &PyTuple_Type, &registers, &PyTuple_Type, &constants, &PyTuple_Type, &instructions, &tell, &passes))
        return NULL;
    void **table = PyCapsule_GetPointer(api, NULL);
    Expression *self = table ? (Expression *)type->tp_alloc(type, 0) : NULL;
    if (!self)
        return NULL;
    array_type = table[ARRAY_TYPE];
    scalar_as_ctype = (void (*)(PyObject *, void *))table[SCALAR_AS_CTYPE];
    new_from_descr = (PyObject * (*)(PyTypeObject *, PyObject *, int, const Py_ssize_t *, const Py_ssize_t *, void *, int, PyObject *))
        table[NEW_FROM_DESCR];
    self->held = Py_NewRef(args);
    self->tell = tell;
    self->passes = passes;
    self->rank = rank;
    self->exact = exact;
    self->fewest = fewest;
    self->highest = highest;
    self->cached = cached;
    self->most = most;
    self->spare = spare;
    self->few = few;
    self->operands = (int)PyTuple_GET_SIZE(operands);
    self->results = (int)PyTuple_GET_SIZE(results);
    self->registers = (int)PyTuple_GET_SIZE(registers);
    self->constants = (int)PyTuple_GET_SIZE(constants);
    self->instructions = (int)PyTuple_GET_SIZE(instructions);
    self->kinds = PyMem_Calloc((size_t)(self->operands + self->results + self->registers + self->constants), sizeof(Kind));
    self->code = PyMem_Calloc((size_t)self->instructions + 1, sizeof(Instruction));
    int well_formed = self->kinds && self->code && rank > 0 && rank <= AXES && fewest >= UNIT && fewest % UNIT == 0 && highest % UNIT == 0;
    if (well_formed && describe(self, operands, results, registers, constants) && instruct(self, instructions))
        return (PyObject *)self;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "these are no parts of an expression");
    Py_DECREF(self);
    return NULL;
}

static PyTypeObject expression_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "npexport.runtime._expressions.Expression",
    .tp_basicsize = sizeof(Expression),
    .tp_dealloc = expression_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = expression_new,
};

static PyMethodDef methods[] = {
    {"run", (PyCFunction)(void (*)(void))run, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_expressions", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__expressions(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made && (PyType_Ready(&expression_type) || PyModule_AddObjectRef(made, "Expression", (PyObject *)&expression_type)))
        Py_CLEAR(made);
#ifdef Py_GIL_DISABLED
    if (made)
        PyUnstable_Module_SetGIL(made, Py_MOD_GIL_NOT_USED);
#endif
    return made;
}
