/* What compilers of Python make of a module: code in C that works on whatever it is given by Python's own protocols. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

static PyObject *
times(PyObject *x, long number)
{
    PyObject *factor = PyLong_FromLong(number);
    PyObject *result = factor == NULL ? NULL : PyNumber_Multiply(x, factor);
    Py_XDECREF(factor);
    return result;
}

static PyObject *doubled(PyObject *module, PyObject *x) { return times(x, 2); }

static PyObject *
printed(PyObject *module, PyObject *x)
{
    PyObject *stream = PySys_GetObject("stdout"); /* borrowed */
    if (stream == NULL || PyFile_WriteString("doubles\n", stream) < 0)
        return NULL;
    PySys_WriteStderr("slowly\n");
    return times(x, 2);
}

static PyObject *
typed(PyObject *module, PyObject *x)
{
    PyObject *numpy = PyObject_GetAttrString(module, "np");
    PyObject *array = numpy == NULL ? NULL : PyObject_GetAttrString(numpy, "ndarray");
    int is_array = array != NULL && (PyObject *)Py_TYPE(x) == array;
    Py_XDECREF(numpy);
    Py_XDECREF(array);
    return array == NULL ? NULL : times(x, is_array ? 2 : 3);
}

static PyObject *
buffered(PyObject *module, PyObject *x)
{
    Py_buffer buffer;
    if (PyObject_GetBuffer(x, &buffer, PyBUF_STRIDES) < 0) {
        PyErr_Clear();
        return times(x, 3);
    }
    PyBuffer_Release(&buffer);
    return times(x, 2);
}

static PyObject *
measured(PyObject *module, PyObject *x)
{
    Py_ssize_t length = PyObject_Size(x);
    return length < 0 ? NULL : times(x, (long)length);
}

static PyObject *
first(PyObject *module, PyObject *x)
{
    PyObject *item = PySequence_GetItem(x, 0);
    double number = item == NULL ? -1.0 : PyFloat_AsDouble(item);
    Py_XDECREF(item);
    return PyErr_Occurred() ? NULL : PyFloat_FromDouble(number);
}

static PyObject *
refused(PyObject *module, PyObject *x)
{
    PyErr_SetString(PyExc_ValueError, "none of these");
    return NULL;
}

/* y = np.zeros(2); y[0] = x[1]; return y */
static PyObject *
filled(PyObject *module, PyObject *x)
{
    PyObject *numpy = PyObject_GetAttrString(module, "np");
    PyObject *y = numpy == NULL ? NULL : PyObject_CallMethod(numpy, "zeros", "i", 2);
    PyObject *item = y == NULL ? NULL : PySequence_GetItem(x, 1);
    if (item == NULL || PySequence_SetItem(y, 0, item) < 0) {
        Py_CLEAR(y);
    }
    Py_XDECREF(item);
    Py_XDECREF(numpy);
    return y;
}

/* x += 1; return x.sum() */
static PyObject *
added(PyObject *module, PyObject *x)
{
    PyObject *one = PyLong_FromLong(1), *sum = PyNumber_InPlaceAdd(x, one), *result = NULL;
    if (sum != NULL) {
        result = PyObject_CallMethod(sum, "sum", NULL);
    }
    Py_DECREF(one);
    Py_XDECREF(sum);
    return result;
}

/* COUNT += 1; return x * COUNT */
static PyObject *
counted(PyObject *module, PyObject *x)
{
    PyObject *before = PyObject_GetAttrString(module, "COUNT");
    long number = before == NULL ? -1 : PyLong_AsLong(before) + 1;
    Py_XDECREF(before);
    if (PyErr_Occurred() || PyModule_AddIntConstant(module, "COUNT", number) < 0) {
        return NULL;
    }
    return times(x, number);
}

/* KEPT.append(x); return x * 2 */
static PyObject *
kept(PyObject *module, PyObject *x)
{
    PyObject *list = PyObject_GetAttrString(module, "KEPT");
    int failed = list == NULL || PyList_Append(list, x) < 0;
    Py_XDECREF(list);
    return failed ? NULL : times(x, 2);
}

static PyMethodDef functions[] = {
    {"doubled", doubled, METH_O, NULL}, {"printed", printed, METH_O, NULL}, {"typed", typed, METH_O, NULL}, {"buffered", buffered, METH_O, NULL},
    {"measured", measured, METH_O, NULL}, {"first", first, METH_O, NULL}, {"refused", refused, METH_O, NULL},
    {"filled", filled, METH_O, NULL}, {"added", added, METH_O, NULL}, {"counted", counted, METH_O, NULL},
    {"kept", kept, METH_O, NULL}, {NULL, NULL, 0, NULL},
};

typedef struct {
    PyObject_HEAD
    PyObject *scale;
} Scale;

static int
scale_init(Scale *self, PyObject *args, PyObject *kwargs)
{
    PyObject *scale;
    if (!PyArg_ParseTuple(args, "O", &scale)) {
        return -1;
    }
    Py_INCREF(scale);
    Py_XSETREF(self->scale, scale);
    return 0;
}

static int
scale_traverse(Scale *self, visitproc visit, void *arg)
{
    Py_VISIT(self->scale);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static void
scale_dealloc(Scale *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_CLEAR(self->scale);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *scaled(Scale *self, PyObject *x) { return PyNumber_Multiply(x, self->scale); }

static PyObject *
grown(Scale *self, PyObject *x)
{
    PyObject *sum = PyNumber_Add(self->scale, x);
    if (sum == NULL) {
        return NULL;
    }
    Py_INCREF(sum);
    Py_SETREF(self->scale, sum);
    return sum;
}

static PyObject *scale_call(Scale *self, PyObject *args, PyObject *kwargs) { return scaled(self, PyTuple_GET_ITEM(args, 0)); }

static PyMethodDef methods[] = {
    {"scaled", (PyCFunction)scaled, METH_O, NULL}, {"grown", (PyCFunction)grown, METH_O, NULL}, {NULL, NULL, 0, NULL},
};
static PyMemberDef members[] = {{"scale", T_OBJECT_EX, offsetof(Scale, scale), 0, NULL}, {NULL}};
static PyType_Slot slots[] = {
    {Py_tp_init, scale_init}, {Py_tp_new, PyType_GenericNew}, {Py_tp_dealloc, scale_dealloc}, {Py_tp_traverse, scale_traverse},
    {Py_tp_methods, methods}, {Py_tp_members, members}, {Py_tp_call, scale_call}, {Py_nb_add, grown}, {0, NULL},
};
static PyType_Spec spec = {"compiled_sample.Scale", sizeof(Scale), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "compiled_sample", NULL, -1, functions};

PyMODINIT_FUNC
PyInit_compiled_sample(void)
{
    PyObject *module = PyModule_Create(&definition);
    PyObject *numpy = PyImport_ImportModule("numpy"), *type = PyType_FromSpec(&spec);
    if (module == NULL || numpy == NULL || type == NULL) {
        return NULL;
    }
    if (PyModule_AddObject(module, "np", numpy) < 0 || PyModule_AddObject(module, "Scale", type) < 0) {
        return NULL;
    }
    return PyModule_AddIntConstant(module, "COUNT", 0) < 0 || PyModule_AddObject(module, "KEPT", PyList_New(0)) < 0 ? NULL : module;
}
