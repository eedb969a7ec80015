# Two-phase commit, for the driver of examples/logs/two-phase/TwoPhase.tla.
#
# BUG in the environment switches a mistake on: count-messages, ignore-abort or silent-commit.

import os

BUG = os.environ.get("BUG", "")


class ResourceManager:
    def __init__(self, name, network):
        self.name, self.network = name, network
        self.state = "working"

    def prepare(self):
        self.state = "prepared"
        self.network.send({"type": "Prepared", "rm": self.name})

    def give_up(self):
        self.state = "aborted"

    def receive(self, message):
        if message["type"] == "Commit":
            self.state = "committed"
        elif BUG != "ignore-abort" or self.state == "working":
            self.state = "aborted"


class TransactionManager:
    def __init__(self, managers, network):
        self.managers, self.network = managers, network
        self.prepared = [] if BUG == "count-messages" else set()
        self.is_done = False

    def receive(self, message):
        if BUG == "count-messages":
            self.prepared.append(message["rm"])
        else:
            self.prepared.add(message["rm"])

    def can_commit(self):
        return not self.is_done and len(self.prepared) >= len(self.managers)

    def commit(self):
        if not self.can_commit():
            raise RuntimeError("not all have prepared")
        self.is_done = True
        if BUG != "silent-commit":
            self.network.send({"type": "Commit"})

    def abort(self):
        self.is_done = True
        self.network.send({"type": "Abort"})


class Network:
    def __init__(self):
        self.messages = []

    def send(self, message):
        if message not in self.messages:
            self.messages.append(message)

    def find(self, kind, **fields):
        wanted = {"type": kind, **fields}
        if wanted not in self.messages:
            raise RuntimeError(f"nobody has sent {wanted}")
        return wanted


# omnilink: begin system
class Cluster:
    def __init__(self, names):
        self.network = Network()
        self.managers = {name: ResourceManager(name, self.network) for name in names}
        self.coordinator = TransactionManager(names, self.network)


def start(state):
    return Cluster(list(state["rmState"]))


def observe(system):
    return {
        "rmState": {name: manager.state for name, manager in system.managers.items()},
        "tmState": "done" if system.coordinator.is_done else "init",
        "msgs": system.network.messages,
        "canCommit": system.coordinator.can_commit(),
    }
# omnilink: end system

# omnilink: begin action TMCommit()
def TMCommit(system):
    system.coordinator.commit()
# omnilink: end action TMCommit

# omnilink: begin action TMAbort()
def TMAbort(system):
    system.coordinator.abort()
# omnilink: end action TMAbort

# omnilink: begin action TMRcvPrepared(rm: str)
def TMRcvPrepared(system, rm: str):
    system.coordinator.receive(system.network.find("Prepared", rm=rm))
# omnilink: end action TMRcvPrepared

# omnilink: begin action RMPrepare(rm: str)
def RMPrepare(system, rm: str):
    system.managers[rm].prepare()
# omnilink: end action RMPrepare

# omnilink: begin action RMChooseToAbort(rm: str)
def RMChooseToAbort(system, rm: str):
    system.managers[rm].give_up()
# omnilink: end action RMChooseToAbort

# omnilink: begin action RMRcvCommitMsg(rm: str)
def RMRcvCommitMsg(system, rm: str):
    system.managers[rm].receive(system.network.find("Commit"))
# omnilink: end action RMRcvCommitMsg

# omnilink: begin action RMRcvAbortMsg(rm: str)
def RMRcvAbortMsg(system, rm: str):
    system.managers[rm].receive(system.network.find("Abort"))
# omnilink: end action RMRcvAbortMsg

# omnilink: new sections are inserted above this line
