/* Whether arrays are what a program was exported for, in one call for all of them.

   Two types and two functions are offered to Python (npexport.runtime.entry.conditions, npexport.runtime.compiled):

       Arrays(ndarray, rows)    what is expected; a call of it with the arrays is True where they are that
       Entry                    what modules derive from: it looks at the arrays before it calls (_entry.h)
       in_order_or(ndarray, f)  a function that gives an array in C order as it is, and f(array) for any other (npexport.runtime.memory.layouts)
       parts_of(form)           a function that gives the leaves of a value of this form as a tuple, and None for any other value

   `rows` is a tuple with (dtype, shape, mask, flags, part, itemsize, equal) for each array: of `shape` a size may be ANY, `mask` are the flags
   of NumPy's that must be as in `flags`. The `part` of arrays that the program writes to is WRITTEN: no two of their elements are one
   place in memory, nor do they share any with arrays whose part is COMPARED or WRITTEN. The class is compared exactly and the dtype by
   identity, as `type(x) is ndarray and x.dtype is dtype` does; `equal` allows for dtypes that are equal, of which there may be many
   objects. After False, the checks in Python decide. */

#include "_extension.h"

#include <stddef.h>
#include <stdlib.h>

enum { ANY = -1, COMPARED = 1, WRITTEN = 2, CONTIGUOUS = 3, LOCAL = 32 };

typedef struct {
    PyObject *descr; /* borrowed from `held` */
    const Py_ssize_t *shape;
    Py_ssize_t rank, itemsize;
    int mask, flags, part, equal;
} Row;

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *held, *cls; /* `cls` borrowed from it */
    Row *rows;
    Py_ssize_t *sizes; /* of all rows */
    Py_ssize_t count;
    int writes;
} Arrays;

/* Where the elements of an array lie, and what the program does with it. */
typedef struct {
    const char *begin, *end;
    int part;
} Extent;

/* Whether two dtypes that are not one object are equal. */
static int are_equal(PyObject *one, PyObject *other)
{
    int truth = PyObject_RichCompareBool(one, other, Py_EQ);
    if (truth < 0)
        PyErr_Clear();
    return truth > 0;
}

/* Whether no two elements of an array are one place in memory, as far as its strides say so: each is at least what all smaller ones
   reach. */
static int is_spread(const Array *array, Py_ssize_t itemsize)
{
    Py_ssize_t strides[LOCAL], spans[LOCAL], count = 0, reach = itemsize;
    if (array->flags & CONTIGUOUS)
        return 1;
    if (array->nd > LOCAL)
        return 0;
    for (int axis = 0; axis < array->nd; axis++) {
        Py_ssize_t place = count, stride = array->strides[axis] < 0 ? -array->strides[axis] : array->strides[axis];
        if (array->dimensions[axis] < 2)
            continue;
        for (; place && strides[place - 1] > stride; place--) {
            strides[place] = strides[place - 1];
            spans[place] = spans[place - 1];
        }
        strides[place] = stride;
        spans[place] = stride * (array->dimensions[axis] - 1);
        count++;
    }
    for (Py_ssize_t place = 0; place < count; reach += spans[place++])
        if (strides[place] < reach)
            return 0;
    return 1;
}

static int fits(const Row *row, PyObject *cls, PyObject *value)
{
    const Array *array = (const Array *)value;
    if ((PyObject *)Py_TYPE(value) != cls || array->nd != row->rank)
        return 0;
    if (array->descr != row->descr && !(row->equal && are_equal(array->descr, row->descr)))
        return 0;
    for (int axis = 0; axis < array->nd; axis++)
        if (row->shape[axis] != ANY && array->dimensions[axis] != row->shape[axis])
            return 0;
    return (array->flags & row->mask) == row->flags && (row->part != WRITTEN || is_spread(array, row->itemsize));
}

static Extent extent_of(const Array *array, const Row *row)
{
    Extent found = {array->data, array->data + row->itemsize, row->part};
    for (int axis = 0; axis < array->nd; axis++) {
        Py_ssize_t span = (array->dimensions[axis] - 1) * array->strides[axis];
        if (!array->dimensions[axis])
            return (Extent){array->data, array->data, row->part};
        *(span < 0 ? &found.begin : &found.end) += span;
    }
    return found;
}

/* The order of extents: by their beginnings, empty ones before others that begin there. */
static int compare(const void *one, const void *other)
{
    const Extent *a = one, *b = other;
    return a->begin != b->begin ? (a->begin < b->begin ? -1 : 1) : (a->end > b->end) - (a->end < b->end);
}

/* The same for many: none begins before what it has to be apart from, of those that begin earlier, has ended. */
static int are_many_apart(Extent *extents, Py_ssize_t count)
{
    const char *any = NULL, *written = NULL; /* the ends so far */
    qsort(extents, (size_t)count, sizeof(Extent), compare);
    for (const Extent *each = extents; each < extents + count; each++) {
        if (each->begin < (each->part == WRITTEN ? any : written))
            return 0;
        if (each->end > any)
            any = each->end;
        if (each->part == WRITTEN && each->end > written)
            written = each->end;
    }
    return 1;
}

