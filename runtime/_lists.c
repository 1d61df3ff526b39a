/* Lists of Python's, made of the elements of arrays.

   Functions are offered to Python (npexport.runtime.kernels.list_rows) that make functions of C, which do what functions of Python do, and
   call these where the arguments are not what they expect:

       list_rows       the rows of lists that lie in one table
       beginning       a list of the first elements of a vector
       divided         lists of so many of the items of a list
       row_place       the place of a key

   Each is made by a call with `arrays` and the function of Python. `arrays` are NumPy's class of arrays, its `empty`, and its dtypes of int64, float64 and bool. */

#include "_extension.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NDARRAY, EMPTY, INT64, FLOAT64, BOOL, DTYPES };

/* What is known of a list while rows are put into it: where its keys begin, where its next row is written to and its rows end, and its
   last key. */
typedef struct {
    int64_t begin, next, end, last;
} List;

static int is_vector(PyObject *arrays, PyObject *value, PyObject *dtype)
{
    const Array *array = (const Array *)value;
    return (PyObject *)Py_TYPE(value) == PyTuple_GET_ITEM(arrays, NDARRAY) && array->nd == 1 && array->descr == dtype && array->flags & 0x100;
}

static int64_t element_of(const Array *array, Py_ssize_t place)
{
    int64_t element;
    memcpy(&element, array->data + place * array->strides[0], 8);
    return element;
}

/* Begin lists, whose first keys have to ascend; the number of rows of all, or -1. */
static int64_t begin_lists(List *lists, const Array *numbers, int64_t step, const Array *lengths, int64_t most)
{
    int64_t all = 0;
    for (Py_ssize_t number = 0; number < numbers->dimensions[0]; number++) {
        const int64_t factor = element_of(numbers, number), length = element_of(lengths, number), begin = factor * step;
        if (factor < 0 || factor > INT64_MAX / step || length < 0 || length > most - all || (number && begin <= lists[number - 1].begin))
            return -1;
        lists[number] = (List){begin, all, all + length, begin};
        all += length;
    }
    return all;
}

/* Put the rows of keys into lists; false where the keys of one do not ascend, or a list has too few. */
static int fill_lists(List *lists, Py_ssize_t count, const Array *keys, int64_t *rows)
{
    for (Py_ssize_t row = 0; row < keys->dimensions[0]; row++) {
        const int64_t key = element_of(keys, row);
        Py_ssize_t low = 0, high = count; /* the list is before `high`, if any is, and not before `low` */
        while (low < high) {
            const Py_ssize_t middle = low + (high - low) / 2;
            if (lists[middle].begin <= key)
                low = middle + 1;
            else
                high = middle;
        }
        if (!low)
            continue;
        List *list = lists + low - 1;
        if (key < list->last)
            return 0;
        list->last = key;
        if (list->next < list->end)
            rows[list->next++] = row;
    }
    for (Py_ssize_t number = 0; number < count; number++)
        if (lists[number].next < lists[number].end)
            return 0;
    return 1;
}

static PyObject *list_rows(PyObject *pair, PyObject *const *args, Py_ssize_t given)
{
    enum { FEW = 32 };
    PyObject *arrays = PyTuple_GET_ITEM(pair, 0), *int64 = PyTuple_GET_ITEM(arrays, INT64), *result = NULL;
    List few[FEW], *lists = few;
    int fits = given == 4 && PyLong_CheckExact(args[2]), done = 0;
    for (Py_ssize_t place = 0; fits && place < 4; place++)
        fits = place == 2 || is_vector(arrays, args[place], int64);
    const Py_ssize_t step = fits ? PyNumber_AsSsize_t(args[2], NULL) : 0;
    if (step > 0 && ((const Array *)args[1])->dimensions[0] == ((const Array *)args[3])->dimensions[0]) {
        const Array *keys = (const Array *)args[0], *numbers = (const Array *)args[1], *lengths = (const Array *)args[3];
        const Py_ssize_t count = numbers->dimensions[0];
        if (count > FEW && !(lists = PyMem_Malloc((size_t)count * sizeof(List))))
            return PyErr_NoMemory();
        const int64_t all = begin_lists(lists, numbers, step, lengths, keys->dimensions[0]);
        result = all < 0 ? NULL : PyObject_CallFunction(PyTuple_GET_ITEM(arrays, EMPTY), "nO", (Py_ssize_t)all, int64);
        done = result && fill_lists(lists, count, keys, (int64_t *)((Array *)result)->data);
        if (lists != few)
            PyMem_Free(lists);
    }
    if (done || PyErr_Occurred())
        return result;
    Py_XDECREF(result);
    return PyObject_Vectorcall(PyTuple_GET_ITEM(pair, 1), args, (size_t)given, NULL);
}

