/* Loops over numbers, and over elements of arrays, by a machine of registers.

   One type is offered to Python (npexport.runtime.machine.loop_machine):

       Loop(code, registers, carries, kinds, types, places)
           a call of it with the carries and operands gives 0 where the loop has ended, and the carries after all iterations that the
           machine makes exactly, which may be none; `some` does so with a number before them, of iterations at most

   `code` are instructions of four integers of 32 bits: an operation (a place in `OPERATIONS`) and what it is about, mostly registers.
   `registers` are their first values, 8 bytes each: those of carries and operands come first. `kinds` says of every carry and operand what
   it is: a letter of `i d b` for numbers of Python, of `I D B` for those of NumPy, or a dtype and a rank. `types` are NumPy's classes of
   arrays and of such numbers, and the function that makes an array longer (`with_room`). `places` says of every carry which item it is of
   the lists that are given behind the operands: pairs of integers of 32 bits, the list and the place, of a list before the first one for
   what is given and returned by itself; or nothing. The items of lists are changed where they are.

   Laws:

   - An iteration that the machine does not make exactly as Python and NumPy do is not made: what it has written to arrays is taken back,
     and the carries are those before it.
   - Values of other kinds are left as they are. */

#include "_extension.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define OPERATIONS(X)                                                                                                                      \
    X(move) X(add) X(sub) X(mul) X(floordiv) X(mod) X(and) X(or) X(xor) X(lshift) X(rshift) X(neg) X(abs) X(invert) X(not)                \
    X(fadd) X(fsub) X(fmul) X(fdiv) X(fneg) X(fabs) X(sqrt) X(floor) X(ceil) X(float) X(int) X(finite)                                    \
    X(eq) X(ne) X(lt) X(le) X(feq) X(fne) X(flt) X(fle) X(jump) X(if) X(unless) X(ifeq) X(ifne) X(iflt) X(ifle)                           \
    X(item_i) X(item_d) X(item_b) X(at) X(load_i) X(load_d) X(load_b) X(put_i) X(put_b) X(store_i) X(store_b) X(size)                     \
    X(place) X(find) X(pick) X(drop) X(shift) X(room) X(commit) X(tick) X(say)

#define NAME(name) OP_##name,
enum { OPERATIONS(NAME) COUNT };
#undef NAME
#define NAME(name) #name,
static const char *const names[] = {OPERATIONS(NAME)};
#undef NAME

enum { DONE, LEFT, AGAIN, ROOM, LOCAL = 192, MOST_LOGGED = 1 << 16, AT_ONCE = 1 << 20, MOVED_AT_ONCE = 64, MOST_AXES = 8, FEW = 16, MOST_INDEXED = 1 << 26 };

typedef union {
    int64_t i;
    double d;
} Register;

typedef struct {
    int32_t op, a, b, c;
} Instruction;

typedef struct {
    PyObject *dtype; /* of an array, borrowed from `held` */
    int rank;
    char letter; /* of a number, else 0 */
} Kind;

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *held, *types;
    const Instruction *code;
    const Register *first;
    const int32_t *places;
    Py_ssize_t registers, carries, count, given, lists;
    Kind *kinds;
} Loop;

/* What undoes a write: an element as it was, or (`size` is 0) a row that was moved from `place` to `to`. */
typedef struct {
    char *place;
    int64_t old, to;
    int size, array;
} Written;

/* Where keys are found in the first `searched` elements of a vector: `slots` hold the number of the first row of each key, from 1 on. A
   row that is written to, or is moved, is searched anew. */
typedef struct Index {
    struct Index *next;
    int64_t searched;
    uint32_t *slots;
    size_t mask;
    int array;
} Index;

/* What a call of a loop works on. `at`: the instruction that comes next where the machine may go on; `wanted`: how many elements `array`
   has to have where there is no room for more. */
typedef struct {
    const Array **arrays;
    Written *log, few[FEW];
    Py_ssize_t logged, room;
    Index *indices;
    const Instruction *at;
    int64_t wanted;
    int array;
} Memory;

static int log_write(Memory *memory, Written written)
{
    if (memory->logged == memory->room) {
        Py_ssize_t room = 4 * memory->room;
        Written *own = memory->log == memory->few ? NULL : memory->log;
        Written *longer = room > MOST_LOGGED ? NULL : realloc(own, (size_t)room * sizeof(Written));
        if (!longer)
            return 0;
        if (!own)
            memcpy(longer, memory->few, sizeof(memory->few));
        memory->log = longer;
        memory->room = room;
    }
    memory->log[memory->logged++] = written;
    return 1;
}

