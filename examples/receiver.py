# WEBHOOK_SECRET=whsec_... python3 receiver.py 4000
import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))


def is_from_catalog(headers, body):
    """body is the body as it arrived, before any parsing: JSON that was parsed and written again has other bytes."""
    sent_at = headers.get("webhook-timestamp", "")
    # An old call may be a copy that an attacker sends again.
    if not (sent_at.isascii() and sent_at.isdigit()) or abs(time.time() - int(sent_at)) >= 300:
        return False
    signed = f"{headers.get('webhook-id')}.{sent_at}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    # There are two signatures for a while after the secret was replaced.
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected.encode()) for one in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_from_catalog(self.headers, body):
            self.send_response(401)
            self.end_headers()
            return
        # Answer first, then work: there is one attempt, and it ends after ten seconds.
        self.send_response(204)
        self.end_headers()
        event = json.loads(body)
        print(self.headers["webhook-id"], event["event"], flush=True)

    def log_message(self, *_):
        pass


port = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
