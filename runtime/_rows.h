/* Rows: a run of operators and reductions along the last axis, row by row, so that a row stays in the cache from the first operator to
   the last.

       Rows(api, kinds, operands, results, steps, tell)   what is to be computed
       run_rows(rows, *operands, *outs)                   the results in `outs`, as a tuple; None where it declines

   `kinds` says of operands, results, registers and constants how they lie: (form, dtype, bytes of an element, data), where the form is a
   whole row `r`, one element of each row `c`, rows that begin anew for each index before them `p`, a row that all share `v`, or one
   element that all share `s`. `steps`: (loop, places), or
   for a reduction (what, places).

   Laws.
   - Rows are of a multiple of UNIT elements: each loop treats each element by the same instructions as in one call over all.
   - What one element of each row is computed of is exact; where it is no number, the payload is NumPy's business: the run declines.
   - Where an error was met the run declines, unless `tell` says that nobody hears of it. What it has written then is written once more,
     by the operators one by one: results lie in no memory of operands. */

#include "_reductions.h"

/* `AT_ONCE_IN_ROWS`: so many elements of short rows go through a step together. */
enum { ROW_STEPS = 64, ROW_VALUES = 64, AT_ONCE_IN_ROWS = 512 };

typedef struct {
    char form;
    PyObject *descr;
    Py_ssize_t itemsize;
    char *data;
} RowKind;

typedef struct {
    int what; /* 0 of a loop */
    const Loop *loop;
    int count, column, size, whole; /* `whole`: of whole rows and shared elements alone */
    int places[ARGUMENTS];
} RowStep;

typedef struct {
    PyObject_HEAD
    PyObject *held, *tell;
    int operands, results, values, count;
    RowKind kinds[ROW_VALUES];
    RowStep steps[ROW_STEPS];
} Rows;

static PyTypeObject rows_type;

/* Whether an array lies as its form says, beside one of whole rows. */
static int lies_as(const RowKind *kind, PyObject *object, const Array *whole)
{
    const Array *array = (const Array *)object;
    const int last = whole->nd - 1;
    if (Py_TYPE(object) != array_type || array->descr != kind->descr || (array->flags & (C_CONTIGUOUS | ALIGNED)) != (C_CONTIGUOUS | ALIGNED))
        return 0;
    if (kind->form == 'r')
        return has_shape(array, whole);
    if (kind->form == 'c')
        return array->nd == whole->nd && array->dimensions[last] == 1 &&
               !memcmp(array->dimensions, whole->dimensions, (size_t)last * sizeof(Py_ssize_t));
    if (kind->form == 'v' || kind->form == 'p')
        return array->nd <= whole->nd && (kind->form == 'p' || array->nd == 1) &&
               !memcmp(array->dimensions, whole->dimensions + whole->nd - array->nd, (size_t)array->nd * sizeof(Py_ssize_t));
    return array->nd == 0;
}

/* A reduction of a row: false where it is left to NumPy. */
static int reduce_row(const RowStep *step, const char *from, char *to, Py_ssize_t width)
{
    return step->size == 4 ? float_reduced(step->what, (const float *)from, width, (float *)to)
                           : double_reduced(step->what, (const double *)from, width, (double *)to);
}

static int is_nan(const char *element, int size)
{
    return size == 4 ? *(const float *)element != *(const float *)element : *(const double *)element != *(const double *)element;
}

/* Where the values of a block lie, and how: `moves` from row to row, `inner` from element to element. */
typedef struct {
    char *at[ROW_VALUES];
    Py_ssize_t moves[ROW_VALUES], inner[ROW_VALUES], again[ROW_VALUES]; /* `again`: after how many rows it begins anew */
} Lies;

/* A step of so many rows, of which the first has this number. */
static int step_of_rows(const RowStep *step, const Lies *lie, Py_ssize_t row, Py_ssize_t rows, Py_ssize_t width, int *flags)
{
    const int together = step->column || step->whole;
    const Py_ssize_t elements = step->column ? rows : step->whole ? rows * width : width;
    Py_ssize_t strides[ARGUMENTS];
    for (int place = 0; place < step->count; place++)
        strides[place] = step->column ? lie->moves[step->places[place]] : lie->inner[step->places[place]];
    for (Py_ssize_t each = 0; each < (together && !step->what ? 1 : rows); each++) {
        char *data[ARGUMENTS];
        for (int place = 0; place < step->count; place++) {
            const int value = step->places[place];
            data[place] = lie->at[value] + (lie->again[value] ? (row + each) % lie->again[value] : each) * lie->moves[value];
        }
        if (step->what) {
            if (!reduce_row(step, data[0], data[1], width))
                return 0;
        }
        else if (step->loop->loop(step->loop->context, data, &elements, strides, step->loop->auxiliary))
            return 0;
    }
    *flags |= step->loop && step->loop->no_errors ? 0 : fetestexcept(ERRORS); /* which some loops of NumPy's forget */
    const int made = step->places[step->count - 1];
    for (Py_ssize_t each = 0; each < rows && step->column && !step->what; each++)
        if (is_nan(lie->at[made] + each * lie->moves[made], step->size))
            return 0;
    return 1;
}