/* Move an element of a vector to another place; those between go one place on. Items of the machine are 8 bytes or 1. */
static void move_element(const Array *array, int64_t from, int64_t to)
{
    char old[8];
    Py_ssize_t stride = array->strides[0], size = stride == 1 ? 1 : 8;
    char *base = array->data;
    memcpy(old, base + from * stride, (size_t)size);
    if (from < to)
        memmove(base + from * stride, base + (from + 1) * stride, (size_t)((to - from) * stride));
    else
        memmove(base + (to + 1) * stride, base + to * stride, (size_t)((from - to) * stride));
    memcpy(base + to * stride, old, (size_t)size);
}

static int64_t element_of(const Array *array, int64_t place)
{
    int64_t element;
    memcpy(&element, array->data + place * array->strides[0], 8);
    return element;
}

/* The slot of a key: its own or the free one where it belongs. */
static uint32_t *slot_of(const Index *index, const Array *array, int64_t key)
{
    uint64_t mixed = (uint64_t)key * 0x9E3779B97F4A7C15u;
    for (size_t slot = (size_t)(mixed ^ (mixed >> 32)) & index->mask;; slot = (slot + 1) & index->mask)
        if (!index->slots[slot] || element_of(array, (int64_t)index->slots[slot] - 1) == key)
            return index->slots + slot;
}

static void forget(Index *index)
{
    if (index->searched)
        memset(index->slots, 0, (index->mask + 1) * sizeof(uint32_t));
    index->searched = 0;
}

/* Forget the rows of a vector if one that has been searched is to change. */
static void changes(const Memory *memory, int array, int64_t from)
{
    for (Index *index = memory->indices; index; index = index->next)
        if (index->array == array && from < index->searched)
            forget(index);
}

/* An index of the first rows of a vector; NULL where there is no memory for it. */
static Index *indexed(Memory *memory, int number, int64_t rows)
{
    const Array *array = memory->arrays[number];
    Index *index = memory->indices;
    while (index && index->array != number)
        index = index->next;
    if (!index) {
        if (rows > MOST_INDEXED || !(index = calloc(1, sizeof(Index))))
            return NULL;
        index->array = number;
        index->next = memory->indices;
        memory->indices = index;
    }
    if (!index->slots || (size_t)rows * 2 > index->mask) {
        size_t size = 64;
        while (size < (size_t)rows * 4)
            size *= 2;
        uint32_t *slots = rows > MOST_INDEXED ? NULL : calloc(size, sizeof(uint32_t));
        if (!slots)
            return NULL;
        free(index->slots);
        index->slots = slots;
        index->mask = size - 1;
        index->searched = 0;
    }
    for (; index->searched < rows; index->searched++) {
        uint32_t *slot = slot_of(index, array, element_of(array, index->searched));
        if (!*slot)
            *slot = (uint32_t)(index->searched + 1);
    }
    return index;
}

static void drop_indices(Memory *memory)
{
    while (memory->indices) {
        Index *index = memory->indices;
        memory->indices = index->next;
        free(index->slots);
        free(index);
    }
}

static void take_back(Memory *memory)
{
    for (Index *index = memory->indices; index; index = index->next)
        forget(index);
    while (memory->logged) {
        const Written *written = &memory->log[--memory->logged];
        if (written->size)
            memcpy(written->place, &written->old, (size_t)written->size);
        else
            move_element(memory->arrays[written->array], written->to, written->old);
    }
}

#define R(name) r[at->name]
/* From one instruction to the next, or to another place: each has a jump of its own where the compiler can, which a processor foresees. */
#if defined(__GNUC__)
#define CASE(name) case OP_##name: do_##name
#define GO goto *targets[at->op]
#else
#define CASE(name) case OP_##name
#define GO continue
#endif
#define NEXT                                                                                                                               \
    {                                                                                                                                      \
        at++;                                                                                                                              \
        GO;                                                                                                                                \
    }
#define TO(place)                                                                                                                          \
    {                                                                                                                                      \
        at = code + (place);                                                                                                               \
        GO;                                                                                                                                \
    }
