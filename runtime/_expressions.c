/* Element-wise operators of NumPy, a whole run of them in one call.

   These names are offered to Python (npexport.runtime.blocks.expressions), and those of _rows.h:

       Expression(api, …)                   what is to be computed
       run(expression, *operands, *outs)    the results, as a tuple; None where it declines
       exponentials(loop, size)             whether chains compute exp as this loop over floats of so many bytes does

   The loops are NumPy's own, as its ufuncs give them out: each is called over one block of the elements after the other, its
   results lie in memory that all blocks share, and only what leaves the run gets an array. Where chains of arithmetic do the same
   faster, they stand for them (_chains.h).

   Laws.
   - Where it declines the operators are called one by one: nothing has been written then.
   - Flags of floating-point errors are read after each operator. Where there are any, `tell` of the expression is asked: it warns
     as the operators would, or makes the run decline.
   - Operands that are contiguous are cut at multiples of UNIT elements: each loop treats each element by the same instructions
     as in one call over all. Others are gone through by rows. Only expressions of `exact` operators are, whose numbers do not
     depend on that but for the payload of a NaN: such a run declines where one comes out.
   - Operands lie in C order, gaps and repetitions allowed, so that new results do, or all in Fortran order (_turned.h).
   - An array of `outs` is written when all is computed, where that is one block, and else block by block, where `passes` says that
     no error can stop the run, and it is no part of an operand, or both are the same contiguous elements: over rows only where no
     operator can meet two NaNs (`is_certain`), since what is written over cannot be computed once more.
   - No loop of an expression raises.
   - Nothing is kept from one call to the next but memory for one run, of ARENA bytes at most. */

#include "_extension.h"

#include <stdlib.h>

#include "_try_lock.h"
#include "_expression.h"
#include "_choices.h"
#include "_outputs.h"
#include "_chains.h"
#include "_blocks.h"
#include "_turned.h"

static const char LOOP[] = "numpy_1.24_ufunc_call_info"; /* the name of what holds a loop */
static char arena[ARENA];

#include "_rows.h"

/* Notes how blocks go through an array of the caller's. */
static void go_through(Value *value, const Call *call, const Py_ssize_t *strides)
{
    value->inner = strides[call->axes - 1];
    value->row = call->axes > 1 ? strides[call->axes - 2] : call->width * value->inner;
    value->outer = strides;
}

