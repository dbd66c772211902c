"""A file system with one picture that is never delivered, so that whoever reads it waits in the kernel and
cannot be killed: what a disk that is gone does. Needs root and /dev/fuse.
"""

import ctypes
import os
import struct
import threading

LENGTH = 500_000
ROOT, FILE = 1, 2
libc = ctypes.CDLL(None, use_errno=True)


class Stuck:
    """Mounted below a folder while it is used; the picture's name is `stuck.jpg`."""

    def __init__(self, folder, head):
        self.folder = os.fsencode(folder)
        self.head = head
        self.withheld = 0

    def __enter__(self):
        self.device = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.device},rootmode=40000,user_id=0,group_id=0".encode()
        if libc.mount(b"stuck", self.folder, b"fuse", 6, options) != 0:
            error = ctypes.get_errno()
            os.close(self.device)
            raise OSError(error, os.strerror(error))
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        # By force: whoever waits is told that nothing will come.
        libc.umount2(self.folder, 1)
        libc.umount2(self.folder, 2)
        os.close(self.device)

    def serve(self):
        while True:
            try:
                request = os.read(self.device, 1 << 18)
            except OSError:
                return
            _, code, unique, node = struct.unpack_from("<IIQQ", request)
            answer = self.answer(code, node, request[40:])
            if answer is None:
                continue
            error, body = answer
            try:
                os.write(self.device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)
            except OSError:
                pass  # nobody waits any more

    def answer(self, code, node, body):
        if code in (2, 36, 42):  # forget, interrupt, forget many: no answer
            return None
        if code == 26:  # init
            return 0, struct.pack("<IIIIHHIIHHI28x", 7, 31, 0, 0, 12, 9, 1 << 17, 1, 0, 0, 0)
        if code == 1:  # look up
            if body.rstrip(b"\0") != b"stuck.jpg":
                return -2, b""
            return 0, struct.pack("<QQQQII", FILE, 0, 1000, 1000, 0, 0) + attributes(FILE)
        if code == 3:
            return 0, struct.pack("<QII", 1000, 0, 0) + attributes(node)
        if code in (14, 27):  # open: each read comes here as it is asked for
            return 0, struct.pack("<QII", 0, 1, 0)
        if code == 28:  # list
            _, offset, _ = struct.unpack_from("<QQI", body)
            name = b"stuck.jpg"
            entry = struct.pack("<QQII", FILE, 1, len(name), 8) + name.ljust(16, b"\0")
            return 0, entry if offset == 0 else b""
        if code == 15:
            _, offset, size = struct.unpack_from("<QQI", body)
            if size <= 4096:
                return 0, self.head.ljust(LENGTH, b"\0")[offset : offset + size]
            self.withheld += 1
            return None
        if code in (18, 25, 29):  # release, flush
            return 0, b""
        return -38, b""


def attributes(node):
    mode, size = (0o40755, 0) if node == ROOT else (0o100644, LENGTH)
    return struct.pack("<QQQQQQIIIIIIIIII", node, size, 1, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)
