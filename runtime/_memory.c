/* Memory of large arrays, kept from one call of a program to the next: to get pages from the system, and to give them back, costs
   more than what is computed in them.

   Five calls are offered to Python (npexport.runtime.emission.kept_memory):

       install(api)      with the capsule of NumPy's C interface
       enter(pays)       arrays that this context makes from now on take memory that is kept, unless it is False; True if they did not before
       leave(entered)    they do not any more, if enter() said True
       keep(bytes)       how much is kept at most from now on
       kept()            how many bytes are kept

   Laws.
   - Memory comes from NumPy's own default handler and goes back there: what is kept is what that gave, and it gives it up where
     the system has no more. A handler of the user's is left in place.
   - Blocks of fewer than SMALLEST bytes are not kept, and no more than MOST blocks. What is kept longest goes first.
   - No lock is waited for: who does not get it asks the default handler. */

#include "_extension.h"

#include <stdint.h>
#include <string.h>

#include "_try_lock.h"

#define SMALLEST ((size_t)1 << 16)
#define MOST 64

/* As NumPy's C interface lays them out since 1.22 (NEP 49). */
typedef struct {
    void *ctx;
    void *(*malloc)(void *ctx, size_t size);
    void *(*calloc)(void *ctx, size_t count, size_t size);
    void *(*realloc)(void *ctx, void *pointer, size_t size);
    void (*free)(void *ctx, void *pointer, size_t size);
} Allocator;

typedef struct {
    char name[127];
    uint8_t version;
    Allocator allocator;
} Handler;

enum { SET_HANDLER = 304, GET_HANDLER = 305, DEFAULT_HANDLER = 306 }; /* places in the table of NumPy's C interface */

typedef struct {
    void *pointer;
    size_t size;
} Block;

static Block blocks[MOST]; /* the oldest first */
static int count;
static size_t kept, limit;

static PyObject *(*set_handler)(PyObject *);
static PyObject *(*get_handler)(void);
static PyObject *theirs, *ours; /* capsules */
static Allocator base;

/* The size of the block that is asked for: few sizes, of which more blocks fit. */
static size_t rounded(size_t size)
{
    size_t unit = 4096;
    while (unit < size >> 5)
        unit <<= 1;
    size_t more = (size + unit - 1) & ~(unit - 1);
    return more < size ? size : more;
}

static void *taken(size_t size)
{
    void *found = NULL;
    if (TRY_LOCK()) {
        for (int i = count - 1; i >= 0; i--)
            if (blocks[i].size == size) {
                found = blocks[i].pointer;
                kept -= size;
                count--;
                memmove(&blocks[i], &blocks[i + 1], (size_t)(count - i) * sizeof(Block));
                break;
            }
        UNLOCK();
    }
    return found;
}

/* Moves the oldest blocks to `going` until there is room for one of `size` bytes; gives how many. Under the lock. */
static int make_room(Block *going, size_t size)
{
    int first = 0;
    while (first < count && (count - first == MOST || kept + size > limit)) {
        kept -= blocks[first].size;
        going[first] = blocks[first];
        first++;
    }
    count -= first;
    memmove(blocks, blocks + first, (size_t)count * sizeof(Block));
    return first;
}

static void give_back(const Block *going, int number)
{
    for (int i = 0; i < number; i++)
        base.free(base.ctx, going[i].pointer, going[i].size);
}

/* Whether anything was given back. */
static int keep_nothing(void)
{
    Block going[MOST];
    int number = 0;
    if (TRY_LOCK()) {
        number = make_room(going, SIZE_MAX - kept);
        UNLOCK();
    }
    give_back(going, number);
    return number > 0;
}

static void *memory_malloc(void *Py_UNUSED(ctx), size_t size)
{
    if (size < SMALLEST)
        return base.malloc(base.ctx, size);
    size = rounded(size);
    void *found = taken(size);
    if (!found)
        found = base.malloc(base.ctx, size);
    return found || !keep_nothing() ? found : base.malloc(base.ctx, size);
}

static void *memory_calloc(void *Py_UNUSED(ctx), size_t number, size_t size)
{
    size_t all = number * size;
    if (all < SMALLEST || (size && all / size != number))
        return base.calloc(base.ctx, number, size);
    all = rounded(all);
    void *found = taken(all);
    if (found)
        return memset(found, 0, all);
    found = base.calloc(base.ctx, 1, all);
    return found || !keep_nothing() ? found : base.calloc(base.ctx, 1, all);
}

static void *memory_realloc(void *Py_UNUSED(ctx), void *pointer, size_t size)
{
    return base.realloc(base.ctx, pointer, size < SMALLEST ? size : rounded(size));
}

static void memory_free(void *Py_UNUSED(ctx), void *pointer, size_t size)
{
    if (size >= SMALLEST)
        size = rounded(size);
    if (!pointer || size < SMALLEST || size > limit || !TRY_LOCK()) {
        base.free(base.ctx, pointer, size);
        return;
    }
    Block going[MOST];
    int number = make_room(going, size);
    blocks[count++] = (Block){pointer, size};
    kept += size;
    UNLOCK();
    give_back(going, number);
}

static Handler handler = {"npexport", 1, {NULL, memory_malloc, memory_calloc, memory_realloc, memory_free}};

static PyObject *install(PyObject *Py_UNUSED(self), PyObject *api)
{
    void **table = PyCapsule_GetPointer(api, NULL);
    if (!table || ours)
        return table ? Py_NewRef(Py_None) : NULL;
    set_handler = (PyObject * (*)(PyObject *)) table[SET_HANDLER];
    get_handler = (PyObject * (*)(void)) table[GET_HANDLER];
    PyObject *capsule = *(PyObject **)table[DEFAULT_HANDLER];
    Handler *given = PyCapsule_GetPointer(capsule, "mem_handler");
    if (!given)
        return NULL;
    base = given->allocator;
    theirs = Py_NewRef(capsule);
    ours = PyCapsule_New(&handler, "mem_handler", NULL);
    return ours ? Py_NewRef(Py_None) : NULL;
}

static PyObject *enter(PyObject *Py_UNUSED(self), PyObject *pays)
{
    if (pays == Py_False)
        Py_RETURN_FALSE;
    PyObject *now = ours ? get_handler() : NULL;
    if (!now)
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_False);
    int plain = now == theirs;
    Py_DECREF(now);
    if (plain) {
        PyObject *before = set_handler(ours);
        if (!before)
            return NULL;
        Py_DECREF(before);
    }
    return PyBool_FromLong(plain);
}

static PyObject *leave(PyObject *Py_UNUSED(self), PyObject *entered)
{
    if (entered == Py_True) {
        PyObject *before = set_handler(theirs);
        if (!before)
            return NULL;
        Py_DECREF(before);
    }
    Py_RETURN_NONE;
}

static PyObject *keep(PyObject *Py_UNUSED(self), PyObject *value)
{
    size_t given = PyLong_AsSize_t(value);
    if (given == (size_t)-1 && PyErr_Occurred())
        return NULL;
    limit = given;
    keep_nothing();
    Py_RETURN_NONE;
}

static PyObject *count_kept(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ignored))
{
    return PyLong_FromSize_t(kept);
}

static PyMethodDef methods[] = {
    {"install", install, METH_O, NULL},
    {"enter", enter, METH_O, NULL},
    {"leave", leave, METH_O, NULL},
    {"keep", keep, METH_O, NULL},
    {"kept", count_kept, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_memory", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__memory(void)
{
    return module_of(&module);
}
