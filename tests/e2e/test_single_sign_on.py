"""Single sign-on against an identity provider on a real socket, in a process of its own that has it configured."""

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.processes import ROOT, clean_environment


class Provider(BaseHTTPRequestHandler):
    """The least of OpenID Connect: discovery, a token for any code, and who the last person was. `/next` says who is next."""

    person: dict = {}

    def do_GET(self):
        here = f"http://{self.headers['Host']}"
        if self.path == "/.well-known/openid-configuration":
            self._say(
                {
                    "issuer": here,
                    "authorization_endpoint": f"{here}/authorize",
                    "token_endpoint": f"{here}/token",
                    "userinfo_endpoint": f"{here}/userinfo",
                    "jwks_uri": f"{here}/keys",
                    "token_endpoint_auth_methods_supported": ["client_secret_post"],
                }
            )
        elif self.path == "/userinfo" and self.headers["Authorization"] == "Bearer for-the-person":
            self._say(Provider.person)
        else:
            self._say({"error": "not found"}, 404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.path == "/next":
            Provider.person = json.loads(body)
            self._say({})
        elif self.path == "/token" and "code=from-there" in body and "client_id=digital-worker" in body:
            self._say({"access_token": "for-the-person", "token_type": "Bearer"})
        else:
            self._say({"error": "invalid_grant"}, 400)

    def _say(self, body: dict, status: int = 200) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args):
        pass


@pytest.fixture
def provider():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_people_log_in_through_an_identity_provider(provider):
    environment = clean_environment(
        DJANGO_SETTINGS_MODULE="tests.settings",
        DW_TEST_DATABASE="test_single_sign_on",
        DW_OIDC_SERVER=provider,
        DW_OIDC_CLIENT_ID="digital-worker",
        DW_OIDC_CLIENT_SECRET="known-to-both",
        DW_OIDC_NAME="Acme ID",
    )
    walk = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "tests/e2e/walk_single_sign_on.py",
        "-m",
        "",
    ]
    done = subprocess.run(walk, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "5 passed" in done.stdout
