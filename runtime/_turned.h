/* Arrays in Fortran order are arrays in C order whose axes are in reverse order: so they are gone through as these. */

typedef struct {
    Array array;
    Py_ssize_t dimensions[AXES], strides[AXES];
} Turned;

/* The array with its axes in reverse order, as many as `rank`. It is no object of Python's: only what this file's neighbours read of it
   is there. */
static void turn(Turned *turned, const Array *array, int rank)
{
    const int swapped = array->flags & ~(C_CONTIGUOUS | F_CONTIGUOUS);
    turned->array = *array;
    turned->array.nd = rank;
    turned->array.dimensions = turned->dimensions;
    turned->array.strides = turned->strides;
    turned->array.flags = swapped | (array->flags & C_CONTIGUOUS ? F_CONTIGUOUS : 0) | (array->flags & F_CONTIGUOUS ? C_CONTIGUOUS : 0);
    for (int axis = 0; axis < rank; axis++) {
        const int own = array->nd - 1 - axis;
        turned->dimensions[axis] = own < 0 ? 1 : array->dimensions[own];
        turned->strides[axis] = own < 0 ? 0 : array->strides[own];
    }
}

/* Whether the elements of an array are in Fortran order, and in no other: no axis has one element, or repeats it. */
static int is_turned(const Array *array)
{
    if (array->nd < 2 || array->nd > AXES || array->flags & C_CONTIGUOUS)
        return 0;
    Py_ssize_t before = 0;
    for (int axis = 0; axis < array->nd; axis++) {
        const Py_ssize_t stride = array->strides[axis] < 0 ? -array->strides[axis] : array->strides[axis];
        if (array->dimensions[axis] < 2 || stride <= before)
            return 0;
        before = stride;
    }
    return 1;
}

/* Whether every operator takes such an array, of the result's shape, or the result of one that does: all results are in its order then. */
static int are_led(const Expression *self, PyObject *const *given)
{
    for (const Instruction *each = self->code; each < self->code + self->instructions; each++) {
        int led = 0;
        for (int place = 0; place < each->count - 1; place++) {
            const int value = each->places[place];
            if (value >= self->operands)
                led |= value < self->operands + self->results + self->registers;
            else if (self->kinds[value].full && Py_TYPE(given[value]) == array_type)
                led |= is_turned((const Array *)given[value]);
        }
        if (!led)
            return 0;
    }
    return 1;
}

/* Puts all arrays in `given` into `turned`, and the places of these into `instead`. */
static void turn_all(const Expression *self, PyObject *const *given, int rank, Turned *turned, PyObject **instead)
{
    for (int place = 0; place < self->operands + self->results; place++) {
        const Array *array = (const Array *)given[place];
        instead[place] = given[place];
        if (Py_TYPE(given[place]) == array_type && array->nd <= rank) {
            turn(&turned[place], array, rank);
            instead[place] = (PyObject *)&turned[place].array;
        }
    }
}
