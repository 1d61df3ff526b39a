/* Choices: element-wise `where` of NumPy for elements of each size. Operands that are next to one another, or but one, are taken at
   once, without branches, which would wait for each condition. */

#define CHOICE(bits)                                                                                                          \
    static inline void choose_##bits(const char *test, const uint##bits##_t *one, const uint##bits##_t *other, uint##bits##_t *to,      \
        Py_ssize_t count, const Py_ssize_t first, const Py_ssize_t second)                                                    \
    {                                                                                                                         \
        const uint##bits##_t always = *one, never = *other;                                                                   \
        _Pragma("GCC ivdep") for (Py_ssize_t place = 0; place < count; place++) {                                             \
            const uint##bits##_t given = first ? one[place] : always, instead = second ? other[place] : never;                \
            to[place] = (uint##bits##_t)(instead ^ ((given ^ instead) & (uint##bits##_t)(0 - (test[place] != 0))));           \
        }                                                                                                                     \
    }                                                                                                                         \
    static int loop_of_choice_##bits(                                                                                         \
        void *Py_UNUSED(context), char *const *data, const Py_ssize_t *count, const Py_ssize_t *strides, void *Py_UNUSED(auxiliary)) \
    {                                                                                                                         \
        const Py_ssize_t size = bits / 8;                                                                                     \
        const void *one = data[1], *other = data[2];                                                                          \
        int close = strides[0] == 1 && strides[3] == size && !(strides[1] % size) && strides[1] <= size && strides[1] >= 0;    \
        close &= !(strides[2] % size) && strides[2] <= size && strides[2] >= 0;                                               \
        if (close && strides[1] && strides[2])                                                                                \
            choose_##bits(data[0], one, other, (void *)data[3], *count, 1, 1);                                                \
        else if (close && strides[1])                                                                                         \
            choose_##bits(data[0], one, other, (void *)data[3], *count, 1, 0);                                                \
        else if (close && strides[2])                                                                                         \
            choose_##bits(data[0], one, other, (void *)data[3], *count, 0, 1);                                                \
        else if (close)                                                                                                       \
            choose_##bits(data[0], one, other, (void *)data[3], *count, 0, 0);                                                \
        else                                                                                                                  \
            for (Py_ssize_t place = 0; place < *count; place++)                                                               \
                memcpy(data[3] + place * strides[3],                                                                          \
                    data[0][place * strides[0]] ? data[1] + place * strides[1] : data[2] + place * strides[2], bits / 8);     \
        return 0;                                                                                                             \
    }
CHOICE(8)
CHOICE(16)
CHOICE(32)
CHOICE(64)

static const Loop choices[] = {
    {.loop = loop_of_choice_8, .no_errors = 1},
    {.loop = loop_of_choice_16, .no_errors = 1},
    {.loop = loop_of_choice_32, .no_errors = 1},
    {.loop = loop_of_choice_64, .no_errors = 1},
};
