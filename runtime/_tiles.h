/* Operators of a chain over one tile of elements, which stay in registers from one operator to the next. Included once for each
   size of floats and each width of vectors, with ELEMENT, VECTOR, NAME(name), and OF(name), the instruction of this name; of those that
   differ between widths _chains.h makes WHERE (a mask of lanes), TRUTHS (a vector of them) and their like. Infinities, zeros and
   rounding are those of the machine's arithmetic, which NumPy's loops use too; what is left to chance is the payload of a NaN, and `bad`
   says where there is one. */

#ifndef SIZE_OF
#define SIZE_OF(type) (int)sizeof(type)
#endif

/* The elements at an address; beyond those that are taken, the first one again, so that nothing meets an error there. */
TILES static inline __attribute__((always_inline)) VECTOR NAME(taken)(const char *at, const int partial, LANES lanes)
{
    const ELEMENT *first = (const ELEMENT *)at;
    return partial ? LOAD_SOME(first, lanes) : OF(loadu)(first);
}

/* Puts elements that lie apart next to one another; those that are not there are the first one, as above. */
TILES static inline __attribute__((always_inline)) void NAME(gather)(
    const Step *step, Py_ssize_t offset, const int vectors, const int partial, Py_ssize_t count)
{
    const int all = SIZE_OF(VECTOR) / SIZE_OF(ELEMENT);
    const Py_ssize_t stride = step->second_moves;
    const char *from = step->at + offset / SIZE_OF(ELEMENT) * stride;
    for (int k = 0; k < vectors; k++, from += all * stride) {
        VECTOR found = OF(setzero)();
        if (!partial && stride == -SIZE_OF(ELEMENT))
            found = BACKWARDS(OF(loadu)((const ELEMENT *)from - (all - 1)));
        else if (!partial && stride == 2 * SIZE_OF(ELEMENT)) /* nothing is read behind the last element */
            found = EVERY_SECOND(OF(loadu)((const ELEMENT *)from), OF(loadu)((const ELEMENT *)from + (all - 1)));
        else
            _Pragma("GCC unroll 16") for (int lane = 0; lane < all; lane++)
                found[lane] = *(const ELEMENT *)(from + (partial && lane >= count ? 0 : lane * stride));
        OF(storeu)((ELEMENT *)(step->second + k * SIZE_OF(VECTOR)), found);
    }
}

