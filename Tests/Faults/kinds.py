"""The ways in which runs are disturbed. Each round begins with a known state, disturbs one run, looks at
what it has left, and lets the next run bring it to its end."""

import errno
import os
import shutil
import signal
import subprocess
import time

from injector import Fault, failing
from lab import PATIENCE, brief, finals

# On what a run writes.
OUTPUT_ERRORS = {
    "open": (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.ESTALE, errno.EACCES),
    "write": (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.ESTALE),
    "flush": (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.ESTALE),
    "rename": (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.ESTALE),
    "mkdir": (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS),
    "cut": (errno.EIO, errno.ENOSPC, errno.EROFS),
    "read": (errno.EIO, errno.ESTALE),
    "stat": (errno.EIO, errno.ESTALE),
    "unlink": (errno.EIO, errno.EROFS),
    "close": (errno.EIO, errno.ENOSPC, errno.EDQUOT),
    "list": (errno.EIO, errno.ESTALE),
}
# On what it reads.
INPUT_ERRORS = {
    "open": (errno.EIO, errno.ESTALE, errno.ENOENT, errno.EACCES),
    "read": (errno.EIO, errno.ESTALE),
    "stat": (errno.EIO, errno.ESTALE),
    "list": (errno.EIO, errno.ESTALE),
}
# What nobody may notice.
HARMLESS = {
    "open": (failing(errno.EINTR),),
    "read": (failing(errno.EINTR), "short"),
    "write": (failing(errno.EINTR), "short"),
    "close": (failing(errno.EINTR),),
}
# The calls of a run that change something, at which it may be killed.
DEEDS = ("open", "write", "flush", "rename", "mkdir", "cut", "unlink", "close")


