/* exp of vectors of floats, to the bit as NumPy's own loops compute it where machines have AVX2 and FMA, or AVX-512: reduction by Cody and
   Waite to a multiple of log 2, and a quotient of two polynomials for the rest. Included once for each width of vectors, with EXPONENTIALS,
   its name, FUSED, its target, INTS(name), the instruction of this name on integers of 4 bytes, and what _tiles.h is given.

   Laws.
   - It says where it does not know: a result that overflows, or is not normal or far from 1, and a NaN.
   - It says where the result is 0 by underflow: certainly so below -105, of doubles below -800. The flag of the machine is not raised.
   - Whether this NumPy, this C library and this machine compute so is asked (`agrees`), of many numbers and of loops over gaps; chains
     have no exp where they do not. */

/* Replaces vectors by their exponentials; UNKNOWN where it does not know one, UNDERFLOWS where one is 0 though its number is finite. */
FUSED static int EXPONENTIALS(VECTOR *values, const int vectors)
{
    const VECTOR shift = OF(set1)(0x1.8p23f);
    WHERE unknown = NOWHERE, underflows = NOWHERE;
    for (int k = 0; k < vectors; k++) {
        VECTOR x = values[k];
        const WHERE nothing = COMPARED(x, OF(set1)(-105.0f), _CMP_LT_OQ);
        const WHERE outside = EITHER(COMPARED(x, OF(set1)(88.0f), _CMP_NLE_UQ), COMPARED(x, OF(set1)(-86.0f), _CMP_NGE_UQ));
        unknown = EITHER(unknown, ONE_WITHOUT(outside, nothing));
        underflows = EITHER(underflows, ONE_WITHOUT(nothing, COMPARED(x, OF(set1)(-__builtin_inff()), _CMP_EQ_OQ)));
        x = ZERO_WHERE(nothing, x);
        VECTOR power = OF(mul)(x, OF(set1)(0x1.715476p+0f)); /* 1 / log 2 */
        __asm__("" : "+v"(power));                           /* rounded before the sum: no compiler makes both one */
        power = OF(sub)(OF(add)(power, shift), shift);
        x = OF(fmadd)(power, OF(set1)(-6.93145752e-1f), x); /* log 2, in two parts */
        x = OF(fmadd)(power, OF(set1)(-1.42860677e-6f), x);
        VECTOR above = OF(fmadd)(OF(set1)(5.082762527590693718096e-04f), x, OF(set1)(6.757896990527504603057e-03f));
        above = OF(fmadd)(above, x, OF(set1)(5.114512081637298353406e-02f));
        above = OF(fmadd)(above, x, OF(set1)(2.473615434895520810817e-01f));
        above = OF(fmadd)(above, x, OF(set1)(7.257664613233124478488e-01f));
        above = OF(fmadd)(above, x, OF(set1)(9.999999999980870924916e-01f));
        VECTOR below = OF(fmadd)(OF(set1)(2.159509375685829852307e-02f), x, OF(set1)(-2.742335390411667452936e-01f));
        below = OF(fmadd)(below, x, OF(set1)(1.0f));
        above = OF(div)(above, below);
        values[k] = ZERO_WHERE(nothing, (VECTOR)INTS(add)((BITS)above, INTS(slli)(INTS(cvtps)(power), 23)));
    }
    return (ANYWHERE(unknown) ? UNKNOWN : 0) | (ANYWHERE(underflows) ? UNDERFLOWS : 0);
}
