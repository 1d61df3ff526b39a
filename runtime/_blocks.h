/* The blocks of a call: how large they are, and what is computed over each. */

/* How many tiles a row takes (_tiles.h). */
static Py_ssize_t tiles_of(Py_ssize_t bytes)
{
    const Py_ssize_t vectors = bytes / vector_size(), rest = vectors % VECTORS;
    return vectors / VECTORS + rest / 4 + rest % 4 / 2 + rest % 2 + (bytes % vector_size() != 0);
}

/* What NumPy's operators cost for a row of the result in place of a chain. */
static Py_ssize_t cost_of_loops(const Expression *self, const Call *call, const Chain *chain, Py_ssize_t width)
{
    Py_ssize_t cost = width * chain->size * chain->work;
    for (const Instruction *each = self->code + chain->first; each <= self->code + chain->last; each++)
        for (int place = 0; place < each->count - 1; place++) {
            const Value *value = &call->values[each->places[place]];
            cost += each->places[place] < self->operands && value->row != width * value->inner ? UNEVEN : 0;
        }
    return cost;
}

/* Whether rows are so short that NumPy's operators pass over all of them in less time than chains take to begin each. */
static int are_short(const Expression *self, const Call *call)
{
    const Py_ssize_t width = call->dims[call->axes - 1];
    if (call->axes < 2 || call->count <= MANY)
        return 0;
    Py_ssize_t chains = 0, loops = CALL * (self->instructions - 1) * width / call->count, others = self->instructions;
    for (const Chain *chain = self->chains; chain < self->chains + (self->unchained ? 0 : self->chained); chain++)
        if (pays(chain, call)) {
            chains += ROW + STEP * chain->count * tiles_of(width * chain->size);
            loops += cost_of_loops(self, call, chain, width);
            others -= chain->last - chain->first + 1;
        }
    loops += chains ? BESIDE * others * width * self->chains->size : 0;
    for (int place = 0; place < self->operands; place++) /* what each row repeats */
        chains += chains && call->values[place].row && !call->values[place].inner ? 2 * STEP : 0;
    for (int place = 0; place < self->results; place++) /* what is written somewhere afterwards */
        if (call->outs[place] != Py_None)
            loops += width * self->kinds[self->operands + place].itemsize + UNEVEN + CALL * width / call->count;
    return width < SHORT || chains > loops;
}

/* Computes all operators over a block of `rows` times `width` elements, by their loops or in chains; false where one raises. */
static int compute(const Expression *self, Call *call, Py_ssize_t rows, Py_ssize_t width)
{
    const Chain *chain = self->chains, *end = chain + (call->chained ? self->chained : 0);
    for (const Instruction *each = self->code; each < self->code + self->instructions; each++) {
        if (chain < end && each == self->code + chain->first) {
            const Chain *tried = chain++;
            if (call->chained && pays(tried, call)) {
                if (run_chain(tried, call, rows, width)) {
                    each = self->code + tried->last;
                    continue;
                }
                call->looped = 1;
            }
        }
        char *data[ARGUMENTS];
        Py_ssize_t strides[ARGUMENTS], steps[ARGUMENTS], count = rows * width;
        int even = 1;
        for (int place = 0; place < each->count; place++) {
            const Value *value = &call->values[each->places[place]];
            data[place] = value->at;
            strides[place] = value->inner;
            steps[place] = value->row;
            even &= value->row == value->inner * width;
        }
        const Loop *loop = each->loop;
        if (even || rows == 1) {
            if (loop->loop(loop->context, data, &count, strides, loop->auxiliary))
                return 0;
        }
        else
            for (Py_ssize_t row = 0; row < rows; row++) {
                if (loop->loop(loop->context, data, &width, strides, loop->auxiliary))
                    return 0;
                for (int place = 0; place < each->count; place++)
                    data[place] += steps[place];
            }
        const int flags = loop->no_errors ? 0 : fetestexcept(ERRORS);
        if (flags) {
            feclearexcept(ERRORS);
            note(call, each - self->code, flags);
        }
    }
    return 1;
}

/* Where the values of a block begin. Registers, and results that are staged, stay where they are. */
static void locate(const Expression *self, Call *call, Py_ssize_t first)
{
    for (int place = 0; place < self->operands + self->results; place++) {
        Value *value = &call->values[place];
        if (!value->outer)
            continue;
        Py_ssize_t offset = call->line * value->row + call->cell * value->inner, rest = call->outer;
        for (int axis = call->axes - 3; axis >= 0; axis--) {
            offset += rest % call->dims[axis] * value->outer[axis];
            rest /= call->dims[axis];
        }
        value->at = value->base + offset;
    }
    for (int place = self->operands; place < self->operands + self->results; place++)
        if (!call->values[place].target && !call->values[place].outer)
            call->values[place].at = call->values[place].base + first * call->values[place].inner;
}