class Rounds:
    def __init__(self, lab, chance, verbose=False):
        self.lab, self.chance, self.verbose = lab, chance, verbose
        # Outputs that were looked at under their names, right after a fault.
        self.seen = 0

    # MARK: Before and after

    def begin(self, modes=("fresh", "fresh", "forced", "changed", "partial")):
        """Brings the output root into a state to disturb a run from.

        Returns the words of that run, and for each path what its file may be from now on; None stands
        for no file.
        """
        lab = self.lab
        lab.mend()
        mode = self.chance.choice(modes)
        if lab.given and mode == "changed":
            mode = "forced"
        before = lab.wanted[lab.variant]
        self.mode = mode
        if mode == "fresh":
            lab.empty()
            return [], {path: (None, now) for path, now in before.items()}
        if not os.path.isdir(os.path.join(lab.out, ".minilab")):
            lab.run()
        if mode == "forced":
            return ["--force"], {path: (now,) for path, now in before.items()}
        if mode == "changed":
            lab.use("B" if lab.variant == "A" else "A")
            after = lab.wanted[lab.variant]
            return [], {path: (before[path], after[path]) for path in after}
        allowed = {path: (now,) for path, now in before.items()}
        for path in self.chance.sample(sorted(before), k=max(1, len(before) // 3)):
            os.remove(os.path.join(lab.out, path))
            allowed[path] = (None, before[path])
        return [], allowed

    def end(self, outcome, allowed, statuses, tidy=True, whole=True):
        """`tidy`: it could remove files; `whole`: it could see all inputs."""
        lab = self.lab
        lab.check_manners(outcome, statuses)
        lab.check_names(allowed)
        lab.check_told(outcome, lab.wanted[lab.variant])
        lab.check_ledger()
        self.seen += len(finals(lab.out))
        if outcome.status == 0 and whole:
            lab.compare(lab.wanted[lab.variant], "a run that said it was done", tidy)
        lab.check_end(lab.variant)

    def name(self, kind, number, what):
        self.lab.round = f"{kind} {number} ({self.mode}, {what})"
        if self.verbose:
            print(self.lab.round, flush=True)

    def place(self, side, families, role="any"):
        """One of the calls that a run makes on some files, each as likely as any other."""
        weighted = []
        for (family, where, who), count in self.lab.counts.items():
            if family in families and where == side and role in ("any", who) and count:
                weighted.append((family, count))
        if not weighted:
            return None
        family = self.chance.choice(sorted({family for family, _ in weighted}))
        total = sum(count for name, count in weighted if name == family)
        return family, 1 + int(self.chance.random() * total)

    # MARK: Kills

    def kills(self, count):
        """SIGKILL of the coordinator or a worker: at any time, or at one of its system calls."""
        killed = {"coordinator": 0, "worker": 0}
        number = 0
        start = time.monotonic()
        self.mode = "timing"
        self.lab.round = "a run to time"
        self.begin(("fresh",))
        self.lab.run()
        length = time.monotonic() - start
        while sum(killed.values()) < count and number < 4 * count + 20:
            number += 1
            who = self.chance.choice(("coordinator", "worker"))
            words, allowed = self.begin()
            process, what = self._kill(who, words, length)
            self.name("kill", number, what)
            outcome = self.lab.finish(process)
            was_killed = self.lab.injector.fired > 0 or self.was_killed
            if was_killed:
                killed[who] += 1
            # A worker's death costs nothing.
            statuses = {-signal.SIGKILL} if who == "coordinator" and was_killed else {0}
            if who == "coordinator" and was_killed and self.chance.random() < 0.25:
                self.lab.finish(self._kill("coordinator", words, length)[0])
                self.lab.check_names(allowed)
            self.end(outcome, allowed, statuses)
        print(f"killed: {killed['coordinator']} coordinators, {killed['worker']} workers")
        return sum(killed.values())

    def _kill(self, who, words, length):
        """Starts a run that is killed."""
        self.was_killed = False
        place = self.place("out", DEEDS, role=who)
        if place and self.chance.random() < 0.5:
            family, at = place
            do = self.chance.choice(("kill", "killed"))
            fault = Fault(family, "out", do, at, role=who)
            return self.lab.start(*words, fault=fault), str(fault)
        process = self.lab.start(*words)
        delay = self.chance.uniform(0, length)
        time.sleep(delay)
        victim = process.pid
        if who == "worker":
            workers = children(process.pid)
            victim = self.chance.choice(workers) if workers else None
        if victim and process.poll() is None:
            try:
                os.kill(victim, signal.SIGKILL)
                self.was_killed = True
            except ProcessLookupError:
                pass
        return process, f"SIGKILL of the {who} after {delay:.3f} s"

    # MARK: Disks

    def full_disks(self, count):
        """A small file system that fills: with bytes, or with files."""
        if not can_mount():
            print("full disks: skipped, as nothing can be mounted here (root, or user namespaces)")
            return 0
        lab = self.lab
        own, lab.out = lab.out, os.path.join(lab.scratch, "small")
        os.makedirs(lab.out)
        done = 0
        try:
            mount("size=256m", lab.out)
            self.mode = "fresh"
            lab.round = "a run on a file system of its own"
            lab.run()
            state = os.statvfs(lab.out)
            blocks = state.f_blocks - state.f_bfree
            files = state.f_files - state.f_ffree
            for number in range(1, count + 1):
                remount("size=256m,nr_inodes=100000", lab.out)
                words, allowed = self.begin(("fresh", "fresh", "fresh", "forced", "changed", "partial"))
                state = os.statvfs(lab.out)
                if number % 5 == 4:
                    used = state.f_files - state.f_ffree
                    room = self.chance.randint(used, max(used, files) + 8)
                    limit = f"nr_inodes={room}"
                else:
                    used = state.f_blocks - state.f_bfree
                    # Half of them where the run comes to its end: the ledger's last words, the report.
                    first = max(used, blocks - 24) if number % 2 else max(used, 2)
                    room = self.chance.randint(first, max(first, blocks + 24))
                    limit = f"size={room * state.f_bsize}"
                remount(limit, lab.out)
                self.name("full disk", number, limit)
                # Half of them fill it to the brim; the others stop short of that, as runs do.
                if number % 4 < 2:
                    words = [*words, "--set", "limits.keep-free=0"]
                outcome = lab.run(*words)
                if self.verbose:
                    print("   ", outcome.status, outcome.text.strip().replace("\n", " | ")[-150:])
                remount("size=256m,nr_inodes=100000", lab.out)
                self.end(outcome, allowed, {0, 1, 2})
                told = any(word in outcome.text for word in ("is full", "keep-free"))
                if outcome.status and not told:
                    lab.fault(f"it did not say that the disk is full: {brief(outcome.text)}")
                done += 1
        finally:
            subprocess.run(["umount", "-l", lab.out], check=False)
            lab.out = own
            lab.variant = None
            lab.use("B")
            lab.empty()
            lab.run()
        return done

    # MARK: Calls that fail

    def errors(self, count):
        """A system call that fails, once or from there on, on outputs or inputs."""
        done = number = 0
        while done < count and number < 4 * count + 20:
            number += 1
            kind = self.chance.choice(("output", "output", "ledger", "input", "harmless"))
            side = {"output": "out", "ledger": "ledger", "input": "in"}.get(kind)
            side = side or self.chance.choice(("out", "in"))
            table = {"input": INPUT_ERRORS, "harmless": HARMLESS}.get(kind, OUTPUT_ERRORS)
            place = self.place(side, table)
            if not place:
                continue
            family, at = place
            do = self.chance.choice(table[family])
            # A call that is interrupted for ever is no fault that happens.
            once = 1 if do == failing(errno.EINTR) else self.chance.choice((1, 0))
            fault = Fault(family, side, do if kind == "harmless" else failing(do), at, once)
            words, allowed = self.begin(("fresh", "fresh", "forced", "changed", "partial"))
            self.name("error", number, fault)
            outcome = self.lab.run(*words, fault=fault)
            if self.lab.injector.fired:
                done += 1
            if self.verbose:
                print("   ", self.lab.injector.fired, "×", self.lab.injector.victim)
                print("   ", outcome.status, outcome.text.strip().replace("\n", " | ")[-200:])
            if kind in ("output", "ledger") and self.lab.injector.fired and self._is_final(fault, do):
                self.lab.check_stop(outcome, self.lab.injector.victim)
            statuses = {0} if kind == "harmless" else self._expected(fault)
            # What is gone when it is about to be opened was never there.
            whole = do != failing(errno.ENOENT) and do != errno.ENOENT
            self.end(outcome, allowed, statuses, tidy=family != "unlink", whole=whole)
        return done

    def _is_final(self, fault, number):
        """It fails from there on, and nothing can be written any more."""
        numbers = (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.ESTALE)
        return not fault.times and fault.call in ("open", "write", "flush", "rename") and number in numbers

    def _expected(self, fault):
        """Where nothing can be listed there is nothing to do."""
        return {0, 1, 2, 3} if fault.side == "in" and fault.call in ("list", "stat", "open") else {0, 1, 2}

    # MARK: Slow storage

    def slow(self, count):
        """Storage that answers late: nothing is lost, nothing times out, and kills find more half done."""
        for number in range(1, count + 1):
            words, allowed = self.begin()
            side = self.chance.choice(("out", "out", "in", "ledger"))
            family = self.chance.choice(("write", "flush", "rename", "open", "read"))
            delay = self.chance.choice((2_000, 10_000))
            fault = Fault(family, side, f"delay:{delay}", 1, 0)
            self.name("slow", number, fault)
            process = self.lab.start(*words, fault=fault)
            is_killed = number % 2 == 0
            if is_killed:
                time.sleep(self.chance.uniform(0.05, 0.6))
                process.kill()
            self.end(self.lab.finish(process), allowed, {0, -9} if is_killed else {0})
        return count

    # MARK: Power

    def power_cuts(self, count):
        """A machine that goes down: what was not on the disk is cut, or gone, and the journal ends early."""
        lab = self.lab
        done = number = 0
        while done < count and number < 4 * count + 20:
            number += 1
            words, allowed = self.begin()
            before = {path: read(os.path.join(lab.out, path)) for path in finals(lab.out)}
            place = self.place("out", ("write", "flush", "rename", "unlink", "close"))
            if not place:
                break
            family, at = place
            fault = Fault(family, "out", self.chance.choice(("kill", "killed")), at, role="coordinator")
            in_worker = self.chance.random() < 0.7
            if in_worker:
                # The machine takes all of them along: a worker that dies is followed by its coordinator.
                fault = Fault(family, "out", "delay:3000000", at, role="worker")
            self.name("power cut", number, fault)
            process = lab.start(*words, fault=fault)
            if in_worker:
                end = time.monotonic() + PATIENCE
                while process.poll() is None and time.monotonic() < end:
                    if lab.injector.fired:
                        break
                    time.sleep(0.005)
                workers = children(process.pid)
                process.kill()
                for worker in workers:
                    try:
                        os.kill(worker, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
            outcome = lab.finish(process)
            wait_for_lock(lab.out)
            if outcome.status != -signal.SIGKILL:
                lab.check_end(lab.variant)
                continue
            done += 1
            lab.check_names(allowed)
            self._damage(before)
            with open(os.path.join(lab.scratch, "boot"), "w") as file:
                file.write(f"after-cut-{number}\n")
            second = lab.run(boot=os.path.join(lab.scratch, "boot"))
            if second.status != 0:
                lab.fault(f"the run after it: status {second.status}: {brief(second.text)}")
            lab.compare(lab.wanted[lab.variant], "the run after it")
            lab.check_end(lab.variant)
        return done

    def _damage(self, before):
        lab = self.lab
        there = finals(lab.out)
        written = [p for p in there if read(os.path.join(lab.out, p)) != before.get(p)] or there
        for path in self.chance.sample(written, k=min(len(written), self.chance.randint(0, 4))):
            full = os.path.join(lab.out, path)
            what = self.chance.choice(("empty", "half", "gone", "old"))
            if what == "gone":
                os.remove(full)
            elif what == "old":
                if before.get(path):
                    os.remove(full)
                    write(full, before[path])
            else:
                os.truncate(full, 0 if what == "empty" else os.path.getsize(full) // 2)
        journal = os.path.join(lab.out, ".minilab", "ledger.sqlite-wal")
        if os.path.exists(journal) and self.chance.random() < 0.7:
            size = os.path.getsize(journal)
            synced = min(size, lab.injector.synced_journal)
            cut = self.chance.randint(synced, size)
            os.truncate(journal, cut)
            if self.chance.random() < 0.3:
                # Blocks that were given to the file and never written.
                os.truncate(journal, size)
        report = os.path.join(lab.out, ".minilab", "report.json")
        if os.path.exists(report) and self.chance.random() < 0.2:
            os.truncate(report, 0)

    # MARK: The world around

    def events(self, count):
        """What else happens while a run goes on: folders move away, turn read-only, clocks jump."""
        kinds = [self._moved_output, self._vanished_inputs, self._clock, self._read_only, self._cut_inputs]
        done = 0
        for number in range(1, count + 1):
            done += bool(kinds[number % len(kinds)](number))
        return done

    def _wait_a_little(self, process):
        end = time.monotonic() + self.chance.uniform(0, 0.4)
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.005)

    def _moved_output(self, number):
        lab = self.lab
        words, allowed = self.begin()
        self.name("event", number, "the output root is moved away, and comes back")
        process = lab.start(*words, fault=Fault("write", "out", "delay:2000", 1, 0))
        # Before it has been opened, a folder that is not there would be made.
        end = time.monotonic() + PATIENCE
        while process.poll() is None and time.monotonic() < end:
            if lab.injector.counts[("flush", "ledger", "coordinator")]:
                break
            time.sleep(0.005)
        self._wait_a_little(process)
        away = lab.out + "-away"
        os.rename(lab.out, away)
        outcome = lab.finish(process)
        if os.path.exists(lab.out):
            # Somebody has made it anew: that would be a fault of its own.
            if finals(lab.out):
                lab.fault("outputs were written into a new folder of the old name")
            shutil.rmtree(lab.out)
        os.rename(away, lab.out)
        lab.check_manners(outcome, {0, 1, 2})
        lab.check_names(allowed)
        lab.check_ledger()
        lab.check_end(lab.variant)
        return True

    def _vanished_inputs(self, number):
        lab = self.lab
        words, allowed = self.begin()
        self.name("event", number, "some inputs are moved away, and come back")
        process = lab.start(*words)
        self._wait_a_little(process)
        names = finals(lab.inputs)
        gone = self.chance.sample(names, k=len(names) // 3)
        away = os.path.join(lab.scratch, "away")
        os.makedirs(away, exist_ok=True)
        for index, name in enumerate(gone):
            os.rename(os.path.join(lab.inputs, name), f"{away}/{index}")
        outcome = lab.finish(process)
        for index, name in enumerate(gone):
            os.rename(f"{away}/{index}", os.path.join(lab.inputs, name))
        self.end(outcome, allowed, {0, 1, 2, 3}, whole=False)
        return True

    def _cut_inputs(self, number):
        lab = self.lab
        words, allowed = self.begin(("fresh", "forced", "partial"))
        self.name("event", number, "some inputs are being copied while they are read")
        names = self.chance.sample(finals(lab.inputs), k=3)
        whole = {name: read(os.path.join(lab.inputs, name)) for name in names}
        process = lab.start(*words, fault=Fault("read", "in", "delay:1000", 1, 0))
        self._wait_a_little(process)
        for name, content in whole.items():
            write(os.path.join(lab.inputs, name), content[: len(content) // 2])
        time.sleep(0.02)
        for name, content in whole.items():
            write(os.path.join(lab.inputs, name), content)
        outcome = lab.finish(process)
        # What was read half is refused, or made of what was there then.
        lab.check_manners(outcome, {0, 1})
        lab.check_ledger()
        lab.check_end(lab.variant)
        return True

    def _clock(self, number):
        lab = self.lab
        words, allowed = self.begin()
        years = self.chance.choice((-40, -5, 5, 10))
        shift = years * 365 * 86400
        self.name("event", number, f"the clock jumps by {years} years, and back")
        names = self.chance.sample(finals(lab.inputs), k=3)
        for name in names:
            moment = time.time() + self.chance.choice((-1, 1)) * 3 * 365 * 86400
            os.utime(os.path.join(lab.inputs, name), (moment, moment))
        process = lab.start(*words, clock=shift)
        if self.chance.random() < 0.5:
            self._wait_a_little(process)
            process.kill()
        self.end(lab.finish(process), allowed, {0, -9})
        return True

    def _read_only(self, number):
        lab = self.lab
        if not can_mount():
            return False
        words, allowed = self.begin(("fresh",))
        self.name("event", number, "the file system turns read-only, and back")
        mount("size=256m", lab.out)
        try:
            process = lab.start(*words)
            self._wait_a_little(process)
            # Refused while files are open for writing, but for a device that fails.
            is_done = False
            for _ in range(20):
                words = ["mount", "-o", "remount,ro", lab.out]
                is_done = subprocess.run(words, stderr=subprocess.DEVNULL).returncode == 0
                if is_done or process.poll() is not None:
                    break
                time.sleep(0.01)
            outcome = lab.finish(process)
            subprocess.run(["mount", "-o", "remount,rw", lab.out], check=True)
            self.end(outcome, allowed, {0, 1, 2})
        finally:
            subprocess.run(["umount", "-l", lab.out], check=False)
        lab.empty()
        lab.run()
        return is_done


# MARK: Helpers


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def children(process):
    try:
        with open(f"/proc/{process}/task/{process}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def wait_for_lock(out):
    """Until the workers of a killed run are gone."""
    import fcntl

    try:
        with open(os.path.join(out, ".minilab", "lock")) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
    except OSError:
        pass


def can_mount():
    if os.geteuid() != 0:
        return False
    words = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(words, stderr=subprocess.DEVNULL).returncode == 0


def mount(options, folder):
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], check=True)


def remount(options, folder):
    subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True)
