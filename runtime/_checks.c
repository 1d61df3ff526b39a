/* Whether arrays are what a program was exported for, in one call for all of them.

   One call is offered to Python (npexport.runtime.conditions):

       are(expected, *arrays)    True where each array is of the class, dtype and shape that `expected` says

   `expected` is a tuple: the class ndarray, then (dtype, shape) of each array. The class is compared exactly and the dtype by
   identity, as `type(x) is ndarray and x.dtype is dtype and x.shape == shape` does. After False, the checks in Python decide. */

#include "_extension.h"

static int is(PyObject *cls, PyObject *pair, PyObject *value)
{
    if ((PyObject *)Py_TYPE(value) != cls)
        return 0;
    const Array *array = (const Array *)value;
    PyObject *shape = PyTuple_GET_ITEM(pair, 1);
    if (array->descr != PyTuple_GET_ITEM(pair, 0) || array->nd != PyTuple_GET_SIZE(shape))
        return 0;
    for (int axis = 0; axis < array->nd; axis++)
        if (array->dimensions[axis] != PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, axis)))
            return 0;
    return 1;
}

static int well_formed(PyObject *expected, Py_ssize_t count)
{
    if (!PyTuple_Check(expected) || PyTuple_GET_SIZE(expected) != count)
        return 0;
    for (Py_ssize_t place = 1; place < count; place++) {
        PyObject *pair = PyTuple_GET_ITEM(expected, place);
        if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2 || !PyTuple_Check(PyTuple_GET_ITEM(pair, 1)))
            return 0;
    }
    return 1;
}

static PyObject *are(PyObject *Py_UNUSED(self), PyObject *const *args, Py_ssize_t count)
{
    if (count < 1 || !well_formed(args[0], count)) {
        PyErr_SetString(PyExc_TypeError, "are(expected, *arrays) takes (ndarray, (dtype, shape), ...) and as many arrays");
        return NULL;
    }
    PyObject *cls = PyTuple_GET_ITEM(args[0], 0);
    for (Py_ssize_t place = 1; place < count; place++)
        if (!is(cls, PyTuple_GET_ITEM(args[0], place), args[place])) {
            if (PyErr_Occurred())
                return NULL;
            Py_RETURN_FALSE;
        }
    Py_RETURN_TRUE;
}

static PyMethodDef methods[] = {
    {"are", (PyCFunction)(void (*)(void))are, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_checks", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__checks(void)
{
    return module_of(&module);
}
