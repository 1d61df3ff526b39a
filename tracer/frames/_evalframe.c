/* The frame hook over PEP 523: sees every Python frame before its body runs, and may answer for it.

   Two calls are offered to Python (npexport.tracer.frames), and before CPython 3.12 a third:

       capture(call)                        the first frame of the user's that call() starts; no such body runs
       answer(callback, fn, args, kwargs)   fn(*args, **kwargs); frames of the user's that are started meanwhile go to
                                            callback(function, bound), whose result or exception is the frame's
       watch(meant, entered)                frames whose code is meant are told to entered() before their bodies run, in all threads that do not
                                            listen, until unwatch(); nothing else changes

   Laws.
   - A frame is never copied, cleared or popped by hand. A frame whose body must not run is evaluated by CPython with the throw
     flag set and an exception pending: the evaluator goes straight to unwinding and clears it, on every version.
   - State is per thread: a thread with mode OFF is not touched. The evaluator is installed in the interpreter only while
     some thread listens, so that code outside pays nothing; the one that was installed before is called for everything
     that is evaluated, and put back.
   - npexport's own frames are evaluated while the thread still listens: below them, frames of libraries are npexport's business, and all
     others the program's (``operator.index`` of the program's object). Its virtual machine, generators of the program that have started,
     and trace functions are evaluated with the hook off until they return.
   - Cyclic garbage is not collected while a thread listens: finalizers of strangers are not the program's frames. */

#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE 1
#include <Python.h>
#if PY_VERSION_HEX >= 0x030E0000
#include "internal/pycore_interpframe.h"
#else
#include "internal/pycore_frame.h"
#endif
#if PY_VERSION_HEX >= 0x030C0000
#include "internal/pycore_ceval.h"
#include "internal/pycore_interp.h"
#endif

#if PY_VERSION_HEX >= 0x030F0000 || defined(Py_GIL_DISABLED)
#error "frames of this CPython are not known, or no lock guards the listeners; npexport uses sys.settrace there"
#elif PY_VERSION_HEX >= 0x030E0000
#define FRAME_CODE(frame) _PyFrame_GetCode(frame)
#define FRAME_FUNCTION(frame) PyStackRef_AsPyObjectBorrow((frame)->f_funcobj)
#elif PY_VERSION_HEX >= 0x030D0000
#define FRAME_CODE(frame) ((PyCodeObject *)(frame)->f_executable)
#define FRAME_FUNCTION(frame) ((frame)->f_funcobj)
#elif PY_VERSION_HEX >= 0x030C0000
#define FRAME_CODE(frame) ((frame)->f_code)
#define FRAME_FUNCTION(frame) ((frame)->f_funcobj)
#else
#define FRAME_CODE(frame) ((frame)->f_code)
#define FRAME_FUNCTION(frame) ((PyObject *)(frame)->f_func)
#endif

#if PY_VERSION_HEX >= 0x030E0000
#define FRAME_LOCAL(frame, slot) (PyStackRef_IsNull((frame)->localsplus[slot]) ? NULL : PyStackRef_AsPyObjectBorrow((frame)->localsplus[slot]))
#else
#define FRAME_LOCAL(frame, slot) ((frame)->localsplus[slot])
#endif

/* From CPython 3.12 on sys.monitoring watches, and takes nothing from other calls. */
#define CAN_WATCH (PY_VERSION_HEX < 0x030C0000)
#if CAN_WATCH
#include "opcode.h"
#endif

#ifdef _MSC_VER
#define THREAD_LOCAL __declspec(thread)
#else
#define THREAD_LOCAL __thread
#endif

typedef enum { OFF, CAPTURE, ANSWER } Mode;

typedef struct {
    Mode mode;
    PyObject *callback;             /* ANSWER: what is asked (borrowed from the running answer()) */
    PyObject *captured;             /* CAPTURE: the first frame seen, or NULL (owned by the running capture()) */
    int tracing;                    /* how deep in trace functions the thread was when it began to listen */
    int inside;                     /* ANSWER: how many of npexport's own frames, and what they started, are being evaluated */
    _PyInterpreterFrame *passing;   /* a frame on its way to the evaluator below, which may come round to us again */
} Listener;

static THREAD_LOCAL Listener listener;
static const Listener silent = {OFF, NULL, NULL, 0, 0, NULL};

