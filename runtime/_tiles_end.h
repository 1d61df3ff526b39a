/* Ends what _tiles.h was included for. */
#undef ELEMENT
#undef VECTOR
#undef OF
#undef OF_MASK
#undef OF_LANES
#undef TO_VECTOR
#undef TO_MASK
#undef NAME