static int rows_of_block(const Rows *self, Lies *lie, Py_ssize_t rows, Py_ssize_t width, Py_ssize_t band, int *flags)
{
    for (Py_ssize_t row = 0; row < rows; row += band) {
        const Py_ssize_t count = band < rows - row ? band : rows - row;
        for (const RowStep *step = self->steps; step < self->steps + self->count; step++)
            if (!step_of_rows(step, lie, row, count, width, flags))
                return 0;
        for (int place = 0; place < self->operands + self->results; place++)
            lie->at[place] += lie->again[place] ? 0 : count * lie->moves[place];
    }
    return 1;
}

/* The bytes of a register for so many rows. */
static Py_ssize_t bytes_of_register(const RowKind *kind, Py_ssize_t width, Py_ssize_t rows)
{
    const Py_ssize_t elements = kind->form == 'c' || kind->form == 's' ? rows : rows * width;
    return (kind->itemsize * elements + UNIT - 1) / UNIT * UNIT + PAD;
}

static PyObject *run_rows(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count)
{
    const Rows *self = (const Rows *)(count ? args[0] : NULL);
    if (!self || Py_TYPE(self) != &rows_type || count != 1 + self->operands + self->results) {
        PyErr_SetString(PyExc_TypeError, "run_rows(rows, *operands, *outs) takes what the rows have");
        return NULL;
    }
    PyObject *const *given = args + 1;
    const Array *whole = NULL;
    for (int place = 0; place < self->operands && !whole; place++)
        whole = self->kinds[place].form == 'r' && Py_TYPE(given[place]) == array_type ? (const Array *)given[place] : NULL;
    if (!whole || whole->nd < 2)
        Py_RETURN_NONE;
    const Py_ssize_t width = whole->dimensions[whole->nd - 1];
    Py_ssize_t rows = 1;
    for (int axis = 0; axis < whole->nd - 1; axis++)
        rows *= whole->dimensions[axis];
    if (!rows || !width || width % UNIT)
        Py_RETURN_NONE;
    const Py_ssize_t most = AT_ONCE_IN_ROWS / width, band = most < 1 ? 1 : most < rows ? most : rows;
    Lies lie;
    Py_ssize_t bytes = UNIT;
    for (int place = 0; place < self->values; place++) {
        const RowKind *kind = &self->kinds[place];
        const int whole_row = kind->form != 'c' && kind->form != 's';
        lie.inner[place] = whole_row ? kind->itemsize : 0;
        lie.moves[place] = kind->form == 'r' || kind->form == 'p' ? kind->itemsize * width : kind->form == 'c' ? kind->itemsize : 0;
        lie.at[place] = kind->data;
        lie.again[place] = 0;
        if (place < self->operands + self->results) {
            if (!lies_as(kind, given[place], whole))
                Py_RETURN_NONE;
            lie.at[place] = ((const Array *)given[place])->data;
            for (int axis = 0; kind->form == 'p' && axis < ((const Array *)given[place])->nd - 1; axis++)
                lie.again[place] = (axis ? lie.again[place] : 1) * ((const Array *)given[place])->dimensions[axis];
        }
        else if (!lie.at[place])
            bytes += bytes_of_register(kind, width, band);
    }
    char *room = malloc((size_t)bytes);
    if (!room)
        Py_RETURN_NONE;
    char *next = room + (UNIT - (uintptr_t)room % UNIT) % UNIT;
    for (int place = self->operands + self->results; place < self->values; place++)
        if (!lie.at[place]) {
            lie.at[place] = next;
            next += bytes_of_register(&self->kinds[place], width, band);
        }
    PyThreadState *state = rows * width * self->count >= RELEASES ? PyEval_SaveThread() : NULL;
    feclearexcept(ERRORS);
    int flags = 0;
    const int done = rows_of_block(self, &lie, rows, width, band, &flags);
    feclearexcept(ERRORS);
    if (state)
        PyEval_RestoreThread(state);
    free(room);
    if (PyErr_Occurred())
        return NULL;
    if (!done)
        Py_RETURN_NONE;
    if (flags) {
        PyObject *told = flags == FE_UNDERFLOW ? PyObject_CallNoArgs(self->tell) : Py_NewRef(Py_False);
        const int heard = told ? !PyObject_IsTrue(told) : -1;
        Py_XDECREF(told);
        if (heard)
            return heard < 0 ? NULL : Py_NewRef(Py_None);
    }
    PyObject *results = PyTuple_New(self->results);
    for (int place = 0; results && place < self->results; place++)
        PyTuple_SET_ITEM(results, place, Py_NewRef(given[self->operands + place]));
    return results;
}