static int listening;                    /* how many listeners there are, in all threads; the GIL guards it */
static int watching;                     /* how many watches there are; the GIL guards it */
static _PyFrameEvalFunction below;       /* the evaluator that was installed before ours */
static int collects;                     /* whether cyclic garbage was collected before anyone listened */
static PyObject *Aborted;                /* raised in frames whose body must not run */
static PyObject *name_key;               /* "__name__" */
static PyObject *interpreted;            /* npexport's packages whose Python is the program's (owners.py) */
static PyObject *helpers;                /* modules whose Python is what C is elsewhere (owners.py) */
static PyObject *engine;                 /* the virtual machine (owners.py) */
static PyObject *libraries;              /* packages that npexport itself uses (owners.py) */

static PyObject *evaluate(PyThreadState *, _PyInterpreterFrame *, int);

/* From CPython 3.12 on a collection that is due waits for the next instruction, or for C code that looks for signals, and runs there
   even if collecting was switched off meanwhile. It is due again when the next object is made afterwards. */
static void
put_off_collection(void)
{
#if PY_VERSION_HEX >= 0x030D0000
    _Py_unset_eval_breaker_bit(PyThreadState_Get(), _PY_GC_SCHEDULED_BIT);
#elif PY_VERSION_HEX >= 0x030C0000
    _Py_atomic_store_relaxed(&PyInterpreterState_Get()->ceval.gc_scheduled, 0);
#endif
}

static void
install(void)
{
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    _PyFrameEvalFunction installed = _PyInterpreterState_GetEvalFrameFunc(interpreter);
    if (installed != evaluate) {
        below = installed;
        _PyInterpreterState_SetEvalFrameFunc(interpreter, evaluate);
    }
}

/* Where another hook was put over ours meanwhile, it calls ours, and ours stays. */
static void
uninstall(void)
{
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    if (_PyInterpreterState_GetEvalFrameFunc(interpreter) == evaluate) {
        _PyInterpreterState_SetEvalFrameFunc(interpreter, below);
    }
}

static void
listen(Listener next)
{
    listener = next;
    put_off_collection();
    if (listening++ > 0) {
        return;
    }
    install();
    collects = PyGC_Disable();
}

static Listener
stop_listening(void)
{
    Listener last = listener;
    listener = silent;
    if (--listening > 0) {
        return last;
    }
    if (collects) {
        PyGC_Enable();
    }
    if (watching == 0) {
        uninstall();
    }
    return last;
}

static int
is_inside(const char *name, const char *package)
{
    size_t length = strlen(package);
    return strncmp(name, package, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

static int
is_inside_any(const char *name, PyObject *packages)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(packages); i++) {
        if (is_inside(name, PyUnicode_AsUTF8(PyTuple_GET_ITEM(packages, i)))) {
            return 1;
        }
    }
    return 0;
}

static int
is_own(const char *name)
{
    return is_inside(name, "npexport") && !is_inside_any(name, interpreted);
}

static int
is_library(const char *name)
{
    if (strncmp(name, "namedtuple_", 11) == 0) {
        return 1; /* what collections.namedtuple generates */
    }
    const char *end = strchr(name, '.');
    PyObject *package = PyUnicode_FromStringAndSize(name, end == NULL ? (Py_ssize_t)strlen(name) : end - name);
    int found = package != NULL && PySet_Contains(libraries, package) == 1;
    Py_XDECREF(package);
    PyErr_Clear();
    return found;
}

static const char *
module_name(_PyInterpreterFrame *frame)
{
    PyObject *name = PyDict_CheckExact(frame->f_globals) ? PyDict_GetItemWithError(frame->f_globals, name_key) : NULL;
    const char *text = name != NULL && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    if (text == NULL) {
        PyErr_Clear(); /* no name that can be compared: the frame is the user's */
        return "";
    }
    return text;
}

/* What CPython bound: arguments by name. Cells are not made yet, so an argument that is a cell is in its slot too.
   The namespace itself where the code has one (class bodies, exec). */
static PyObject *
bound_locals(_PyInterpreterFrame *frame)
{
    PyCodeObject *code = FRAME_CODE(frame);
    if (!(code->co_flags & CO_OPTIMIZED) && frame->f_locals != NULL) {
        return Py_NewRef(frame->f_locals);
    }
    PyObject *bound = PyDict_New();
    for (int i = 0; bound != NULL && i < code->co_nlocalsplus; i++) {
        PyObject *value = FRAME_LOCAL(frame, i);
        if (value != NULL && PyDict_SetItem(bound, PyTuple_GET_ITEM(code->co_localsplusnames, i), value) < 0) {
            Py_CLEAR(bound);
        }
    }
    return bound;
}