/* The place in a vector that a register says, counted from its end where it is negative. */
#define PLACE(array, number)                                                                                                               \
    const Array *found = memory->arrays[array];                                                                                            \
    int64_t place = (number);                                                                                                              \
    if (place < 0)                                                                                                                         \
        place += found->dimensions[0];                                                                                                     \
    if (place < 0 || place >= found->dimensions[0])                                                                                        \
        return LEFT;                                                                                                                       \
    char *element = found->data + place * found->strides[0]
#define LOG(target, bytes)                                                                                                                 \
    Written written = {(target), 0, 0, (bytes), 0};                                                                                        \
    memcpy(&written.old, (target), (bytes));                                                                                               \
    if (!log_write(memory, written))                                                                                                       \
    return LEFT

/* Integers that do not overflow. */
#if defined(__GNUC__)
#define SUM(a, b, result) __builtin_add_overflow(a, b, result)
#define DIFFERENCE(a, b, result) __builtin_sub_overflow(a, b, result)
#define PRODUCT(a, b, result) __builtin_mul_overflow(a, b, result)
#else
static int SUM(int64_t a, int64_t b, int64_t *result)
{
    *result = (int64_t)((uint64_t)a + (uint64_t)b);
    return ((a ^ *result) & (b ^ *result)) < 0;
}
static int DIFFERENCE(int64_t a, int64_t b, int64_t *result)
{
    *result = (int64_t)((uint64_t)a - (uint64_t)b);
    return ((a ^ b) & (a ^ *result)) < 0;
}
static int PRODUCT(int64_t a, int64_t b, int64_t *result)
{
    *result = (int64_t)((uint64_t)a * (uint64_t)b);
    return (a == -1 && b == INT64_MIN) || (b == -1 && a == INT64_MIN) || (a && a != -1 && *result / a != b);
}
#endif

