"""An MCP server over Streamable HTTP, of Python's library and PyJWT, whose tool runs only with the
receipt of a person's approval. The gateway's entry for it says `receipts: true`."""

import base64
import hashlib
import http.server
import json
import os
import time

import jwt

ISSUER = os.environ.get("COUNTERSIGN_URL", "http://localhost:8787")
AUDIENCE = os.environ.get("COUNTERSIGN_SERVER", "branches")
KEYS = jwt.PyJWKClient(f"{ISSUER}/.well-known/jwks.json", cache_keys=False)
used: dict[str, int] = {}


def digest(method, params):
    """RFC 8785 for texts, booleans and whole numbers; use a library for it where there are others."""
    value = {"method": method, "params": {"name": params["name"], "arguments": params.get("arguments") or {}}}
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def approved(params):
    receipt = params.get("_meta", {}).get("countersign/receipt", "")
    header = jwt.get_unverified_header(receipt)
    key = next(key for key in KEYS.fetch_data()["keys"] if key["kid"] == header["kid"])
    claims = jwt.decode(receipt, jwt.PyJWK(key).key, algorithms=["ES256"], audience=AUDIENCE, issuer=ISSUER, leeway=60)
    now = time.time()
    for jti in [jti for jti, until in used.items() if until < now - 60]:
        del used[jti]
    good = (
        header["typ"] == "countersign-receipt+jwt"
        and "revoked" not in key
        and claims["v"] == 1
        and claims["iat"] + 3600 > now
        and claims["decision"] == "approved"
        and claims["mode"] == "human"
        and claims["request"].get("jcs") == digest("tools/call", params)
        and claims["jti"] not in used
    )
    if good:
        used[claims["jti"]] = claims["exp"]
    return good


def call(params):
    try:
        good = approved(params)
    except (jwt.PyJWTError, KeyError, StopIteration, TypeError, AttributeError):
        good = False
    if not good:
        return {"isError": True, "content": [{"type": "text", "text": "Not run: no receipt of an approval."}]}
    return {"content": [{"type": "text", "text": f"Deleted {params['arguments']['branch']}."}]}


TOOL = {
    "name": "delete_branch",
    "description": "Deletes a branch.",
    "inputSchema": {"type": "object", "properties": {"branch": {"type": "string"}}, "required": ["branch"]},
}


def result_of(message):
    match message["method"]:
        case "initialize":
            info = {"name": "branches", "version": "1.0.0"}
            return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return {"tools": [TOOL]}
        case "tools/call":
            return call(message["params"])
    return {}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in message:
            self.send_response(202)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result_of(message)}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Handler).serve_forever()
