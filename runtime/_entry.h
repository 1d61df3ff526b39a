/* What runs when the module of a program is called: the type `Entry` that modules derive from.

   `bind` says how: `general` is the function with all of Python's conventions, `raw` the same code, to which everything is passed by
   position: whether the arrays are checked, the parameters, and what was passed beyond them, which is nothing. A call that names each
   parameter at most once and leaves no required one out goes to `raw`, any other one, which is refused or watched, to `general`. Where there
   is nothing else to look at than the arrays, `nothing` is None: `raw` takes the parameters alone, of calls whose arrays are as expected.
   Where the program is a few calls, and they are, these are made here; `tell` notes on an exception which line raised it. */

/* One of these calls: its operands are places of parameters, of constants behind them, and from -1 down of results of steps. */
typedef struct {
    int kind, operator, count;
    int *operands;
    PyObject *function, *keywords, *line; /* `keywords` NULL where there are none */
} Step;

/* The operators of two operands come before those of one. */
enum { BINARY = 10 };

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *held, *direct; /* all that the others are borrowed from */
    PyObject *general, *raw, *names, *defaults, *missing, *nothing;
    Arrays *arrays;   /* NULL where `raw` checks everything */
    PyObject *places; /* the parameter that is each of these arrays */
    PyObject *tell, *constants;
    Step *steps; /* NULL where Python makes the calls */
    int steps_made, given; /* the place of the result */
    int in_order, straight; /* whether the parameters, none by name alone, are the arrays, and then whether `raw` or the steps take nothing else */
    Py_ssize_t count, unnamed, positional; /* parameters; those without a name; those that may have none */
} Entry;

/* Whether somebody watches the frames of Python that begin. */
static int is_watched(void)
{
    PyThreadState *thread = PyThreadState_Get();
    return thread->c_tracefunc || _PyInterpreterState_GetEvalFrameFunc(thread->interp) != _PyEval_EvalFrameDefault;
}

/* The parameter of this name, which the caller's table has as the same object but for names that were made while it ran. */
static Py_ssize_t parameter_of(const Entry *self, PyObject *name)
{
    for (Py_ssize_t place = self->unnamed; place < self->count; place++)
        if (PyTuple_GET_ITEM(self->names, place) == name)
            return place;
    return -1;
}

/* Puts what each parameter is bound to into `values`; whether that is all there is to it. */
static int binds(const Entry *self, PyObject *const *args, Py_ssize_t given, PyObject *names, PyObject **values)
{
    Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    if (given > self->positional || given + named > self->count)
        return 0;
    for (Py_ssize_t place = 0; place < self->count; place++)
        values[place] = place < given ? args[place] : NULL;
    for (Py_ssize_t number = 0; number < named; number++) {
        Py_ssize_t place = parameter_of(self, PyTuple_GET_ITEM(names, number));
        if (place < 0 || values[place])
            return 0;
        values[place] = args[given + number];
    }
    for (Py_ssize_t place = given; place < self->count; place++)
        if (!values[place] && (values[place] = PyTuple_GET_ITEM(self->defaults, place)) == self->missing)
            return 0;
    return 1;
}

/* What a step does, as npexport.runtime.direct has it. */
enum { CALL, METHOD, ATTRIBUTE, READ, WRITE, OPERATE, COMPARE, TUPLE, LIST, RELEASE };

static PyObject *not_of(PyObject *value)
{
    int truth = PyObject_IsTrue(value);
    return truth < 0 ? NULL : PyBool_FromLong(!truth);
}

static PyObject *operated(int operator, PyObject *const *args)
{
    static binaryfunc const binary[] = {PyNumber_Add, PyNumber_Subtract, PyNumber_Multiply, PyNumber_TrueDivide, PyNumber_FloorDivide,
        PyNumber_Remainder, PyNumber_MatrixMultiply, PyNumber_And, PyNumber_Or, PyNumber_Xor};
    static unaryfunc const unary[] = {PyNumber_Negative, not_of};
    return operator < BINARY ? binary[operator](args[0], args[1]) : unary[operator - BINARY](args[0]);
}