/* Go on with so many iterations at most, those of inner loops included; what it says of the next one. */
static int run(const Instruction *code, Register *r, Memory *memory, int64_t iterations)
{
#if defined(__GNUC__)
#define NAME(name) &&do_##name,
    static const void *const targets[] = {OPERATIONS(NAME)};
#undef NAME
#endif
    const Instruction *at = memory->at;
    for (;;) {
        switch (at->op) {
        CASE(move): R(a) = R(b); NEXT
        CASE(add): { int64_t result; if (SUM(R(b).i, R(c).i, &result)) return LEFT; R(a).i = result; NEXT }
        CASE(sub): { int64_t result; if (DIFFERENCE(R(b).i, R(c).i, &result)) return LEFT; R(a).i = result; NEXT }
        CASE(mul): { int64_t result; if (PRODUCT(R(b).i, R(c).i, &result)) return LEFT; R(a).i = result; NEXT }
        CASE(floordiv): { /* by neither 0 nor -1 */
            int64_t x = R(b).i, y = R(c).i, quotient = x / y;
            R(a).i = quotient - (x % y && (x < 0) != (y < 0));
            NEXT
        }
        CASE(mod): {
            int64_t x = R(b).i, y = R(c).i, rest = x % y;
            R(a).i = rest && (x < 0) != (y < 0) ? rest + y : rest;
            NEXT
        }
        CASE(and): R(a).i = R(b).i & R(c).i; NEXT
        CASE(or): R(a).i = R(b).i | R(c).i; NEXT
        CASE(xor): R(a).i = R(b).i ^ R(c).i; NEXT
        CASE(lshift): R(a).i = (int64_t)((uint64_t)R(b).i << R(c).i); NEXT
        CASE(rshift): R(a).i = R(b).i >> R(c).i; NEXT
        CASE(neg): R(a).i = -R(b).i; NEXT
        CASE(abs): R(a).i = R(b).i < 0 ? -R(b).i : R(b).i; NEXT
        CASE(invert): R(a).i = ~R(b).i; NEXT
        CASE(not): R(a).i = !R(b).i; NEXT
        CASE(fadd): R(a).d = R(b).d + R(c).d; NEXT
        CASE(fsub): R(a).d = R(b).d - R(c).d; NEXT
        CASE(fmul): R(a).d = R(b).d * R(c).d; NEXT
        CASE(fdiv): R(a).d = R(b).d / R(c).d; NEXT
        CASE(fneg): R(a).d = -R(b).d; NEXT
        CASE(fabs): R(a).d = fabs(R(b).d); NEXT
        CASE(sqrt): R(a).d = sqrt(R(b).d); NEXT
        CASE(floor): R(a).d = floor(R(b).d); NEXT
        CASE(ceil): R(a).d = ceil(R(b).d); NEXT
        CASE(float): R(a).d = (double)R(b).i; NEXT
        CASE(int): R(a).i = (int64_t)R(b).d; NEXT
        CASE(finite): R(a).i = isfinite(R(b).d) != 0; NEXT
        CASE(eq): R(a).i = R(b).i == R(c).i; NEXT
        CASE(ne): R(a).i = R(b).i != R(c).i; NEXT
        CASE(lt): R(a).i = R(b).i < R(c).i; NEXT
        CASE(le): R(a).i = R(b).i <= R(c).i; NEXT
        CASE(feq): R(a).i = R(b).d == R(c).d; NEXT
        CASE(fne): R(a).i = R(b).d != R(c).d; NEXT
        CASE(flt): R(a).i = R(b).d < R(c).d; NEXT
        CASE(fle): R(a).i = R(b).d <= R(c).d; NEXT
        CASE(jump): TO(at->c)
        CASE(if): if (R(a).i) TO(at->c) NEXT
        CASE(unless): if (!R(a).i) TO(at->c) NEXT
        CASE(ifeq): if (R(a).i == R(b).i) TO(at->c) NEXT
        CASE(ifne): if (R(a).i != R(b).i) TO(at->c) NEXT
        CASE(iflt): if (R(a).i < R(b).i) TO(at->c) NEXT
        CASE(ifle): if (R(a).i <= R(b).i) TO(at->c) NEXT
        CASE(item_i):
        CASE(item_d): { PLACE(at->b, R(c).i); memcpy(&R(a), element, 8); NEXT }
        CASE(item_b): { PLACE(at->b, R(c).i); R(a).i = *element != 0; NEXT }
        CASE(at): { /* one more place: `b` holds the array and the axis */
            const Array *found = memory->arrays[at->b / MOST_AXES];
            int axis = at->b % MOST_AXES;
            int64_t place = R(c).i;
            if (place < 0)
                place += found->dimensions[axis];
            if (place < 0 || place >= found->dimensions[axis])
                return LEFT;
            R(a).i = (axis ? R(a).i : 0) + place * found->strides[axis];
            NEXT
        }
        CASE(load_i):
        CASE(load_d): memcpy(&R(a), memory->arrays[at->b]->data + R(c).i, 8); NEXT
        CASE(load_b): R(a).i = memory->arrays[at->b]->data[R(c).i] != 0; NEXT
        CASE(put_i): {
            PLACE(at->a, R(b).i);
            LOG(element, 8);
            if (memory->indices && memcmp(element, &R(c), 8))
                changes(memory, at->a, place);
            memcpy(element, &R(c), 8);
            NEXT
        }
        CASE(put_b): { PLACE(at->a, R(b).i); LOG(element, 1); *element = (char)R(c).i; NEXT }
        CASE(store_i): { char *element = memory->arrays[at->a]->data + R(b).i; LOG(element, 8); memcpy(element, &R(c), 8); NEXT }
        CASE(store_b): { char *element = memory->arrays[at->a]->data + R(b).i; LOG(element, 1); *element = (char)R(c).i; NEXT }
        CASE(size): R(a).i = memory->arrays[at->b]->dimensions[at->c]; NEXT
        CASE(place): { /* of an item of so many, counted from the end where it is negative */
            int64_t place = R(b).i < 0 ? R(b).i + R(c).i : R(b).i;
            if (place < 0 || place >= R(c).i)
                return LEFT;
            R(a).i = place;
            NEXT
        }
        CASE(find): { /* a number in the first elements of a vector, so many as the result says before: it stays where there is none */
            const Array *found = memory->arrays[at->b];
            int64_t count = R(a).i < found->dimensions[0] ? R(a).i : found->dimensions[0], number = R(c).i;
            if (count > FEW) {
                const Index *index = indexed(memory, at->b, count);
                if (!index)
                    return LEFT;
                const int64_t row = (int64_t)*slot_of(index, found, number) - 1;
                if (row >= 0 && row < count)
                    R(a).i = row;
                NEXT
            }
            for (int64_t place = 0; place < count; place++)
                if (element_of(found, place) == number) {
                    R(a).i = place;
                    break;
                }
            NEXT
        }
        CASE(pick): { /* of the registers that a table names, behind their number */
            const Register *table = r + at->b;
            int64_t place = R(c).i;
            if (place < 0 || place >= table->i)
                return LEFT;
            R(a) = r[table[place + 1].i];
            NEXT
        }
        CASE(drop): {
            const Register *table = r + at->a;
            int64_t place = R(b).i;
            if (place >= 0 && place < table->i) {
                Register *item = r + table[place + 1].i;
                LOG((char *)item, 8);
                *item = R(c);
            }
            NEXT
        }
        CASE(shift): {
            const Array *found = memory->arrays[at->a];
            int64_t from = R(b).i, to = R(c).i, size = found->dimensions[0];
            if (from < 0 || from >= size || to < 0 || to >= size || from == to)
                NEXT /* as the operator says */
            if (!(found->flags & 1)) /* contiguous: an element is as long as a stride */
                return LEFT;
            Written written = {NULL, from, to, 0, at->a};
            if (!log_write(memory, written))
                return LEFT;
            if (memory->indices)
                changes(memory, at->a, from < to ? from : to);
            move_element(found, from, to);
            iterations -= (from < to ? to - from : from - to) / MOVED_AT_ONCE; /* what takes as long, so that Python may interrupt */
            NEXT
        }
        CASE(commit): memory->logged = 0; NEXT
        CASE(tick):
            if (--iterations < 0) {
                memory->at = at + 1;
                return AGAIN;
            }
            NEXT
        CASE(room):
            if (memory->arrays[at->a]->dimensions[0] < R(b).i) {
                memory->array = at->a;
                memory->wanted = R(b).i;
                return ROOM;
            }
            NEXT
        CASE(say): return at->a;
        }
    }
}