/* Whether arrays that are written share no memory; extents of `count` arrays have room. */
static int are_apart(const Arrays *self, PyObject *const *args, Extent *extents)
{
    Py_ssize_t count = 0;
    for (Py_ssize_t place = 0; place < self->count; place++)
        if (self->rows[place].part)
            extents[count++] = extent_of((const Array *)args[place], &self->rows[place]);
    if (count > LOCAL)
        return are_many_apart(extents, count);
    for (const Extent *each = extents; each < extents + count; each++)
        for (const Extent *other = extents; other < each; other++)
            if ((each->part == WRITTEN || other->part == WRITTEN) && each->begin < other->end && other->begin < each->end)
                return 0;
    return 1;
}

static int are(const Arrays *self, PyObject *const *args)
{
    for (Py_ssize_t place = 0; place < self->count; place++)
        if (!fits(&self->rows[place], self->cls, args[place]))
            return 0;
    if (!self->writes || self->count < 2)
        return 1;
    Extent local[LOCAL], *extents = self->count <= LOCAL ? local : PyMem_Malloc((size_t)self->count * sizeof(Extent));
    int apart = extents && are_apart(self, args, extents);
    if (extents != local)
        PyMem_Free(extents);
    return apart;
}

static PyObject *arrays_call(PyObject *object, PyObject *const *args, size_t count, PyObject *names)
{
    const Arrays *self = (const Arrays *)object;
    if (PyVectorcall_NARGS(count) != self->count || names) {
        PyErr_Format(PyExc_TypeError, "this takes %zd arrays", self->count);
        return NULL;
    }
    return PyBool_FromLong(are(self, args));
}

#include "_entry.h"

/* Making */

static int describe(Arrays *self, PyObject *rows)
{
    Py_ssize_t *sizes = self->sizes;
    for (Py_ssize_t place = 0; place < self->count; place++) {
        Row *row = &self->rows[place];
        PyObject *shape;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(rows, place), "OO!iiinp", &row->descr, &PyTuple_Type, &shape, &row->mask, &row->flags,
                &row->part, &row->itemsize, &row->equal))
            return 0;
        row->shape = sizes;
        row->rank = PyTuple_GET_SIZE(shape);
        for (Py_ssize_t axis = 0; axis < row->rank; axis++)
            *sizes++ = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, axis));
        self->writes |= row->part == WRITTEN;
    }
    return !PyErr_Occurred();
}

/* The sizes in all rows together, -1 where these are no rows. */
static Py_ssize_t sizes_of(PyObject *rows)
{
    Py_ssize_t all = 0;
    for (Py_ssize_t place = 0; place < PyTuple_GET_SIZE(rows); place++) {
        PyObject *row = PyTuple_GET_ITEM(rows, place);
        if (!PyTuple_Check(row) || PyTuple_GET_SIZE(row) < 2 || !PyTuple_Check(PyTuple_GET_ITEM(row, 1)))
            return -1;
        all += PyTuple_GET_SIZE(PyTuple_GET_ITEM(row, 1));
    }
    return all;
}

static PyObject *arrays_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *cls, *rows;
    if (!PyArg_ParseTuple(args, "O!O!", &PyType_Type, &cls, &PyTuple_Type, &rows))
        return NULL;
    Py_ssize_t sizes = sizes_of(rows);
    Arrays *self = sizes < 0 ? NULL : (Arrays *)type->tp_alloc(type, 0);
    if (self) {
        self->call = arrays_call;
        self->held = Py_NewRef(args);
        self->cls = cls;
        self->count = PyTuple_GET_SIZE(rows);
        self->rows = PyMem_Calloc((size_t)self->count + 1, sizeof(Row));
        self->sizes = PyMem_Calloc((size_t)sizes + 1, sizeof(Py_ssize_t));
        if (self->rows && self->sizes && describe(self, rows))
            return (PyObject *)self;
        Py_DECREF(self);
    }
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "rows are (dtype, shape, mask, flags, part, itemsize, equal)");
    return NULL;
}

static void arrays_dealloc(PyObject *object)
{
    Arrays *self = (Arrays *)object;
    Py_XDECREF(self->held);
    PyMem_Free(self->rows);
    PyMem_Free(self->sizes);
    Py_TYPE(self)->tp_free(object);
}

static PyObject *rows_of(PyObject *object, void *Py_UNUSED(closure))
{
    return Py_NewRef(PyTuple_GET_ITEM(((const Arrays *)object)->held, 1));
}

static PyGetSetDef attributes[] = {
    {"rows", rows_of, NULL, "What is expected of each array.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyTypeObject arrays_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "npexport.runtime._checks.Arrays",
    .tp_basicsize = sizeof(Arrays),
    .tp_dealloc = arrays_dealloc,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Arrays, call),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_getset = attributes,
    .tp_new = arrays_new,
};

/* The value itself if it is an array in C order that may be written to, otherwise what `otherwise` gives for it; `pair` holds the
   class of arrays and `otherwise`. */
