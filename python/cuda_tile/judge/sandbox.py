# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a process gives up for good: files, network, other processes, privileges.

Linux's own means, each taken where the kernel has it: resource limits, capabilities,
Landlock (files), seccomp (system calls). `confine` says which ones hold.

Sources: landlock(7), seccomp(2), capabilities(7), linux/audit.h, the system call tables
of x86_64 and of the generic ABI, which aarch64 has.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import struct
from collections.abc import Sequence
from dataclasses import dataclass

_NO_NEW_PRIVILEGES, _DEATH_SIGNAL, _SET_SECCOMP, _FILTER = 38, 1, 22, 2
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_READS = 0b1101  # execute, read file, read directory
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
"""Rights over files that the versions of Landlock know."""
_NETWORK_RIGHTS = 0b11
_ALL_FILE_RIGHTS = 16
"""Rights of the fifth version and later: ioctl on devices too."""

_NAMES = (
    "socket socketpair connect bind listen accept accept4 fork vfork "
    "execve execveat ptrace process_vm_readv process_vm_writev kill tkill "
    "rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_getfd pidfd_send_signal "
    "io_uring_setup bpf perf_event_open userfaultfd mount umount2 unshare setns chroot "
    "pivot_root keyctl add_key init_module finit_module "
    "kexec_load reboot settimeofday open_by_handle_at "
    "mq_open shmget msgget semget setsid setpgid "
    # What Landlock does not see of files, and a process may do to those of its user.
    "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat truncate utime "
    "utimes futimesat utimensat setxattr lsetxattr fsetxattr setxattrat removexattr "
    "lremovexattr fremovexattr removexattrat "
    # What it may do to other processes of its user, and what these share.
    "setpriority sched_setparam sched_setscheduler sched_setattr sched_setaffinity "
    "ioprio_set migrate_pages move_pages process_madvise shmat shmctl msgctl msgsnd "
    "msgrcv semop semctl semtimedop mq_unlink request_key syslog"
)
_X86_64 = dict(
    socket=41, socketpair=53, connect=42, bind=49, listen=50, accept=43, accept4=288,
    fork=57, vfork=58, execve=59, execveat=322, ptrace=101,
    process_vm_readv=310, process_vm_writev=311, kill=62, tkill=200, pidfd_open=434,
    pidfd_getfd=438, pidfd_send_signal=424, io_uring_setup=425, bpf=321,
    perf_event_open=298, userfaultfd=323, mount=165, umount2=166,
    unshare=272, setns=308, chroot=161, pivot_root=155, keyctl=250, add_key=248,
    init_module=175,
    finit_module=313, kexec_load=246, reboot=169, settimeofday=164, prlimit64=302,
    tgkill=234, rt_sigqueueinfo=129, rt_tgsigqueueinfo=297,
    open_by_handle_at=304, mq_open=240, shmget=29, msgget=68, semget=64,
    setsid=112, setpgid=109, prctl=157,
    chmod=90, fchmod=91, fchmodat=268, fchmodat2=452, chown=92, fchown=93, lchown=94,
    fchownat=260, truncate=76, utime=132, utimes=235, futimesat=261, utimensat=280,
    setxattr=188, lsetxattr=189, fsetxattr=190, setxattrat=463, removexattr=197,
    lremovexattr=198, fremovexattr=199, removexattrat=466, setpriority=141,
    sched_setparam=142, sched_setscheduler=144, sched_setattr=314,
    sched_setaffinity=203, ioprio_set=251, migrate_pages=256, move_pages=279,
    process_madvise=440, shmat=30, shmctl=31, msgctl=71, msgsnd=69, msgrcv=70, semop=65,
    semctl=66, semtimedop=220, mq_unlink=241, request_key=249, syslog=103,
    clone=56, clone3=435,
)  # fmt: skip
_GENERIC = dict(
    socket=198, socketpair=199, connect=203, bind=200, listen=201, accept=202,
    accept4=242, sendto=206, sendmsg=211, execve=221, execveat=281, ptrace=117,
    process_vm_readv=270, process_vm_writev=271, kill=129, tkill=130, pidfd_open=434,
    pidfd_getfd=438, pidfd_send_signal=424, io_uring_setup=425, bpf=280,
    perf_event_open=241, userfaultfd=282, mount=40, umount2=39, unshare=97, setns=268,
    chroot=51, pivot_root=41, keyctl=219, add_key=217, init_module=105,
    finit_module=273, kexec_load=104, reboot=142, settimeofday=170, prlimit64=261,
    tgkill=131, rt_sigqueueinfo=138, rt_tgsigqueueinfo=240,
    open_by_handle_at=265, mq_open=180, shmget=194, msgget=186,
    setsid=157, setpgid=154, prctl=167, semget=190, clone=220, clone3=435,
    fchmod=52, fchmodat=53, fchmodat2=452, fchown=55, fchownat=54, truncate=45,
    utimensat=88, setxattr=5, lsetxattr=6, fsetxattr=7, setxattrat=463, removexattr=14,
    lremovexattr=15, fremovexattr=16, removexattrat=466, setpriority=140,
    sched_setparam=118, sched_setscheduler=119, sched_setattr=274,
    sched_setaffinity=122, ioprio_set=30, migrate_pages=238, move_pages=239,
    process_madvise=440, shmat=196, shmctl=195, msgctl=187, msgsnd=189, msgrcv=188,
    semop=193, semctl=191, semtimedop=192, mq_unlink=181, request_key=218, syslog=116,
)  # fmt: skip
_TABLES = {"x86_64": (0xC000003E, _X86_64), "aarch64": (0xC00000B7, _GENERIC)}
_ALLOW, _REFUSE, _MISSING = 0x7FFF0000, 0x00050001, 0x00050026
"""SECCOMP_RET_ALLOW; errors EPERM and ENOSYS."""
_THREAD = 0x00010000
"""CLONE_THREAD."""
_X32 = 0x40000000