/* Lets `tell` note on the exception that this line raised it. */
static void note(const Entry *self, PyObject *line)
{
    if (!PyErr_ExceptionMatches(PyExc_Exception))
        return;
#if PY_VERSION_HEX >= 0x030C0000
    PyObject *error = PyErr_GetRaisedException(), *told = PyObject_CallFunctionObjArgs(self->tell, error, line, NULL);
    if (told)
        PyErr_SetRaisedException(error);
    else
        Py_XDECREF(error);
#else
    PyObject *type, *error, *trace, *told;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    told = PyObject_CallFunctionObjArgs(self->tell, error, line, NULL);
    if (told)
        PyErr_Restore(type, error, trace);
    else {
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(trace);
    }
#endif
    Py_XDECREF(told);
}

static PyObject *operand_of(const Entry *self, PyObject *const *values, PyObject *const *results, int place)
{
    return place < 0 ? results[-1 - place] : place < self->count ? values[place] : PyTuple_GET_ITEM(self->constants, place - self->count);
}

static PyObject *listed(int kind, PyObject *const *args, Py_ssize_t count)
{
    PyObject *made = kind == TUPLE ? PyTuple_New(count) : PyList_New(count);
    for (Py_ssize_t place = 0; made && place < count; place++)
        *(kind == TUPLE ? &PyTuple_GET_ITEM(made, place) : &PyList_GET_ITEM(made, place)) = Py_NewRef(args[place]);
    return made;
}

/* What a step gives of these operands, before which there is room for one more. */
static PyObject *made(const Step *step, PyObject **args)
{
    size_t unnamed = (size_t)(step->count - (step->keywords ? PyTuple_GET_SIZE(step->keywords) : 0));
    switch (step->kind) {
    case CALL:
        return PyObject_Vectorcall(step->function, args, unnamed | PY_VECTORCALL_ARGUMENTS_OFFSET, step->keywords);
    case METHOD:
        return PyObject_VectorcallMethod(step->function, args, unnamed | PY_VECTORCALL_ARGUMENTS_OFFSET, step->keywords);
    case ATTRIBUTE:
        return PyObject_GetAttr(args[0], step->function);
    case READ:
        return PyObject_GetItem(args[0], args[1]);
    case WRITE:
        return PyObject_SetItem(args[0], args[1], args[2]) ? NULL : Py_NewRef(Py_None);
    case OPERATE:
        return operated(step->operator, args);
    case COMPARE:
        return PyObject_RichCompare(args[0], args[1], step->operator);
    default:
        return listed(step->kind, args, step->count);
    }
}

static PyObject *call_directly(const Entry *self, PyObject *const *values)
{
    PyObject *room[LOCAL + 1], *results[LOCAL], **args = room + 1, *result = NULL;
    int done = 0;
    for (const Step *step = self->steps; done < self->steps_made; done++, step++) {
        results[done] = NULL;
        if (step->kind == RELEASE) {
            for (int number = 0; number < step->count; number++)
                Py_CLEAR(results[-1 - step->operands[number]]);
            continue;
        }
        for (int number = 0; number < step->count; number++)
            args[number] = operand_of(self, values, results, step->operands[number]);
        if (!(results[done] = made(step, args))) {
            note(self, step->line);
            break;
        }
    }
    if (done == self->steps_made)
        result = Py_NewRef(operand_of(self, values, results, self->given));
    while (done--)
        Py_XDECREF(results[done]);
    return result;
}

static PyObject *call_generally(PyObject *object, PyObject *const *args, size_t count, PyObject *names)
{
    PyObject *method = PyMethod_New(((Entry *)object)->general, object);
    PyObject *result = method ? PyObject_Vectorcall(method, args, count, names) : NULL;
    Py_XDECREF(method);
    return result;
}

