/* One lock of the file that includes this. Nobody waits for it: who does not get it does without. */

#ifdef _MSC_VER
#include <intrin.h>
static volatile long lock;
#define TRY_LOCK() (_InterlockedExchange(&lock, 1) == 0)
#define UNLOCK() ((void)_InterlockedExchange(&lock, 0))
#else
static char lock;
#define TRY_LOCK() (!__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
#define UNLOCK() __atomic_clear(&lock, __ATOMIC_RELEASE)
#endif
