/* What each extension of this room begins with: Python, NumPy's arrays as they lie in memory, and how a module is made. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

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

/* The module of this definition, with the checksum of its sources (setup.py). It needs no interpreter lock: what is shared has locks
   of its own. */
static PyObject *module_of(struct PyModuleDef *definition)
{
    PyObject *made = PyModule_Create(definition);
    if (made && PyModule_AddIntConstant(made, "SOURCES", NPEXPORT_SOURCES))
        Py_CLEAR(made);
#ifdef Py_GIL_DISABLED
    if (made)
        PyUnstable_Module_SetGIL(made, Py_MOD_GIL_NOT_USED);
#endif
    return made;
}