static PyObject *entry_call(PyObject *object, PyObject *const *args, size_t count, PyObject *names)
{
    const Entry *self = (const Entry *)object;
    if (self->straight && !names && PyVectorcall_NARGS(count) == self->count && !is_watched() && are(self->arrays, args))
        return self->steps ? call_directly(self, args) : PyObject_Vectorcall(self->raw, args, count, NULL);
    PyObject *room[LOCAL + 3], *arrays[LOCAL], **values = room + 1;
    if (is_watched() || !binds(self, args, PyVectorcall_NARGS(count), names, values))
        return call_generally(object, args, count, names);
    room[0] = Py_False;
    if (self->arrays) {
        for (Py_ssize_t number = 0; number < self->arrays->count; number++)
            arrays[number] = values[PyLong_AsSsize_t(PyTuple_GET_ITEM(self->places, number))];
        room[0] = are(self->arrays, arrays) ? Py_True : Py_False;
    }
    if (self->steps && room[0] == Py_True)
        return call_directly(self, values);
    if (self->nothing == Py_None)
        return room[0] == Py_True ? PyObject_Vectorcall(self->raw, values, (size_t)self->count | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL)
                                  : call_generally(object, args, count, names);
    values[self->count] = values[self->count + 1] = self->nothing;
    return PyObject_Vectorcall(self->raw, room, (size_t)self->count + 3, NULL);
}

static PyTypeObject arrays_type, entry_type;

/* Whether each of these is a number from `least` on and below `limit`. */
static int are_between(PyObject *places, Py_ssize_t least, Py_ssize_t limit)
{
    for (Py_ssize_t number = 0; number < PyTuple_GET_SIZE(places); number++) {
        Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GET_ITEM(places, number));
        if (place < least || place >= limit)
            return 0;
    }
    return 1;
}

/* The operands that a step of this kind has at least. */
static int least_of(int kind, int operator)
{
    return kind == WRITE ? 3 : kind == READ || kind == COMPARE || (kind == OPERATE && operator < BINARY) ? 2 :
        kind == METHOD || kind == ATTRIBUTE || kind == OPERATE ? 1 : 0;
}

/* Reads a step off its tuple; whether it is one, of operands that the steps of before it have made. */
static int read_step(Step *step, PyObject *row, int before, Py_ssize_t limit)
{
    PyObject *operands, *keywords;
    if (!PyArg_ParseTuple(row, "iOO!O!O", &step->kind, &step->function, &PyTuple_Type, &operands, &PyTuple_Type, &keywords, &step->line))
        return 0;
    Py_ssize_t count = PyTuple_GET_SIZE(operands), named = PyTuple_GET_SIZE(keywords);
    step->keywords = named ? keywords : NULL;
    step->operator = step->kind == OPERATE || step->kind == COMPARE ? (int)PyLong_AsLong(step->function) : 0;
    if (PyErr_Occurred() || step->kind < CALL || step->kind > RELEASE || step->operator < 0 || step->operator >= BINARY + 2)
        return 0;
    if (count > LOCAL || named > count || count < least_of(step->kind, step->operator) || !are_between(operands, -before, step->kind == RELEASE ? 0 : limit))
        return 0;
    step->count = (int)count;
    step->operands = PyMem_Calloc((size_t)count + 1, sizeof(int));
    for (int number = 0; step->operands && number < step->count; number++)
        step->operands[number] = (int)PyLong_AsLong(PyTuple_GET_ITEM(operands, number));
    return step->operands != NULL;
}

static void forget_steps(Entry *self)
{
    for (int number = 0; number < self->steps_made; number++)
        PyMem_Free(self->steps[number].operands);
    PyMem_Free(self->steps);
    self->steps = NULL, self->steps_made = 0;
}

