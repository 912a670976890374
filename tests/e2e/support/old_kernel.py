"""System calls that older kernels do not have, refused as they refuse them."""
import ctypes
import struct

# Numbers of x86-64. pidfd_open came with Linux 5.3, openat2 with 5.6, close_range with 5.9, Landlock with 5.13.
PIDFD_OPEN, CLOSE_RANGE, OPENAT2, LANDLOCK = 434, 436, 437, (444, 445, 446)
ENOSYS = 38

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7fff0000, 0x00050000


def lack(*calls):
    """A `preexec_fn`: the process and all that it starts get ENOSYS from these calls."""
    steps = [(LOAD_WORD, 0, 0, 0)]
    for i, call in enumerate(calls):
        steps.append((JUMP_IF_EQUAL, len(calls) - i, 0, call))
    steps += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, ERRNO | ENOSYS)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)

    def apply():
        if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0):
            raise OSError(ctypes.get_errno(), "seccomp")

    apply.keep = code
    return apply