/* Calls */

static int takes(const Loop *self, const Kind *kind, PyObject *value, Register *into)
{
    PyObject *cls = (PyObject *)Py_TYPE(value);
    switch (kind->letter) {
    case 'i': {
        int overflow = 0;
        if (!PyLong_CheckExact(value))
            return 0;
        into->i = PyLong_AsLongLongAndOverflow(value, &overflow);
        return !overflow;
    }
    case 'd':
        if (!PyFloat_CheckExact(value))
            return 0;
        into->d = PyFloat_AS_DOUBLE(value);
        return 1;
    case 'b':
        into->i = value == Py_True;
        return PyBool_Check(value);
    case 'D':
        if (cls != PyTuple_GET_ITEM(self->types, 2))
            return 0;
        into->d = PyFloat_AS_DOUBLE(value);
        return 1;
    case 'I':
        if (cls != PyTuple_GET_ITEM(self->types, 1))
            return 0;
        into->i = PyNumber_AsSsize_t(value, NULL);
        return 1;
    case 'B':
        if (cls != PyTuple_GET_ITEM(self->types, 3))
            return 0;
        into->i = PyObject_IsTrue(value);
        return 1;
    default: {
        const Array *array = (const Array *)value;
        const int wanted = kind < self->kinds + self->carries ? 0x100 | 0x400 : 0x100; /* aligned; carries may be written to */
        return cls == PyTuple_GET_ITEM(self->types, 0) && array->descr == kind->dtype && array->nd == kind->rank &&
               (array->flags & wanted) == wanted;
    }
    }
}

static PyObject *number_of(const Loop *self, char letter, Register number)
{
    PyObject *plain = letter == 'd' || letter == 'D'   ? PyFloat_FromDouble(number.d)
                      : letter == 'b' || letter == 'B' ? PyBool_FromLong(number.i != 0)
                                                       : PyLong_FromLongLong(number.i);
    if (!plain || letter >= 'a')
        return plain;
    PyObject *made = PyObject_CallOneArg(PyTuple_GET_ITEM(self->types, letter == 'I' ? 1 : letter == 'D' ? 2 : 3), plain);
    Py_DECREF(plain);
    return made;
}

/* Give an array as many elements as the machine asks for. */
static int make_room(const Loop *self, PyObject **args, const Memory *memory)
{
    PyObject *count = PyLong_FromLongLong(memory->wanted);
    PyObject *longer = count ? PyObject_CallFunctionObjArgs(PyTuple_GET_ITEM(self->types, 4), args[memory->array], count, NULL) : NULL;
    Py_XDECREF(count);
    if (!longer)
        return 0;
    Py_SETREF(args[memory->array], longer);
    return 1;
}