static PyObject *
pass_on(PyThreadState *tstate, _PyInterpreterFrame *frame, int throwing)
{
    _PyInterpreterFrame *outer = listener.passing;
    listener.passing = frame;
    PyObject *result = below(tstate, frame, throwing);
    listener.passing = outer;
    return result;
}

static PyObject *
pass_on_unheard(PyThreadState *tstate, _PyInterpreterFrame *frame, int throwing)
{
    Listener last = stop_listening();
    PyObject *result = pass_on(tstate, frame, throwing);
    listen(last);
    return result;
}

static PyObject *
pass_inside(PyThreadState *tstate, _PyInterpreterFrame *frame, int throwing)
{
    listener.inside++;
    PyObject *result = pass_on(tstate, frame, throwing);
    listener.inside--;
    return result;
}

/* Ends a frame without running it. Steals ``result``, its value; where that is NULL, an exception is set and is the outcome.
   The user's trace function is not told, and the exception gets no traceback entry of a line that never ran. */
static PyObject *
end_frame(PyThreadState *tstate, _PyInterpreterFrame *frame, PyObject *result)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_SetNone(Aborted);
    PyThreadState_EnterTracing(tstate);
    PyObject *nothing = _PyEval_EvalFrameDefault(tstate, frame, 1);
    PyThreadState_LeaveTracing(tstate);
    assert(nothing == NULL);
    (void)nothing;
    PyErr_Restore(type, value, traceback);
    return result;
}

static PyObject *
capture_frame(PyThreadState *tstate, _PyInterpreterFrame *frame)
{
    if (listener.captured == NULL) {
        PyObject *bound = bound_locals(frame);
        if (bound != NULL) {
            listener.captured = Py_BuildValue("(ONOO)", FRAME_FUNCTION(frame), bound, frame->f_globals, frame->f_builtins);
        }
    }
    if (!PyErr_Occurred()) { /* else there was no memory to describe the frame */
        PyErr_SetNone(Aborted);
    }
    return end_frame(tstate, frame, NULL);
}

static PyObject *
answer_frame(PyThreadState *tstate, _PyInterpreterFrame *frame)
{
    PyObject *result = NULL;
    PyObject *bound = bound_locals(frame);
    if (bound != NULL) {
        Listener last = stop_listening();
        result = PyObject_CallFunctionObjArgs(last.callback, FRAME_FUNCTION(frame), bound, NULL);
        listen(last);
        Py_DECREF(bound);
    }
    return end_frame(tstate, frame, result);
}

#if CAN_WATCH
/* What is known of a code object stands beside it: ``epoch << 1 | meant``, where every change of the watches begins a new epoch. So other
   code pays for one comparison, and for what CPython takes for calls that it does not run in the frame of the caller. */
static Py_ssize_t extra;                 /* the place of code objects for it */
static uintptr_t epoch;
static PyObject *meant, *entered;        /* what is asked of a code object, and told of a frame (watching.py) */
static int missed;                       /* whether frames went by unseen, since they stood too deep */
static THREAD_LOCAL int telling;         /* whether the thread is in one of the two: what they start is not watched */

/* Beyond so many frames within one another calls run as without us, in the frame of the caller: the hook takes C stack for each. */
#define DEEP 2000

static PyObject *
tell(PyObject *callback, PyObject *arguments)
{
    PyObject *result = NULL;
    if (arguments != NULL) {
        telling = 1;
        result = PyObject_Call(callback, arguments, NULL);
        telling = 0;
        Py_DECREF(arguments);
    }
    if (result == NULL && PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear(); /* of ours; no memory, or no depth left */
    }
    return result;
}

