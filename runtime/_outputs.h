/* Arrays that take the results of an expression. */

/* The answer of a call of Python. */
static int is_true(PyObject *answer)
{
    int truth = answer == Py_True;
    Py_XDECREF(answer);
    return truth;
}

static void extent_of(const Array *array, char **begin, char **end)
{
    *begin = *end = array->data;
    for (int axis = 0; axis < array->nd; axis++) {
        Py_ssize_t span = (array->dimensions[axis] - 1) * array->strides[axis];
        *(span < 0 ? begin : end) += span;
    }
    *end += 16; /* more than any element has */
}

static int apart(const Array *one, const Array *other)
{
    char *begin, *end, *first, *last;
    extent_of(one, &begin, &end);
    extent_of(other, &first, &last);
    return end <= first || last <= begin;
}

static int is_same(const Array *one, const Array *other)
{
    return one->data == other->data && one->descr == other->descr && one->flags & other->flags & C_CONTIGUOUS && has_shape(one, other);
}

/* In integers, of which compilers make vectors: a NaN is what is more than infinity. */
static int has_nan(const char *data, int size, Py_ssize_t count)
{
    uint64_t wide = 0;
    uint32_t narrow = 0;
    if (size == 8)
        for (Py_ssize_t place = 0; place < count; place++)
            wide |= UINT64_C(0x7ff0000000000000) - (((const uint64_t *)data)[place] & UINT64_C(0x7fffffffffffffff));
    else
        for (Py_ssize_t place = 0; place < count; place++)
            narrow |= UINT32_C(0x7f800000) - (((const uint32_t *)data)[place] & UINT32_C(0x7fffffff));
    return wide >> 63 || narrow >> 31;
}

/* Whether all operators are one chain in which none can meet two NaNs, of which nobody knows which one it gives: nothing from outside is
   one. */
static int is_certain(const Expression *self, const Call *call, PyObject *const *given)
{
    const Chain *chain = self->chains;
    if (self->chained != 1 || chain->first || chain->last != self->instructions - 1 || !chain->straight)
        return 0;
    for (int place = 0; place < self->operands; place++) {
        const Array *array = (const Array *)given[place];
        Py_ssize_t count = 1;
        for (int axis = 0; Py_TYPE(array) == array_type && axis < array->nd; axis++)
            count *= array->dimensions[axis];
        if (Py_TYPE(array) == array_type && !(array->flags & C_CONTIGUOUS))
            return 0;
        if (self->kinds[place].itemsize != chain->size || has_nan(call->values[place].base, chain->size, count))
            return 0;
    }
    for (int place = self->operands + self->results + self->registers, end = place + self->constants; place < end; place++)
        if (has_nan(self->kinds[place].data, chain->size, 1))
            return 0;
    return 1;
}

/* Whether all these arrays can take the results. */
static int can_take(const Expression *self, Call *call, PyObject *const *given, const Array *shape)
{
    PyObject *const *outs = given + self->operands;
    int written = 0;
    for (int place = 0; place < self->results; place++) {
        const Array *out = (const Array *)outs[place];
        if (outs[place] == Py_None)
            continue;
        written = !call->waits;
        if (Py_TYPE(out) != array_type || out->descr != self->kinds[self->operands + place].descr || !has_shape(out, shape))
            return 0;
        if ((out->flags & (ALIGNED | WRITEABLE)) != (ALIGNED | WRITEABLE))
            return 0;
        for (int other = 0; other < place; other++)
            if (outs[other] != Py_None && !apart(out, (const Array *)outs[other]))
                return 0;
        for (int other = 0; !call->waits && other < self->operands; other++)
            if (Py_TYPE(given[other]) == array_type && !apart(out, (const Array *)given[other])) {
                if (!is_same(out, (const Array *)given[other]))
                    return 0;
                if (call->looks && !call->certain && !(call->certain = is_certain(self, call, given)))
                    return 0;
            }
    }
    return !written || is_true(PyObject_CallNoArgs(self->passes));
}

/* Whether a result lies where an operand does. */
static int replaces(const Expression *self, PyObject *const *given)
{
    for (int place = self->operands; place < self->operands + self->results; place++)
        for (int other = 0; given[place] != Py_None && other < self->operands; other++)
            if (Py_TYPE(given[other]) == array_type && ((Array *)given[other])->data == ((Array *)given[place])->data)
                return 1;
    return 0;
}