static PyObject *in_order(PyObject *pair, PyObject *value)
{
    const int wanted = 0x1 | 0x100 | 0x400; /* C order, aligned, writeable */
    if ((PyObject *)Py_TYPE(value) == PyTuple_GET_ITEM(pair, 0) && (((Array *)value)->flags & wanted) == wanted)
        return Py_NewRef(value);
    return PyObject_CallOneArg(PyTuple_GET_ITEM(pair, 1), value);
}

static PyMethodDef in_order_method = {"in_order", in_order, METH_O, NULL};

static PyObject *in_order_or(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *ndarray, *otherwise;
    return PyArg_ParseTuple(args, "OO", &ndarray, &otherwise) ? PyCFunction_New(&in_order_method, args) : NULL;
}

/* The leaves of a form, and -1 with an exception where it is none: None for a leaf, or the class of a list, a tuple or a dict, the keys
   of a dict or None, and the forms of the items. */
static Py_ssize_t leaves_in(PyObject *form)
{
    if (form == Py_None)
        return 1;
    const int made = PyTuple_CheckExact(form) && PyTuple_GET_SIZE(form) == 3 && PyTuple_CheckExact(PyTuple_GET_ITEM(form, 2));
    PyObject *cls = made ? PyTuple_GET_ITEM(form, 0) : NULL, *keys = made ? PyTuple_GET_ITEM(form, 1) : NULL;
    PyObject *items = made ? PyTuple_GET_ITEM(form, 2) : NULL;
    const int of_dict = made && cls == (PyObject *)&PyDict_Type && PyTuple_CheckExact(keys) && PyTuple_GET_SIZE(keys) == PyTuple_GET_SIZE(items);
    if (!of_dict && !(keys == Py_None && (cls == (PyObject *)&PyList_Type || cls == (PyObject *)&PyTuple_Type))) {
        PyErr_SetString(PyExc_TypeError, "a form is None, or a class, keys and forms");
        return -1;
    }
    Py_ssize_t all = 0;
    for (Py_ssize_t place = 0; place < PyTuple_GET_SIZE(items); place++) {
        const Py_ssize_t inner = leaves_in(PyTuple_GET_ITEM(items, place));
        if (inner < 0)
            return -1;
        all += inner;
    }
    return all;
}

/* Whether two keys are one, of the same class. Such keys run no code of users'. */
static int is_key(PyObject *key, PyObject *expected)
{
    return key == expected || (Py_TYPE(key) == Py_TYPE(expected) && are_equal(key, expected));
}

/* Put the leaves of a value behind `leaves`; false if it has another form. */
static int gather(PyObject *form, PyObject *value, PyObject *leaves, Py_ssize_t *filled)
{
    if (form == Py_None) {
        PyTuple_SET_ITEM(leaves, (*filled)++, Py_NewRef(value));
        return 1;
    }
    PyObject *keys = PyTuple_GET_ITEM(form, 1), *items = PyTuple_GET_ITEM(form, 2), *key, *item;
    const Py_ssize_t count = PyTuple_GET_SIZE(items);
    Py_ssize_t next = 0;
    if ((PyObject *)Py_TYPE(value) != PyTuple_GET_ITEM(form, 0) || PyObject_Size(value) != count)
        return 0;
    for (Py_ssize_t place = 0; place < count; place++) {
        if (keys == Py_None)
            item = PyList_CheckExact(value) ? PyList_GET_ITEM(value, place) : PyTuple_GET_ITEM(value, place);
        else if (!PyDict_Next(value, &next, &key, &item) || !is_key(key, PyTuple_GET_ITEM(keys, place)))
            return 0;
        if (!gather(PyTuple_GET_ITEM(items, place), item, leaves, filled))
            return 0;
    }
    return 1;
}

static PyObject *parts(PyObject *pair, PyObject *value)
{
    PyObject *leaves = PyTuple_New(PyLong_AsSsize_t(PyTuple_GET_ITEM(pair, 1)));
    Py_ssize_t filled = 0;
    if (!leaves || gather(PyTuple_GET_ITEM(pair, 0), value, leaves, &filled))
        return leaves;
    Py_DECREF(leaves);
    return Py_NewRef(Py_None);
}

static PyMethodDef parts_method = {"parts", parts, METH_O, NULL};

static PyObject *parts_of(PyObject *Py_UNUSED(self), PyObject *form)
{
    const Py_ssize_t count = leaves_in(form);
    PyObject *pair = count < 0 ? NULL : Py_BuildValue("(On)", form, count);
    PyObject *made = pair ? PyCFunction_New(&parts_method, pair) : NULL;
    Py_XDECREF(pair);
    return made;
}

static PyMethodDef methods[] = {
    {"in_order_or", in_order_or, METH_VARARGS, NULL},
    {"parts_of", parts_of, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_checks", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__checks(void)
{
    PyObject *made = module_of(&module);
    if (made && (PyModule_AddType(made, &arrays_type) || PyModule_AddType(made, &entry_type)))
        Py_CLEAR(made);
    return made;
}