/* One block; false where the run declines. */
static int work_on_block(const Expression *self, Call *call, Py_ssize_t first, Py_ssize_t rows, Py_ssize_t width)
{
    const Value *results = call->values + self->operands;
    const Kind *kinds = self->kinds + self->operands;
    call->looped = !call->chained;
    locate(self, call, first);
    if (!compute(self, call, rows, width))
        return 0;
    for (int place = 0; call->looks && !call->certain && place < self->results; place++) /* chains have looked */
        if (kinds[place].real && (call->looped || !chain_of(self, call, kinds[place].when)))
            for (Py_ssize_t row = 0; row < rows; row++)
                if (has_nan(results[place].at + row * results[place].row, kinds[place].real, width))
                    return 0;
    for (int place = 0; !call->waits && place < self->results; place++)
        if (results[place].target)
            put(results[place].target, kinds[place].itemsize, first, rows * width, results[place].at);
    return 1;
}

/* All blocks; as above. */
static int work(const Expression *self, Call *call)
{
    Py_ssize_t cells = call->dims[call->axes - 1];
    for (call->outer = 0; call->outer < call->outers; call->outer++)
        for (call->line = 0; call->line < call->lines; call->line += call->rows)
            for (call->cell = 0; call->cell < cells; call->cell += call->width) {
                Py_ssize_t rows = call->lines - call->line < call->rows ? call->lines - call->line : call->rows;
                Py_ssize_t width = cells - call->cell < call->width ? cells - call->cell : call->width;
                if (!work_on_block(self, call, (call->outer * call->lines + call->line) * cells + call->cell, rows, width))
                    return 0;
            }
    return 1;
}

/* Decides whether the next calls try chains: the longer these give up, the more rarely. */
static void told_of_chains(Expression *self, int tried, int stopped)
{
    if (tried)
        self->stops = !stopped ? 0 : self->stops < 6 ? self->stops + 1 : 6;
    self->unchained = stopped ? 1 << self->stops : self->unchained ? self->unchained - 1 : 0;
}

/* Computes all, and tells of errors; false where the run declines. */
static int finish(Expression *self, Call *call)
{
    memset(call->errors, 0, (size_t)self->instructions);
    PyThreadState *state = call->count * self->instructions >= RELEASES ? PyEval_SaveThread() : NULL;
    feclearexcept(ERRORS);
    call->chained = self->chained && !self->unchained;
    int tried = call->chained, done = work(self, call);
    feclearexcept(ERRORS);
    if (state)
        PyEval_RestoreThread(state);
    told_of_chains(self, tried, tried && !call->chained);
    if (!done || PyErr_Occurred())
        return 0;
    if (call->met && !is_true(PyObject_CallFunction(self->tell, "y#", (char *)call->errors, (Py_ssize_t)self->instructions)))
        return 0;
    for (int place = self->operands; call->waits && place < self->operands + self->results; place++)
        if (call->values[place].target)
            put(call->values[place].target, self->kinds[place].itemsize, 0, call->count, call->values[place].at);
    return 1;
}

/* The elements of a block: operands that are passed over, results and registers are to fit the cache. Where one chain makes all, each
   element is passed over once, and blocks are larger, but for exp, which costs so much more than a block that less of it is to be computed
   once more where an error is met. */
static Py_ssize_t step_of(const Expression *self, const Call *call, const Py_ssize_t *strides)
{
    Py_ssize_t bytes = 0;
    for (int place = 0; place < self->operands; place++) {
        Py_ssize_t stride = strides[place * AXES + call->axes - 1];
        stride = stride < 0 ? -stride : stride;
        bytes += stride < UNIT ? stride : UNIT;
    }
    for (int place = self->operands; place < self->operands + self->results + self->registers; place++)
        bytes += self->kinds[place].itemsize;
    const Chain *chain = self->chains;
    const int alone = self->chained == 1 && !self->unchained && chain->last - chain->first == self->instructions - 1;
    Py_ssize_t step = (alone && !chain->always && pays(chain, call) ? ARENA / 2 : self->cached) / bytes / UNIT * UNIT;
    return step < self->fewest ? self->fewest : step < self->highest ? step : self->highest;
}

/* The sizes of blocks. */
static void divide(const Expression *self, Call *call, Py_ssize_t step, PyObject *const *outs)
{
    Py_ssize_t cells = call->dims[call->axes - 1], all = 1;
    for (int axis = 0; axis < call->axes; axis++)
        all *= call->dims[axis];
    for (int place = 0; all <= WHOLE && place < self->results; place++)
        if (outs[place] != Py_None && step < all)
            step = all;
    call->outers = 1;
    call->lines = call->axes > 1 ? call->dims[call->axes - 2] : 1;
    for (int axis = 0; axis < call->axes - 2; axis++)
        call->outers *= call->dims[axis];
    call->width = cells < step ? cells : step;
    call->rows = step / call->width;
    call->rows = call->rows < call->lines ? call->rows : call->lines;
    call->count = call->outers * call->lines * cells;
    call->waits = call->rows * call->width == call->count;
}