static void rows_dealloc(PyObject *object)
{
    Py_XDECREF(((Rows *)object)->held);
    Py_TYPE(object)->tp_free(object);
}

static int take_kinds(Rows *self, PyObject *kinds)
{
    for (int place = 0; place < self->values; place++) {
        RowKind *kind = &self->kinds[place];
        PyObject *data;
        int form;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(kinds, place), "COnO", &form, &kind->descr, &kind->itemsize, &data))
            return 0;
        kind->form = (char)form;
        kind->data = data == Py_None ? NULL : ((Array *)data)->data;
        if (data != Py_None && Py_TYPE(data) != array_type)
            return 0;
    }
    return 1;
}

static int take_steps(Rows *self, PyObject *steps)
{
    for (int number = 0; number < self->count; number++) {
        RowStep *step = &self->steps[number];
        PyObject *what, *places;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(steps, number), "OO!", &what, &PyTuple_Type, &places))
            return 0;
        step->count = (int)PyTuple_GET_SIZE(places);
        if (step->count < 2 || step->count > ARGUMENTS)
            return 0;
        for (int place = 0; place < step->count; place++) {
            step->places[place] = (int)PyLong_AsLong(PyTuple_GET_ITEM(places, place));
            if (step->places[place] < 0 || step->places[place] >= self->values)
                return 0;
        }
        const RowKind *made = &self->kinds[step->places[step->count - 1]];
        step->column = made->form == 'c';
        step->whole = 1;
        for (int place = 0; place < step->count; place++) {
            const char form = self->kinds[step->places[place]].form;
            step->whole &= form == 'r' || form == 's';
        }
        step->size = (int)made->itemsize;
        if (PyLong_Check(what)) {
            step->what = (int)PyLong_AsLong(what);
            if (step->what < LARGEST || step->what > MEAN || (step->size != 4 && step->size != 8))
                return 0;
        }
        else {
            step->loop = PyCapsule_GetPointer(what, LOOP);
            if (!step->loop || !step->loop->loop || step->loop->takes_gil)
                return 0;
        }
    }
    return 1;
}

static PyObject *rows_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *api, *kinds, *steps, *tell;
    int operands, results;
    if (!PyArg_ParseTuple(args, "OO!iiO!O", &api, &PyTuple_Type, &kinds, &operands, &results, &PyTuple_Type, &steps, &tell))
        return NULL;
    void **table = PyCapsule_GetPointer(api, NULL);
    Rows *self = table ? (Rows *)type->tp_alloc(type, 0) : NULL;
    if (!self)
        return NULL;
    array_type = table[ARRAY_TYPE];
    self->held = Py_NewRef(args);
    self->tell = tell;
    self->operands = operands;
    self->results = results;
    self->values = (int)PyTuple_GET_SIZE(kinds);
    self->count = (int)PyTuple_GET_SIZE(steps);
    if (self->values <= ROW_VALUES && self->count <= ROW_STEPS && operands + results <= self->values && take_kinds(self, kinds) && take_steps(self, steps))
        return (PyObject *)self;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "these are no parts of rows");
    Py_DECREF(self);
    return NULL;
}

static PyTypeObject rows_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "npexport.runtime._expressions.Rows",
    .tp_basicsize = sizeof(Rows),
    .tp_dealloc = rows_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = rows_new,
};

/* A reduction of each row of an array of floats into an array of one element each: false where it is left to NumPy. */
static PyObject *reduce_rows(PyObject *Py_UNUSED(module), PyObject *args)
{
    int what;
    PyObject *from, *to;
    if (!PyArg_ParseTuple(args, "iOO", &what, &from, &to))
        return NULL;
    const Array *array = (const Array *)from;
    const Py_ssize_t width = array->dimensions[1], size = array->strides[1];
    int same = has_reductions();
    for (Py_ssize_t row = 0; same && row < array->dimensions[0]; row++) {
        const char *at = array->data + row * array->strides[0];
        char *into = ((Array *)to)->data + row * size;
        same = size == 4 ? float_reduced(what, (const float *)at, width, (float *)into)
                         : double_reduced(what, (const double *)at, width, (double *)into);
    }
    feclearexcept(ERRORS);
    return PyBool_FromLong(same);
}
