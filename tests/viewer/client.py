"""A viewer without a page: the protocol of docs/viewer-protocol.md over plain sockets, for the tests."""
import base64
import http.client
import json
import math
import os
import select
import socket
import struct
import subprocess
import time


class Closed(Exception):
    """The server closed the connection; `code` is the reason it gave (None: it gave none)."""

    def __init__(self, code):
        super().__init__(f"closed with {code}")
        self.code = code


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """`talus view` on a free port, for everybody on this machine unless a token is asked for."""

    def __init__(self, talus, *arguments, port=0, command=("view",), token=False):
        if not token:
            arguments = (*arguments, "--no-token")
        self.process = subprocess.Popen(
            [talus, *command, *map(str, arguments), "--port", str(port), "--no-browser"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = None
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if "http://" in line:
                self.address = line[line.index("http://"):].strip()
                break
        if not self.address:
            self.process.wait(10)
            raise RuntimeError(f"no address: {lines} {self.process.stderr.read()}")
        rest = self.address[len("http://"):]
        self.host, _, self.query = rest.partition("/")
        self.port = int(self.host.rsplit(":", 1)[1])
        self.token = self.query.partition("token=")[2]

    def stop(self, signal=15):
        if self.process.poll() is None:
            self.process.send_signal(signal)
        code = self.process.wait(20)
        if not self.process.stderr.closed:
            self.errors = self.process.stderr.read()
            self.process.stdout.close()
            self.process.stderr.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def get(self, path, method="GET", host=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", host or f"127.0.0.1:{self.port}")
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer, body


class Viewer:
    """A connection to /stream. Keeps the table and the state as the page does."""

    def __init__(self, port, path="/stream", protocol="talus-view-2", **headers):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        given = {"Host": f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade",
                 "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
                 "Sec-WebSocket-Version": "13"}
        if protocol:
            given["Sec-WebSocket-Protocol"] = protocol
        given.update({name.replace("_", "-"): value for name, value in headers.items()})
        lines = [f"GET {path} HTTP/1.1"] + [f"{k}: {v}" for k, v in given.items() if v is not None]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.received = b""
        while b"\r\n\r\n" not in self.received:
            more = self.socket.recv(65536)
            if not more:
                raise Closed(None)
            self.received += more
        head, _, self.received = self.received.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])
        self.head = head.decode()
        self.id = 0
        self.hello = self.settings = self.state = self.pairs = None
        self.names, self.bodies, self.balls, self.solids, self.forms = {}, {}, {}, {}, {}
        self.table_complete = False
        self.poses = {}
        self.frames = {}  # of recordings: sequence -> poses
        self.frame = self.contacts = None
        self.fields, self.reports, self.series, self.times = {}, [], {}, {}
        self.monitors = {}  # by name: rows of channels
        self.texts = []

    def close(self):
        self.socket.close()

    # ---- websocket ----

    def send_raw(self, opcode, payload, fin=True, mask=True, length=None):
        head = bytes([(0x80 if fin else 0) | opcode])
        count = len(payload) if length is None else length
        bit = 0x80 if mask else 0
        if count < 126:
            head += bytes([bit | count])
        elif count < 65536:
            head += bytes([bit | 126]) + struct.pack(">H", count)
        else:
            head += bytes([bit | 127]) + struct.pack(">Q", count)
        if mask:
            key = os.urandom(4)
            head += key
            payload = bytes(b ^ key[i % 4] for i, b in enumerate(payload))
        self.socket.sendall(head + payload)

    def send_text(self, text):
        self.send_raw(1, text if isinstance(text, bytes) else text.encode())

    def take(self, count):
        while len(self.received) < count:
            more = self.socket.recv(1 << 20)
            if not more:
                raise Closed(None)
            self.received += more
        data, self.received = self.received[:count], self.received[count:]
        return data

    def message(self):
        """The next message: (is_text, bytes)."""
        whole, is_text = b"", None
        while True:
            first, second = self.take(2)
            count = second & 127
            if count == 126:
                count, = struct.unpack(">H", self.take(2))
            elif count == 127:
                count, = struct.unpack(">Q", self.take(8))
            payload, opcode = self.take(count), first & 15
            assert not second & 128, "the server masks nothing"
            if opcode == 8:
                raise Closed(struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else None)
            if opcode == 9:
                self.send_raw(10, payload)
                continue
            if opcode == 10:
                continue
            if opcode in (1, 2):
                is_text = opcode == 1
            whole += payload
            if first & 128:
                return is_text, whole

    # ---- messages ----

    def pump(self):
        """Takes one message in; returns its type (texts) or kind (binary messages)."""
        is_text, data = self.message()
        return self.read_text(json.loads(data)) if is_text else self.read_binary(data)

    def read_text(self, message):
        kind = message["type"]
        self.texts.append(message)
        if kind == "hello":
            self.hello, self.table_complete = message, False
            self.names, self.bodies, self.balls, self.solids, self.poses = {}, {}, {}, {}, {}
            self.forms = {}
            self.frame, self.monitors = None, {}
        elif kind == "settings":
            self.settings = message
        elif kind == "pairs":
            self.pairs = {(a, b): (friction, restitution) for a, b, friction, restitution in message["pairs"]}
        elif kind == "state":
            self.state = message
        elif kind == "names":
            self.names.update({i: name for i, name in message["names"]})
        return kind

    def read_binary(self, data):
        kind, flags, word, epoch = struct.unpack_from("<BBHI", data)
        if epoch != self.hello["epoch"]:
            return None
        {1: self.read_bodies, 2: self.read_geometry, 3: self.read_frame, 4: self.read_field, 5: self.read_contacts,
         6: self.read_reports, 7: self.read_series, 8: self.read_times, 9: self.read_monitor}[kind](data, flags, word)
        return kind

    def read_geometry(self, data, flags, _):
        form, vertices, triangles, vertex, v, triangle, t, zero = struct.unpack_from("<8I", data, 8)
        assert zero == 0 and len(data) == 40 + 24 * v + 12 * t and v <= 65536 and t <= 65536
        points, corners = self.forms.setdefault(form, ([], []))
        assert (len(points), len(corners)) == (vertex, triangle) and not self.bodies
        points += [struct.unpack_from("<6f", data, 40 + 24 * i) for i in range(v)]
        corners += [struct.unpack_from("<3I", data, 40 + 24 * v + 12 * i) for i in range(t)]
        assert bool(flags & 1) == ((len(points), len(corners)) == (vertices, triangles))

    def read_bodies(self, data, flags, _):
        bodies, balls, solids, zero = struct.unpack_from("<4I", data, 8)
        assert zero == 0 and len(data) == 24 + 16 * bodies + 24 * balls + 68 * solids
        at = 24
        for _ in range(bodies):
            index, kind, zero, shapes, mass, radius = struct.unpack_from("<IBBHff", data, at)
            assert index not in self.bodies
            self.bodies[index] = dict(kind=kind, shapes=shapes, mass=mass, radius=radius)
            at += 16
        for _ in range(balls):
            body, material, x, y, z, radius = struct.unpack_from("<IIffff", data, at)
            self.balls.setdefault(body, []).append(((x, y, z), radius, material))
            at += 24
        for _ in range(solids):
            row = struct.unpack_from("<4I13f", data, at)
            self.solids.setdefault(row[0], []).append(row)
            at += 68
        self.table_complete = bool(flags & 1)

    @staticmethod
    def unpack_orientation(packed):
        largest, rest, q, shift = packed >> 30, 1.0, [0.0] * 4, 20
        for i in range(4):
            if i != largest:
                q[i] = ((packed >> shift & 1023) - 511) / 511 * math.sqrt(0.5)
                rest -= q[i] ** 2
                shift -= 10
        q[largest] = math.sqrt(max(rest, 0))
        return tuple(q)

    def read_frame(self, data, flags, _):
        time_, steps, sequence, base, count, zero = struct.unpack_from("<ddIIII", data, 8)
        ox, oy, oz, quantum = struct.unpack_from("<4d", data, 40)
        packed, words, exact, gone = struct.unpack_from("<4I", data, 72)
        assert len(data) == 88 + 8 * packed + 48 * exact + 4 * packed + 4 * words + 4 * gone
        at_exact = 88 + 8 * packed
        at_turn = at_exact + 48 * exact
        at_index = at_turn + 4 * packed
        positions = struct.unpack_from(f"<{packed}Q", data, 88)
        turns = struct.unpack_from(f"<{packed}I", data, at_turn)
        indices = struct.unpack_from(f"<{words}I", data, at_index)
        if flags & 2:
            indices = [i for first, n in zip(indices[::2], indices[1::2]) for i in range(first, first + n)]
        assert len(indices) == packed and list(indices) == sorted(set(indices))
        if flags & 1:
            poses = {}
        elif self.hello["kind"] == "live":
            assert self.frame and self.frame["sequence"] == base, "a difference to a frame not held"
            poses = self.poses
        else:
            poses = dict(self.frames[base])
        for i, p, turn in zip(indices, positions, turns):
            cell = p & 0x1fffff, p >> 21 & 0x1fffff, p >> 42
            poses[i] = ((ox + quantum * cell[0], oy + quantum * cell[1], oz + quantum * cell[2]),
                        self.unpack_orientation(turn))
        for k in range(exact):
            row = struct.unpack_from("<3d4fII", data, at_exact + 48 * k)
            poses[row[7]] = (row[:3], row[3:7])
        for i in struct.unpack_from(f"<{gone}I", data, at_index + 4 * words):
            del poses[i]
        assert len(poses) == count, (len(poses), count)
        assert all(i in self.bodies for i in poses), "a body without its row of the table"
        self.poses = poses
        if self.hello["kind"] != "live":
            self.frames[sequence] = dict(poses)
        self.frame = dict(time=time_, steps=int(steps), sequence=sequence, base=base, quantum=quantum,
                          full=bool(flags & 1), packed=packed, exact=exact, gone=gone, bytes=len(data))

    def read_field(self, data, field, components):
        sequence, count, low, high, words, _ = struct.unpack_from("<IIddII", data, 8)
        runs = struct.unpack_from(f"<{words}I", data, 40)
        indices = [i for first, n in zip(runs[::2], runs[1::2]) for i in range(first, first + n)]
        values = struct.unpack_from(f"<{count * components}H", data, 40 + 4 * words)
        assert len(indices) == count and len(data) == 40 + 4 * words + 2 * count * components
        values = [low + v * (high - low) / 65535 for v in values]
        self.fields[field] = {i: values[k] if components == 1 else tuple(values[3 * k:3 * k + 3])
                              for k, i in enumerate(indices)}

    def read_contacts(self, data, flags, _):
        sequence, count, total, step, *origin = struct.unpack_from("<II5d", data, 8)
        assert len(data) == 56 + 48 * count
        rows = [struct.unpack_from("<II10f", data, 56 + 48 * k) for k in range(count)]
        self.contacts = dict(total=int(total), step=step, more=bool(flags & 1), rows=[
            dict(a=r[0], b=r[1], point=tuple(o + p for o, p in zip(origin, r[2:5])), normal=r[5:8],
                 gap=r[8], impulse=r[9:12]) for r in rows])

    def read_reports(self, data, flags, columns):
        id_, rows, stride = struct.unpack_from("<IId", data, 8)
        assert columns == len(self.hello["report_columns"]) and len(data) == 24 + 8 * columns * rows
        for k in range(rows):
            row = struct.unpack_from(f"<{columns}d", data, 24 + 8 * columns * k)
            self.reports.append(dict(zip(self.hello["report_columns"], row)))

    def read_series(self, data, flags, columns):
        body, rows = struct.unpack_from("<II", data, 8)
        series = self.series.setdefault(body, dict(rows=[], last=False, gone=False))
        for k in range(rows):
            row = struct.unpack_from(f"<{columns}d", data, 16 + 8 * columns * k)
            series["rows"].append(dict(zip(self.hello["series_columns"], row)))
        series["last"] |= bool(flags & 1)
        series["gone"] |= bool(flags & 2)

    def read_times(self, data, _flags, _word):
        first, count = struct.unpack_from("<II", data, 8)
        for k, t in enumerate(struct.unpack_from(f"<{count}d", data, 16)):
            self.times[first + k] = t

    def read_monitor(self, data, flags, columns):
        number, rows = struct.unpack_from("<II", data, 8)
        monitor = self.hello["monitors"][number]
        names = [channel["name"] for channel in monitor["channels"]]
        assert columns == 2 + 3 * len(names) and len(data) == 16 + 8 * columns * rows
        if flags & 1:
            self.monitors[monitor["name"]] = []
        kept = self.monitors[monitor["name"]]
        for k in range(rows):
            steps, time_, *values = struct.unpack_from(f"<{columns}d", data, 16 + 8 * columns * k)
            assert not kept or steps > kept[-1]["steps"], "rows rise"
            kept.append(dict(steps=int(steps), time=time_,
                             **{n: values[3 * i:3 * i + 3] for i, n in enumerate(names)}))

    # ---- conversations ----

    def until(self, condition, limit=60):
        end = time.monotonic() + limit
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError("nothing came")
            self.pump()

    def quiet(self, seconds):
        """Takes messages in until none comes for a while."""
        while self.received or select.select([self.socket], [], [], seconds)[0]:
            self.pump()

    def greet(self):
        self.until(lambda: self.table_complete and self.state)
        return self

    def do(self, verb, **arguments):
        """Sends a command and waits for its reply."""
        self.id += 1
        mine = self.id
        self.send_text(json.dumps({"do": verb, "id": mine, **arguments}))
        end = time.monotonic() + 60
        while True:
            for message in self.texts:
                if message["type"] == "reply" and message.get("id") == mine:
                    self.texts.remove(message)
                    return message
            assert time.monotonic() < end, f"no reply to {verb}"
            self.pump()

    def ok(self, verb, **arguments):
        """A command that is carried out; where others' commands are waiting, later."""
        end = time.monotonic() + 60
        while True:
            reply = self.do(verb, **arguments)
            if reply.get("error") != "too many commands wait" or time.monotonic() > end:
                assert reply["ok"], reply
                return reply
            time.sleep(0.1)

    def wrong(self, verb, **arguments):
        reply = self.do(verb, **arguments)
        assert not reply["ok"], reply
        return reply["error"]

    def next_frame(self, **arguments):
        """Live: one more group."""
        before = self.frame and self.frame["sequence"]
        self.send_text(json.dumps({"do": "ready", **arguments}))
        self.until(lambda: self.frame and self.frame["sequence"] != before)
        return self.frame

    def seek(self, index, **arguments):
        """Recordings: one frame."""
        self.frame = None
        self.ok("frame", index=index, **arguments)
        self.until(lambda: self.frame and self.frame["sequence"] == index)
        return self.frame