/* Computes over these operands, in the memory `room` for `size` bytes of registers; the results, NULL where it declines. */
static PyObject *results_of(
    Expression *self, Call *call, PyObject *const *given, const Array *shape, const Py_ssize_t *strides, char *room, Py_ssize_t block)
{
    PyObject *const *outs = given + self->operands;
    PyObject *results = PyTuple_New(self->results);
    for (int place = 0; results && place < self->results + self->registers; place++) {
        const Kind *kind = &self->kinds[self->operands + place];
        Value *value = &call->values[self->operands + place];
        value->inner = kind->itemsize;
        value->row = kind->itemsize * call->width;
        value->target = NULL;
        value->outer = NULL;
        if (place < self->results && (call->spares || outs[place] == Py_None)) {
            Py_INCREF(kind->descr);
            PyObject *made = new_from_descr(array_type, kind->descr, shape->nd, call->dimensions, NULL, NULL, call->turned, NULL);
            if (!made)
                Py_CLEAR(results);
            else {
                value->base = ((Array *)made)->data;
                PyTuple_SET_ITEM(results, place, made);
            }
            continue;
        }
        if (place < self->results) {
            PyTuple_SET_ITEM(results, place, Py_NewRef(call->outs[place]));
            if (is_direct(self, call, given, place)) {
                value->base = ((Array *)outs[place])->data;
                if (call->looks)
                    go_through(value, call, strides + (self->operands + place) * AXES);
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

static PyObject *attempt(Expression *self, PyObject *const *given, Value *values, Py_ssize_t *strides, char (*numbers)[16])
{
    const Array *shape = shape_of(self, given);
    if (!shape || !shape->nd || shape->nd > AXES)
        return NULL;
    Call call = {.values = values, .outs = given + self->operands, .dimensions = shape->dimensions};
    Turned turned[LOCAL];
    PyObject *instead[LOCAL];
    if (is_turned(shape) && self->operands + self->results <= LOCAL && are_led(self, given)) {
        turn_all(self, given, shape->nd, turned, instead);
        given = instead;
        shape = shape_of(self, given);
        call.turned = 1;
    }
    if (!take(self, &call, given, shape, strides, numbers))
        return NULL;
    call.replaces = replaces(self, given);
    divide(self, &call, step_of(self, &call, strides), given + self->operands);
    for (int place = 0; place < self->operands; place++)
        go_through(&values[place], &call, strides + place * AXES);
    for (int place = 0; place < self->constants; place++) {
        int value = self->operands + self->results + self->registers + place;
        values[value] = (Value){.at = self->kinds[value].data};
    }
    Py_ssize_t block = call.rows * call.width;
    if (call.count > self->most || are_short(self, &call) || are_few(self, &call, given + self->operands))
        return NULL;
    if (call.looks && call.count > MANY && are_scattered(self, &call))
        return NULL;
    if (!can_take(self, &call, given, shape)) {
        if (!self->spare)
            return NULL;
        call.spares = 1;
    }
    call.replaces &= !call.spares;
    Py_ssize_t bytes = room_of(self, given + self->operands, block);
    char small[SMALL], *room = small;
    int locked = bytes > SMALL && bytes <= ARENA && TRY_LOCK();
    if (locked)
        room = arena;
    else if (bytes > SMALL && !(room = malloc((size_t)bytes)))
        return NULL;
    call.errors = (unsigned char *)room;
    char *registers = room + self->instructions;
    PyObject *results = results_of(self, &call, given, shape, strides, registers + (UNIT - (uintptr_t)registers % UNIT) % UNIT, block);
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

static PyObject *are_exponentials(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *capsule;
    int size;
    if (!PyArg_ParseTuple(args, "Oi", &capsule, &size))
        return NULL;
    const Loop *loop = PyCapsule_GetPointer(capsule, LOOP);
    return loop ? PyBool_FromLong(loop->loop && !loop->takes_gil && (size == 4 || size == 8) && agrees(loop, size)) : NULL;
}

/* Making */

static void expression_dealloc(PyObject *object)
{
    Expression *self = (Expression *)object;
    Py_XDECREF(self->held);
    PyMem_Free(self->kinds);
    PyMem_Free(self->code);
    for (int number = 0; self->chains && number < self->chained; number++)
        PyMem_Free(self->chains[number].steps);
    PyMem_Free(self->chains);
    Py_TYPE(self)->tp_free(object);
}

static int describe(Expression *self, PyObject *operands, PyObject *results, PyObject *registers, PyObject *constants)
{
    Kind *kind = self->kinds;
    for (int place = 0; place < self->operands; place++, kind++)
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(operands, place), "OObn", &kind->descr, &kind->scalar, &kind->full, &kind->itemsize))
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
            each->loop = PyCapsule_GetPointer(capsule, LOOP);
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

/* Whether a step takes no value that a chain makes, besides the one in the registers. */
static int takes_from_outside(const Expression *self, const int *step)
{
    static const int alone[OPERATORS] = {[SQUARE] = 1, [SQRT] = 1, [NEGATIVE] = 1, [ABSOLUTE] = 1, [EXP] = 1, [KEEP] = 1, [GIVE] = 1};
    for (int place = 1; place <= 1 + (step[0] == CHOOSE); place++)
        if (!alone[step[0]] && (step[place] < 0 || (step[place] >= self->operands && step[place] < self->operands + self->results + self->registers)))
            return 0;
    return 1;
}

/* Takes the chains: (first, last, size, ((operator, place, place), …)) of each. */
static int take_chains(Expression *self, PyObject *chains)
{
    int all = self->operands + self->results + self->registers + self->constants, free = 0;
    for (int number = 0; number < self->chained; number++) {
        Chain *chain = &self->chains[number];
        PyObject *steps;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(chains, number), "iiiO!", &chain->first, &chain->last, &chain->size, &PyTuple_Type, &steps))
            return 0;
        chain->count = (int)PyTuple_GET_SIZE(steps);
        if (chain->first < free || chain->last < chain->first || chain->last >= self->instructions || chain->count > STEPS)
            return 0;
        if ((chain->size != 4 && chain->size != 8) || !(chain->steps = PyMem_Calloc((size_t)chain->count + 1, sizeof(*chain->steps))))
            return 0;
        free = chain->last + 1;
        chain->exponential = -1;
        chain->straight = 1;
        for (int place = 0, before = chain->first; place < chain->count; place++) { /* `before`: each operator is one instruction */
            int *step = chain->steps[place];
            if (!PyArg_ParseTuple(PyTuple_GET_ITEM(steps, place), "iii", &step[0], &step[1], &step[2]))
                return 0;
            if (step[0] < 0 || step[0] >= OPERATORS || step[1] < -KEPT || step[1] >= all || step[2] < -KEPT || step[2] >= all)
                return 0;
            if (step[0] == EXP) {
                chain->exponential = chain->always || before > chain->last ? -1 : before;
                chain->always = 1;
            }
            before += step[0] != TAKE && step[0] != KEEP && step[0] != GIVE;
            chain->work += step[0] == TAKE || step[0] == KEEP || step[0] == GIVE ? 0 : step[0] == EXP ? 8 : step[0] == CHOOSE ? 4 : 1;
            chain->straight &= takes_from_outside(self, step);
            if (step[0] == EXP && !has_exponentials(chain->size))
                return 0;
        }
    }
    return 1;
}

static PyObject *expression_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *api, *operands, *results, *registers, *constants, *instructions, *chains, *tell, *passes;
    int exact, spare;
    Py_ssize_t fewest, highest, cached, most;
    if (!PyArg_ParseTuple(args, "Oi(nnn)npO!O!O!O!O!O!OO", &api, &exact, &fewest, &highest, &cached, &most, &spare, &PyTuple_Type, &operands, &PyTuple_Type, &results,
            &PyTuple_Type, &registers, &PyTuple_Type, &constants, &PyTuple_Type, &instructions, &PyTuple_Type, &chains, &tell, &passes))
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
    self->exact = exact;
    self->fewest = fewest;
    self->highest = highest;
    self->cached = cached;
    self->most = most;
    self->spare = spare;
    self->operands = (int)PyTuple_GET_SIZE(operands);
    self->results = (int)PyTuple_GET_SIZE(results);
    self->registers = (int)PyTuple_GET_SIZE(registers);
    self->constants = (int)PyTuple_GET_SIZE(constants);
    self->instructions = (int)PyTuple_GET_SIZE(instructions);
    self->kinds = PyMem_Calloc((size_t)(self->operands + self->results + self->registers + self->constants), sizeof(Kind));
    self->code = PyMem_Calloc((size_t)self->instructions + 1, sizeof(Instruction));
    self->chained = has_chains() ? (int)PyTuple_GET_SIZE(chains) : 0;
    self->chains = PyMem_Calloc((size_t)self->chained + 1, sizeof(Chain));
    int well_formed = self->kinds && self->code && self->chains && fewest >= UNIT && fewest % UNIT == 0 && highest % UNIT == 0;
    if (well_formed && describe(self, operands, results, registers, constants) && instruct(self, instructions) && take_chains(self, chains))
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
    {"exponentials", are_exponentials, METH_VARARGS, NULL},
    {"run_rows", (PyCFunction)(void (*)(void))run_rows, METH_FASTCALL, NULL},
    {"reduce_rows", reduce_rows, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_expressions", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__expressions(void)
{
    PyObject *made = module_of(&module);
    if (made && (PyModule_AddType(made, &expression_type) || PyModule_AddType(made, &rows_type)))
        Py_CLEAR(made);
    return made;
}