/* -1 where an exception is to go on. */
static int
is_meant(PyCodeObject *code)
{
    void *known = NULL;
    if (_PyCode_GetExtra((PyObject *)code, extra, &known) == 0 && (uintptr_t)known >> 1 == epoch) {
        return (int)((uintptr_t)known & 1);
    }
    if (telling) {
        return 0;
    }
    uintptr_t asked = epoch;
    PyObject *answer = tell(meant, Py_BuildValue("(O)", code));
    if (answer == NULL) {
        return PyErr_Occurred() ? -1 : 0;
    }
    int verdict = answer == Py_True;
    if (_PyCode_SetExtra((PyObject *)code, extra, (void *)(asked << 1 | (uintptr_t)verdict)) < 0) {
        PyErr_Clear();
    }
    Py_DECREF(answer);
    return verdict;
}

/* A generator that has started: when it is first resumed, it still stands at the instruction that has made it. */
static inline int
has_started(_PyInterpreterFrame *frame, int throwing)
{
    return throwing || (frame->owner == FRAME_OWNED_BY_GENERATOR && _Py_OPCODE(*frame->prev_instr) != RETURN_GENERATOR);
}

/* Whether to go on. A generator function's own frame only makes the generator. */
static int
announce(PyThreadState *tstate, _PyInterpreterFrame *frame)
{
    int resumed = frame->owner == FRAME_OWNED_BY_GENERATOR;
    PyCodeObject *code = FRAME_CODE(frame);
    if (telling || tstate->tracing || (!resumed && code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR))) {
        return 1;
    }
    PyObject *bound = bound_locals(frame);
    PyObject *flag = resumed ? Py_True : Py_False;
    PyObject *result = tell(entered, bound == NULL ? NULL : Py_BuildValue("(OONO)", FRAME_FUNCTION(frame), code, bound, flag));
    Py_XDECREF(result);
    return result != NULL || !PyErr_Occurred();
}

/* Evaluates a frame that has not started with ``run``, which is ``below`` or ends there. */
static PyObject *
evaluate_watched(PyThreadState *tstate, _PyInterpreterFrame *frame, _PyFrameEvalFunction run)
{
    int verdict = is_meant(FRAME_CODE(frame));
    if (verdict && (verdict < 0 || !announce(tstate, frame))) {
        return end_frame(tstate, frame, NULL); /* an interrupt, or an exit */
    }
    if (tstate->recursion_limit - tstate->recursion_remaining < DEEP || listening > 0) {
        return run(tstate, frame, 0);
    }
    missed = 1;
    uninstall();
    PyObject *result = run(tstate, frame, 0);
    if (watching > 0) {
        install();
    }
    return result;
}
#endif

static PyObject *
evaluate(PyThreadState *tstate, _PyInterpreterFrame *frame, int throwing)
{
#if CAN_WATCH
    if (listening == 0 && below == _PyEval_EvalFrameDefault) { /* what most calls of a watched program come to */
        return has_started(frame, throwing) ? below(tstate, frame, throwing) : evaluate_watched(tstate, frame, below);
    }
#endif
    if (listener.passing == frame) { /* the evaluator below is a hook that was put over ours and calls us in turn */
        return _PyEval_EvalFrameDefault(tstate, frame, throwing);
    }
    if (listener.mode == OFF) {
#if CAN_WATCH
        if (watching > 0 && !has_started(frame, throwing)) {
            return evaluate_watched(tstate, frame, pass_on);
        }
#endif
        return pass_on(tstate, frame, throwing);
    }
    if (tstate->tracing > listener.tracing) {
        return pass_on_unheard(tstate, frame, throwing);
    }
    int started = throwing || frame->owner == FRAME_OWNED_BY_GENERATOR;
    const char *name = throwing ? "" : module_name(frame);
    if (listener.mode == CAPTURE) {
        if (started) {
            return pass_on_unheard(tstate, frame, throwing);
        }
        return is_own(name) || is_inside_any(name, helpers) ? pass_on(tstate, frame, throwing) : capture_frame(tstate, frame);
    }
    if (is_own(name) ? !is_inside_any(name, engine) : listener.inside > 0 && (started || is_library(name))) {
        return pass_inside(tstate, frame, throwing);
    }
    return started || is_own(name) ? pass_on_unheard(tstate, frame, throwing) : answer_frame(tstate, frame);
}

/* Runs fn(*args, **kwargs) with this thread listening, and puts back what it listened to before. */
static PyObject *
call_listening(Listener *next, PyObject *fn, PyObject *args, PyObject *kwargs)
{
    Listener outer = listener;
    if (outer.mode != OFF) {
        stop_listening();
    }
    listen(*next);
    PyObject *result = PyObject_Call(fn, args, kwargs);
    *next = stop_listening();
    if (outer.mode != OFF) {
        listen(outer);
    }
    listener.passing = outer.passing;
    return result;
}

