/* An expression, one call of it, and which operands it takes. */

#include <fenv.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { UNIT = 64, AXES = 8, ARGUMENTS = 5, LOCAL = 32, SMALL = 4096, PAD = 192 };
enum { ARENA = 1 << 18, RELEASES = 1 << 14 };
enum { COPY = 4, ROWS = 256 };   /* operators that pay where results are copied, of so many elements */
enum { WHOLE = 1024 };           /* elements up to which what `outs` take is one block */
enum { MORE = 4, IN_PLACE = 1 << 13 }; /* operators of a chain that pays where it cannot give to its place; elements from which on fewer do not */
enum { SHORT = 16, MANY = 1024 }; /* elements of rows that cost as much as calls, where there are so many in all */
enum { ROW = 500, STEP = 75, UNEVEN = 150, CALL = 13000, BESIDE = 4 }; /* costs, in bytes that NumPy's loops pass over meanwhile: of a row of
   a chain, of a step for each tile, of an operand of a loop that has gaps or is repeated, for each row, and of a call of NumPy's; BESIDE: how
   often an operator in no chain passes over its row for what it gains by blocks */
enum { ARRAY_TYPE = 2, SCALAR_AS_CTYPE = 62, NEW_FROM_DESCR = 94 }; /* places in the table of NumPy's C interface */
enum { C_CONTIGUOUS = 0x1, F_CONTIGUOUS = 0x2, ALIGNED = 0x100, WRITEABLE = 0x400 };
enum { ERRORS = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID };
static const int kinds_of_errors[] = {FE_DIVBYZERO, FE_OVERFLOW, FE_UNDERFLOW, FE_INVALID}; /* in the order in which NumPy tells */

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

/* Instructions from `first` to `last` that one chain can stand for (_chains.h): operators, each with places of operands, or below 0 of
   memory of its own. `size`: bytes of an element. */
typedef struct {
    int first, last, size, count;
    int always;      /* whether it pays whatever the operands are */
    int work;        /* of NumPy's loops in its place, where an addition is 1 */
    int exponential; /* the instruction of its only exp, -1 where it has none or several */
    int straight;    /* whether each operator takes one value that the chain makes, and else operands and constants */
    int (*steps)[3];
} Chain;

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
    Chain *chains; /* in order */
    int operands, results, registers, constants, instructions, chained, exact;
    int spare; /* results may be new arrays where `outs` cannot take them */
    Py_ssize_t fewest, highest, cached; /* elements of a block at least and at most, and its bytes */
    Py_ssize_t most;                    /* elements from which on it declines */
    int wait, failures;
    int unchained, stops; /* calls without chains that are left, and how many calls in a row gave them up */
} Expression;

/* A value in one call: where the block begins, and the bytes from element to element, and from row to row. */
typedef struct {
    char *at, *base;
    Py_ssize_t inner, row;
    const Py_ssize_t *outer; /* bytes along all axes */
    const Array *target;     /* of a result that is staged */
    int takes;               /* of a result: whether the array that is given for it takes rows */
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
    int replaces;                        /* whether a result lies where an operand does, */
    int certain;                         /* and no operator can meet two NaNs: it goes through rows that it writes over */
    int chained, stopped, looped;        /* whether chains are tried, how many gave up, and whether one did in this block */
    PyObject *const *outs;               /* what the caller gave for the results, */
    const Py_ssize_t *dimensions;        /* which have these, */
    int turned;                          /* and whether the axes of all arrays are in reverse order here (_turned.h) */
} Call;

static PyTypeObject *array_type;
static void (*scalar_as_ctype)(PyObject *, void *);
static PyObject *(*new_from_descr)(PyTypeObject *, PyObject *, int, const Py_ssize_t *, const Py_ssize_t *, void *, int, PyObject *);

/* Notes the errors that an operator met. */
static void note(Call *call, Py_ssize_t number, int flags)
{
    for (int kind = 0; kind < 4; kind++)
        if (flags & kinds_of_errors[kind])
            call->errors[number] |= (unsigned char)(1 << kind);
    call->met = 1;
}

/* Whether a chain is faster than the loops: any is, but where it writes over what it takes. */
static int pays(const Chain *chain, const Call *call)
{
    return call->looks || chain->always || !call->replaces || chain->last - chain->first + 1 >= MORE;
}

static int has_shape(const Array *array, const Array *like)
{
    return array->nd == like->nd && !memcmp(array->dimensions, like->dimensions, (size_t)like->nd * sizeof(Py_ssize_t));
}

/* The strides of an array over the axes of `shape`, 0 where it is repeated; false where it is not of that shape, or not in C order, in
   which axes may be reversed. */
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
        const Py_ssize_t stride = strides[axis] < 0 ? -strides[axis] : strides[axis];
        if (stride && stride < extent)
            return 0;
        if (stride)
            extent = stride * size;
    }
    return 1;
}

/* Whether an array may take a result row by row; its strides, those of an array without gaps where it may not. */
static int out_strides(PyObject *out, const Kind *kind, const Array *shape, Py_ssize_t *strides)
{
    const Array *array = (const Array *)out;
    int fits = Py_TYPE(out) == array_type && array->descr == kind->descr && has_shape(array, shape) && strides_over(array, shape, strides);
    if (fits && strides[shape->nd - 1] == kind->itemsize)
        return 1;
    Py_ssize_t extent = kind->itemsize;
    for (int axis = shape->nd - 1; axis >= 0; extent *= shape->dimensions[axis], axis--)
        strides[axis] = extent;
    return 0;
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
        if (array->descr != kind->descr || !(array->flags & ALIGNED) || array->nd > shape->nd)
            return 0;
        call->values[place].base = array->data;
        if (kind->full) {
            if (!has_shape(array, shape))
                return 0;
            flat &= array->flags & C_CONTIGUOUS;
        }
    }
    Py_ssize_t count = 1;
    for (int axis = 0; axis < shape->nd; axis++)
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
    for (int place = 0; !flat && place < self->results; place++) {
        int value = self->operands + place;
        call->values[value].takes = out_strides(given[value], &self->kinds[value], shape, strides + value * AXES);
    }
    coalesce(call, shape, strides, self->operands + (flat ? 0 : self->results));
    return 1;
}

static const Array *shape_of(const Expression *self, PyObject *const *given)
{
    for (int place = 0; place < self->operands; place++)
        if (self->kinds[place].full)
            return Py_TYPE(given[place]) == array_type ? (const Array *)given[place] : NULL;
    return NULL;
}