/* Whether so few operators are as fast one by one, which compute in these arrays: the elements lie apart, or what the first one takes lies
   there, too. */
static int are_few(const Expression *self, const Call *call, PyObject *const *outs)
{
    for (int place = 0; place < self->results; place++) {
        const Array *out = (const Array *)outs[place];
        if (outs[place] == Py_None || Py_TYPE(out) != array_type || !out->nd || call->count <= ROWS)
            continue;
        if (self->instructions < COPY && out->strides[out->nd - 1] != self->kinds[self->operands + place].itemsize)
            return 1;
        for (int each = 0; self->instructions < MORE && call->count > IN_PLACE && each < self->code->count - 1; each++)
            if (self->code->places[each] < self->operands && call->values[self->code->places[each]].base == out->data)
                return 1;
    }
    return 0;
}

/* The chain that stands for an instruction, NULL where none does. */
static const Chain *chain_of(const Expression *self, const Call *call, int instruction)
{
    for (const Chain *chain = self->chains; chain < self->chains + self->chained; chain++)
        if (chain->first <= instruction && instruction <= chain->last && pays(chain, call))
            return chain;
    return NULL;
}

/* Whether most operators, or one of two, take elements that do not lie next to one another: to get at these costs more than blocks
   save, but in chains, which gather them once. */
static int are_scattered(const Expression *self, const Call *call)
{
    int number = 0;
    for (int each = 0; each < self->instructions; each++)
        for (int place = 0; (self->unchained || !chain_of(self, call, each)) && place < self->code[each].count - 1; place++) {
            int value = self->code[each].places[place];
            if (value < self->operands && call->values[value].inner && call->values[value].inner != self->kinds[value].itemsize) {
                number++;
                break;
            }
        }
    return 2 * number + (number && self->instructions == 2) > self->instructions;
}

/* Whether an operator may compute in the array that takes a result: nothing reads there afterwards, nor in the same chain. */
static int is_direct(const Expression *self, const Call *call, PyObject *const *given, int place)
{
    const Array *out = (const Array *)given[self->operands + place];
    if (call->waits)
        return 0;
    if (call->looks) /* `can_take` knows that it is apart from all, or where it is certain is not */
        return call->values[self->operands + place].takes && !call->certain;
    if (!(out->flags & C_CONTIGUOUS))
        return 0;
    int when = self->kinds[self->operands + place].when;
    const Chain *chain = chain_of(self, call, when);
    if (chain)
        when = chain->first - 1;
    for (int other = 0; other < self->operands; other++)
        if (self->kinds[other].when > when && Py_TYPE(given[other]) == array_type)
            if (!apart(out, (const Array *)given[other]))
                return 0;
    return 1;
}

/* Writes a block to the array that takes it: `flat` elements from `first` of its `count` on, which lie at `from`. */
static void put(const Array *target, Py_ssize_t itemsize, Py_ssize_t first, Py_ssize_t count, const char *from)
{
    Py_ssize_t index[32], rest = first;
    int last = target->nd - 1;
    char *to = target->data;
    for (int axis = last; axis >= 0; axis--) {
        index[axis] = rest % target->dimensions[axis];
        rest /= target->dimensions[axis];
        to += index[axis] * target->strides[axis];
    }
    while (count > 0) {
        Py_ssize_t run = target->dimensions[last] - index[last], stride = target->strides[last];
        run = run < count ? run : count;
        if (stride == itemsize)
            memcpy(to, from, (size_t)(run * itemsize));
        else
            for (Py_ssize_t place = 0; place < run; place++)
                memcpy(to + place * stride, from + place * itemsize, (size_t)itemsize);
        from += run * itemsize;
        count -= run;
        to -= index[last] * stride;
        index[last] = 0;
        for (int axis = last - 1; axis >= 0; axis--) {
            to += target->strides[axis];
            if (++index[axis] < target->dimensions[axis])
                break;
            to -= target->strides[axis] * target->dimensions[axis];
            index[axis] = 0;
        }
    }
}