/* Make so many iterations at most; what the machine says of the next one, -1 with an exception. */
static int go_on(const Loop *self, PyObject **args, Register *r, Memory *memory, int64_t most)
{
    int said = run(self->code, r, memory, most < AT_ONCE ? most : AT_ONCE);
    while ((said == AGAIN && most > AT_ONCE) || said == ROOM) {
        if (said == ROOM) {
            take_back(memory);
            memory->at = self->code;
            if (!make_room(self, args, memory))
                return -1;
        } else {
            most -= AT_ONCE;
            if (PyErr_CheckSignals())
                return -1;
            Py_BEGIN_ALLOW_THREADS Py_END_ALLOW_THREADS
        }
        said = run(self->code, r, memory, most < AT_ONCE ? most : AT_ONCE);
    }
    if (said != DONE)
        take_back(memory);
    return said;
}

/* What the machine said, and the carries, those that are no items of lists: a number that is what it was `before` is the same object. */
static PyObject *carries_of(const Loop *self, PyObject *const *args, const Register *r, const Register *before, int said)
{
    const Py_ssize_t operands = self->count - self->carries;
    Py_ssize_t filled = 1;
    PyObject *result = PyTuple_New(self->given - operands - self->lists + 1);
    if (result)
        PyTuple_SET_ITEM(result, 0, PyLong_FromLong(said));
    for (Py_ssize_t place = 0; result && place < self->carries; place++) {
        char letter = self->kinds[place].letter;
        const int same = !before || !letter || r[place].i == before[place].i;
        const int32_t *in = self->places ? self->places + 2 * place : NULL;
        if (same && in && in[0] >= 0)
            continue;
        PyObject *item = same ? Py_NewRef(args[place]) : number_of(self, letter, r[place]);
        if (!item || (in && in[0] >= 0 && PyList_SetItem(args[self->count + in[0]], in[1], item) < 0))
            Py_CLEAR(result);
        else if (!in || in[0] < 0)
            PyTuple_SET_ITEM(result, filled++, item);
    }
    return result;
}

/* Where the carries, operands and lists of a call go: behind one another; 0 with an exception. */
static int take_given(const Loop *self, PyObject *const *given, PyObject **args)
{
    PyObject *const *lists = given + self->given - self->lists;
    for (Py_ssize_t place = 0; place < self->lists; place++)
        args[self->count + place] = lists[place];
    for (Py_ssize_t place = 0; place < self->count; place++) {
        const int32_t *in = self->places && place < self->carries ? self->places + 2 * place : NULL;
        PyObject *item = in && in[0] >= 0 ? PyList_GetItem(lists[in[0]], in[1]) : *given++;
        if (!item) {
            while (place)
                Py_DECREF(args[--place]);
            return 0;
        }
        args[place] = Py_NewRef(item);
    }
    return 1;
}

static PyObject *make(const Loop *self, PyObject *const *given, int64_t most)
{
    Register local[LOCAL], *r = local;
    PyObject *few[LOCAL], **args = few;
    const size_t registers = (size_t)(self->registers + self->carries), objects = (size_t)(self->count + self->lists);
    if (registers > LOCAL || objects > LOCAL) {
        r = malloc(registers * sizeof(Register) + objects * sizeof(PyObject *));
        args = (PyObject **)(r + registers);
    }
    if (!r)
        return PyErr_NoMemory();
    memcpy(r, self->first, (size_t)self->registers * sizeof(Register));
    Register *before = r + self->registers;
    Memory memory;
    memory.arrays = (const Array **)args;
    memory.at = self->code;
    memory.log = memory.few;
    memory.logged = 0;
    memory.room = FEW;
    memory.indices = NULL;
    int said = LEFT, fits = 1;
    if (!take_given(self, given, args)) {
        if (r != local)
            free(r);
        return NULL;
    }
    for (Py_ssize_t place = 0; place < self->count && fits; place++)
        fits = takes(self, &self->kinds[place], args[place], &r[place]);
    if (fits) {
        memcpy(before, r, (size_t)self->carries * sizeof(Register));
        said = go_on(self, args, r, &memory, most);
    }
    PyObject *result = said < 0 ? NULL : carries_of(self, args, r, fits ? before : NULL, said);
    for (Py_ssize_t place = 0; place < self->count; place++)
        Py_DECREF(args[place]);
    if (memory.log != memory.few)
        free(memory.log);
    drop_indices(&memory);
    if (r != local)
        free(r);
    return result;
}