static PyObject *
capture(PyObject *Py_UNUSED(module), PyObject *call)
{
    PyObject *args = PyTuple_New(0);
    if (args == NULL) {
        return NULL;
    }
    Listener next = {CAPTURE, NULL, NULL, PyThreadState_Get()->tracing, 0, NULL};
    PyObject *result = call_listening(&next, call, args, NULL);
    Py_DECREF(args);
    if (next.captured != NULL) {
        Py_XDECREF(result);
        PyErr_Clear(); /* Aborted, or what became of it on its way out */
        return next.captured;
    }
    if (result == NULL) {
        return NULL; /* the arguments do not fit, or the callable is not Python and raised */
    }
    Py_DECREF(result);
    Py_RETURN_NONE;
}

static PyObject *
answer(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count)
{
    if (count != 4 || !PyTuple_Check(args[2]) || !PyDict_Check(args[3])) {
        PyErr_SetString(PyExc_TypeError, "answer(callback, fn, args: tuple, kwargs: dict)");
        return NULL;
    }
    Listener next = {ANSWER, args[0], NULL, PyThreadState_Get()->tracing, 0, NULL};
    return call_listening(&next, args[1], args[2], PyDict_GET_SIZE(args[3]) > 0 ? args[3] : NULL); /* C tells none from no more */
}

#if CAN_WATCH
static PyObject *
watch(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *asked, *told;
    if (!PyArg_ParseTuple(args, "OO:watch", &asked, &told)) {
        return NULL;
    }
    Py_XSETREF(meant, Py_NewRef(asked));
    Py_XSETREF(entered, Py_NewRef(told));
    epoch++;
    if (watching++ == 0) {
        missed = 0;
        install();
    }
    Py_RETURN_NONE;
}

static PyObject *
unwatch(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(nothing))
{
    epoch++;
    if (--watching == 0 && listening == 0) {
        uninstall();
    }
    return PyBool_FromLong(missed);
}
#endif

static PyMethodDef methods[] = {
#if CAN_WATCH
    {"watch", watch, METH_VARARGS, "watch(meant, entered): entered(function, code, values, resumed) of every frame whose code is meant(code)"},
    {"unwatch", unwatch, METH_NOARGS, "unwatch() -> whether frames went by unseen, since they stood too deep; for each watch() one"},
#endif
    {"capture", capture, METH_O,
     "capture(call) -> (function, bound, globals, builtins) of the first frame of the user's, or None where no frame was started"},
    {"answer", (PyCFunction)(void (*)(void))answer, METH_FASTCALL,
     "answer(callback, fn, args, kwargs) -> fn(*args, **kwargs); frames of the user's go to callback(function, bound)"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "npexport.tracer.frames._evalframe",
    "The frame hook over PEP 523.",
    -1,
    methods,
    NULL,
    NULL,
    NULL,
    NULL,
};

PyMODINIT_FUNC
PyInit__evalframe(void)
{
    PyObject *owners = PyImport_ImportModule("npexport.tracer.frames.frame_ownership");
    if (owners == NULL) {
        return NULL;
    }
    interpreted = PyObject_GetAttrString(owners, "INTERPRETED");
    helpers = PyObject_GetAttrString(owners, "HELPERS");
    engine = PyObject_GetAttrString(owners, "ENGINE");
    libraries = PyObject_GetAttrString(owners, "LIBRARIES");
    Py_DECREF(owners);
    name_key = PyUnicode_InternFromString("__name__");
#if CAN_WATCH
    extra = _PyEval_RequestCodeExtraIndex(NULL);
    if (extra < 0) {
        PyErr_SetString(PyExc_ImportError, "code objects have no place left");
        return NULL;
    }
#endif
    Aborted = PyErr_NewException("npexport.tracer.frames._evalframe.Aborted", PyExc_BaseException, NULL);
    if (interpreted == NULL || helpers == NULL || engine == NULL || libraries == NULL || name_key == NULL || Aborted == NULL) {
        return NULL;
    }
    PyObject *made = PyModule_Create(&definition);
    if (made != NULL && PyModule_AddIntConstant(made, "SOURCES", NPEXPORT_SOURCES) < 0) {
        Py_CLEAR(made);
    }
    return made;
}