@dataclass(frozen=True)
class Cage:
    """What a process may use.

    Attributes:
        seconds: CPU time.
        memory_bytes: Memory.
        readable: Files and folders that it may read.
    """

    seconds: float
    memory_bytes: int
    readable: Sequence[str]


def confine(cage: Cage) -> dict[str, str]:
    """Confines this process; there is no way back.

    Returns:
        For each means, "holds" or why it does not.
    """
    library = ctypes.CDLL(None, use_errno=True)
    _limit(cage)
    library.prctl(_DEATH_SIGNAL, 9, 0, 0, 0)
    held = {
        "limits": "holds",
        "privileges": _drop_capabilities(library),
        "no new privileges": _said(library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)),
        "files": _restrict_files(library, cage.readable),
    }
    return held | {"system calls": _filter_calls(library)}


def _limit(cage: Cage) -> None:
    seconds = max(1, int(cage.seconds + 1))
    for what, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_DATA, cage.memory_bytes),
        (resource.RLIMIT_AS, cage.memory_bytes + (4 << 30)),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        resource.setrlimit(what, (most, most))


def _said(code: int) -> str:
    return "holds" if code >= 0 else f"missing: {os.strerror(ctypes.get_errno())}"


def _drop_capabilities(library: ctypes.CDLL) -> str:
    head = struct.pack("<Ii", 0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, itself
    return _said(library.capset(head, bytes(24)))


def _restrict_files(library: ctypes.CDLL, readable: Sequence[str]) -> str:
    version = library.syscall(_CREATE_RULESET, None, 0, 1)
    if version < 1:
        return _said(-1)
    rights = (1 << _FILE_RIGHTS.get(version, _ALL_FILE_RIGHTS)) - 1
    network = _NETWORK_RIGHTS if version >= 4 else 0
    rules = struct.pack("<QQ", rights, network)[: 16 if network else 8]
    ruleset = library.syscall(_CREATE_RULESET, rules, len(rules), 0)
    for path in readable:
        _allow(library, ruleset, path)
    code = library.syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return _said(code)


def _allow(library: ctypes.CDLL, ruleset: int, path: str) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there cannot be read
    rights = _READS if os.path.isdir(path) else _READS & 0b101
    rule = struct.pack("<Qi", rights, place)
    library.syscall(_ADD_RULE, ruleset, 1, rule, 0)
    os.close(place)


def _filter_calls(library: ctypes.CDLL) -> str:
    machine = platform.machine()
    if machine not in _TABLES:
        return f"missing: no table of system calls for {machine}"
    program = _program(*_TABLES[machine])
    raw = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("<HxxxxxxQ", len(program) // 8, ctypes.addressof(raw))
    return _said(library.prctl(_SET_SECCOMP, _FILTER, head, 0, 0))


def _program(arch: int, calls: dict[str, int]) -> bytes:
    """The filter in BPF: another architecture, the listed calls and new processes."""
    load, equal, at_least, has_bits, give = 0x20, 0x15, 0x35, 0x45, 0x06
    refused = [calls[name] for name in _NAMES.split() if name in calls]
    code = [
        (load, 0, 0, 4),
        (equal, 1, 0, arch),
        (give, 0, 0, _REFUSE),
        (load, 0, 0, 0),
    ]
    code += [(at_least, 0, 1, _X32), (give, 0, 0, _REFUSE)]
    for number in refused:
        code += [(equal, 0, 1, number), (give, 0, 0, _REFUSE)]
    for name, first in (("prlimit64", 0), ("tgkill", os.getpid())):  # itself only
        code += [(equal, 0, 4, calls[name]), (load, 0, 0, 16), (equal, 1, 0, first)]
        code += [(give, 0, 0, _REFUSE), (give, 0, 0, _ALLOW)]
    # A process that its parent's death does not end would outlive the verdict.
    code += [(equal, 0, 4, calls["prctl"]), (load, 0, 0, 16)]
    code += [(equal, 0, 1, _DEATH_SIGNAL), (give, 0, 0, _REFUSE), (give, 0, 0, _ALLOW)]
    # glibc then uses clone, whose flags are in a register.
    code += [(equal, 0, 1, calls["clone3"]), (give, 0, 0, _MISSING)]
    code += [(equal, 0, 3, calls["clone"]), (load, 0, 0, 16)]
    code += [(has_bits, 1, 0, _THREAD), (give, 0, 0, _REFUSE), (give, 0, 0, _ALLOW)]
    return b"".join(struct.pack("<HBBI", *line) for line in code)