static PyObject *loop_call(PyObject *object, PyObject *const *args, size_t count, PyObject *keywords)
{
    const Loop *self = (const Loop *)object;
    if (PyVectorcall_NARGS(count) == self->given && !keywords)
        return make(self, args, INT64_MAX);
    PyErr_Format(PyExc_TypeError, "this takes %zd carries, operands and lists", self->given);
    return NULL;
}

static PyObject *loop_some(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    const Loop *self = (const Loop *)object;
    if (count != self->given + 1) {
        PyErr_Format(PyExc_TypeError, "this takes a number, and %zd carries, operands and lists", self->given);
        return NULL;
    }
    long long most = PyLong_AsLongLong(args[0]);
    return most == -1 && PyErr_Occurred() ? NULL : make(self, args + 1, most);
}

/* Making */

static int describe(Loop *self, PyObject *kinds)
{
    for (Py_ssize_t place = 0; place < self->count; place++) {
        PyObject *kind = PyTuple_GET_ITEM(kinds, place);
        if (PyUnicode_Check(kind))
            self->kinds[place].letter = (char)PyUnicode_READ_CHAR(kind, 0);
        else if (!PyArg_ParseTuple(kind, "Oi", &self->kinds[place].dtype, &self->kinds[place].rank))
            return 0;
    }
    return 1;
}

static PyObject *loop_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(keywords))
{
    PyObject *code, *registers, *kinds, *types, *places;
    Py_ssize_t carries;
    if (!PyArg_ParseTuple(args, "SSnO!O!S", &code, &registers, &carries, &PyTuple_Type, &kinds, &PyTuple_Type, &types, &places))
        return NULL;
    Loop *self = (Loop *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->call = loop_call;
    self->held = Py_NewRef(args);
    self->types = types;
    self->code = (const Instruction *)PyBytes_AS_STRING(code);
    self->first = (const Register *)PyBytes_AS_STRING(registers);
    self->registers = PyBytes_GET_SIZE(registers) / (Py_ssize_t)sizeof(Register);
    self->carries = carries;
    self->count = self->given = PyTuple_GET_SIZE(kinds);
    if (PyBytes_GET_SIZE(places)) {
        self->places = (const int32_t *)PyBytes_AS_STRING(places);
        for (Py_ssize_t place = 0; place < carries; place++) {
            const int32_t list = self->places[2 * place];
            self->given -= list >= 0;
            self->lists = list >= self->lists ? list + 1 : self->lists;
        }
        self->given += self->lists;
    }
    self->kinds = PyMem_Calloc((size_t)self->count + 1, sizeof(Kind));
    if (!self->kinds)
        PyErr_NoMemory();
    else if (describe(self, kinds))
        return (PyObject *)self;
    Py_DECREF(self);
    return NULL;
}

static void loop_dealloc(PyObject *object)
{
    Loop *self = (Loop *)object;
    PyMem_Free(self->kinds);
    Py_XDECREF(self->held);
    Py_TYPE(self)->tp_free(object);
}

static PyMethodDef methods[] = {
    {"some", (PyCFunction)(void (*)(void))loop_some, METH_FASTCALL, "What the machine says after so many iterations at most, and the carries."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject loop_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "npexport.runtime._loops.Loop",
    .tp_basicsize = sizeof(Loop),
    .tp_dealloc = loop_dealloc,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Loop, call),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_methods = methods,
    .tp_new = loop_new,
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "npexport.runtime._loops", .m_size = -1};

PyMODINIT_FUNC PyInit__loops(void)
{
    PyObject *module = PyType_Ready(&loop_type) ? NULL : module_of(&definition), *all = PyTuple_New(COUNT);
    for (int place = 0; all && place < COUNT; place++)
        PyTuple_SET_ITEM(all, place, PyUnicode_FromString(names[place]));
    if (!module || !all || PyModule_AddObjectRef(module, "OPERATIONS", all) || PyModule_AddObjectRef(module, "Loop", (PyObject *)&loop_type))
        Py_CLEAR(module);
    Py_XDECREF(all);
    return module;
}
