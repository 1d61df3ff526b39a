/* What runs when the module of a program is called: the type `Entry` that modules derive from.

   `bind` says how: `general` is the function with all of Python's conventions, `raw` the same code, to which everything is passed by
   position: whether the arrays are checked, the parameters, and what was passed beyond them, which is nothing. A call that names each
   parameter at most once and leaves no required one out goes to `raw`, any other one, which is refused or watched, to `general`. Where the
   program is one call, and its arrays are as expected, that is made here; `tell` notes on an exception which line raised it. */

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *held, *direct; /* all that the others are borrowed from */
    PyObject *general, *raw, *names, *defaults, *missing, *nothing;
    Arrays *arrays;   /* NULL where `raw` checks everything */
    PyObject *places; /* the parameter that is each of these arrays */
    PyObject *tell, *function, *operands, *keywords, *constants; /* of the one call; `operands` are places of parameters and constants */
    int kind, given; /* the place of the result, -1 where it is the call's own */
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

/* What the one call is: of a function, by an index, or none at all. */
enum { CALL, READ, WRITE, NOTHING };

/* Lets `tell` note on the exception which line raised it. */
static void note(const Entry *self)
{
    if (!PyErr_ExceptionMatches(PyExc_Exception))
        return;
#if PY_VERSION_HEX >= 0x030C0000
    PyObject *error = PyErr_GetRaisedException(), *told = PyObject_CallOneArg(self->tell, error);
    if (told)
        PyErr_SetRaisedException(error);
    else
        Py_XDECREF(error);
#else
    PyObject *type, *error, *trace, *told;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    told = PyObject_CallOneArg(self->tell, error);
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

static PyObject *operand_of(const Entry *self, PyObject *const *values, Py_ssize_t place)
{
    return place < self->count ? values[place] : PyTuple_GET_ITEM(self->constants, place - self->count);
}

static PyObject *call_directly(const Entry *self, PyObject *const *values)
{
    PyObject *room[LOCAL];
    Py_ssize_t count = PyTuple_GET_SIZE(self->operands), named = PyTuple_GET_SIZE(self->keywords);
    for (Py_ssize_t number = 0; number < count; number++)
        room[number] = operand_of(self, values, PyLong_AsSsize_t(PyTuple_GET_ITEM(self->operands, number)));
    PyObject *result;
    if (self->kind == CALL)
        result = PyObject_Vectorcall(self->function, room, (size_t)(count - named), named ? self->keywords : NULL);
    else if (self->kind == READ)
        result = PyObject_GetItem(room[0], room[1]);
    else
        result = self->kind == WRITE && PyObject_SetItem(room[0], room[1], room[2]) ? NULL : Py_NewRef(Py_None);
    if (!result)
        note(self);
    else if (self->given >= 0)
        Py_SETREF(result, Py_NewRef(operand_of(self, values, self->given)));
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
    PyObject *room[LOCAL + 3], *arrays[LOCAL], **values = room + 1;
    if (is_watched() || !binds(self, args, PyVectorcall_NARGS(count), names, values))
        return call_generally(object, args, count, names);
    room[0] = Py_False;
    if (self->arrays) {
        for (Py_ssize_t number = 0; number < self->arrays->count; number++)
            arrays[number] = values[PyLong_AsSsize_t(PyTuple_GET_ITEM(self->places, number))];
        room[0] = are(self->arrays, arrays) ? Py_True : Py_False;
    }
    if (self->direct && room[0] == Py_True)
        return call_directly(self, values);
    values[self->count] = values[self->count + 1] = self->nothing;
    return PyObject_Vectorcall(self->raw, room, (size_t)self->count + 3, NULL);
}

static PyTypeObject arrays_type, entry_type;

/* Whether each of these is a number below `limit`. */
static int are_below(PyObject *places, Py_ssize_t limit)
{
    for (Py_ssize_t number = 0; number < PyTuple_GET_SIZE(places); number++) {
        Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GET_ITEM(places, number));
        if (place < 0 || place >= limit)
            return 0;
    }
    return 1;
}

static PyObject *entry_direct(PyObject *object, PyObject *args)
{
    Entry *self = (Entry *)object;
    PyObject *tell, *function, *operands, *keywords, *constants;
    int kind, given;
    if (!PyArg_ParseTuple(args, "OiOO!O!O!i", &tell, &kind, &function, &PyTuple_Type, &operands, &PyTuple_Type, &keywords, &PyTuple_Type, &constants, &given))
        return NULL;
    Py_ssize_t limit = self->count + PyTuple_GET_SIZE(constants);
    if (!self->arrays || self->direct || !are_below(operands, limit) || given < -1 || given >= limit || PyTuple_GET_SIZE(operands) > LOCAL ||
        PyTuple_GET_SIZE(keywords) > PyTuple_GET_SIZE(operands) || PyTuple_GET_SIZE(operands) < (kind == READ ? 2 : kind == WRITE ? 3 : 0)) {
        PyErr_SetString(PyExc_TypeError, "one call of parameters and constants, once, of what checks arrays");
        return NULL;
    }
    self->direct = Py_NewRef(args);
    self->tell = tell, self->function = function, self->operands = operands, self->keywords = keywords, self->constants = constants;
    self->kind = kind, self->given = given;
    Py_RETURN_NONE;
}

static PyObject *entry_bind(PyObject *object, PyObject *args)
{
    Entry new, *self = (Entry *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject *arrays;
    if (!PyArg_ParseTuple(args, "OOO!O!OnnOO!O!", &new.general, &new.raw, &PyTuple_Type, &new.names, &PyTuple_Type, &new.defaults, &new.missing,
            &new.unnamed, &new.positional, &arrays, &PyTuple_Type, &new.places, &PyTuple_Type, &new.nothing))
        return NULL;
    new.count = PyTuple_GET_SIZE(new.names);
    new.arrays = Py_TYPE(arrays) == &arrays_type ? (Arrays *)arrays : NULL;
    int fits = new.count <= LOCAL && PyTuple_GET_SIZE(new.defaults) == new.count && new.unnamed >= 0 && new.unnamed <= new.count &&
        new.positional >= 0 && new.positional <= new.count;
    fits = fits && are_below(new.places, new.count) && (!new.arrays || new.arrays->count == PyTuple_GET_SIZE(new.places));
    if (self->held || type == &entry_type || !fits) {
        PyErr_SetString(PyExc_TypeError, "an entry is bound once, to a function and its parameters");
        return NULL;
    }
    self->general = new.general, self->raw = new.raw, self->names = new.names, self->defaults = new.defaults, self->missing = new.missing;
    self->nothing = new.nothing, self->arrays = new.arrays, self->places = new.places;
    self->count = new.count, self->unnamed = new.unnamed, self->positional = new.positional;
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
    Py_TYPE(object)->tp_free(object);
}

static PyMethodDef entry_methods[] = {
    {"_bind", entry_bind, METH_VARARGS, "Say what runs; the class of the entry is its own."},
    {"_call_directly", entry_direct, METH_VARARGS, "Say which one call that is."},
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
