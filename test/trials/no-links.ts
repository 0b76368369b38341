import type { Around } from './lock-trial.ts';

/**
 * A Python 3 program that makes the kernel answer EPERM to link and linkat, as on a file system without hard links, and then
 * executes the given command. The system call numbers are those of x86-64 and 64-bit ARM.
 */
const FILTER = `
import ctypes, os, platform, struct, sys
calls = {'x86_64': (0xC000003E, [86, 265]), 'aarch64': (0xC00000B7, [37])}
arch, numbers = calls[platform.machine()]
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
op = lambda code, yes, no, value: struct.pack('HBBI', code, yes, no, value)
program = op(LOAD, 0, 0, 4) + op(EQUAL, 1, 0, arch) + op(RETURN, 0, 0, 0x7FFF0000) + op(LOAD, 0, 0, 0)
for number in numbers:
    program += op(EQUAL, 0, 1, number) + op(RETURN, 0, 0, 0x00050001)
program += op(RETURN, 0, 0, 0x7FFF0000)
buffer = ctypes.create_string_buffer(program)
class Filter(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('program', ctypes.c_void_p)]
libc = ctypes.CDLL(None, use_errno=True)
given = Filter(len(program) // 8, ctypes.addressof(buffer))
if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.byref(given), 0, 0) != 0:
    sys.exit('no filter')
try:
    os.link(sys.executable, '/nowhere/link')
    sys.exit('links are made')
except PermissionError:
    os.execvp(sys.argv[1], sys.argv[1:])
`;

export const NO_LINKS: Around = ['python3', '-c', FILTER];
