"""Many on the server's connections at once, some of them with nothing to say."""
import json
import select
import socket
import unittest

from harness import PATIENCE, until
from served import ServedTest


class Crowd(ServedTest):
    def test_too_many_streams_are_refused(self):
        self.serve()
        asked = f"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\n\r\n".encode()
        for _ in range(512):
            stream = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
            self.addCleanup(stream.close)
            stream.sendall(asked)
            self.assertIn(b" 200 ", stream.recv(64))
        answer, _ = self.problem(429, "GET", "/events")
        self.assertTrue(answer.headers["Retry-After"])
        self.get("/health")

    def idle(self, number, says=b""):
        """Connections that are held open, and say no more than this. Whom the server hung up on is let go."""
        held = []
        for _ in range(number):
            s = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
            try:
                s.sendall(says)
            except OSError:
                pass
            held.append(s)
            self.addCleanup(s.close)
        return held

    def test_whoever_says_nothing_or_half_of_it_keeps_nobody_out(self):
        self.serve()
        for says in (b"", b"GET /api/v1/health HTTP/1.1\r\nX: "):
            # Answered beside those that say nothing, not because they had been given up by then, as on a slow machine.
            for _ in range(10):
                held, last = self.idle(1500, says), select.poll()
                self.get("/health")
                last.register(held[-1], select.POLLIN)
                if last.poll(0) == []:
                    break
            self.assertEqual(last.poll(0), [])
            # They are not kept all: who has waited longest went.
            held[0].settimeout(PATIENCE)
            try:
                self.assertEqual(held[0].recv(1), b"")
            except ConnectionResetError:
                pass
            for s in held:
                s.close()

    def test_requests_beyond_those_that_can_be_active_are_refused_and_may_come_again(self):
        self.serve()
        head = (f"POST /api/v1/validate HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\nContent-Type: "
                "application/json\r\nContent-Length: 9\r\n\r\n")
        held = self.idle(640, head.encode())

        def refused():
            answer, _ = self.ask("GET", "/health")
            return answer.status == 503 and answer.headers["Retry-After"]

        until(refused)
        for s in held:
            s.close()
        until(lambda: self.ask("GET", "/health")[0].status == 200)

    def test_a_connection_may_be_used_again_and_again_and_ends_when_it_is_not(self):
        self.serve()
        connection = self.connection()
        for _ in range(50):
            connection.request("GET", "/api/v1/health", headers={"Authorization": f"Bearer {self.token}"})
            answer = connection.getresponse()
            self.assertTrue(json.loads(answer.read())["ok"])
        self.assertEqual(connection.sock.recv(1), b"")
        connection.close()

    def test_requests_in_one_piece_are_answered_one_after_the_other(self):
        self.serve()
        one = f"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\n"
        said = self.raw(one + "\r\n" + one + "\r\n" + one + "Connection: close\r\n\r\n")
        self.assertEqual(said.count(b"HTTP/1.1 200"), 3, said)

    def test_whoever_drips_is_cut_off(self):
        self.serve()
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as s:
            s.sendall(b"GET /api/v1/health HTTP/1.1\r\n")

            def cut_off():
                try:
                    s.sendall(b"X")
                    # A byte every fifth of a second, unless it answers or hangs up.
                    return s in select.select([s], [], [], 0.2)[0] and not s.recv(4096)
                except OSError:
                    return True

            until(cut_off)

    def test_heads_without_end_are_cut_off(self):
        self.serve()
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as s:
            s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
            try:
                for i in range(2000):
                    s.sendall(f"X-{i}: {'y' * 100}\r\n".encode())
                self.assertIn(b" 431 ", s.recv(4096))
            except OSError:
                pass  # Cut off while we were still talking.
        self.get("/health")


if __name__ == "__main__":
    unittest.main()