static PyObject *entry_direct(PyObject *object, PyObject *args)
{
    Entry *self = (Entry *)object;
    PyObject *tell, *rows, *constants;
    int given, fits;
    if (!PyArg_ParseTuple(args, "OO!O!i", &tell, &PyTuple_Type, &rows, &PyTuple_Type, &constants, &given))
        return NULL;
    Py_ssize_t limit = self->count + PyTuple_GET_SIZE(constants);
    int count = PyTuple_GET_SIZE(rows) > LOCAL ? LOCAL + 1 : (int)PyTuple_GET_SIZE(rows);
    fits = self->arrays && !self->steps && count <= LOCAL && given >= -count && given < limit;
    Step *steps = fits ? PyMem_Calloc((size_t)count + 1, sizeof(Step)) : NULL;
    if (steps) {
        for (self->steps = steps; fits && self->steps_made < count; self->steps_made++)
            if (!read_step(&steps[self->steps_made], PyTuple_GET_ITEM(rows, self->steps_made), self->steps_made, limit)) {
                self->steps_made++;
                fits = 0;
                break;
            }
        if (!fits)
            forget_steps(self);
    }
    if (!steps || !fits) {
        PyErr_SetString(PyExc_TypeError, "steps of parameters and constants, once, of what checks arrays");
        return NULL;
    }
    self->direct = Py_NewRef(args);
    self->straight = self->in_order;
    self->tell = tell, self->constants = constants, self->given = given;
    Py_RETURN_NONE;
}

static PyObject *entry_bind(PyObject *object, PyObject *args)
{
    Entry new, *self = (Entry *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject *arrays;
    if (!PyArg_ParseTuple(args, "OOO!O!OnnOO!O", &new.general, &new.raw, &PyTuple_Type, &new.names, &PyTuple_Type, &new.defaults, &new.missing,
            &new.unnamed, &new.positional, &arrays, &PyTuple_Type, &new.places, &new.nothing))
        return NULL;
    new.count = PyTuple_GET_SIZE(new.names);
    new.arrays = Py_TYPE(arrays) == &arrays_type ? (Arrays *)arrays : NULL;
    int fits = new.count <= LOCAL && PyTuple_GET_SIZE(new.defaults) == new.count && new.unnamed >= 0 && new.unnamed <= new.count &&
        new.positional >= 0 && new.positional <= new.count;
    fits = fits && (PyTuple_Check(new.nothing) || (new.nothing == Py_None && new.arrays));
    fits = fits && are_between(new.places, 0, new.count) && (!new.arrays || new.arrays->count == PyTuple_GET_SIZE(new.places));
    if (self->held || type == &entry_type || !fits) {
        PyErr_SetString(PyExc_TypeError, "an entry is bound once, to a function and its parameters");
        return NULL;
    }
    self->general = new.general, self->raw = new.raw, self->names = new.names, self->defaults = new.defaults, self->missing = new.missing;
    self->nothing = new.nothing, self->arrays = new.arrays, self->places = new.places;
    self->count = new.count, self->unnamed = new.unnamed, self->positional = new.positional;
    self->in_order = new.arrays && new.arrays->count == new.count && new.positional == new.count;
    for (Py_ssize_t place = 0; self->in_order && place < new.count; place++)
        self->in_order = PyLong_AsSsize_t(PyTuple_GET_ITEM(new.places, place)) == place;
    self->straight = self->in_order && new.nothing == Py_None;
    self->held = Py_NewRef(args);
    self->call = entry_call;
    type->tp_call = PyVectorcall_Call; /* the class has a `__call__` in Python, which this stands before */
    type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    PyType_Modified(type);
    Py_RETURN_NONE;
}

static int entry_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(((Entry *)object)->held);
    Py_VISIT(((Entry *)object)->direct);
    return 0;
}

static int entry_clear(PyObject *object)
{
    Entry *self = (Entry *)object;
    self->call = NULL;
    Py_CLEAR(self->held);
    Py_CLEAR(self->direct);
    return 0;
}

static void entry_dealloc(PyObject *object)
{
    PyObject_GC_UnTrack(object);
    entry_clear(object);
    forget_steps((Entry *)object);
    Py_TYPE(object)->tp_free(object);
}

static PyMethodDef entry_methods[] = {
    {"_bind", entry_bind, METH_VARARGS, "Say what runs; the class of the entry is its own."},
    {"_call_directly", entry_direct, METH_VARARGS, "Say which few calls that is."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject entry_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "npexport.runtime._checks.Entry",
    .tp_basicsize = sizeof(Entry),
    .tp_dealloc = entry_dealloc,
    .tp_traverse = entry_traverse,
    .tp_clear = entry_clear,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Entry, call),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_methods = entry_methods,
    .tp_new = PyType_GenericNew,
};