TILES static inline __attribute__((always_inline)) int NAME(tile)(
    const Step *step, const Step *end, Py_ssize_t offset, const int vectors, const int partial, LANES lanes, Py_ssize_t count)
{
    const VECTOR sign = OF(set1)((ELEMENT)-0.0);
    VECTOR value[VECTORS];
    WHERE bad = NOWHERE;
    int told = 0; /* of exponentials */
    for (int k = 0; k < VECTORS; k++)
        value[k] = sign;
    for (; step < end; step++) {
        char *at = step->at + (offset & step->moves);
        const int own = partial && step->moves; /* memory of the chain's own holds whole vectors */
#define EACH _Pragma("GCC unroll 8") for (int k = 0; k < vectors; k++)
#define ITEM NAME(taken)(at + k * SIZE_OF(VECTOR), own, lanes)
#define CASE(operator, expression) \
    case operator: \
        EACH value[k] = expression; \
        break;
#define ARITHMETIC(operator, expression) \
    case operator: \
        EACH { \
            const VECTOR other = ITEM; \
            value[k] = expression; \
        } \
        break; \
    case operator + OF_ONE: { \
        const VECTOR other = OF(loadu)((const ELEMENT *)at); \
        EACH value[k] = expression; \
        break; \
    }
#define OF_TWO(operator, expression) \
    case operator: \
        EACH { \
            const VECTOR other = ITEM; \
            bad = EITHER(bad, COMPARED(value[k], other, _CMP_UNORD_Q)); \
            value[k] = expression; \
        } \
        break;
        switch (step->operator) {
        case GATHER:
            NAME(gather)(step, offset, vectors, partial, count);
            break;
            CASE(TAKE, ITEM)
            ARITHMETIC(ADD, OF(add)(value[k], other))
            ARITHMETIC(SUBTRACT, OF(sub)(value[k], other))
            ARITHMETIC(SUBTRACT_FROM, OF(sub)(other, value[k]))
            ARITHMETIC(MULTIPLY, OF(mul)(value[k], other))
            ARITHMETIC(DIVIDE, OF(div)(value[k], other))
            ARITHMETIC(DIVIDE_INTO, OF(div)(other, value[k]))
            ARITHMETIC(GREATER, TRUTHS(value[k], other, _CMP_GT_OQ))
            ARITHMETIC(GREATER_EQUAL, TRUTHS(value[k], other, _CMP_GE_OQ))
            ARITHMETIC(LESS, TRUTHS(value[k], other, _CMP_LT_OQ))
            ARITHMETIC(LESS_EQUAL, TRUTHS(value[k], other, _CMP_LE_OQ))
            ARITHMETIC(EQUAL, TRUTHS(value[k], other, _CMP_EQ_OQ))
            ARITHMETIC(NOT_EQUAL, TRUTHS(value[k], other, _CMP_NEQ_UQ))
            CASE(SQUARE, OF(mul)(value[k], value[k]))
            CASE(SQRT, OF(sqrt)(value[k]))
            CASE(NEGATIVE, OF(xor)(value[k], sign))
            CASE(ABSOLUTE, OF(andnot)(sign, value[k]))
            OF_TWO(MAXIMUM, OF(max)(value[k], other))
            OF_TWO(MAXIMUM_OF, OF(max)(other, value[k]))
            OF_TWO(MINIMUM, OF(min)(value[k], other))
            OF_TWO(MINIMUM_OF, OF(min)(other, value[k]))
#ifdef EXPONENTIALS
        case EXP: { /* of a copy, so that the values themselves need no address */
            VECTOR found[VECTORS];
            EACH found[k] = value[k];
            told |= EXPONENTIALS(found, vectors);
            EACH value[k] = found[k];
            break;
        }
#endif
        case CHOOSE: {
            const char *second = step->second + (offset & step->second_moves);
            const int apart = partial && step->second_moves;
            EACH value[k] = CHOSEN(value[k], ITEM, NAME(taken)(second + k * SIZE_OF(VECTOR), apart, lanes));
            break;
        }
        case KEEP:
            EACH OF(storeu)((ELEMENT *)(at + k * SIZE_OF(VECTOR)), value[k]);
            break;
        case GIVE:
            if (partial) {
                bad = EITHER(bad, COMPARED(value[0], value[0], _CMP_UNORD_Q));
                STORE_SOME((ELEMENT *)at, lanes, value[0]);
                break;
            }
            EACH OF(storeu)((ELEMENT *)(at + k * SIZE_OF(VECTOR)), value[k]);
            if (vectors == 1)
                bad = EITHER(bad, COMPARED(value[0], value[0], _CMP_UNORD_Q));
            else /* each comparison looks at two */
                _Pragma("GCC unroll 8") for (int k = 0; k < vectors; k += 2)
                    bad = EITHER(bad, COMPARED(value[k], value[k + 1], _CMP_UNORD_Q));
            break;
        }
#undef OF_TWO
#undef ARITHMETIC
#undef CASE
#undef ITEM
#undef EACH
    }
    return told | (ANYWHERE(bad) ? UNKNOWN : 0);
}

/* All elements of a row; UNKNOWN where a NaN comes out, UNDERFLOWS where an exponential does. What is given first begins with a whole
   vector of memory, as it costs most where that is cut in two. */
TILES static int NAME(row)(const Step *steps, const Step *end, Py_ssize_t count)
{
    enum { SIZE = sizeof(ELEMENT), ALL = sizeof(VECTOR) / SIZE };
    Py_ssize_t place = 0;
    int told = 0;
    if (count >= LONG) {
        const Step *first = steps;
        while (first < end - 1 && (first->operator != GIVE || !first->moves))
            first++;
        place = (Py_ssize_t)(-(uintptr_t)first->at % sizeof(VECTOR)) / SIZE;
        if (place)
            told = NAME(tile)(steps, end, 0, 1, 1, FIRST(place), place);
    }
    for (; place + VECTORS * ALL <= count; place += VECTORS * ALL)
        told |= NAME(tile)(steps, end, place * SIZE, VECTORS, 0, FIRST(ALL), VECTORS * ALL);
#define REST(vectors) \
    if (place + (vectors) * ALL <= count) { \
        told |= NAME(tile)(steps, end, place * SIZE, vectors, 0, FIRST(ALL), (vectors) * ALL); \
        place += (vectors) * ALL; \
    }
    REST(4)
    REST(2)
    REST(1)
#undef REST
    if (place < count)
        told |= NAME(tile)(steps, end, place * SIZE, 1, 1, FIRST(count - place), count - place);
    return told;
}
