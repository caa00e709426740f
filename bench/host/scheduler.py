# Tasks with queues: attributes, methods, __slots__.
class Task:
    def __init__(self, ident, prio, queue, fn):
        self.ident = ident
        self.prio = prio
        self.queue = queue
        self.fn = fn
        self.count = 0
        self.state = "ready"
    def run(self, sched):
        self.count += 1
        if self.queue:
            packet = self.queue.pop(0)
            return self.fn(self, packet, sched)
        self.state = "waiting"
        return None
class Packet:
    __slots__ = ("kind", "data", "hops")
    def __init__(self, kind, data):
        self.kind = kind
        self.data = data
        self.hops = 0
class Scheduler:
    def __init__(self):
        self.tasks = []
        self.done = 0
    def add(self, t):
        self.tasks.append(t)
    def send(self, ident, packet):
        t = self.tasks[ident]
        packet.hops += 1
        t.queue.append(packet)
        if t.state == "waiting":
            t.state = "ready"
    def loop(self, limit):
        while self.done < limit:
            for t in self.tasks:
                if t.state == "ready":
                    t.run(self)
def worker(task, packet, sched):
    packet.data = (packet.data * 31 + task.ident) % 1000003
    sched.send((task.ident + 1) % len(sched.tasks), packet)
    sched.done += 1
s = Scheduler()
for i in range(6):
    s.add(Task(i, i, [Packet("work", i)], worker))
s.loop(120000)
print(s.done, [t.count for t in s.tasks], [len(t.queue) for t in s.tasks])