static PyObject *beginning(PyObject *pair, PyObject *const *args, Py_ssize_t given)
{
    PyObject *arrays = PyTuple_GET_ITEM(pair, 0);
    int dtype = INT64;
    while (dtype < DTYPES && !(given == 2 && is_vector(arrays, args[0], PyTuple_GET_ITEM(arrays, dtype))))
        dtype++;
    if (dtype == DTYPES || !PyLong_CheckExact(args[1]))
        return PyObject_Vectorcall(PyTuple_GET_ITEM(pair, 1), args, (size_t)given, NULL);
    const Array *array = (const Array *)args[0];
    Py_ssize_t count = PyNumber_AsSsize_t(args[1], NULL);
    count = count < 0 ? count + array->dimensions[0] : count;
    count = count < 0 ? 0 : count < array->dimensions[0] ? count : array->dimensions[0];
    PyObject *list = PyList_New(count);
    for (Py_ssize_t place = 0; list && place < count; place++) {
        const char *element = array->data + place * array->strides[0];
        double number;
        PyObject *item;
        if (dtype == FLOAT64) {
            memcpy(&number, element, 8);
            item = PyFloat_FromDouble(number);
        } else
            item = dtype == INT64 ? PyLong_FromLongLong(element_of(array, place)) : PyBool_FromLong(*element != 0);
        if (item)
            PyList_SET_ITEM(list, place, item);
        else
            Py_CLEAR(list);
    }
    return list;
}

/* Whether all items of a list are integers, the numbers of different lists and so in ascending order, or lengths; `sum` is that of all. */
static int are_numbers(PyObject *list, int ascend, Py_ssize_t *sum)
{
    Py_ssize_t last = -1;
    for (Py_ssize_t place = 0; place < PyList_GET_SIZE(list); place++) {
        PyObject *item = PyList_GET_ITEM(list, place);
        const Py_ssize_t number = PyLong_CheckExact(item) ? PyNumber_AsSsize_t(item, NULL) : -1;
        if (number < 0 || (ascend && number <= last) || (!ascend && number > PY_SSIZE_T_MAX - *sum))
            return 0;
        *sum += ascend ? 0 : number;
        last = number;
    }
    return 1;
}

static PyObject *divided(PyObject *pair, PyObject *const *args, Py_ssize_t given)
{
    Py_ssize_t sum = 0, place = 0;
    const int lists = given == 4 && PyList_CheckExact(args[0]) && PyList_CheckExact(args[1]) && PyList_CheckExact(args[2]);
    if (!lists || args[3] != (PyObject *)&PyList_Type || PyList_GET_SIZE(args[0]) != PyList_GET_SIZE(args[1]) ||
        !are_numbers(args[0], 1, &sum) || !are_numbers(args[1], 0, &sum) || sum != PyList_GET_SIZE(args[2]))
        return PyObject_Vectorcall(PyTuple_GET_ITEM(pair, 1), args, (size_t)given, NULL);
    PyObject *made = PyList_New(PyList_GET_SIZE(args[1]));
    for (Py_ssize_t number = 0; made && number < PyList_GET_SIZE(args[1]); number++) {
        const Py_ssize_t length = PyNumber_AsSsize_t(PyList_GET_ITEM(args[1], number), NULL);
        PyObject *part = PyList_GetSlice(args[2], place, place + length);
        place += length;
        if (part)
            PyList_SET_ITEM(made, number, part);
        else
            Py_CLEAR(made);
    }
    return made;
}

static PyObject *row_place(PyObject *pair, PyObject *const *args, Py_ssize_t given)
{
    PyObject *int64 = PyTuple_GET_ITEM(PyTuple_GET_ITEM(pair, 0), INT64);
    int fits = given == 3 && PyTuple_CheckExact(args[0]) && PyTuple_CheckExact(args[1]) && PyLong_CheckExact(args[2]), large = 0;
    fits = fits && PyTuple_GET_SIZE(args[0]) == 1 && PyTuple_GET_SIZE(args[1]) == 1 && PyLong_CheckExact(PyTuple_GET_ITEM(args[1], 0));
    fits = fits && is_vector(PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(args[0], 0), int64);
    const long long key = fits ? PyLong_AsLongLongAndOverflow(PyTuple_GET_ITEM(args[1], 0), &large) : 0;
    if (!fits || large)
        return PyObject_Vectorcall(PyTuple_GET_ITEM(pair, 1), args, (size_t)given, NULL);
    const Array *column = (const Array *)PyTuple_GET_ITEM(args[0], 0);
    const Py_ssize_t count = PyNumber_AsSsize_t(args[2], NULL);
    for (Py_ssize_t place = 0; place < count && place < column->dimensions[0]; place++)
        if (element_of(column, place) == key)
            return PyLong_FromSsize_t(place);
    return count < 0 ? PyLong_FromLong(0) : Py_NewRef(args[2]);
}

/* A function of C that takes the place of one of Python's, which its name says. */
static PyObject *instead_of(PyMethodDef *method, PyObject *args)
{
    PyObject *arrays, *function;
    if (!PyArg_ParseTuple(args, "O!O", &PyTuple_Type, &arrays, &function))
        return NULL;
    if (PyTuple_GET_SIZE(arrays) == DTYPES)
        return PyCFunction_New(method, args);
    PyErr_SetString(PyExc_TypeError, "five things of NumPy's are needed");
    return NULL;
}

#define FUNCTIONS(X) X(list_rows) X(beginning) X(divided) X(row_place)
#define MADE(name)                                                                                                                         \
    static PyMethodDef name##_method = {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, NULL};                                    \
    static PyObject *make_##name(PyObject *Py_UNUSED(self), PyObject *args) { return instead_of(&name##_method, args); }
#define OFFERED(name) {#name, make_##name, METH_VARARGS, NULL},
FUNCTIONS(MADE)

static PyMethodDef methods[] = {FUNCTIONS(OFFERED) {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_lists", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__lists(void)
{
    return module_of(&module);
}
